# SPDX-License-Identifier: BSD-3-Clause
"""No notes of things left to do and no paths of the machine it was written on in any file."""
import re

import common

# Taken apart, or this file would complain about itself.
WORDS = ["TO" + "DO", "FIX" + "ME", "X" + "XX"]
PATHS = ["/wo" + "rk/", "/tmp/" + "wt"]
FORBIDDEN = re.compile(r"\b(?:" + "|".join(WORDS) + r")\b|(?<![\w.-])(?:" + "|".join(PATHS) + ")")


def lint(root):
    complaints = []
    for path in common.tracked_files(root):
        for number, line in enumerate((common.read_text(root, path) or "").splitlines(), 1):
            match = FORBIDDEN.search(line)
            if match:
                complaints.append(f"{path}:{number}: '{match.group()}' does not belong here")
    return complaints


GOOD = {
    "a.c": "/* mkstemp(\"/tmp/mpisim-" + "XXXXXX\"), METHODOLOGY, network/work/ */\n",
    "b.md": "/tmp/x /home/work\n",
}
PLANTED = [
    ({"bad.c": "/* " + WORDS[0] + ": */\n"}, "bad.c:1: '" + WORDS[0]),
    ({"bad.md": "\n" + WORDS[1] + "\n"}, "bad.md:2"),
    ({"bad.py": "# " + WORDS[2] + "\n"}, "bad.py:1"),
    ({"bad.md": "see " + PATHS[0] + "x\n"}, "bad.md:1"),
    ({"bad.txt": '"' + PATHS[1] + '/x"\n'}, "bad.txt:1"),
]

if __name__ == "__main__":
    common.main(lint, GOOD, PLANTED)
