#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What is said when one-sided communication fails: rma_reports.py MPISIM_RUN CLUSTER PROGRAM"""
import subprocess
import sys

HELD_BY_0 = "a lock held by rank 0, the window"
# What has to be in the report, each as often as it is here.
CASES = {
    "deadlock": [
        "deadlock: every rank waits",
        "rank 0: MPI_Win_lock at ",
        "a lock held by rank 1, the window",
        "a lock held by rank 0, the window",
        "cycle: rank 0 waits for 1, which waits for 0",
    ],
    "deadlock_of_waiters": ["rank 1: MPI_Win_lock at ", "rank 2: MPI_Win_lock at ", *2 * [HELD_BY_0]],
    "deadlock_after_unlock": ["rank 1: MPI_Win_lock at ", HELD_BY_0],
    "deadlock_of_all": ["rank 2: MPI_Win_lock_all at ", HELD_BY_0],
    "deadlock_by_all": ["rank 1: MPI_Win_lock at ", HELD_BY_0],
    "deadlock_of_posts": ["rank 0: MPI_Win_start at ", "MPI_Win_post of rank 2, the window"],
    "deadlock_of_completes": ["rank 0: MPI_Win_wait at ", "MPI_Win_complete of rank 2, the window"],
    "wrong_address": ["rank 1: MPI_Put at ", "segmentation fault at address 0x40"],
}


def main():
    run, cluster, program = sys.argv[1:]
    failed = 0
    for case, wanted in CASES.items():
        done = subprocess.run([run, "--quiet", "--cluster", cluster, "-n", "3", "--compute", "modelled", program, case],
                              capture_output=True, text=True)
        missing = [text for text in wanted if done.stderr.count(text) < wanted.count(text)]
        if done.returncode != 1 or missing:
            print(f"{case}: exit code {done.returncode}, missing {missing} in:\n{done.stderr}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
