# SPDX-License-Identifier: BSD-3-Clause
"""No C, Python or JavaScript file has more than 500 lines."""
import common

MOST = 500


def lint(root):
    complaints = []
    for path in common.tracked_files(root):
        if not path.endswith((".c", ".h", ".py", ".js")):
            continue
        n_lines = len((common.read_text(root, path) or "").splitlines())
        if n_lines > MOST:
            complaints.append(f"{path}:{n_lines}: wanted at most {MOST} lines: split it by topic")
    return complaints


GOOD = {"a.c": "\n" * MOST, "c.py": "\n" * MOST, "d.csv": "\n" * (MOST + 1)}
PLANTED = [({"bad.c": "\n" * (MOST + 1)}, "bad.c:501"), ({"tests/bad.h": "\n" * (MOST + 1)}, "tests/bad.h:501"),
           ({"x/bad.py": "\n" * (MOST + 1)}, "x/bad.py:501"), ({"bad.js": "\n" * (MOST + 1)}, "bad.js:501")]

if __name__ == "__main__":
    common.main(lint, GOOD, PLANTED)
