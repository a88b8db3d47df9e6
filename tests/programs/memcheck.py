# SPDX-License-Identifier: BSD-3-Clause
"""Programs that free what they make, under valgrind's memcheck: nothing invalid or uninitialised, and at the end no block is left, reachable or not.

usage: memcheck.py MPISIM_RUN CLUSTER PROGRAM...
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
VALGRIND = ['valgrind', '--quiet', '--error-exitcode=99', '--leak-check=full', '--show-leak-kinds=all', '--errors-for-leak-kinds=all']


def complaint(run, cluster, options, program):
    """What valgrind or the run say; empty when there is nothing to say."""
    done = subprocess.run([*VALGRIND, run, '--quiet', '--cluster', cluster, '-n', '3', '--compute', 'modelled', *options, program],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors='replace', check=False)
    return '' if done.returncode == 0 and '==' not in done.stderr else f'exit code {done.returncode}\n{done.stderr}'


def main():
    run, cluster, *programs = sys.argv[1:]
    if not shutil.which('valgrind'):
        print('skipped: valgrind is not installed')
        return SKIPPED
    failed = False
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = ['--isolation', 'copy', '--explain', '--json', f'{folder}/r.json', '--html', f'{folder}/r.html', '--trace-out', f'{folder}/t.json']
        jobs = [([], program) for program in programs] + [(results, programs[0])]
        complaints = [pool.submit(complaint, run, cluster, options, program) for options, program in jobs]
        for (options, program), found in zip(jobs, complaints):
            text = found.result()
            print('not ok:' if text else 'ok:', os.path.basename(program), *options, text)
            failed |= bool(text)
    return failed


sys.exit(main())
