#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whatever noise does to the samples, what the fit writes is a cluster file without a value outside physical sense: samples of a simulated
cluster, each multiplied by a random factor, some by thousands, some probes missing. Most make the plain model, two are searched.

usage: check_noise.py MPISIM_RUN CALIBRATE FIT CLUSTER.yaml...
"""
import os
import pathlib
import random
import re
import sys
import tempfile

import samples_text

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import call  # noqa: E402  (the folder above)

SEED, TIMES, SEARCHED = 20261122, 25, (1, 2)  # noise of 2.5, 0.3
mpisim_run, calibrate, fit, *clusters = sys.argv[1:]
failures = 0


def disturb(lines, noise, strength):
    """The samples with noise; probes are missing from a third of the files."""
    names = sorted({line.split(',')[0] for line in lines if samples_text.is_sample(line)} - {'one_way'})
    missing = {name for name in names if noise.random() < 0.15} if noise.random() < 0.3 else set()
    for line in lines:
        fields = line.split(',')
        if not samples_text.is_sample(line):
            yield line
        elif fields[0] not in missing:
            factor = noise.lognormvariate(0, strength) * (noise.choice([0, 1e-3, 1e3, 1e5]) if noise.random() < 0.02 * strength else 1)
            yield ','.join(fields[:4] + [repr(float(fields[4]) * factor)])


def number(text, key, otherwise=0.0):
    found = re.search(rf'^ +{key}: ([\d.]+)', text, re.M)
    return float(found[1]) if found else otherwise


def times_by_size(lines, where):
    """{bytes: [seconds]} of messages"""
    times = {}
    for line in lines:
        fields = line.split(',')
        if fields[:2] == ['one_way', where]:
            times.setdefault(int(fields[2]), []).append(float(fields[4]))
    return times


def absurd_segments(text, times, spared_s):
    """Those that say more for the first or last size in them than any message in them took: a transfer is a part of a message."""
    listed = re.findall(r'- \{from: (\d+), latency: ([-\d.e+]+)ns, bandwidth: ([\d.e+]+) MB/s\}', text)
    threshold_B, data_B = number(text, 'eager_threshold', float('inf')), number(text, 'request_data')
    for k, (first, latency_ns, rate) in enumerate(listed):
        end_B = int(listed[k + 1][0]) if k + 1 < len(listed) else float('inf')
        of_message = {size - (data_B if size > threshold_B else 0): size for size in times}
        inside = [size for size in sorted(of_message) if int(first) <= size < end_B]
        most_s = max((time for size in inside for time in times[of_message[size]]), default=float('inf')) + spared_s
        for size in (inside[0], inside[-1]) if inside else ():
            time_s = float(latency_ns) * 1e-9 + size / (float(rate) * 1e6)
            if time_s > 1.1 * most_s:
                yield f'{size} B: {time_s} s, and no message of the segment took more than {most_s} s'


def absurdities(text, lines, strength):
    """What no noise may make."""
    times, rate = times_by_size(lines, 'between'), number(text, 'bandwidth', float('inf')) * 1e6
    network, _, within = text.partition('\n  intra_node:')
    network, within = network.partition('\nnetwork:')[2], within.partition('\nprotocol:')[0]
    protocol = '\nprotocol:' + text.partition('\nprotocol:')[2]
    yield from absurd_segments(network + protocol, times, number(network, 'burst') / rate)
    yield from absurd_segments(within + protocol, times_by_size(lines, 'within'), 0)
    per_byte_s = 1e-9 * number(protocol, 'per_byte')
    sizes = [int(line.split(',')[2]) for line in lines if re.match('(send|recv)_overhead,between', line)]
    if per_byte_s > 0 and per_byte_s * max(sizes) > max(times.get(max(sizes), [float('inf')])):
        yield f'overheads of {per_byte_s} s per byte: more than a message takes'
    if strength < 1:
        return
    if 'run again on an idle machine' not in text:
        yield 'no warning'
    for line in text.splitlines():
        if re.match(r' +bandwidth: 1e\+09 MB/s|    per_byte:', line) and 'DOUBTFUL' not in line:
            yield f'not doubtful: {line}'


def check(folder, lines, seed, *options):
    samples, output, noise = os.path.join(folder, f'{seed}.csv'), os.path.join(folder, f'{seed}.yaml'), random.Random(seed)
    strength = noise.choice([0.02, 0.3, 1, 2.5])
    disturbed = list(disturb(lines, noise, strength))
    samples_text.write(samples, disturbed)
    done = call(fit, *options, samples, '-o', output)
    wrong = []
    if done.returncode == 0:
        done = call(mpisim_run, '--quiet', '--compute', 'modelled', '--vary-cluster', '--cluster', output, '-n', '2', calibrate, '--help')
        with open(output, encoding='utf-8') as file:
            wrong = list(absurdities(file.read(), disturbed, strength))
    if done.returncode:
        wrong.append(f'exit code {done.returncode}, {done.stderr}')
    for sentence in wrong:
        print(f'not ok: seed {seed}, noise of {strength}, {options}: {sentence}')
    return bool(wrong)


with tempfile.TemporaryDirectory() as scratch:
    for place, cluster in enumerate(clusters, 1):
        made = os.path.join(scratch, 'made.csv')
        one = call(mpisim_run, '--quiet', '--deterministic', '--compute', 'modelled', '--no-alloc', '--cluster', cluster, '-n', '6', '--set', 'nodes=6', calibrate,
                   '--samples', made)
        assert one.returncode == 0, one.stderr
        with open(made, encoding='utf-8') as file:
            rows = file.read().splitlines()
        failures += sum(check(scratch, rows, SEED + k, '--no-check') for k in range(TIMES))
        failures += place in SEARCHED and check(scratch, rows, SEED + place)
print(f'seed {SEED}, {failures} failures')
sys.exit(bool(failures))
