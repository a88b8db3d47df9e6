# SPDX-License-Identifier: BSD-3-Clause
"""What the fit writes: each value has beside it where it is from, with its interval or its probes, and how many samples that were."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lint'))
import sources  # noqa: E402  (the folder above)

SAID = re.compile(r'# .*(\d samples?\b|says|host names|by the library\'s name|of the values above|assumed, not measured|not measured, what Linux keeps)')


def complaints(path):
    """One for each line of the cluster file that lacks it, or does not count in English."""
    with open(path, encoding='utf-8') as file:
        lines = file.read().splitlines()
    unsourced = set(sources.unsourced(lines))
    for number, line in enumerate(lines, 1):
        has_comment = re.match(r' *[\w.]+: ?.*#', line)
        if number in unsourced or has_comment and not SAID.search(line):
            yield f'{number}: no source and number of samples: {line}'
        if re.search(r'\b1 (samples|outliers|sizes|ranks)\b', line):
            yield f'{number}: one is no plural: {line}'
