# SPDX-License-Identifier: BSD-3-Clause
"""A layer includes only itself and layers to its left, and every include is written from the root."""
import os
import re

import common

LAYERS = ["util", "simcore", "cluster", "netmodel", "pdexec", "mtrace", "mpi", "replay", "traces", "tools"]
# Programs of their own, which may include what lies beside them.
UNCHECKED = ("apps/", "include/", "calibrate/", "real/", "tests/programs/")
# Installed or generated headers, found through the public include path.
PUBLIC = {"mpi.h", "mpisim.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def complaint_about(root, folder, quote, name):
    """What is wrong with including `name` in a file of the top folder `folder`; None when nothing is."""
    target = name.split("/")[0]
    is_ours = target in LAYERS and "/" in name
    if quote == "<":
        return f'<{name}> is not a system header: write "{name}"' if is_ours and os.path.isfile(os.path.join(root, name)) else None
    if name in PUBLIC:
        return None
    if ".." in name.split("/") or "/" not in name or not os.path.isdir(os.path.join(root, target)):
        return f'"{name}" is not written from the root of the source'
    if folder not in LAYERS:
        return None
    if not is_ours:
        return f'the layer {folder} includes "{name}", which is in no layer'
    if LAYERS.index(target) > LAYERS.index(folder):
        return f'the layer {folder} includes "{name}" of {target}, a layer to its right'
    return None


def lint(root):
    complaints = []
    for path in common.tracked_files(root):
        folder = path.split(os.sep)[0]
        if not path.endswith((".c", ".h", ".S", ".in")) or path.startswith(UNCHECKED):
            continue
        for number, line in enumerate((common.read_text(root, path) or "").splitlines(), 1):
            match = INCLUDE.match(line)
            wrong = match and complaint_about(root, folder, *match.groups())
            if wrong:
                complaints.append(f"{path}:{number}: {wrong}")
    return complaints


GOOD = {
    "util/a.h": '#include <stdio.h>\n#include "util/b.h"\n',
    "mpi/p2p/a.c": '#include "mpi/core/x.h"\n#include "simcore/y.h"\n#include "mpi.h"\n#include <mpi.h>\n',
    "tests/util/a.c": '#include <cmocka.h>\n#include "tools/run.h"\n#include "tests/help.h"\n',
    "tools/run.h": '#include "traces/a.h"\n',
    "apps/lu/lu.c": '#include "lu.h"\n',
    "tests/programs/a.c": '#include "check.h"\n',
    "traces/a.h": "\n",
    "simcore/y.h": "\n",
}
PLANTED = [
    ({"util/bad.c": '#include "simcore/y.h"\n'}, "util/bad.c:1: the layer util includes"),
    ({"traces/bad.c": '\n# include "tools/run.h"\n'}, "traces/bad.c:2: the layer traces includes"),
    ({"simcore/bad.S": '#include "mpi/core/x.h"\n'}, "a layer to its right"),
    ({"mpi/p2p/bad.c": '#include "match.h"\n'}, "not written from the root"),
    ({"mpi/p2p/bad.h": '#include "../core/x.h"\n'}, "not written from the root"),
    ({"mpi/p2p/bad.h": '#include "core/x.h"\n'}, "not written from the root"),
    ({"tests/util/bad.c": '#include "help.h"\n'}, "not written from the root"),
    ({"tools/bad.c": '#include "tests/help.h"\n'}, "in no layer"),
    ({"tools/bad.c": "#include <simcore/y.h>\n"}, "is not a system header"),
]

if __name__ == "__main__":
    common.main(lint, GOOD, PLANTED)
