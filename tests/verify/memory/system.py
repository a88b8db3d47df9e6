#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run --verify=memory: system calls on large buffers, and memory that goes away early; each case of system.c by two back ends.

usage: system.py BIN_DIR SOURCE_DIR
"""
import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from harness import CLUSTER, Folder, call, paths  # noqa: E402

BIN, SOURCE = paths(2)
SOURCE = SOURCE / "system.c"
RIGHT = ("fork", "empty")
SENT, RECEIVED = "the buffer of MPI_Isend (1048576 bytes, dest 1, tag 0)", "the buffer of MPI_Irecv (1048576 bytes, source 1, tag 0)"
READ = "write of 524288 bytes: bytes [4096,528384) of "
# Case: class, text, comment of the line.
WRONG = {
    "sent-read": ("active-write", READ + SENT, "read"),
    "received-read": ("active-write", READ + RECEIVED, "read"),
    "pread": ("active-write", READ + SENT, "pread"),
    "fread": ("active-write", "write of 1048576 bytes: bytes [0,1048576) of " + RECEIVED, "fread"),
    "absolute": ("active-write", "write of 1 byte: bytes [500000,500001) of " + RECEIVED, "absolute"),
    **{f"{way}-{side}": ("freed-active", "is freed before the operation is complete", f"{way}-{side}")
       for way in ("freed", "unmapped", "given-back") for side in ("sent", "received")},
    "shrunk-sent": ("freed-active", "is freed before the operation is complete", "shrunk-sent"),
}


class System(Folder):
    cluster_text = CLUSTER

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, options in ("plain", ()), ("callbacks", ("--verify-memory",)):
            cls.made(BIN / "mpisim-cc", "-g", *options, SOURCE, "-o", name)

    def ran(self, way, case, *options):
        out = self.dir / "out.json"
        out.unlink(missing_ok=True)
        ran = call(BIN / "mpisim-run", "--quiet", "--cluster", self.dir / "cluster.yaml", "-n", 2, "--compute", "modelled", *options, "--json", out,
                   self.dir / way, case)
        self.assertTrue(out.exists(), ran.stderr)
        return ran, json.loads(out.read_text())

    def found(self, way, case):
        ran, result = self.ran(way, case, "--verify=memory")
        self.assertIsNone(result.get("failure"))
        self.assertEqual(ran.stdout, "")
        return result["findings"]

    def test_right_programs_have_no_finding_and_run_as_ever(self):
        for case in RIGHT:
            for way in "plain", "callbacks":
                with self.subTest(case=case, way=way):
                    self.assertEqual(self.found(way, case), [])

    def test_wrong_programs_go_on_and_are_told_with_the_line(self):
        lines = SOURCE.read_text().splitlines()
        for case, (class_name, text, comment) in WRONG.items():
            for way in "plain", "callbacks":
                with self.subTest(case=case, way=way):
                    found = self.found(way, case)
                    self.assertEqual([finding["class"] for finding in found], [class_name] * (2 if case.endswith("sent") else 1))
                    self.assertIn(text, found[0]["found"])
                    line = next(i for i, source in enumerate(lines, 1) if f"/* {comment} */" in source)
                    self.assertEqual(int(re.search(r"system\.c:(\d+)", found[0]["calls"][0]["site"])[1]), line)

    def test_without_verify_the_failure_says_whether_what_was_sent_or_where_it_goes_is_no_memory(self):
        for case, text in ("unmapped-sent", "its send names is no memory to read"), ("unmapped-received", "its receive names is no memory to write to"):
            with self.subTest(case=case):
                self.assertIn(text, self.ran("plain", case, "--set", "protocol.eager_threshold=64KiB")[1]["failure"]["text"])


if __name__ == "__main__":
    unittest.main()
