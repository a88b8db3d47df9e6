# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of mpisim-sweep share: a folder with a program that notes each of its runs, and a small cluster."""
import csv
import io
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import CLUSTER, call, ignore_leaks  # noqa: E402  (the folder above)

ignore_leaks()
HEAD = """mpisim_sweep: 1
program: ./point
cluster: cluster.yaml
"""


class Base(unittest.TestCase):
    """`bin`: where the tools are; `source`: the folder of point.c. Both are set before the tests run."""
    bin = source = None

    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="mpisim-sweep-"))
        built = call(cls.bin / "mpisim-cc", "-g", cls.source / "point.c", "-o", cls.home / "point")
        assert built.returncode == 0, built.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.home)

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(dir=self.home))
        (self.dir / "cluster.yaml").write_text(CLUSTER)
        shutil.copy(self.home / "point", self.dir / "point")
        self.log = self.dir / "log"

    def write(self, body, name="s.yaml"):
        (self.dir / name).write_text(HEAD + body)
        return self.dir / name

    def sweep(self, *words, **more):
        return call(self.bin / "mpisim-sweep", *words, cwd=self.dir, **more)

    def run_sweep(self, *options, status=0, name="s.yaml"):
        done = self.sweep("run", *options, name)
        if status is not None:
            self.assertEqual(done.returncode, status, done)
        return done

    def refused(self, wanted, *words):
        done = self.sweep(*words)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn(wanted, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("mpisim-sweep: "))

    def rows(self, *options, db="s.db"):
        done = self.sweep("export", *options, db)
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def logged(self):
        """The words of all runs so far."""
        return self.log.read_text().split() if self.log.exists() else []
