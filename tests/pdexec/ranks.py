# SPDX-License-Identifier: BSD-3-Clause
"""Builds small programs as users do and runs them as ranks with the driver; shared by the tests of this folder."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

DRIVER, SOURCE = (os.path.abspath(path) for path in sys.argv[1:3])
PROGRAMS = os.path.join(SOURCE, "tests", "pdexec", "programs")
COMPILERS = {".c": "gcc", ".cpp": "g++", ".f90": "gfortran"}
FOLDER = tempfile.mkdtemp(prefix="pdexec-")
MODES = ("map", "copy")


def finish():
    shutil.rmtree(FOLDER)


def compile_file(source, target, *options):
    source = os.path.abspath(source)
    compiler = COMPILERS[os.path.splitext(source)[1]]
    target = os.path.join(FOLDER, target)
    kind = [] if {"-shared", "-no-pie", "-static-pie", "-c"} & set(options) else ["-fPIE", "-pie"]
    subprocess.run([compiler, "-g", "-O1", *kind, "-I" + SOURCE, source, "-o", target, *options], check=True, cwd=FOLDER)
    return target


def compile_text(text, target, *options):
    source = os.path.join(FOLDER, target + ".c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    return compile_file(source, target, *options)


def library(text, name, *options):
    return compile_text(text, name, "-shared", "-fPIC", "-Wl,-soname," + name, *options)


def program(name, *options):
    """The path of the program that programs/NAME builds, built once."""
    target = os.path.join(FOLDER, os.path.splitext(name)[0])
    return target if os.path.exists(target) else compile_file(os.path.join(PROGRAMS, name), target, *options)


class Run:
    """What one run wrote: the lines of the program, and the driver's last line taken apart."""

    def __init__(self, arguments, n=1, mode="auto", options=(), environment=None):
        command = [DRIVER, "-n", str(n), "-i", mode, *options, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300,
                              env={**os.environ, **(environment or {})})
        self.code, self.errors = done.returncode, done.stderr
        self.text, _, self.end = done.stdout.rpartition("end: ")
        self.lines = self.text.splitlines()
        match = re.match(r"time ([\d.]+) s, (\d+) running, (\d+) ended badly, (\w+)", self.end)
        self.time, self.running, self.bad, self.failure = match.groups() if match else (None, None, None, None)


def native(arguments, environment=None):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60,
                          env={**os.environ, "LD_LIBRARY_PATH": FOLDER, **(environment or {})})
    return done.stdout, done.returncode, done.stderr
