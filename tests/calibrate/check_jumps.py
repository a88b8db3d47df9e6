#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times that jump by a packet's headers tell its payload, where each jump stands out of what its two times scatter by; else the key is left out.
Samples of a simulated cluster of packets, and the same with those at the jumps spread, their medians as they were.
And packets that others wait for stand in a queue, unless they become more, which what a window lets out does.

usage: check_jumps.py MPISIM_RUN CALIBRATE FIT CLUSTER.yaml
"""
import os
import re
import subprocess
import sys
import tempfile

import samples_text

SPREAD = (0.9, 0.95, 1, 1.05, 1.1)
mpisim_run, calibrate, fit, cluster = sys.argv[1:]


def spread(lines):
    at_jumps = {int(size) + k for size in re.findall(r'(?m)^# packet_jump_B: (\d+)$', '\n'.join(lines)) for k in (0, 1)}
    for line in lines:
        fields = line.split(',')
        if fields[0] == 'packet_stream' and int(fields[2]) in at_jumps:
            yield from (','.join(fields[:4] + [repr(float(fields[4]) * factor)]) for factor in SPREAD)
        else:
            yield line


def with_half(lines, factor):
    """What a byte waited for when half of the large message was there, by that factor."""
    for line in lines:
        fields = line.split(',')
        yield ','.join(fields[:4] + [repr(float(fields[4]) * factor)]) if fields[0] == 'beside_half' else line


def fitted(folder, name, lines):
    """Payload, overhead and queue of its packets."""
    samples, output = os.path.join(folder, name + '.csv'), os.path.join(folder, name + '.yaml')
    samples_text.write(samples, lines)
    subprocess.run([fit, '--no-check', samples, '-o', output], check=True, capture_output=True)
    with open(output, encoding='utf-8') as file:
        return re.search(r'(?m)^  packets: {payload: (\d+), overhead: (\d+), queue: (\d+)}', file.read())


with tempfile.TemporaryDirectory() as scratch:
    made = os.path.join(scratch, 'made.csv')
    subprocess.run([mpisim_run, '--quiet', '--deterministic', '--compute', 'modelled', '--no-alloc', '--cluster', cluster, '-n', '6', '--set', 'nodes=6', calibrate,
                    '--samples', made], check=True, capture_output=True)
    with open(made, encoding='utf-8') as file:
        rows = file.read().splitlines()
    queues = {factor: fitted(scratch, 'queue', with_half(rows, factor))[3] for factor in (0.94, 1, 1.3)}
    clear, scattered = fitted(scratch, 'clear', rows), fitted(scratch, 'scattered', spread(rows))
assert clear and clear.groups()[:2] == ('1448', '78'), clear
assert scattered is None, scattered
assert int(queues[1]) > 0 and queues[0.94] == queues[1] and queues[1.3] == '0', queues
