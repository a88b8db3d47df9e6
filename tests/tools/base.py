# SPDX-License-Identifier: BSD-3-Clause
"""What tests of commands need that run programs: a folder with a cluster and a program, and how they are called.

The test's arguments are BIN_DIR SOURCE_DIR.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

# A simulator that is built with the sanitizers reports what a program that fails leaves behind: that is the program's.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
BIN = pathlib.Path(sys.argv.pop(1)).resolve()
HERE = pathlib.Path(sys.argv.pop(1)).resolve()
CLUSTER = """mpisim_cluster: 1
name: test
nodes: 4
network:
  latency: 10us
  bandwidth: 100 MB/s
"""


def call(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, **more)


class Base(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = pathlib.Path(tempfile.mkdtemp(prefix="mpisim-cli-"))
        cls.cluster = cls.dir / "cluster.yaml"
        cls.cluster.write_text(CLUSTER)
        cls.misc = cls.dir / "misc"
        built = call(BIN / "mpisim-cc", "-g", HERE / "programs" / "misc.c", "-o", cls.misc)
        assert built.returncode == 0, built.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.dir)

    def words(self, *options, n=4):
        return [BIN / "mpisim-run", "--cluster", self.cluster, "-n", n, "--compute", "modelled", *options]

    def run_misc(self, what, *options, n=4):
        return call(*self.words(*options, n=n), self.misc, what)
