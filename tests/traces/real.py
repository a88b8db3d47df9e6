#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A real run beside its prediction (--real): figures derived by hand, from traces whose times the test chose.

usage: real.py BIN_DIR REAL_TRACE        REAL_TRACE writes traces (real-trace.c)
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import OwnFolder, call, paths  # noqa: E402  (the folder above)

BIN, WRITER = paths(2)
CLUSTER = "mpisim_cluster: 1\nnodes: 2\nnetwork: {latency: 10us, bandwidth: 100 MB/s}\n"
BYTE = 0x247  # MPI_BYTE
MS = 1000000
# Rank 1 leaves MPI_Init last, at 20 ms. Rank 0 computes 30 ms of the next 40, then sends 1 MB in phase "mail"; rank 1 receives, then waits
# for 10 kB, sent after 20 ms more, with a request. Predicted, 1 MB takes 10.01 ms: latency, and 100 MB/s; 10 kB take 110 us.
TRACE = f"""
0 call MPI_Init - 0 {10 * MS}
1 call MPI_Init - 0 {20 * MS}
0 charge work 0.03
0 phase mail {60 * MS}
0 call MPI_Send bitiic {60 * MS} {25 * MS} b0 i1000000 u{BYTE} i1 i0 u1
0 end {85 * MS}
0 charge work 0.02
0 call MPI_Send bitiic {105 * MS} {2 * MS} b0 i10000 u{BYTE} i1 i0 u1
0 call MPI_Finalize - {108 * MS} {50 * MS}
0 exit
1 phase mail {20 * MS}
1 call MPI_Recv bitwic {20 * MS} {70 * MS} b0 i1000000 u{BYTE} i0 i0 u1
1 end {90 * MS}
1 call MPI_Irecv bitwicR {90 * MS} 0 b0 i10000 u{BYTE} i0 i0 u1 u1
1 call MPI_Wait r {90 * MS} {20 * MS} u1
1 call MPI_Finalize - {110 * MS} {40 * MS}
1 exit
"""


