#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Who is to blame: of ten planted causes each is the first reason, with its ranks, its line, and the time without it, which is that
of the program without the cause.

usage: causes.py BIN_DIR SOURCE INCLUDE_DIR
"""
import json
import sys
import pathlib
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import OwnFolder, paths, succeed  # noqa: E402  (the folder above)

BIN, SOURCE, INCLUDE = paths(3)
CLUSTER = """mpisim_cluster: 1
name: test
nodes: {nodes}
cores: {cores}
cpu: {{speed: {speed}}}
network:
  latency: 10us
  bandwidth: 100 MB/s
  intra_node: {{latency: 1us, bandwidth: 2 GB/s}}
protocol: {{eager_threshold: 16KiB}}
"""
NEAR = 0.1  # of the gain: what one replay without a cause may be off


class Causes(OwnFolder):
    """The first reason of each."""
    def setUp(self):
        super().setUp()
        self.program = self.dir / "causes"
        succeed(BIN / "mpisim-cc", "-g", f"-I{INCLUDE}", SOURCE, "-o", self.program)

    def run_one(self, cause, how, *options, nodes=8, cores=1, speed=1):
        cluster, out = self.dir / "cluster.yaml", self.dir / f"{how}.json"
        cluster.write_text(CLUSTER.format(nodes=nodes, cores=cores, speed=speed), encoding="utf-8")
        succeed(BIN / "mpisim-run", "--cluster", cluster, "-n", 8, "--compute", "modelled", "--quiet", "--explain", "--json", out,
                *options, self.program, cause, how)
        return json.loads(out.read_text(encoding="utf-8"))

    def first(self, planted, removed, kind, ranks, line):
        self.assertTrue(planted["analysis"]["reasons"], "no reasons")
        reason = planted["analysis"]["reasons"][0]
        gain_s = planted["predicted_time_s"] - removed["predicted_time_s"]
        print(reason["text"], "|", reason["where"], "|", reason["without"], reason["gain_s"], "is", gain_s)
        self.assertEqual((reason["kind"], reason["ranks"]), (kind, ranks))
        self.assertGreater(gain_s, 0)
        self.assertLess(abs(reason["gain_s"] - gain_s), NEAR * gain_s)
        self.assertAlmostEqual(reason["predicted_time_s"] + reason["gain_s"], planted["predicted_time_s"])
        self.assertIn(line, reason["where"])
        return reason

    def planted(self, cause, kind, ranks, line, **more):
        return self.first(self.run_one(cause, "planted", **more), self.run_one(cause, "removed", **more), kind, ranks, line)

    def test_slow_rank(self):
        reason = self.planted("slow-rank", "slow_ranks", [5], "(slow_rank)")
        self.assertIn("rank 5 computes 3.0 times as long", reason["text"])
        self.assertIn("MPI_Allreduce", reason["after"])
        self.assertIn("MPI_Sendrecv", reason["before"])

    def test_slow_node(self):
        planted = self.run_one("slow-node", "planted", nodes=4, cores=2, speed=[1, 1, 0.5, 1])
        removed = self.run_one("slow-node", "planted", nodes=4, cores=2)
        reason = self.first(planted, removed, "slow_node", [4, 5], "(slow_node)")
        self.assertIn("node 2 is slow", reason["text"])

    def test_serial_part(self):
        self.planted("serial", "serial", [0], "(serial)")

    def test_late_sender(self):
        self.planted("late-sender", "slow_ranks", [6], "(late_sender)")

    def test_late_receiver(self):
        self.planted("late-receiver", "slow_ranks", [3], "(late_receiver)")

    def test_imbalance(self):
        reason = self.planted("imbalance", "imbalance", [4, 5, 6, 7], "(imbalance)")
        self.assertIn("1.8 times the mean", reason["text"])

    def test_contended_link(self):
        reason = self.planted("link", "contention", [4], "MPI_Send at causes.c")
        self.assertIn("into node 4", reason["text"])

    def test_wrong_placement(self):
        planted = self.run_one("placement", "planted", "--placement", "cyclic", nodes=4, cores=2)
        removed = self.run_one("placement", "planted", "--placement", "block", nodes=4, cores=2)
        reason = self.first(planted, removed, "placement", [0, 1], "MPI_Sendrecv at causes.c")
        self.assertEqual(reason["option"], "--placement block")

    def test_small_messages(self):
        self.planted("small", "messages", [0], "(small)")

    def test_locks(self):
        reason = self.planted("lock", "locks", [1, 2, 3, 4, 5, 6, 7], "MPI_Win_lock at causes.c")
        self.assertIn("rank 0's window", reason["text"])


unittest.main()
