# SPDX-License-Identifier: BSD-3-Clause
"""What tests of commands need that run programs: a folder with a cluster and a program, and how they are called.

The test's arguments are BIN_DIR SOURCE_DIR.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import Folder, call, ignore_leaks, paths  # noqa: E402  (the folder above)

ignore_leaks()
BIN, HERE = paths(2)


class Base(Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.misc = cls.dir / "misc"
        cls.made(BIN / "mpisim-cc", "-g", HERE / "programs" / "misc.c", "-o", cls.misc)

    def words(self, *options, n=4):
        return [BIN / "mpisim-run", "--cluster", self.cluster, "-n", n, "--compute", "modelled", *options]

    def run_misc(self, what, *options, n=4):
        return call(*self.words(*options, n=n), self.misc, what)
