#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Predicted times of the example applications against formulas worked out by hand, and every compute mode.

In eager.yaml a message costs the sender o, then takes L, then costs the receiver o when it takes the message; nothing is shared. Kernels
take what the benchmark store written here says. So every expectation below is exact; RELATIVE only allows for the
printing of doubles and the clock's picoseconds.
"""
import argparse
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import call, check, failures  # noqa: E402  (the folder above)

RELATIVE = 1e-9
L, O = 57.3e-6, 1.7e-6  # eager.yaml

parser = argparse.ArgumentParser()
for option in ['mpisim-run', 'folder', 'sor', 'jacobi', 'pingpong', 'stencil-gpu', 'tsp']:
    parser.add_argument('--' + option, required=True)
args = parser.parse_args()


def check_close(got, want, claim):
    check(abs(got - want) <= RELATIVE * abs(want), f'{claim}: found {got!r}, wanted {want!r}')


def simulate(n_ranks, program, options, *mpisim_options):
    """Standard output of a run in the simulator, which must succeed."""
    command = [args.mpisim_run, '--quiet', '--cluster', os.path.join(args.folder, 'eager.yaml'),
               '-n', str(n_ranks), *mpisim_options, program, *[str(o) for o in options]]
    done = call(*command)
    check(done.returncode == 0, f'{" ".join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}')
    return done.stdout


def values(out):
    return dict(line.split(' ', 1) for line in out.splitlines() if ' ' in line)


def store(folder, rows):
    path = os.path.join(folder, 'store.bench')
    with open(path, 'w') as f:
        f.write('# mpisim-bench 1\nname,p1,p2,p3,p4,seconds\n')
        for name, p1, p2, seconds in rows:
            f.write(f'{name},{p1},{p2},,,{seconds!r}\n')
    return path


def sor_iterations(folder):
    """
    4 x 4 ranks, blocks of 16 x 16 points, an exchange with up to four neighbours after each of two half sweeps.
    sendrecv: 4 calls per half sweep. Each ends o (own send), L (flight), o (taking it) after both partners were
      there, and neighbours wait for each other in both directions of both dimensions: C + 8 (L + 2 o).
    isend: the fourth of four messages leaves after 4 o, flies L, and is taken in o: C + 2 (L + 5 o).
    overlap: sending costs 4 o before the interior is computed, and while it is, all messages arrive; taking
      them costs 4 o: C + 2 (4 o + 4 o). Needs an interior longer than the flight and the neighbour's lag.
    Corner and edge ranks have less to do and wait. It takes some iterations until all wait in step: 10 are left out.
    """
    sweep, border = 517.1e-6, 93.7e-6
    compute = 2 * sweep
    bench = store(folder, [('sor_init', 16, 16, 0.001), ('sor_sweep', 16, 16, sweep),
                           ('sor_border', 16, 16, border), ('sor_interior', 16, 16, sweep - border)])
    for variant, want in [('sendrecv', compute + 8 * (L + 2 * O)), ('isend', compute + 2 * (L + 5 * O)),
                          ('overlap', compute + 16 * O)]:
        out = simulate(16, args.sor, ['--n', 64, '--variant', variant, '--warmup', 10, '--iterations', 35],
                       '--compute', 'modelled', '--bench', bench)
        got = values(out)
        check_close(float(got['wall_s']), want, f'sor {variant}')
        check_close(float(got['compute_s']), compute, f'sor {variant}, compute')
        check_close(float(got['communicate_s']), want - compute, f'sor {variant}, communicate')
        check(got['sum'].startswith('not computed'), f'sor {variant}: a sum although nothing was computed')
        again = simulate(16, args.sor, ['--n', 64, '--variant', variant, '--warmup', 10, '--iterations', 35],
                         '--compute', 'modelled', '--bench', bench, '--no-alloc')
        check(again == out, f'sor {variant}: --no-alloc changes the output')


def pingpong_one_way():
    """One way: o at the sender, L + s / b on the network, o at the receiver."""
    out = simulate(2, args.pingpong, ['--min-size', 1000, '--max-size', 64000], '--compute', 'modelled',
                   '--set', 'network.bandwidth=12.5 MB/s')
    rows = [line.split() for line in out.splitlines()[1:]]
    check(len(rows) == 8, 'pingpong: number of sizes')
    for row in rows:
        check_close(float(row[1]), 2 * O + L + int(row[0]) / 12.5e6, f'pingpong of {row[0]} bytes')


def jacobi_two_ranks(folder):
    """The halo and the Allreduce are an exchange between the two each: C + 2 (L + 2 o). Skipped kernels never converge."""
    sweep = 411.3e-6
    bench = store(folder, [('jacobi_init', 50, 100, 0.001), ('jacobi_sweep', 50, 100, sweep)])
    got = values(simulate(2, args.jacobi, ['--iterations', 20], '--compute', 'modelled', '--bench', bench))
    check_close(float(got['wall_s']), sweep + 2 * (L + 2 * O), 'jacobi on two ranks')
    check(got['iterations'] == '20', 'jacobi: iterations')


def stencil_gpu_two_nodes(folder):
    """Launch, border and interior on the accelerator, and the exchange x: overlap: launch + border + max(interior, x); plain: their sum."""
    launch, link, rate, net = 7.3e-6, 11.9e-6, 20e9, 5e9
    size = 8 * 1000
    for interior in 61.7e-6, 391e-6:
        border = 17.1e-6
        bench = store(folder, [('interior', 498, 1000, interior), ('border', 2, 1000, border)])
        for aware in 'true', 'false':
            x = L + size / net + 2 * O + (0 if aware == 'true' else 2 * (link + size / rate))
            for order, want in (('overlap', launch + border + max(interior, x)), ('plain', launch + interior + border + x)):
                out = values(simulate(2, args.stencil_gpu, ['--n', 1000, '--steps', 10, '--order', order], '--compute', 'modelled', '--bench', bench,
                                      '--set', f'network.bandwidth={net} B/s', '--set',
                                      f'accelerators={{per_node: 1, launch: {launch} s, link: {{latency: {link} s, bandwidth: {rate} B/s}}, gpu_aware: {aware}}}'))
                check_close(float(out['wall_s']), want, f'stencil-gpu, {order}, gpu_aware {aware}, interior {interior}')


def tsp_nodes():
    """Alone, a rank spends its time on expanding nodes; with others, never less than the busiest one's share."""
    node = 3.7e-6
    got = values(simulate(1, args.tsp, ['--node-time', node], '--compute', 'modelled'))
    check_close(float(got['wall_s']), int(got['nodes']) * node, 'tsp on one rank')
    for variant in ['round-robin', 'balanced']:
        options = ['--node-time', node, '--variant', variant]
        out = simulate(5, args.tsp, options, '--compute', 'modelled')
        some = values(out)
        check(some['best'] == got['best'], f'tsp {variant}: best')
        check(float(some['wall_s']) >= int(some['most_nodes']) * node * (1 - RELATIVE), f'tsp {variant}: wall')
        check(simulate(5, args.tsp, options, '--compute', 'modelled') == out, f'tsp {variant}: not reproducible')


