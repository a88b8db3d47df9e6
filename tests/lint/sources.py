# SPDX-License-Identifier: BSD-3-Clause
"""Every value of a cluster file that comes with mpisim has its source beside it: in a comment on its line, in comment lines before it, or
so for the key above it. Files of clusters/ say that they are examples and not calibrations."""
import re

import common

VALUE = re.compile(r"( *)(- |[\w.]+:)")
NO_VALUES = re.compile(r"(mpisim_cluster|name): ")
LABEL = "not a calibration"


def unsourced(lines):
    """Numbers of the lines with a value that nothing says the source of. A comment before a key of the first level is the file's."""
    above, comment = [], None # [(indentation, has a source)]; indentation of comment lines just before
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("#"):
            comment = len(line) - len(line.lstrip())
            continue
        match = VALUE.match(line)
        if not match:
            comment = None
            continue
        indent = len(match[1])
        above = [level for level in above if level[0] < indent]
        has_source = " #" in line or bool(comment and comment == indent) or any(level[1] for level in above)
        above.append((indent, has_source))
        comment = None
        is_section = re.fullmatch(r" *[\w.]+:", line.split(" #")[0].rstrip())
        if not has_source and not is_section and not NO_VALUES.match(line):
            yield number


def lint(root):
    complaints = []
    for path in common.tracked_files(root):
        if not re.fullmatch(r"(clusters|validation/emulated)/[^/]*\.yaml", path):
            continue
        text = common.read_text(root, path) or ""
        complaints += [f"{path}:{number}: no source beside this value: {text.splitlines()[number - 1].strip()}"
                       for number in unsourced(text.splitlines())]
        if path.startswith("clusters/") and LABEL not in re.sub(r"\n# ", " ", text):
            complaints.append(f"{path}:1: wanted '{LABEL}' in a comment")
    return complaints


HEAD = "# an example, not a\n# calibration\nmpisim_cluster: 1\nname: x\nnodes: 8   # mine\n"
GOOD = {
    "clusters/a.yaml": HEAD + "cpu:\n  # fitted\n  law:\n    outgoing: 1\n    incoming: 2\nnetwork:\n  latency: 1us   # read\n"
                       "  segments:   # read\n    - {from: 0}\n",
    "validation/emulated/b.yaml": "mpisim_cluster: 1\nuncertainty:   # of the above\n  network.latency: [1us, 2us]\n",
    "tests/c.yaml": "nodes: 8\n",
}
PLANTED = [
    ({"clusters/bad.yaml": HEAD + "cores: 1\n"}, "bad.yaml:6: no source beside this value: cores: 1"),
    ({"clusters/bad.yaml": HEAD + "# of the network\nnetwork:\n  latency: 1us\n"}, "bad.yaml:8"),
    ({"clusters/bad.yaml": HEAD + "network:\n  # read\n  latency: 1us\n  bandwidth: inf\n"}, "bad.yaml:9"),
    ({"clusters/bad.yaml": HEAD + "network:\n  segments:\n    - {from: 0}\n"}, "bad.yaml:8"),
    ({"clusters/bad.yaml": HEAD.replace("not a", "a")}, "bad.yaml:1: wanted"),
    ({"validation/emulated/bad.yaml": "nodes: 8\n"}, "bad.yaml:1"),
]

if __name__ == "__main__":
    common.main(lint, GOOD, PLANTED)
