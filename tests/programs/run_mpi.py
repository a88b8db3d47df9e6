#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs an MPI program under a launcher for each number of ranks and compares its output with a file.

usage: run_mpi.py [options] -- PROGRAM ARGS...
  --launcher L   openmpi, mpich, or mpisim (then --mpisim-run and --cluster say which)
  --ranks LIST   1,2,5
  --expect FILE  what standard output must be, for every number of ranks
  --timeout S    per run

Exit code 0: all equal; 1: not; 77: there is no such launcher here.
"""
import argparse
import difflib
import os
import shutil
import subprocess
import sys

SKIPPED = 77
OPENMPI = ['--allow-run-as-root', '--oversubscribe', '--mca', 'mpi_yield_when_idle', '1',
           '--mca', 'btl_vader_single_copy_mechanism', 'none']


def launcher_command(args):
    """The command in front of `-n N program`; None when this machine has no such launcher."""
    if args.launcher == 'mpisim':
        return [args.mpisim_run, '--quiet', '--cluster', args.cluster] + args.mpisim_option
    found = shutil.which('mpirun.' + args.launcher)
    if not found:
        return None
    return [found] + (OPENMPI if args.launcher == 'openmpi' else [])


def run(command, timeout):
    """(exit code, stdout, stderr); the exit code is None after a timeout."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout,
                              stdin=subprocess.DEVNULL, text=True, errors='replace',
                              env=dict(os.environ, UCX_LOG_LEVEL='fatal'))
    except subprocess.TimeoutExpired as expired:
        def text(raw):
            return raw.decode(errors='replace') if isinstance(raw, bytes) else raw or ''
        return None, text(expired.stdout), text(expired.stderr)
    return done.returncode, done.stdout, done.stderr


def add_launcher_options(parser):
    parser.add_argument('--launcher', required=True, choices=['openmpi', 'mpich', 'mpisim'])
    parser.add_argument('--mpisim-run')
    parser.add_argument('--cluster')
    parser.add_argument('--mpisim-option', action='append', default=[])
    parser.add_argument('--timeout', type=float, default=60)


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
