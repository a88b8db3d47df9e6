#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles a Fortran program with its modules in a folder of their own: build.py COMPILER PROGRAM SOURCE..."""
import subprocess
import sys
import tempfile

compiler, program, *sources = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    sys.exit(subprocess.run([compiler, "-g", "-O1", "-w", "-fallow-argument-mismatch", "-J", folder, "-Wl,--allow-shlib-undefined",
                             "-o", program, *sources], check=False).returncode)
