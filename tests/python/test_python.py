#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs in Python: an interpreter for each rank, modules that call MPI, and what is refused.

usage: test_python.py BIN_DIR SOURCE_DIR
Exit code 77: no interpreter here is there as a library, with its headers.
"""
import json
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import Folder, call, ignore_leaks, paths

BIN, HERE = paths(2)
ignore_leaks()  # an interpreter leaves much behind
ASK = ("import ctypes, os, sys, sysconfig; name = f'libpython3.{sys.version_info[1]}.so.1.0'\n"
       "ctypes.CDLL(name if sys.prefix == '/usr' else os.path.join(sys.prefix, 'lib', name))\n"
       "path = sysconfig.get_path('include'); assert os.path.exists(path + '/Python.h')\n"
       "print(os.path.realpath(sys.executable), path, sysconfig.get_config_var('EXT_SUFFIX'))\n")


def find_interpreter():
    """[program, folder of headers, ending of modules] of the first that will do."""
    for name in ("/usr/bin/python3", sys.executable):
        done = call(name, "-c", ASK) if os.path.exists(name) else None
        if done and done.returncode == 0:
            return done.stdout.split()
    print("skipped: found no libpython3.*.so.1.0 with Python.h (Debian: libpython3-dev)")
    return sys.exit(77)


PYTHON, HEADERS, ENDING = find_interpreter()


class Python(Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made(BIN / "mpisim-cc", "-g", "-O1", "-fPIC", "-shared", "-I", HEADERS, HERE / "minimpi.c",
                 "-o", cls.dir / ("minimpi" + ENDING))

    def start(self, ranks, *words, python=PYTHON, options=()):
        return call(BIN / "mpisim-run", "--quiet", "--cluster", self.cluster, "--compute", "modelled", *options, "-n", ranks,
                    python, *words, cwd=self.dir, env=os.environ | {"PYTHONPATH": str(self.dir)})

    def succeed(self, *words, **more):
        done = self.start(*words, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def write(self, name, text):
        (self.dir / name).write_text(text, encoding="utf-8")
        return name

    def test_each_rank_has_an_interpreter(self):
        script = self.write("own.py", "import minimpi, struct, decimal, sys\nrank, _ = minimpi.rank()\n"
                            "decimal.getcontext().prec = 5 + rank\nsys.mine = rank\nminimpi.allreduce(bytearray(8))\n"
                            "print(rank, sys.mine, decimal.Decimal(1) / 3, sys.argv[1:])\n")
        self.assertEqual(sorted(self.succeed(3, script, "a", "b")),
                         [f"{rank} {rank} 0.{'3' * (5 + rank)} ['a', 'b']" for rank in range(3)])

    def test_results_are_right_and_modules_have_variables_for_each_rank(self):
        self.assertEqual(sorted(self.succeed(4, HERE / "pi.py")),
                         ["calls of 0 4", "calls of 1 2", "calls of 2 2", "calls of 3 2", "pi True"])

    def test_a_message_takes_what_the_cluster_says(self):
        # latency + size / bandwidth: 10 us + 1000 B / (100 MB/s) = 20 us
        self.assertAlmostEqual(float(self.succeed(2, HERE / "pingpong.py")[0]), 20e-6, delta=1e-9)

    def test_calls_of_modules_are_recorded_and_explained(self):
        self.succeed(2, HERE / "pingpong.py", options=["--record", "run.trace", "--json", "run.json"])
        done = call(BIN / "mpisim-replay", "--quiet", "--cluster", self.cluster, "--json", "replay.json", "run.trace",
                    cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        ran, replayed = (json.loads((self.dir / name).read_text()) for name in ("run.json", "replay.json"))
        self.assertEqual(ran["predicted_time_s"], replayed["predicted_time_s"])
        self.assertEqual(replayed["messages"], 20)

    def test_calls_of_modules_are_verified(self):
        script = self.write("wrong.py", "import minimpi\nrank, _ = minimpi.rank()\n"
                            "minimpi.send(bytes(8), 1 - rank)\nminimpi.receive(1 - rank)\n")
        done = self.start(2, script, options=["--verify"])
        self.assertIn("potential-deadlock", done.stdout + done.stderr)

    def test_arrays_of_numpy(self):
        if call(PYTHON, "-c", "import numpy").returncode:
            self.skipTest("found no numpy")
        self.assertEqual(self.succeed(3, HERE / "arrays.py"), ["equal True True"] * 3)

    def test_an_exception_ends_a_rank(self):
        done = self.start(1, self.write("fails.py", "import minimpi\nraise KeyError('what')\n"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("KeyError: 'what'", done.stderr)

    @unittest.skipIf(os.environ.get("SANITIZE", "none") != "none", "sanitizers take pthread_create for their own")
    def test_threads_are_refused(self):
        done = self.start(2, self.write("threads.py", "import threading\nthreading.Thread(target=print).start()\n"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("Python started a thread", done.stderr)

    def test_modules_for_another_mpi_are_refused(self):
        self.made("cc", "-shared", "-x", "c", "/dev/null", "-Wl,-soname,libmpi.so.40", "-o", "libmpi.so")
        self.made("cc", "-shared", "-x", "c", "/dev/null", "-Wl,--no-as-needed,-rpath,$ORIGIN", "-L.", "-lmpi", "-o",
                  "other" + ENDING)
        (self.dir / "libmpi.so").rename(self.dir / "libmpi.so.40")
        done = self.start(2, self.write("imports.py", "import other\n"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("is linked with another MPI (Open MPI 3 to 5: libmpi.so.40): rebuild it with mpisim-cc", done.stderr)

    def test_an_interpreter_that_is_no_library_is_refused(self):
        python = self.dir / "bin" / "python3.99"
        python.parent.mkdir()
        python.write_text("#!/bin/sh\n", encoding="utf-8")
        python.chmod(0o755)
        done = self.start(2, "none.py", python=python)
        self.assertEqual(done.returncode, 2)
        self.assertIn("lib/libpython3.99.so.1.0", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
