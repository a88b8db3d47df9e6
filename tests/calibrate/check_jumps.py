#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times that jump by a packet's headers tell its payload, packets that others wait for stand in a queue: the search finds both.
Samples of a simulated cluster of packets; the same with times at the jumps spread, their medians as they were; and with one probe that waits for
longer than a queue explains, which pulls no value away, and is named.

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
    """The cluster file."""
    samples, output = os.path.join(folder, name + '.csv'), os.path.join(folder, name + '.yaml')
    samples_text.write(samples, lines)
    subprocess.run([fit, samples, '-o', output], check=True, capture_output=True)
    with open(output, encoding='utf-8') as file:
        return file.read()


def packets_of(text):
    """Payload, queue, and the rate of payloads in MB/s."""
    payload, overhead, queue = (int(number) for number in re.search(r'\n  packets:\n    payload: (\d+) .*\n    overhead: (\d+) .*\n    queue: (\d+) ', text).groups())
    return payload, queue, float(re.search(r'\n  bandwidth: ([\d.]+) MB/s', text)[1]) * payload / (payload + overhead)


with tempfile.TemporaryDirectory() as scratch:
    made = os.path.join(scratch, 'made.csv')
    subprocess.run([mpisim_run, '--quiet', '--deterministic', '--compute', 'modelled', '--no-alloc', '--cluster', cluster, '-n', '6', '--set', 'nodes=6', calibrate,
                    '--samples', made], check=True, capture_output=True)
    with open(made, encoding='utf-8') as file:
        rows = file.read().splitlines()
    clear, scattered, longer = fitted(scratch, 'clear', rows), fitted(scratch, 'scattered', spread(rows)), fitted(scratch, 'longer', with_half(rows, 1.3))
for text in (clear, scattered, longer):
    payload, queue, rate = packets_of(text)
    # a queue is known to half a packet of what is in it, and to what the overhead is known
    assert payload == 1448 and abs(queue / 251e3 - 1) < 0.05 and abs(rate / (117.1 * 1448 / 1526) - 1) < 0.01, (payload, queue, rate)
said = ['none is off by more than 1 %', 'the worst: beside_half 4194304: ']
assert said[0] in clear and said[0] in scattered and said[1] in longer, (clear, scattered, longer)
