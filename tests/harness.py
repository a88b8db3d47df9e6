# SPDX-License-Identifier: BSD-3-Clause
"""What the tests in Python share: how they take their arguments, call commands, read results, have a folder of their own, and
count what does not hold.

A test imports it as `from harness import …` after it has put the folder `tests` into sys.path.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

CLUSTER = """mpisim_cluster: 1
name: test
nodes: 4
network:
  latency: 10us
  bandwidth: 100 MB/s
"""
failures = []  # claims that do not hold


def paths(n):
    """The first n arguments, which are taken away from sys.argv: unittest looks at the others."""
    taken = [pathlib.Path(word).resolve() for word in sys.argv[1:n + 1]]
    del sys.argv[1:n + 1]
    return taken


def ignore_leaks():
    """A simulator that is built with the sanitizers reports what a program that fails leaves behind: that is the program's."""
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"


def call(*words, timeout=300, **more):
    """Runs a command to its end, with what it said as text."""
    return subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          timeout=timeout, **more)


def succeed(*words, **more):
    """… which must end well."""
    done = call(*words, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def read_json(path, *without):
    found = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    for key in without:
        found.pop(key, None)
    return found


def check(holds, claim):
    """Tells whether a claim holds, and counts those that do not."""
    print("ok:" if holds else "not ok:", claim.strip(), flush=True)
    if not holds:
        failures.append(claim)


def require(holds, text):
    """Ends the test where a claim does not hold."""
    if not holds:
        sys.exit(f"FAILED: {text}")


def make_folder(of):
    of.dir = pathlib.Path(tempfile.mkdtemp(prefix="mpisim-test-"))
    of.cluster = of.dir / "cluster.yaml"
    of.cluster.write_text(of.cluster_text)


class Folder(unittest.TestCase):
    """Tests that share a folder, which has a cluster file."""
    cluster_text = CLUSTER

    @classmethod
    def setUpClass(cls):
        make_folder(cls)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.dir, ignore_errors=True)

    @classmethod
    def made(cls, *words):
        """A command that makes something in the folder."""
        done = call(*words, cwd=cls.dir)
        assert done.returncode == 0, done.stdout + done.stderr


class OwnFolder(unittest.TestCase):
    """Tests of which each has such a folder for itself."""
    cluster_text = CLUSTER

    def setUp(self):
        make_folder(self)

    def tearDown(self):
        shutil.rmtree(self.dir, ignore_errors=True)
