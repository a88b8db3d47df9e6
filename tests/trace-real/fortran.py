#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fortran programs under a real MPI, by each interface, are recorded call by call, and at their own places.

usage: fortran.py openmpi|mpich LIBRARY MPISIM_REPLAY CLUSTER MPIFORT FORTRAN_F90

Exit code 77: this machine has no such launcher.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import call, check, failures  # noqa: E402  (the folder above)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'programs'))
import run_mpi  # noqa: E402  (the folder above)

mpi, library, replay, cluster, compiler, source = sys.argv[1:]
library = os.path.abspath(library)
RANKS, MANY = 4, 40
# What the program itself calls, by its source; how often it tests depends on the run.
CALLS = {'MPI_Init': 1, 'MPI_Comm_rank': 2, 'MPI_Comm_size': 1, 'MPI_Isend': MANY, 'MPI_Irecv': MANY, 'MPI_Waitany': 1, 'MPI_Waitsome': 1,
         'MPI_Waitall': 1, 'MPI_Sendrecv': 2, 'MPI_Send_init': 1, 'MPI_Recv_init': 1, 'MPI_Startall': 3, 'MPI_Wait': 4, 'MPI_Request_free': 2,
         'MPI_Allreduce': 1, 'MPI_Bcast': 1, 'MPI_Gatherv': 1, 'MPI_Comm_split': 1, 'MPI_Iallreduce': 1, 'MPI_Comm_free': 1,
         'MPI_Cart_create': 1, 'MPI_Cart_shift': 1, 'MPI_Type_vector': 1, 'MPI_Type_commit': 1, 'MPI_Type_free': 1, 'MPI_Barrier': 2,
         'MPI_Win_create': 1, 'MPI_Win_fence': 2, 'MPI_Put': 1, 'MPI_Win_free': 1, 'MPI_Finalize': 1}


class Launcher:
    """What run_mpi wants to know."""
    launcher = mpi


def build(folder, interface, options=()):
    program = os.path.join(folder, 'by-' + interface.lower())
    subprocess.run([compiler, '-g', '-w', '-fallow-argument-mismatch', '-D' + interface, '-o', program, source, *options], check=True)
    return program


def record(front, program, trace, n=RANKS, preload=library, arguments=()):
    settings = [f'MPISIM_TRACE={trace}'] + ([f'LD_PRELOAD={preload}'] if preload else [])
    return run_mpi.run(front + ['-n', str(n), 'env', *settings, program, *arguments], 60)


def is_complete(trace, program, claim):
    done = call(replay, '--json', '-', '--cluster', cluster, trace)
    counts = {call['name']: call['count'] for call in json.loads(done.stdout)['calls']} if done.returncode == 0 else {}
    tests = counts.pop('MPI_Test', 0)
    wanted = {name: RANKS * times for name, times in CALLS.items()}
    wanted.update({'MPI_Send': RANKS - 1, 'MPI_Recv': RANKS - 1})
    wrong = {name: (counts.get(name), wanted.get(name)) for name in counts.keys() | wanted if counts.get(name) != wanted.get(name)}
    check(not wrong and tests >= 3 * RANKS, f'{claim}: every call is in the trace, and no other: {wrong} {done.stderr}')
    check(f'MPI_Waitany at {os.path.basename(program)}+' in done.stderr, f'{claim}: a call stands in the program, not in the library: {done.stderr}')


def main():
    front = run_mpi.launcher_command(Launcher)
    if front is None:
        print(f'skipped: no mpirun.{mpi} here')
        return run_mpi.SKIPPED
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        trace = os.path.join(folder, 'x.mtrace')
        for interface in ('MPIFH', 'MODULE', 'F08'):
            program = build(folder, interface)
            code, out, err = record(front, program, trace)
            check(code == 0 and 'mpisim-trace' not in err, f'{interface} runs: {code} {out} {err}')
            is_complete(trace, program, interface)
            os.path.exists(trace) and os.remove(trace)
        other = library.replace(mpi, {'openmpi': 'mpich', 'mpich': 'openmpi'}[mpi])
        if os.path.exists(other):
            code, _, err = record(front, program, trace, preload=other)
            check(code != 0 and 'preload the recorder for that library' in err and not os.path.exists(trace), f'the other recorder is told: {code} {err}')
        code, _, err = record(front, program, trace, arguments=['file'])
        done = subprocess.run([replay, '--cluster', cluster, trace], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        check(code == 0 and f'used files in a real run {RANKS} times (MPI_File_delete at by-f08' in done.stdout,
              f'calls for files are seen, and what they took: {code} {err} {done.stdout}')
        os.path.exists(trace) and os.remove(trace)
        folder_of, name = os.path.split(library)
        linked = build(folder, 'MODULE', ['-Wl,--no-as-needed', f'-L{folder_of}', f'-l:{name}', f'-Wl,-rpath,{folder_of}'])
        code, out, err = record(front, linked, trace, preload=None)
        check(code == 0 and 'mpisim-trace' not in err, f'linked, not preloaded, it runs: {code} {out} {err}')
        is_complete(trace, linked, 'linked')
    print(f'{len(failures)} failures')
    return bool(failures)


sys.exit(main())
