#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run --verify=memory: partitions, attached buffers, large buffers, strict reads; each case of parts.c by two back ends.

usage: parts.py BIN_DIR SOURCE_DIR
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
BIN = pathlib.Path(sys.argv.pop(1)).resolve()
SOURCE = pathlib.Path(sys.argv.pop(1)).resolve() / "parts.c"
CLUSTER = "mpisim_cluster: 1\nname: test\nnodes: 8\nnetwork:\n  latency: 10us\n  bandwidth: 100 MB/s\n"
RIGHT = ("part", "attached", "large", "large-other-half", "large-short", "sent-read")
# Case: class, rank, text, whether any program's finding has the line of the access (None: any program's has no finding).
WRONG = {
    "part-sent-written": ("active-write", 0, "bytes [412,416) of the buffer of MPI_Pready (400 bytes, dest 1, tag 0)", False),
    "part-read-early": ("active-read", 1, "bytes [1200,1204) of the buffer of MPI_Precv_init (400 bytes, dest 0, tag 0)", None),
    "attached-short": ("unaddr-recv", None, "first bad byte 10000, 1 byte in all", True),
    "attached-written": ("active-write", 0, "bytes [8,9) of the buffer of MPI_Buffer_attach (10000 bytes)", None),
    "attached-cleared": ("active-write", 0, "bytes [0,100) of the buffer of MPI_Buffer_attach (10000 bytes)", True),
    "attached-freed": ("freed-active", 0, "the buffer of MPI_Buffer_attach (10000 bytes) is freed", True),
    "large-edge": ("active-write", 0, "bytes [1599992,1600000) of the buffer of MPI_Isend (1600000 bytes, dest 1, tag 0)", False),
    "large-half-written": ("active-write", 0, "bytes [400000,400008) of the buffer of MPI_Isend (800000 bytes, dest 2, tag 1)", True),
    "large-received-written": ("active-write", 1, "bytes [622216,622224) of the buffer of MPI_Irecv (1600000 bytes, source 0, tag 0)", True),
    "large-received-edge": ("active-write", 1, "bytes [0,8) of the buffer of MPI_Irecv (1600000 bytes, source 0, tag 0)", False),
    "large-late": ("active-write", 1, "bytes [622216,622224) of the buffer of MPI_Irecv (1600000 bytes, source 0, tag 0)", True),
    "large-late-edge": ("active-write", 1, "bytes [1599992,1600000) of the buffer of MPI_Irecv (1600000 bytes, source 0, tag 0)", False),
    "large-freed": ("freed-active", 1, "the buffer of MPI_Irecv (1600000 bytes, source 0, tag 0) is freed", True),
}


def call(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, check=False)


class Parts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = pathlib.Path(tempfile.mkdtemp(prefix="mpisim-parts-"))
        (cls.dir / "cluster.yaml").write_text(CLUSTER)
        for name, options in ("plain", ()), ("callbacks", ("--verify-memory",)):
            built = call(BIN / "mpisim-cc", "-g", *options, SOURCE, "-o", cls.dir / name)
            assert built.returncode == 0, built.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.dir)

    def found(self, way, case, *options):
        out = self.dir / "out.json"
        ran = call(BIN / "mpisim-run", "--quiet", "--cluster", self.dir / "cluster.yaml", "-n", 3, "--verify=memory", *options, "--json", out, self.dir / way, case)
        self.assertTrue(out.exists(), ran.stderr)
        findings = json.loads(out.read_text())["findings"]
        self.assertEqual(ran.stdout if not findings else "", "")
        return findings

    def check(self, case, finding, has_line):
        name, rank, text, _ = WRONG[case]
        self.assertEqual(finding["class"], name)
        self.assertIn(text, finding["found"])
        if rank is not None:
            self.assertEqual(finding["calls"][0]["rank"], rank)
        line = next(i for i, source in enumerate(SOURCE.read_text().splitlines(), 1) if f"/* {case} */" in source)
        self.assertEqual(int(re.search(r"parts\.c:(\d+)", finding["calls"][0]["site"])[1]) == line, has_line or "edge" in case)

    def test_right_programs_have_no_finding(self):
        for case in RIGHT:
            for way in "plain", "callbacks":
                with self.subTest(case=case, way=way):
                    self.assertEqual(self.found(way, case), [])

    def test_variables_of_ranks_are_looked_at_where_they_are(self):
        for isolation in "map", "copy":
            for way in "plain", "callbacks":
                with self.subTest(isolation=isolation, way=way):
                    self.assertEqual(self.found(way, "variables", "--isolation", isolation), [])

    def test_any_program(self):
        for case, (*_, has_line) in WRONG.items():
            with self.subTest(case=case):
                findings = self.found("plain", case)
                self.assertEqual(bool(findings), has_line is not None)
                if findings:
                    self.check(case, findings[0], has_line)

    def test_compiled_with_verify_memory(self):
        for case, (_, _, text, _) in WRONG.items():
            with self.subTest(case=case):
                findings = [finding for finding in self.found("callbacks", case) if text in finding["found"]]
                if "edge" not in case:
                    self.check(case, findings[0], True)
                self.assertEqual(len(findings), 1)

    def test_reads_of_what_is_sent_are_told_if_that_is_asked_for(self):
        (finding,) = self.found("callbacks", "sent-read", "--verify-memory=strict")
        self.assertEqual(finding["class"], "active-read")
        self.assertIn("bytes [0,4) of the buffer of MPI_Isend (4 bytes, dest 1, tag 0)", finding["found"])


if __name__ == "__main__":
    unittest.main()