def every_compute_mode(folder):
    """What collect writes is enough for partial and modelled; where kernels run, the result is the same."""
    bench = os.path.join(folder, 'collected.bench')
    for variant, kernels in [('isend', ['sor_init', 'sor_sweep']),
                             ('overlap', ['sor_init', 'sor_border', 'sor_interior'])]:
        options = ['--n', 24, '--variant', variant, '--iterations', 5]
        direct = values(simulate(4, args.sor, options))
        collect = values(simulate(4, args.sor, options, '--compute', 'collect', '--bench-out', bench))
        check(direct['sum'] == collect['sum'], f'{variant}: direct and collect differ')
        with open(bench) as f:
            names = {line.split(',')[0] for line in f}
        check(names >= set(kernels), f'{variant}: collected {names}')
        for mode in ['partial', 'modelled']:
            got = values(simulate(4, args.sor, options, '--compute', mode, '--bench', bench))
            check(got['sum'].startswith('not computed'), f'{variant}, {mode}: sum {got["sum"]}')
            check(float(got['wall_s']) > 0, f'{variant}, {mode}: wall')
    os.remove(bench)
    options = ['--n', 24, '--iterations', 5]
    simulate(3, args.jacobi, options, '--compute', 'collect', '--bench-out', bench)
    for mode in ['partial', 'modelled']:
        out = simulate(3, args.jacobi, options, '--compute', mode, '--bench', bench, '--no-alloc')
        check('sum not computed' in out, f'jacobi, {mode}')


with tempfile.TemporaryDirectory() as scratch:
    sor_iterations(scratch)
    pingpong_one_way()
    jacobi_two_ranks(scratch)
    stencil_gpu_two_nodes(scratch)
    tsp_nodes()
    every_compute_mode(scratch)
print('checked' if not failures else f'{len(failures)} checks failed')
sys.exit(1 if failures else 0)