class Real(OwnFolder):
    cluster_text = CLUSTER

    def write(self, text, name="run.mtrace", ranks=2):
        subprocess.run([WRITER, self.dir / name, str(ranks)], input=text, text=True, check=True)
        return self.dir / name

    def replay(self, trace, *options, real=None):
        words = [BIN / "mpisim-replay", trace, "--quiet", "--cluster", self.dir / "cluster.yaml", "--real", real or trace, *options]
        return call(*words, timeout=60)

    def compare(self, trace, real=None):
        done = self.replay(trace, "--json", self.dir / "run.json", real=real)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.dir / "run.json").read_text())

    def close(self, found, **wanted):
        for key, value in wanted.items():
            self.assertAlmostEqual(found[key], value, 9, f"{key} in {found}")

    def test_figures(self):
        run = self.compare(self.write(TRACE))
        real = run["real"]
        self.assertAlmostEqual(run["predicted_time_s"], .05 + .00011, 9)  # computation, then the second message
        self.assertAlmostEqual(real["time_s"], .09, 9)  # from 20 ms to 110 ms
        self.close(real["computing"], measured_count=2, predicted_count=2, measured_s=.05, predicted_s=.05)
        calls = {call["name"]: call for call in real["calls"]}
        self.close(calls["MPI_Send"], measured_count=2, predicted_count=2, measured_s=.027)
        self.close(calls["MPI_Recv"], measured_count=1, measured_s=.07, predicted_s=.04001)
        self.close(calls["MPI_Wait"], measured_s=.02, predicted_s=.05011 - .04001)
        (mail,) = real["phases"]
        self.assertEqual(mail["name"], "mail")
        self.close(mail, measured_count=2, predicted_count=2, measured_s=.025 + .07)
        (window,) = real["occurrences"]
        self.close(window, measured_begin_s=0, measured_end_s=.07, predicted_begin_s=0, predicted_end_s=.04001)

    def test_classes_of_sizes(self):
        real = self.compare(self.write(TRACE))["real"]
        sizes = {group["least_B"]: group for group in real["sizes"]}
        self.assertEqual(sorted(sizes), [10000, 1000000])
        self.assertEqual([sizes[n]["below_B"] for n in sorted(sizes)], [100000, 10000000])
        self.close(sizes[1000000], measured_count=2, measured_s=.025 + .07)  # the send and the receive
        self.close(sizes[10000], measured_count=3, measured_s=.002 + .02)  # send, Irecv, and the wait for its request
        calls = {call["name"]: call["predicted_s"] for call in real["calls"]}
        self.assertAlmostEqual(sum(group["predicted_s"] for group in sizes.values()), sum(calls.values()), 12)
        self.assertEqual((real["compared_calls"], real["other_calls"]), (9, 0))

    def test_sizes_of_arrays_and_calls_without_messages(self):
        # the largest message from or to one rank counts
        trace = self.write(f"""
0 call MPI_Init - 0 0
1 call MPI_Init - 0 0
0 call MPI_Alltoallv batbatc 0 {MS} b0 u2 i5 i300 u{BYTE} b0 u2 i5 i7 u{BYTE} u1
1 call MPI_Alltoallv batbatc 0 {MS} b0 u2 i7 i5 u{BYTE} b0 u2 i300 i5 u{BYTE} u1
0 call MPI_Barrier c {MS} {MS} u1
1 call MPI_Barrier c {MS} {MS} u1
0 call MPI_Finalize - {2 * MS} 0
1 call MPI_Finalize - {2 * MS} 0
0 exit
1 exit
""")
        sizes = {group["least_B"]: group for group in self.compare(trace)["real"]["sizes"]}
        self.assertEqual({least: group["measured_count"] for least, group in sizes.items()}, {None: 2, 100: 2})

    def test_validate_prints_and_writes_them(self):
        trace = self.write(TRACE)
        self.compare(trace)
        words = [str(BIN / "mpisim-validate"), "--phases", str(trace), str(self.dir / "run.json"), "--json", str(self.dir / "v.json")]
        done = call(*words, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines() if line.startswith("| ")]
        self.assertIn(["1 MB to 10 MB", "2", "2", "0.095", "0.04001", "-0.05499", "-57.9 %"], rows)
        written = json.loads((self.dir / "v.json").read_text())
        self.assertEqual([group["name"] for group in written["sizes"]], ["10 kB to 100 kB", "1 MB to 10 MB"])
        self.assertEqual([phase["name"] for phase in written["phases"]], ["mail"])
        self.assertIn("MPI_Recv", [function["name"] for function in written["functions"]])

    def test_calls_that_differ_are_counted_not_compared(self):
        other = self.write(TRACE.replace("0 call MPI_Send bitiic 105", "0 call MPI_Ssend bitiic 105"), "other.mtrace")
        real = self.compare(self.write(TRACE), real=other)["real"]
        self.assertEqual((real["compared_calls"], real["other_calls"]), (7, 2))  # rank 0's second send and MPI_Finalize
        warnings = json.loads((self.dir / "run.json").read_text())["warnings"]
        self.assertEqual([w for w in warnings if "--real" in w], ["--real: the calls of 1 rank are others than in the real run, first "
                         "MPI_Send of rank 0: by size of messages, only what came before is compared"])

    def refused(self, text, *options, **given):
        done = self.replay(self.write(TRACE), *options, **given)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(text, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_wrong_traces_are_refused(self):
        out = ("--json", self.dir / "run.json")
        self.refused("--real puts a real run beside", real="x")
        self.refused("--real: ", *out, real=self.dir / "nothing.mtrace")
        self.refused("found a run of 3 ranks, wanted 2", *out, real=self.write("0 exit\n1 exit\n2 exit\n", "three.mtrace", 3))
        plain = self.write("0 call MPI_Init - - 0\n0 exit\n1 exit\n", "plain.mtrace")
        self.refused("plain.mtrace: found no times, wanted a trace of a real run", *out, real=plain)
        (self.dir / "cut.mtrace").write_bytes(self.write(TRACE).read_bytes()[:-40])
        self.refused("cut.mtrace", *out, real=self.dir / "cut.mtrace")
        self.assertFalse((self.dir / "run.json").exists())


if __name__ == "__main__":
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    unittest.main()
