# SPDX-License-Identifier: BSD-3-Clause
"""apps/lu under a real MPI: every variant verifies, with one checksum for all, and a wrong kernel is noticed.

usage: lu_real.py openmpi|mpich PROGRAM WRONG_TRSM_LIBRARY
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'programs'))
import run_mpi  # noqa: E402  (the folder above)

CASES = [  # ranks, arguments
    (1, '--variant basic'),
    (1, '--variant P+PM+FC'),
    (2, '--variant P'),
    (3, '--variant basic'),
    (3, '--variant FC --window 1'),
    (4, '--roles split --variant PM --s 3'),
    (4, '--roles split --variant P+FC'),
    (6, '--roles split --variant P --storage-nodes 1 --remove 1@1,1@3'),
    (5, '--variant P+PM+FC --s 4 --storage-nodes 2 --remove 2@2'),
]
SIZE = '--n 96 --r 12'


def run(mpi, program, ranks, arguments, preload=None):
    command = ['mpirun.' + mpi, '-n', str(ranks)]
    if mpi == 'openmpi':
        command[1:1] = run_mpi.OPENMPI + ['--bind-to', 'none']
    if preload:
        command += ['env', 'LD_PRELOAD=' + preload]
    return run_mpi.run(command + [program] + (SIZE + ' --verify ' + arguments).split(), 120,
                       {'OPENBLAS_NUM_THREADS': '1'})


def main():
    mpi, program, wrong = sys.argv[1:]
    failures, checksums = 0, set()
    for ranks, arguments in CASES:
        if mpi == 'mpich' and ranks > 3:
            continue  # it polls: slow where ranks outnumber cores
        code, out, err = run(mpi, program, ranks, arguments)
        found = re.search(r'^verification: PASS, residual \S+ .*, checksum (\S+)$', out, re.M)
        if code or not found:
            failures += 1
            print(f'not ok: {ranks} ranks, {arguments}: exit code {code}\n{out}{err}')
        else:
            checksums.add(found[1])
            print(f'ok: {ranks} ranks, {arguments}')
    if len(checksums) != 1:
        failures += 1
        print('not ok: results differ:', *sorted(checksums))
    code, out, err = run(mpi, program, 2, '--variant P', os.path.abspath(wrong))
    if code != 1 or 'verification: FAIL' not in out:
        failures += 1
        print(f'not ok: a wrong kernel went unnoticed: exit code {code}\n{out}{err}')
    return failures != 0


sys.exit(main())
