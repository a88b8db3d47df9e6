#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks one of the example applications under one launcher: results, not times (those: check_timing.py).

usage: check_apps.py --launcher openmpi|mpich|mpisim [--mpisim-run X --cluster F] APP PROGRAM

Exit code 0: every check holds; 1: not; 77: there is no such launcher here.
"""
import argparse
import functools
import itertools
import math
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'programs'))
import run_mpi  # noqa: E402  (the folder above)


class Checker:
    def __init__(self, args, front):
        self.args, self.front, self.n_failed = args, front, 0
        self.is_cheap = args.launcher == 'mpisim' # starting 16 real processes is not: fewer combinations then

    def run(self, n_ranks, *options):
        command = self.front + ['-n', str(n_ranks), self.args.program] + [str(o) for o in options]
        code, out, err = run_mpi.run(command, self.args.timeout)
        if code is None:
            self.check(False, f'timeout: {" ".join(command)}')
        return code, out, err

    def values(self, n_ranks, *options):
        """The lines `key value` that the program prints, as a dictionary; it must succeed."""
        code, out, err = self.run(n_ranks, *options)
        self.check(code == 0, f'{n_ranks} ranks, {options}: exit code {code}\n{out}{err}')
        return dict(line.split(' ', 1) for line in out.splitlines() if ' ' in line)

    def check(self, holds, claim):
        if not holds:
            self.n_failed += 1
            print('FAIL', claim)

    def equal(self, got, want, where):
        self.check(got == want, f'{where}: found {got}, wanted {want}')

    def refuses(self, n_ranks, options, sentence):
        """Wrong arguments: exit code 2 (mpisim-run: 1, the program failed) and one sentence."""
        code, _, err = self.run(n_ranks, *options)
        self.check(code == 2 or (self.args.launcher == 'mpisim' and code == 1), f'{options}: exit code {code}')
        self.check(err.count(sentence) == 1, f'{options}: "{sentence}" not once in:\n{err}')

    def helps(self):
        code, out, _ = self.run(2, '--help')
        self.equal(code, 0, '--help')
        self.equal(out.count('usage: ' + self.args.app), 1, '--help')


# Natvig's program (see apps/sor/README.md) after 20 iterations, with as many digits as were published.
SOR_SUMS = {8: '-31.970319225593', 64: '-582.7339562328', 128: '-1213.12206519104'}
SOR_VARIANTS = ['sendrecv', 'isend', 'overlap']


def sor_reference(n, iterations):
    """The same iteration on one grid, in the same order of additions; the grid with its boundary."""
    u = [[0.0] * (n + 2) for _ in range(n + 2)]
    u[0] = [-1.0] * (n + 2)
    u[n + 1] = [1.0] * (n + 2)
    for i in range(1, n + 1):
        u[i][0] = u[i][n + 1] = -1.0
    for _, colour in itertools.product(range(iterations), (0, 1)):
        for i in range(1, n + 1):
            for j in range(1, n + 1):
                if (i + j) % 2 == colour:
                    u[i][j] = (1 - 1.4) * u[i][j] + 1.4 / 4 * (
                        u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1])
    return u


def check_sor(c):
    with tempfile.TemporaryDirectory() as folder:
        for n, want in SOR_SUMS.items():
            dumps = set()
            combinations = list(itertools.product([1, 4, 16], SOR_VARIANTS))
            if n != 64 and not c.is_cheap:
                combinations = [(1, 'sendrecv'), (4, 'overlap'), (16, 'isend')]
            for ranks, variant in combinations:
                dump = os.path.join(folder, 'grid')
                got = c.values(ranks, '--n', n, '--variant', variant, '--dump', dump)
                digits = len(want) - 2 # of the published number: less sign and point
                c.equal('%.*g' % (digits, float(got.get('sum', 'nan'))), want, f'n {n}, {ranks} ranks, {variant}')
                with open(dump, 'rb') as f:
                    dumps.add(f.read())
                os.remove(dump)
            c.equal(len(dumps), 1, f'n {n}: different grids')
        # an odd grid, an odd cut, blocks one point wide
        u = sor_reference(11, 7)
        for ranks, px, variant in [(1, 1, 'isend'), (6, 3, 'overlap'), (6, 2, 'sendrecv'), (11, 11, 'overlap'),
                                   (11, 1, 'isend')]:
            dump = os.path.join(folder, 'grid')
            got = c.values(ranks, '--n', 11, '--iterations', 7, '--variant', variant, '--px', px, '--dump', dump)
            c.equal(got.get('ranks'), f'{ranks} ({px} x {ranks // px})', 'arrangement')
            total = functools.reduce(lambda s, v: s + v, [v for row in u[1:-1] for v in row[1:-1]], 0.0)
            c.equal(float(got.get('sum', 'nan')), total, f'{ranks} ranks, {variant}: sum')
            with open(dump, 'rb') as f:
                c.equal(list(memoryview(f.read()).cast('d')), [v for row in u[1:-1] for v in row[1:-1]],
                        f'{ranks} ranks, {variant}: grid')
    c.refuses(4, ['--n', '1'], 'have no point each')
    c.refuses(4, ['--px', '3'], 'cannot be arranged')
    c.refuses(2, ['--variant', 'fast'], '--variant cannot be "fast"')
    c.refuses(2, ['--iterations', '0'], '--iterations cannot be "0"')
    c.refuses(2, ['--warmup', '20'], 'must be less than')
    c.refuses(2, ['--n'], 'cannot understand "--n"')
    c.refuses(2, ['extra'], 'cannot understand "extra"')


def tsp_cities(n, seed):
    state, numbers, mask = seed, [], (1 << 64) - 1
    for _ in range(2 * n): # splitmix64
        state = (state + 0x9e3779b97f4a7c15) & mask
        z = ((state ^ (state >> 30)) * 0xbf58476d1ce4e5b9) & mask
        z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & mask
        numbers.append((z ^ (z >> 31)) % 10000)
    return list(zip(numbers[0::2], numbers[1::2]))


def tsp_shortest(n, seed):
    """Held and Karp: best[S][i], the shortest way from city 0 through all of S to i."""
    cities = tsp_cities(n, seed)
    d = [[int(math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) + 0.5) for b in cities] for a in cities]
    m, far = n - 1, 10 ** 9
    best = [[far] * m for _ in range(1 << m)]
    for i in range(m):
        best[1 << i][i] = d[0][i + 1]
    for s, i in itertools.product(range(1, 1 << m), range(m)):
        if best[s][i] < far:
            for j in range(m):
                if not s >> j & 1:
                    best[s | 1 << j][j] = min(best[s | 1 << j][j], best[s][i] + d[i + 1][j + 1])
    return min(best[-1][i] + d[i + 1][0] for i in range(m))


def check_tsp(c):
    for n, seed in [(4, 3), (5, 1), (9, 7), (12, 1)] if c.is_cheap else [(4, 3), (12, 1)]:
        want = str(tsp_shortest(n, seed))
        for ranks, variant in itertools.product([1, 2, 5], ['round-robin', 'balanced']):
            got = c.values(ranks, '--cities', n, '--seed', seed, '--variant', variant)
            c.equal(got.get('best'), want, f'{n} cities, seed {seed}, {ranks} ranks, {variant}')
    # too many for Held and Karp in Python: as on one rank
    want = c.values(1, '--cities', 17).get('best')
    for variant in ['round-robin', 'balanced']:
        c.equal(c.values(4, '--cities', 17, '--variant', variant).get('best'), want, f'17 cities, {variant}')
    c.refuses(2, ['--cities', '3'], '--cities cannot be "3"')
    c.refuses(2, ['--cities', '21'], '--cities cannot be "21"')
    c.refuses(2, ['--variant', 'x'], '--variant cannot be "x"')
    c.refuses(2, ['--node-time', '-1'], '--node-time cannot be "-1"')
    c.refuses(2, ['17'], 'cannot understand "17"')


def jacobi_reference(n, iterations, tolerance):
    u = [[0.0] * (n + 2) for _ in range(n + 2)]
    h2, k, change = 1.0 / ((n + 1) * (n + 1)), 0, 1.0
    while k < iterations and change > tolerance:
        new = [row[:] for row in u]
        change = 0.0
        for i in range(1, n + 1):
            for j in range(1, n + 1):
                new[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] + h2)
                change = max(change, abs(new[i][j] - u[i][j]))
        u, k = new, k + 1
    total = 0.0
    for row in u[1:-1]:
        in_row = 0.0
        for v in row[1:-1]:
            in_row += v
        total += in_row
    return k, change, total


def check_jacobi(c):
    for n, iterations, tolerance in [(12, 1000, 1e-4), (13, 9, 0)]:
        k, change, total = jacobi_reference(n, iterations, tolerance)
        for ranks in [1, 2, 5, 12]:
            got = c.values(ranks, '--n', n, '--iterations', iterations, '--tolerance', tolerance)
            where = f'n {n}, {ranks} ranks'
            c.equal(got.get('iterations'), str(k), where)
            c.equal(float(got.get('change', 'nan')), change, where)
            c.equal(float(got.get('sum', 'nan')), total, where)
    c.refuses(3, ['--n', '2'], 'have no row each')
    c.refuses(2, ['--tolerance', 'small'], '--tolerance cannot be "small"')


def check_pingpong(c):
    for ranks, options in [(2, []), (3, ['--partner', 1]), (3, ['--synchronous'])]:
        code, out, err = c.run(ranks, '--verify', '--repeats', 3, '--min-size', 3, '--max-size', 200000, *options)
        c.equal(code, 0, f'{ranks} ranks, {options}: {err}')
        rows = [line.split() for line in out.splitlines()[1:]]
        c.equal([int(row[0]) for row in rows], [0] + [3 * 2 ** k for k in range(17)], 'sizes')
        c.check(all(float(row[1]) >= 0 for row in rows), 'times are not negative')
    c.refuses(1, [], 'wanted 2 or more')
    c.refuses(2, ['--partner', '2'], '--partner cannot be "2"')
    c.refuses(2, ['--max-size', '-1'], '--max-size cannot be "-1"')


def check_mergesort(c):
    sums = set()
    # Without an option the order of messages decides; where computing takes no time, the right one comes first.
    if c.is_cheap:
        c.front = c.front + ['--scale', '*=0']
    for ranks, options in itertools.product([1, 2, 8], [['--named'], ['--roomy']] + ([[]] if c.is_cheap else [])):
        got = c.values(ranks, '--n', 4096, *options)
        c.equal(got.get('sorted'), 'yes', f'{ranks} ranks, {options}')
        sums.add(got.get('sum'))
    c.equal(len(sums), 1, 'different sums')
    c.refuses(3, [], 'wanted a power of two')
    c.refuses(4, ['--n', '6'], 'is no multiple of 4 ranks')
    c.refuses(2, ['--n', '0'], '--n cannot be "0"')
    c.refuses(2, ['extra'], 'cannot understand "extra"')


def check_neighbours(c):
    for ranks, options in itertools.product([3, 4, 6], [['--double-buffered'], ['--no-start']]):
        got = c.values(ranks, *options)
        # 3 * lower + 2 * own + 5 * upper, where the data of rank r begin as r
        want = [3 * (r - 1) + 2 * r + (5 * (r + 1) if r + 1 < ranks else 0) for r in range(1, ranks)]
        c.equal(got.get('data'), ' '.join(map(str, want)), f'{ranks} ranks, {options}')
        c.equal(got.get('right'), 'yes', f'{ranks} ranks, {options}')
    c.equal(c.values(3).get('ranks'), '3', 'without an option')
    c.refuses(2, [], 'wanted 3 or more')
    c.refuses(3, ['extra'], 'cannot understand "extra"')


def farm_sum(tasks, units, spread):
    def mix(x):
        x = (x ^ (x >> 16)) * 2246822519 & 0xffffffff
        x = (x ^ (x >> 13)) * 3266489917 & 0xffffffff
        return x ^ (x >> 16)
    total = 0
    for task in range(tasks):
        value = task
        for i in range(1000 * (units + mix(task + 1) % (spread + 1))):
            value = mix(value + i & 0xffffffff)
        total += value
    return total


def check_farm(c):
    want = str(farm_sum(12, 1, 3))
    for ranks, window, variant in itertools.product([2, 5], [1, 3], ['flow-controlled', 'load-balanced']):
        got = c.values(ranks, '--tasks', 12, '--units', 1, '--spread', 3, '--window', window, '--variant', variant)
        where = f'{ranks} ranks, window {window}, {variant}'
        c.equal(got.get('sum'), want, where)
        if variant == 'flow-controlled':
            c.equal(got.get('most_tasks'), str(12 // (ranks - 1)), where)
    c.refuses(1, [], 'wanted 2 or more')
    c.refuses(2, ['--window', '0'], '--window cannot be "0"')
    c.refuses(2, ['--variant', 'x'], '--variant cannot be "x"')
    c.refuses(2, ['extra'], 'cannot understand "extra"')


def renderer_sum(frames, size):
    total = 0
    for frame in range(frames):
        balls = [(0.25 * (i + 1), 0.5 + 0.125 * ((frame + i) % 3), 0.125 * (i + 1)) for i in range(3)]
        for row, column in itertools.product(range(size), repeat=2):
            light = 0
            for x, y, radius in reversed(balls):
                rest = radius * radius - (column / size - x) ** 2 - (row / size - y) ** 2
                light = 1 + int(200 * rest / (radius * radius)) if rest > 0 else light
            total += light
    return total


def check_renderer(c):
    want = str(renderer_sum(2, 16))
    for ranks in (2, 4):
        c.equal(c.values(ranks, '--frames', 2, '--size', 16).get('sum'), want, f'{ranks} ranks')
    if c.args.launcher == 'mpisim':  # a real launcher may have no slots to spawn in
        for workers in (1, 3):
            got = c.values(1, '--frames', 2, '--size', 16, '--variant', 'spawned', '--workers', workers)
            c.equal(got.get('sum'), want, f'{workers} spawned')
    c.refuses(1, [], 'wanted 2 or more')
    c.refuses(2, ['--variant', 'spawned'], 'wanted 1 that spawns the others')
    c.refuses(2, ['--frames', '0'], '--frames cannot be "0"')


def check_rma(c):
    code, out, err = c.run(2, '--smallest', 1024, '--largest', 16384, '--repeats', 1)
    c.check(code == 0, f'exit code {code}\n{out}{err}')
    rows = [dict(zip(words[::2], words[1::2])) for words in map(str.split, out.splitlines())]
    c.equal([row['size'] for row in rows], ['1024', '4096', '16384'], out)
    for row in rows:
        c.check(float(row['latency_s']) > 0 and float(row['bandwidth_Bps']) > 0, str(row))
    if c.args.launcher == 'mpisim':  # the puts of an epoch go to places of their own
        code, _, err = run_mpi.run(c.front + ['--verify=memory', '-n', '2', c.args.program, '--largest', '1024'], c.args.timeout)
        c.check(code == 0, f'exit code {code}\n{err}')
    c.refuses(3, [], 'found 3 ranks, wanted 2')
    c.refuses(2, ['--batch', '0'], '--batch cannot be "0"')


def blocklu_sum(n):
    a = [[float(n) if i == j else 1.0 / (1 + (i * 31 + j * 17) % 97) for j in range(n)] for i in range(n)]
    for k, i in itertools.combinations(range(n), 2):
        a[i][k] /= a[k][k]
        for j in range(k + 1, n):
            a[i][j] -= a[i][k] * a[k][j]
    return functools.reduce(lambda s, i: s + a[i][i], range(n), 0.0)


def check_blocklu(c):
    want = blocklu_sum(24)
    for ranks, r, options in itertools.product([1, 3], [4, 24], [[], ['--no-barriers']]):
        got = c.values(ranks, '--n', 24, '--r', r, *options)
        c.equal(float(got.get('sum', 'nan')), want, f'{ranks} ranks, r {r}, {options}')
        c.equal(got.get('barriers'), 'no' if options else 'yes', 'barriers')
    c.refuses(2, ['--n', '10', '--r', '4'], 'is no multiple of --r')
    c.refuses(2, ['--r', '0'], '--r cannot be "0"')
    c.refuses(2, ['extra'], 'cannot understand "extra"')


def heat_hottest(n, steps):
    now = [[100.0 if i == 0 else float((i * 7 + j * 3) % 10) for j in range(n)] for i in range(n)]
    for _ in range(steps):
        old = [row[:] for row in now]
        for i, j in itertools.product(range(1, n - 1), repeat=2):
            now[i][j] = old[i][j] + 0.1 * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1] - 4 * old[i][j])
    return max(max(row) for row in now[1:])


def check_heat(c):
    want = heat_hottest(12, 20)
    for (ranks, rows), exchange in itertools.product([(1, 1), (2, 2), (4, 2)], ['full', 'corners', 'needed', 'apart']):
        got = c.values(ranks, '--n', 12, '--steps', 20, '--rows', rows, '--exchange', exchange)
        c.equal(float(got.get('hottest', 'nan')), want, f'{ranks} ranks, {exchange}')
    c.refuses(2, ['--rows', '5'], 'is not the number of ranks')
    c.refuses(2, ['--exchange', 'x'], '--exchange cannot be "x"')


def stencil_sum(n, steps):
    """The upper edge is 1, the others 0; added row by row."""
    u = [[0] + [1] * n + [0]] + [[0] * (n + 2) for _ in range(n + 1)]
    for _ in range(steps):
        u = [u[0]] + [[0] + [0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]) for j in range(1, n + 1)] + [0]
                      for i in range(1, n + 1)] + [u[n + 1]]
    return functools.reduce(lambda total, row: total + functools.reduce(lambda a, b: a + b, row[1:-1], 0.0), u[1:-1], 0.0)


def check_stencil_gpu(c):
    want = stencil_sum(9, 20)
    for ranks, order in itertools.product([1, 3, 4, 9] if c.is_cheap else [1, 4], ['overlap', 'plain']):
        got = c.values(ranks, '--n', 9, '--steps', 20, '--order', order)
        c.equal(float(got.get('sum', 'nan')), want, f'{ranks} ranks, {order}')
    c.refuses(3, ['--n', '2'], '3 ranks have no row each of 2')


def main():
    checks = {'sor': check_sor, 'tsp': check_tsp, 'jacobi': check_jacobi, 'pingpong': check_pingpong,
              'mergesort': check_mergesort, 'neighbours': check_neighbours,
              'farm': check_farm, 'renderer': check_renderer, 'rma': check_rma, 'heat': check_heat, 'blocklu': check_blocklu,
              'stencil-gpu': check_stencil_gpu}
    parser = argparse.ArgumentParser()
    run_mpi.add_launcher_options(parser)
    parser.add_argument('app', choices=checks)
    parser.add_argument('program')
    args = parser.parse_args()
    front = run_mpi.launcher_command(args)
    if front is None:
        print(f'skipped: no mpirun.{args.launcher} here')
        return run_mpi.SKIPPED
    checker = Checker(args, front)
    checker.helps()
    checks[args.app](checker)
    print('checked' if not checker.n_failed else f'{checker.n_failed} checks failed')
    return 1 if checker.n_failed else 0


if __name__ == '__main__':
    sys.exit(main())
