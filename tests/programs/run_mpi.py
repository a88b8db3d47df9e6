#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs an MPI program under a launcher for each number of ranks and compares its output with a file.

usage: run_mpi.py [options] -- PROGRAM ARGS...
  --launcher L   openmpi, mpich, or mpisim (then --mpisim-run and --cluster say which)
  --ranks LIST   1,2,5
  --expect FILE  what standard output must be, for every number of ranks
  --timeout S    per run

Exit code 0: all equal; 1: not; 77: there is no such launcher here. A run under a real MPI that does not end in time is
repeated once, and said: what is tested is this program, not whether that MPI always starts and finishes on a busy machine.
"""
import argparse
import difflib
import os
import shutil
import signal
import subprocess
import sys
import tempfile

SKIPPED = 77
GRACE_S = 10  # from asking a launcher to end until it is ended
OPENMPI = ['--allow-run-as-root', '--oversubscribe', '--mca', 'mpi_yield_when_idle', '1',
           '--mca', 'btl_vader_single_copy_mechanism', 'none',
           '--mca', 'osc', 'pt2pt,sm']  # the others need devices that are not here
# MPICH over shared memory only: over TCP it may hang in MPI_Finalize. Quiet about devices that are not here.
REAL_ENVIRONMENT = {'UCX_TLS': 'self,sm', 'UCX_LOG_LEVEL': 'fatal'}


def launcher_command(args):
    """The command in front of `-n N program`; None when this machine has no such launcher."""
    if args.launcher == 'mpisim':
        return [args.mpisim_run, '--quiet', '--cluster', args.cluster] + args.mpisim_option
    found = shutil.which('mpirun.' + args.launcher)
    if not found:
        return None
    return [found] + (OPENMPI if args.launcher == 'openmpi' else [])


def run_once(command, timeout, environment):
    """(exit code, stdout, stderr); the exit code is None after a timeout, and then all processes of the run are gone."""
    with tempfile.TemporaryDirectory(prefix='mpi-', ignore_cleanup_errors=True) as folder, \
            open(folder + '/out', 'w+b') as out, open(folder + '/err', 'w+b') as err:
        # Files, not pipes: ranks that outlive their launcher would hold a pipe open.
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
                                   env={**os.environ, **REAL_ENVIRONMENT, 'TMPDIR': folder, **environment})
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            code = None
            stop(process)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors='replace'))
        return code, *texts


def stop(process):
    """Launchers end their ranks when they are asked to; what then is left of the session, the kernel ends."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            pass


def run(command, timeout, environment=None):
    """As run_once. Real MPIs get a second chance after a timeout."""
    done = run_once(command, timeout, environment or {})
    if done[0] is None and 'mpirun.' in command[0]:
        print(f'no end within {timeout:g} s, repeated: {" ".join(command)}', flush=True)
        done = run_once(command, timeout, environment or {})
    return done


def add_launcher_options(parser):
    parser.add_argument('--launcher', required=True, choices=['openmpi', 'mpich', 'mpisim'])
    parser.add_argument('--mpisim-run')
    parser.add_argument('--cluster')
    parser.add_argument('--mpisim-option', action='append', default=[])
    parser.add_argument('--timeout', type=float, default=120)


def main():
    parser = argparse.ArgumentParser()
    add_launcher_options(parser)
    parser.add_argument('--ranks', default='1')
    parser.add_argument('--expect', required=True)
    parser.add_argument('program', nargs='+')
    args = parser.parse_args()
    front = launcher_command(args)
    if front is None:
        print(f'skipped: no mpirun.{args.launcher} here')
        return SKIPPED
    with open(args.expect) as f:
        want = f.read()
    failed = 0
    for n in args.ranks.split(','):
        command = front + ['-n', n] + args.program
        code, out, err = run(command, args.timeout)
        if code == 0 and out == want:
            print(f'{n} ranks: as expected')
            continue
        failed = 1
        print(f'{n} ranks: exit code {"timeout" if code is None else code}: {" ".join(command)}')
        print(''.join(difflib.unified_diff(want.splitlines(True), out.splitlines(True), 'expected', 'got')))
        print(err)
    return failed


if __name__ == '__main__':
    sys.exit(main())
