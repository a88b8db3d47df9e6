# SPDX-License-Identifier: BSD-3-Clause
"""A layer includes only itself and layers to its left, and every include is written from the root. So do the folders of the MPI library among each other."""
import os
import re

import common

LAYERS = ["util", "simcore", "cluster", "netmodel", "pdexec", "mtrace", "mpi", "replay", "traces", "tools"]
# Handles, status and ranks at the bottom; what a message carries and between whom; messages; collectives, which communicators are made with; the chapters that need
# both; and at the top what knows all chapters. A function that needs more than its folder may is declared below and defined above, as mpi_raise is.
MPI_FOLDERS = ["abi", "core", "info", "comm", "datatype", "op", "p2p", "coll", "create", "topo", "rma", "io", "dynamic", "env", "tool", "watch", "verify", "record", "orders", "world"]
# Programs of their own, which may include what lies beside them.
UNCHECKED = ("apps/", "include/", "calibrate/", "real/", "tests/programs/")
# Installed or generated headers, found through the public include path.
PUBLIC = {"mpi.h", "mpisim.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def complaint_inside(source, target):
    """The same for folders of the MPI library."""
    for name in (source, target):
        if name not in MPI_FOLDERS:
            return f"the folder mpi/{name} has no place among those of the MPI library: give it one in tests/lint/includes.py"
    if MPI_FOLDERS.index(target) > MPI_FOLDERS.index(source):
        return f"mpi/{source} includes a header of mpi/{target}, which stands above it"
    return None


def complaint_about(root, path, quote, name):
    """What is wrong with including `name` in the file `path`; None when nothing is."""
    folder = path.split(os.sep)[0]
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
    if folder == target == "mpi":
        return complaint_inside(*(place.split("/")[1] for place in (path, name)))
    return None


def lint(root):
    complaints = []
    for path in common.tracked_files(root):
        if not path.endswith((".c", ".h", ".S", ".in")) or path.startswith(UNCHECKED):
            continue
        for number, line in enumerate((common.read_text(root, path) or "").splitlines(), 1):
            match = INCLUDE.match(line)
            wrong = match and complaint_about(root, path, *match.groups())
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
    ({"mpi/core/bad.c": '#include "mpi/comm/x.h"\n'}, "mpi/core includes a header of mpi/comm, which stands above it"),
    ({"mpi/rma/bad.h": '#include "mpi/world/x.h"\n'}, "which stands above it"),
    ({"mpi/news/bad.h": '#include "mpi/core/x.h"\n'}, "the folder mpi/news has no place"),
    ({"mpi/p2p/bad.c": '#include "match.h"\n'}, "not written from the root"),
    ({"mpi/p2p/bad.h": '#include "../core/x.h"\n'}, "not written from the root"),
    ({"mpi/p2p/bad.h": '#include "core/x.h"\n'}, "not written from the root"),
    ({"tests/util/bad.c": '#include "help.h"\n'}, "not written from the root"),
    ({"tools/bad.c": '#include "tests/help.h"\n'}, "in no layer"),
    ({"tools/bad.c": "#include <simcore/y.h>\n"}, "is not a system header"),
]

if __name__ == "__main__":
    common.main(lint, GOOD, PLANTED)
