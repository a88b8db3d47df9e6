# SPDX-License-Identifier: BSD-3-Clause
"""Every source file names its licence in its first line, or in the second after a #! line."""
import os

import common

LINE = "SPDX-License-Identifier: " + "BSD-3-Clause"
SUFFIXES = (".c", ".h", ".S", ".in", ".cc", ".cpp", ".hpp", ".f", ".f90", ".F90", ".py", ".sh", ".map", ".ld",
            ".gp", ".gnuplot", ".awk", ".mk")
NAMES = ("meson.build", "meson_options.txt", "Makefile")


def lint(root):
    complaints = []
    for path in common.tracked_files(root):
        lines = (common.read_text(root, path) or "").splitlines()
        is_script = bool(lines) and lines[0].startswith("#!")
        if not is_script and not path.endswith(SUFFIXES) and os.path.basename(path) not in NAMES:
            continue
        number = 1 if is_script else 0
        if len(lines) <= number or LINE not in lines[number]:
            complaints.append(f"{path}:{number + 1}: wanted '{LINE}' in this line")
    return complaints


GOOD = {
    "a.c": f"/* {LINE} */\nint a;\n",
    "run": f"#!/bin/sh\n# {LINE}\n",
    "meson.build": f"# {LINE}\n",
    "data.csv": "a,b\n",
    "README.md": "# A\n",
}
PLANTED = [
    ({"bad.c": "int a;\n"}, "bad.c:1"),
    ({"bad.h": f"\n/* {LINE} */\n"}, "bad.h:1"),
    ({"bad.c": "/* SPDX-License-Identifier: MIT */\n"}, "bad.c:1"),
    ({"bad": "#!/bin/sh\necho\n"}, "bad:2"),
    ({"x/meson.build": "project('x')\n"}, "x/meson.build:1"),
    ({"empty.S": ""}, "empty.S:1"),
]

if __name__ == "__main__":
    common.main(lint, GOOD, PLANTED)
