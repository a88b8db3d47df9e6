# SPDX-License-Identifier: BSD-3-Clause
"""apps/lu under mpisim: results equal those of a real MPI, counts are exact, every compute mode works.

usage: lu_mpisim.py MPISIM_RUN CLUSTER BENCH PROGRAM [REAL_PROGRAM]
"""
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import call, read_json  # noqa: E402  (the folder above)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'programs'))
import run_mpi  # noqa: E402  (the folder above)

RUN, CLUSTER, BENCH, PROGRAM = sys.argv[1:5]
REAL = sys.argv[5] if len(sys.argv) > 5 else None
MOST_MB = 64 if os.environ.get('SANITIZE', 'none') == 'none' else 256  # a sanitizer's own memory is counted, too
SMALL = '--n 96 --r 12'.split()
LARGE = '--n 2592 --r 324'.split()
MODELLED = ['--no-alloc', '--compute', 'modelled', '--bench', BENCH]
failures = 0


def check(claim, holds, detail=''):
    global failures
    print('ok:' if holds else 'not ok:', claim, '' if holds else detail)
    failures += not holds


def simulate(options, arguments, folder):
    out = os.path.join(folder, 'out.json')
    done = call(RUN, '--cluster', CLUSTER, '--quiet', '--json', out, *options, PROGRAM, *arguments)
    return done, read_json(out)


def checksum(output):
    found = re.search(r'^verification: PASS, .*, checksum (\S+)$', output, re.M)
    return found and found[1]


def run_real(arguments, environment=()):
    """(exit code, stdout, stderr)"""
    return run_mpi.run(['mpirun.openmpi', *run_mpi.OPENMPI, '-n', '2', REAL] + arguments, 120,
                       dict(environment, OPENBLAS_NUM_THREADS='1'))


def results_are_those_of_a_real_mpi(folder):
    sums = set()
    for ranks, variant in (('1', 'basic'), ('4', 'P+FC'), ('16', 'P'), ('16', 'P+PM+FC')):
        done, _ = simulate(['-n', ranks, '--compute', 'direct'], SMALL + ['--verify', '--variant', variant], folder)
        check(f'{ranks} ranks, {variant}, direct', done.returncode == 0 and checksum(done.stdout),
              done.stdout + done.stderr)
        sums.add(checksum(done.stdout))
    # two ranks on one node only: each must come to the same plan
    done, _ = simulate(['-n', '4', '--placement', '0,1,1,2', '--compute', 'direct'], SMALL + ['--verify'], folder)
    check('nodes with different numbers of ranks', done.returncode == 0, done.stdout + done.stderr)
    sums.add(checksum(done.stdout))
    if REAL:
        sums.add(checksum(run_real(SMALL + ['--verify'])[1]))
    check('one result for all', len(sums) == 1, sums)


def counts_are_exact(folder):
    # Sums over m = 0 ... 7: m^2 140, m 28. Blocks of 324^2 doubles; pivots of 324 doubles.
    volume = (3 * 140 + 2 * 28) * 324 ** 2 * 8 + 2 * 28 * 324 * 8
    for ranks in ('16', '8'):
        done, result = simulate(['-n', ranks] + MODELLED, LARGE, folder)
        check(f'{ranks} ranks: 613 messages', result['messages'] == 613, result['messages'])
        check(f'{ranks} ranks: volume', result['bytes'] == volume, (result['bytes'], volume))
        check(f'{ranks} ranks: below {MOST_MB} MB', result['simulation']['peak_memory_B'] < MOST_MB * 1e6, result['simulation'])
        check(f'{ranks} ranks: 8 iterations', len({p['name'] for p in result['phases']}) == 8, result['phases'])
        again, twice = simulate(['-n', ranks] + MODELLED, LARGE, folder)
        for one in (result, twice):
            del one['simulation']
        check(f'{ranks} ranks: the same twice', twice == result and again.stdout == done.stdout)


def removal_frees_nodes(folder):
    arguments = LARGE + ['--storage-nodes', '4']
    kept = simulate(['-n', '16'] + MODELLED, arguments, folder)[1]
    removed = simulate(['-n', '16'] + MODELLED, arguments + ['--remove', '4@1'], folder)[1]
    check('removal takes longer', removed['predicted_time_s'] >= kept['predicted_time_s'])
    check('removal is more efficient', removed['efficiency'] > 1.2 * kept['efficiency'],
          (removed['efficiency'], kept['efficiency']))


def scales_reach_their_kernel(folder):
    whole = simulate(['-n', '1'] + MODELLED, LARGE, folder)[1]['predicted_time_s']
    twice = simulate(['-n', '1', '--scale', '*=2'] + MODELLED, LARGE, folder)[1]['predicted_time_s']
    check('all computation twice as long', abs(twice / whole - 2) < 1e-6, (whole, twice))


def collected_times_predict(folder):
    if not REAL:
        return
    store = os.path.join(folder, 'store.csv')
    code, _, errors = run_real(SMALL, {'MPISIM_BENCH_OUT': store})
    check('collects under Open MPI', code == 0 and os.path.exists(store), errors)
    done, result = simulate(['-n', '4', '--no-alloc', '--compute', 'partial', '--bench', store], SMALL, folder)
    check('predicts from what was collected', done.returncode == 0 and result['predicted_time_s'] > 0, done.stderr)
    done, _ = simulate(['-n', '4', '--compute', 'partial', '--bench', store], SMALL + ['--verify'], folder)
    check('a kernel that was never measured is named', done.returncode == 1 and 'kernel "verify"' in done.stderr,
          done.stderr)


def other_modes_work(folder):
    done, _ = simulate(['-n', '4', '--compute', 'direct', '--first-n', '2'], SMALL + ['--verify'], folder)
    check('first-n', done.returncode == 0 and 'SKIPPED' in done.stdout, done.stdout + done.stderr)
    store = os.path.join(folder, 'own.csv')
    done, _ = simulate(['-n', '4', '--compute', 'collect', '--bench-out', store], SMALL, folder)
    check('collect', done.returncode == 0, done.stderr)
    done, _ = simulate(['-n', '2', '--compute', 'modelled', '--bench', store], SMALL, folder)
    check('modelled from the collected', done.returncode == 0, done.stderr)


with tempfile.TemporaryDirectory() as temporary:
    for test in (results_are_those_of_a_real_mpi, counts_are_exact, removal_frees_nodes, scales_reach_their_kernel,
                 collected_times_predict, other_modes_work):
        test(temporary)
sys.exit(failures != 0)
