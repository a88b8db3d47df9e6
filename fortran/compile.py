#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles a Fortran module: compile.py COMPILER SOURCE OBJECT MODULE [MODULE OF ANOTHER]...

The compiler leaves a .mod file alone that would not change, which would then be older than its source for ever: it is removed first.
"""
import contextlib
import os
import subprocess
import sys

compiler, source, target, module, *others = sys.argv[1:]
with contextlib.suppress(FileNotFoundError):
    os.remove(module)
folders = {os.path.dirname(path) or "." for path in others}
sys.exit(subprocess.run([compiler, "-O1", "-fPIC", "-J", os.path.dirname(module) or ".", *(f"-I{f}" for f in sorted(folders)),
                         "-c", source, "-o", target], check=False).returncode)
