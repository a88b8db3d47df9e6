#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-calibrate in the simulator wants another file than elsewhere, and says which before it measures.

usage: check_simulated.py MPISIM_RUN CALIBRATE CLUSTER
"""
import os
import subprocess
import sys
import tempfile

mpisim_run, calibrate, cluster = map(os.path.abspath, sys.argv[1:])
n_failures = 0
with tempfile.TemporaryDirectory() as folder:
    for arguments, found in (([], 'nowhere to write to'), (['-o', 'y'], 'found -o FILE'), (['-o', 'y', '--samples', 'z'], 'found -o FILE')):
        done = subprocess.run([mpisim_run, '--quiet', '--cluster', cluster, '-n', '2', calibrate, *arguments], cwd=folder,
                              capture_output=True, text=True, check=False)
        wanted = f'mpisim-calibrate: {found} in the simulator, wanted --samples FILE; then mpisim-calibrate-fit FILE -o cluster.yaml\n'
        # 1: that of mpisim-run, as ranks returned 2
        holds = done.returncode == 1 and wanted in done.stderr and 'exit code 2' in done.stderr and not os.listdir(folder)
        print('ok:' if holds else 'not ok:', arguments, done.returncode, done.stderr.strip())
        n_failures += not holds
sys.exit(bool(n_failures))
