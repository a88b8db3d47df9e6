#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What becomes of files that a run writes to: nothing that is read, and no other result, is lost.

usage: results.py BIN_DIR SOURCE_DIR
"""
import pathlib
import shlex
import shutil
import subprocess
import unittest

from base import BIN, Base, call


class Results(Base):
    def refused(self, wanted, *words):
        done = call(BIN / "mpisim-run", *words)
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done)
        self.assertIn(wanted, done.stderr)

    def test_results_replace_neither_each_other_nor_what_is_read(self):
        out, copy = self.dir / "out", self.dir / "program"
        shutil.copy(self.misc, copy)
        (self.dir / "link").symlink_to(copy)
        before = copy.read_bytes(), pathlib.Path(self.cluster).read_bytes()
        for wanted, *words in (("--json: found '%s', which is the file of --html" % out, "--json", out, "--html", out, copy),
                               ("--record: found '%s', which is the file of the program" % copy, "--record", copy, copy),
                               ("which is the file of the program", "--json", self.dir / "link", copy),
                               ("--json: found '-', which is the file of --html", "--json", "-", "--html", "-", copy),
                               ("which is the file of --decisions", "--json", self.dir / "d.json", "--decisions", self.dir / "d.json", copy),
                               ("--html: found '%s', which is the file of --cluster" % self.cluster, "--html", self.cluster, copy)):
            self.refused(wanted, "--cluster", self.cluster, "-n", 2, *words)
        self.assertEqual(before, (copy.read_bytes(), pathlib.Path(self.cluster).read_bytes()))
        self.assertFalse(out.exists())
        trace = self.dir / "trace"
        self.assertEqual(call(*self.words("--record", trace), copy, "work").returncode, 0)
        recorded = trace.read_bytes()
        for tool, option in (("mpisim-replay", "--json"), ("mpisim-report", "-o")):
            done = call(BIN / tool, trace, option, trace)
            self.assertEqual((done.returncode, "which is the file of the trace" in done.stderr, trace.read_bytes()), (2, True, recorded), done)
        done = call(BIN / "mpisim-run", "--cluster", self.cluster, "-n", 2, "--json", "/dev/null", "--html", "/dev/null", copy, "work")
        self.assertNotEqual(done.returncode, 2, done)

    def test_standard_output_has_another_name_in_a_file(self):
        """/dev/stdout leads to that file, which keeps what is in it."""
        out = self.dir / "log"
        words = " ".join(shlex.quote(str(word)) for word in self.words("--quiet", "--json", "/dev/stdout"))
        done = subprocess.run(["sh", "-c", f"{{ echo before; {words} {self.misc} work; echo after; }} > {out}"], check=False)
        text = out.read_text()
        self.assertEqual((done.returncode, text.startswith("before\n"), text.endswith("after\n"), '"predicted_time_s"' in text), (0, True, True, True), text)

    def test_results_keep_the_mode_of_what_was_there(self):
        trace, export = self.dir / "mode.mtrace", self.dir / "mode.prv"
        for path in (trace, export):
            path.touch()
            path.chmod(0o600)
        done = call(*self.words("--quiet", "--record", trace, "--trace-out", export), self.misc, "work")
        self.assertEqual((done.returncode, trace.stat().st_mode & 0o777, export.stat().st_mode & 0o777), (0, 0o600, 0o600), done)

    def test_measurements_are_added_to_stores_only(self):
        other = self.dir / "other.yaml"
        shutil.copy(self.cluster, other)
        before = other.read_bytes()
        done = call(BIN / "mpisim-run", "--cluster", self.cluster, "-n", 2, "--compute", "collect", "--bench-out", other, self.misc, "kernels")
        self.assertEqual((done.returncode, other.read_bytes()), (2, before), done)
        self.assertIn("wanted a benchmark store or a new file", done.stderr)


if __name__ == "__main__":
    unittest.main()
