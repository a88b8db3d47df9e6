#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whatever noise does to the samples, what the fit writes is a cluster file: samples of a simulated cluster, each multiplied by a random
factor, some by thousands, some probes missing.

usage: check_noise.py MPISIM_RUN CALIBRATE FIT CLUSTER.yaml...
"""
import os
import random
import subprocess
import sys
import tempfile

import samples_text

SEED, TIMES = 20261122, 25
mpisim_run, calibrate, fit, *clusters = sys.argv[1:]
failures = 0


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def disturb(lines, noise):
    """The samples with noise of one strength; probes are missing from a third of the files."""
    strength = noise.choice([0.02, 0.3, 1, 2.5])
    names = sorted({line.split(',')[0] for line in lines if samples_text.is_sample(line)} - {'one_way'})
    missing = {name for name in names if noise.random() < 0.15} if noise.random() < 0.3 else set()
    for line in lines:
        fields = line.split(',')
        if not samples_text.is_sample(line):
            yield line
        elif fields[0] not in missing:
            factor = noise.lognormvariate(0, strength) * (noise.choice([0, 1e-3, 1e3, 1e5]) if noise.random() < 0.02 * strength else 1)
            yield ','.join(fields[:4] + [repr(float(fields[4]) * factor)])


def check(folder, lines, seed):
    samples, output = os.path.join(folder, f'{seed}.csv'), os.path.join(folder, f'{seed}.yaml')
    samples_text.write(samples, disturb(lines, random.Random(seed)))
    done = run(fit, samples, '-o', output)
    if done.returncode == 0:
        done = run(mpisim_run, '--quiet', '--compute', 'modelled', '--vary-cluster', '--cluster', output, '-n', '2', calibrate, '--help')
    if done.returncode:
        print(f'not ok: seed {seed}: exit code {done.returncode}, {done.stderr}')
    return done.returncode != 0


with tempfile.TemporaryDirectory() as scratch:
    for cluster in clusters:
        made = os.path.join(scratch, 'made.csv')
        one = run(mpisim_run, '--quiet', '--compute', 'modelled', '--no-alloc', '--cluster', cluster, '-n', '6', '--set', 'nodes=6', calibrate,
                  '--samples', made)
        assert one.returncode == 0, one.stderr
        with open(made, encoding='utf-8') as file:
            rows = file.read().splitlines()
        failures += sum(check(scratch, rows, SEED + k) for k in range(TIMES))
print(f'seed {SEED}, {failures} failures')
sys.exit(bool(failures))
