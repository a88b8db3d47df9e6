# SPDX-License-Identifier: BSD-3-Clause
"""Programs that free what they make, under valgrind's memcheck: nothing invalid, uninitialised or left by the simulator.

usage: memcheck.py MPISIM_RUN CLUSTER PROGRAM...
"""
import os
import shutil
import subprocess
import sys

SKIPPED = 77
VALGRIND = ['valgrind', '--quiet', '--error-exitcode=99', '--leak-check=full', '--show-leak-kinds=definite,indirect,possible']


def main():
    run, cluster, *programs = sys.argv[1:]
    if not shutil.which('valgrind'):
        print('skipped: valgrind is not installed')
        return SKIPPED
    failed = False
    for program in programs:
        done = subprocess.run([*VALGRIND, run, '--quiet', '--cluster', cluster, '-n', '3', '--compute', 'modelled', program],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors='replace', check=False)
        is_clean = done.returncode == 0 and '==' not in done.stderr
        print('ok:' if is_clean else 'not ok:', os.path.basename(program), '' if is_clean else done.stderr)
        failed |= not is_clean
    return failed


sys.exit(main())
