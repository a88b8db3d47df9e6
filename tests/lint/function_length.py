# SPDX-License-Identifier: BSD-3-Clause
"""No C function of the product has more than 60 lines. Needs universal-ctags; exits with 77 (skipped) without it."""
import json
import shutil
import subprocess
import sys

import common

MOST = 60


def has_ctags():
    if not shutil.which("ctags"):
        return False
    version = subprocess.run(["ctags", "--version"], capture_output=True, text=True, check=False).stdout
    return "Universal Ctags" in version and "+json" in version


def lint(root):
    files = [path for path in common.tracked_files(root) if path.endswith((".c", ".h")) and not path.startswith("tests/")]
    if not files:
        return []
    tags = subprocess.run(["ctags", "--output-format=json", "--fields=+ne", "--languages=C", "--langmap=C:.c.h",
                           "--kinds-C=f", "-f", "-", "-L", "-"],
                          cwd=root, input="\n".join(files), capture_output=True, text=True, check=True).stdout
    complaints = []
    for line in tags.splitlines():
        tag = json.loads(line)
        length = tag.get("end", tag["line"]) - tag["line"] + 1
        if length > MOST:
            complaints.append(f"{tag['path']}:{tag['line']}: {tag['name']} has {length} lines, wanted at most {MOST}")
    return sorted(complaints)


def function(name, n_lines):
    return f"int {name}(void)\n{{\n" + "\tg();\n" * (n_lines - 4) + "\treturn 0;\n}\n"


GOOD = {"a.c": function("f", MOST) + function("g", 5), "tests/b.c": function("h", MOST + 1)}
PLANTED = [
    ({"bad.c": function("f", MOST + 1)}, "bad.c:1: f has 61 lines"),
    ({"x/bad.h": function("g", 5) + "static inline " + function("h", 70)}, "x/bad.h:6: h has 70 lines"),
]

if __name__ == "__main__":
    if not has_ctags():
        print("skipped: universal-ctags is not installed")
        sys.exit(common.SKIPPED)
    common.main(lint, GOOD, PLANTED)
