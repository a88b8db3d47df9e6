#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A run whose ranks have clocks that are hours apart and drift by a tenth (skewed-clock.c): its trace has one clock.

usage: clocks.py openmpi|mpich LIBRARY MPISIM_REPLAY CLUSTER ROUNDS SKEWED_CLOCK        exit code 77: no such launcher here
"""
import base64
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'programs'))
import run_mpi  # noqa: E402  (the folder above)

launcher, library, replay, cluster, rounds, skewed = sys.argv[1:]
N_RANKS, N_ROUNDS = 3, 10
TOLERANCE_S = 0.05  # two seconds at a tenth too fast are 0.2 s, and the offsets hours


class Launcher:
    """What run_mpi wants to know."""
    launcher = sys.argv[1]


def numbers(text):
    """Varints in base64, as traces/page/lanes.js reads them."""
    value, shift = 0, 0
    for byte in base64.b64decode(text):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value, shift = 0, 0


def barriers(page):
    """When each rank entered its barriers, in seconds of the trace."""
    with open(page, encoding='utf-8') as file:
        text = re.search(r'<script type="application/json" id="data">(.*?)</script>', file.read(), re.S)[1]
    timeline = json.loads(text)['real_timeline']
    next_number = numbers(timeline['intervals']).__next__
    found = []
    for _ in range(timeline['ranks']):
        at, begins = 0, []
        for _ in range(next_number()):
            kind, gap, length = next_number(), next_number(), next_number()
            gap = -(gap + 1) // 2 if gap % 2 else gap // 2
            if timeline['kinds'][kind // 3][0] == 'MPI_Barrier':
                begins.append((at + gap) * timeline['unit_s'])
            at += gap + length
        found.append(begins)
    return found


def main():
    front = run_mpi.launcher_command(Launcher)
    if front is None:
        print(f'skipped: no mpirun.{launcher} here')
        return run_mpi.SKIPPED
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        trace, page = folder + '/run.mtrace', folder + '/page.html'
        settings = {'LD_PRELOAD': f'{os.path.abspath(skewed)}:{os.path.abspath(library)}', 'MPISIM_TRACE': trace}
        code, out, err = run_mpi.run(front + ['-n', str(N_RANKS), 'env'] + [f'{k}={v}' for k, v in settings.items()] + [rounds], 60)
        if code != 0 or not os.path.exists(trace):
            print(f'not ok: the program runs and is recorded: {code}\n{err}')
            return 1
        subprocess.run([replay, '--quiet', '--cluster', cluster, '--real', trace, '--html', page, trace], check=True, timeout=60)
        recorded = barriers(page)
    if any(len(begins) != N_ROUNDS for begins in recorded):
        print(f'not ok: barriers of the ranks in the trace: {[len(begins) for begins in recorded]}, wanted {N_ROUNDS} each')
        return 1
    came = [[0] * N_ROUNDS for _ in range(N_RANKS)]
    for rank, i, ns in (map(int, line.split()) for line in out.splitlines()):
        came[rank][i] = ns * 1e-9
    # what the trace's clock is ahead of the machine's, by rank and half of the run: medians, as a rank may lose its core in between
    ahead = [[statistics.median(r - c for r, c in zip(recorded[rank][half], came[rank][half])) for half in (slice(0, 5), slice(5, 10))]
             for rank in range(N_RANKS)]
    worst = max(abs(value - ahead[0][0]) for of_rank in ahead for value in of_rank)
    print(f'{"ok" if worst < TOLERANCE_S else "not ok"}: the clocks of all ranks agree within {worst:.6f} s in the trace')
    return 0 if worst < TOLERANCE_S else 1


sys.exit(main())
