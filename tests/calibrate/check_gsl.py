#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""GSL (GPL) is linked to the fit, and to nothing that user programs run with.

usage: check_gsl.py FIT OTHER...
"""
import subprocess
import sys


def links_gsl(path):
    return 'libgsl' in subprocess.run(['ldd', path], stdout=subprocess.PIPE, text=True, check=True).stdout


wrong = [path for path in sys.argv[2:] if links_gsl(path)]
for path in wrong:
    print(f'{path} is linked to GSL')
if not links_gsl(sys.argv[1]):
    wrong.append(sys.argv[1])
    print(f'{sys.argv[1]} is not linked to GSL: this test would see nothing')
sys.exit(bool(wrong))
