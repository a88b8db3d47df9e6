# SPDX-License-Identifier: BSD-3-Clause
"""No C, Python or JavaScript file of the product has more than 500 lines."""
import common

MOST = 500


def checked_files(root, endings=(".c", ".h")):
    return [path for path in common.tracked_files(root)
            if path.endswith(endings) and not path.startswith("tests/")]


def lint(root):
    complaints = []
    for path in checked_files(root, (".c", ".h", ".py", ".js")):
        n_lines = len((common.read_text(root, path) or "").splitlines())
        if n_lines > MOST:
            complaints.append(f"{path}:{n_lines}: wanted at most {MOST} lines: split it by topic")
    return complaints


GOOD = {"a.c": "\n" * MOST, "tests/b.c": "\n" * (MOST + 1), "c.py": "\n" * MOST, "d.csv": "\n" * (MOST + 1)}
PLANTED = [({"bad.c": "\n" * (MOST + 1)}, "bad.c:501"), ({"x/bad.h": "\n" * (MOST + 1)}, "x/bad.h:501"),
           ({"x/bad.py": "\n" * (MOST + 1)}, "x/bad.py:501"), ({"bad.js": "\n" * (MOST + 1)}, "bad.js:501")]

if __name__ == "__main__":
    common.main(lint, GOOD, PLANTED)
