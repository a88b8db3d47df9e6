#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/calibration-reference.md says of every key of docs/cluster-file.md whether calibration finds it, and of no other.

usage: check_keys.py CLUSTER_FILE.md CALIBRATE.md
"""
import fnmatch
import re
import sys


def first_cells(path, heading):
    """Of the first table behind the heading."""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    rows = re.search(r'\n\|.*?\n\n', text[text.index('\n' + heading + '\n'):], re.DOTALL)[0].strip().split('\n')
    return [row.split('|')[1] for row in rows[2:]]


def keys_of(cell):
    """`a.b`, `c`: c is a.c, unless it has a dot of its own or stands first."""
    keys = []
    for name in re.findall('`([^`]+)`', cell):
        is_whole = not keys or '.' not in keys[0] or name.startswith(('cpu.', 'network.', 'protocol.', 'rma.', 'spawn.', 'storage.'))
        keys.append(name if is_whole else keys[0].split('.')[0] + '.' + name)
    return keys


known = [key for cell in first_cells(sys.argv[1], '## Keys') for key in keys_of(cell)]
said = [key for cell in first_cells(sys.argv[2], '## Keys of the cluster file') for key in keys_of(cell)]
missing = [key for key in known if not any(fnmatch.fnmatch(key, pattern) for pattern in said)]
unknown = [pattern for pattern in said if not fnmatch.filter(known, pattern)]
twice = sorted({pattern for pattern in said if said.count(pattern) > 1})
print(f'{len(known)} keys; not said: {missing}; no such key: {unknown}; twice: {twice}')
sys.exit(bool(missing or unknown or twice or not 40 <= len(known) <= 50))
