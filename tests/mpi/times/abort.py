#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: abort.py MPISIM_RUN CLUSTER PROGRAM: the program ends the run by MPI_Abort with code 3 at 1.5 s."""
import subprocess
import sys

run = subprocess.run([sys.argv[1], "--cluster", sys.argv[2], "-n", "4", "--compute", "modelled", sys.argv[3]], capture_output=True, text=True)
wanted = "aborted with code 3 (at 1.5 s of simulated time)"
if run.returncode != 1 or wanted not in run.stderr:
    sys.exit(f"found exit code {run.returncode} and {run.stderr!r}, wanted 1 and {wanted!r}")
