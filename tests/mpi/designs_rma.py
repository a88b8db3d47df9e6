#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Who moves the data of one-sided communication: times that are derived by hand, and orderings that were published.

    designs_rma.py BUILD PROGRAM
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD, PROGRAM = (pathlib.Path(arg).resolve() for arg in sys.argv[1:3])
CLUSTER = """mpisim_cluster: 1
nodes: 2
cores: 1
run: {placement: spread}
network: {latency: 10us, bandwidth: 1000 MB/s}
rma:
  design:
    copy_bandwidth: 2000 MB/s
    dma: {bandwidth: 2000 MB/s, issue: 500ns, system_call: 1us, poll: 1us}
"""
KB, MB = 1024, 1 << 20


class Designs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.cluster = pathlib.Path(scratch.name) / "cluster.yaml"
        cls.cluster.write_text(CLUSTER, encoding="utf-8")

    def ends(self, design, size_B, compute_us=0, n=1, *settings):
        """(origin, target) in us."""
        words = [word for setting in (f"rma.design.kind={design}", *settings) for word in ("--set", setting)]
        done = subprocess.run([BUILD / "bin/mpisim-run", "--quiet", "--cluster", self.cluster, "-n", "2", "--compute", "modelled", *words, PROGRAM, str(size_B),
                               str(compute_us * 1e-6), str(n)], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = dict(line.split() for line in done.stdout.splitlines())
        return float(found["origin"]), float(found["target"])

    # Lock, Put of 1 000 000 B, unlock at 0; 3000 us of computation. onload: the lock is granted at 3000, the data is there at 4020, copied in 500. helper: 10 + 10 + 1010,
    # 500 of copying, which the computation lacks. dma: a system call, 245 pages of 0.5, one poll lacks it; the engine has begun after the first page. Receiving may take
    # 0.4 of the CPU for the 1000 us of the transfer besides.
    def test_times_by_hand(self):
        for receive_us, rows in ((0, (("onload", 4520, 4530, 0.7), ("helper", 3500, 1540, 67.3), ("dma", 3124.5, 1542.5, 91.9))),
                                 (400, (("onload", 4520, 4530, 0.7), ("helper", 3900, 1540, 41.2), ("dma", 3524.5, 1542.5, 65.8)))):
            for design, target_us, origin_us, overlap in rows:
                origin, target = self.ends(design, 1000000, 3000, 1, *([f"cpu.communication_cost.incoming={receive_us / 1000}"] if receive_us else []))
                self.assertAlmostEqual(origin, origin_us, delta=1e-3, msg=design)
                self.assertAlmostEqual(target, target_us, delta=1e-3, msg=design)
                alone_us = (1542.5 if design == "dma" else 1540) - 10  # without the answer's latency
                self.assertAlmostEqual(100 * (alone_us + 3000 - target) / alone_us, overlap, delta=0.05, msg=design)

    def test_the_network_interface_leaves_the_target_alone(self):
        self.assertEqual(self.ends("nic", 1000000, 3000), (1040, 3000))
        origin, target = self.ends("nic", 1000000, 3000, 1, "rma.design.registration=1us")
        self.assertAlmostEqual(origin, 1040 + 245, delta=1e-3)
        self.assertEqual(target, 3000)

    def test_costs_of_the_helper(self):
        self.assertEqual(self.ends("helper", 1000000, 3000, 1, "rma.design.pollution=0.5"), (1540, 3750))
        # lock at 10 is seen at 100, and the data, which leaves then and is there at 100 + 20 + 1000, at 1200
        origin, _ = self.ends("helper", 1000000, 3000, 1, "rma.design.helper.interval=100us")
        self.assertGreaterEqual(origin, 1540)
        self.assertLessEqual(origin, 1540 + 200)

    # A copy of the engine costs more than the CPU's until its higher rate pays for what it costs to tell it; together, Puts use several channels.
    ENGINE = ("rma.design.dma.bandwidth=2010 MB/s", "rma.design.dma.channels=4", "rma.design.dma.system_call=2us", "rma.design.dma.poll=2us", "network.bandwidth=20 GB/s")

    def test_an_engine_pays_for_large_copies_or_for_many(self):
        for size_B, n, is_better in ((4 * KB, 1, False), (32 * KB, 1, False), (MB, 1, False), (4 * MB, 1, True), (32 * KB, 64, True), (MB, 16, True)):
            dma, helper = (self.ends(design, size_B, 0, n, *self.ENGINE)[0] for design in ("dma", "helper"))
            (self.assertLess if is_better else self.assertGreater)(dma, helper, (size_B, n))

    def test_a_helper_is_as_fast_as_an_idle_target(self):
        for size_B in (8, 4 * KB, MB):
            self.assertAlmostEqual(self.ends("helper", size_B)[0] / self.ends("onload", size_B)[0], 1, delta=0.01)

    # On one core, where receiving takes the CPU, too.
    def test_overlap_is_least_for_onload_and_most_for_the_engine(self):
        for size_B in (32 * KB, 128 * KB, 4 * MB):
            overlap = {}
            for design in ("onload", "helper", "dma"):
                alone = self.ends(design, size_B)[0]
                origin, target = self.ends(design, size_B, 3 * alone, 1, "cpu.communication_cost.incoming=0.8")
                overlap[design] = (alone + 3 * alone - max(origin, target)) / alone
            self.assertLess(overlap["onload"], 0.4 if size_B < 128 * KB else 0.1)
            self.assertLess(overlap["onload"], overlap["helper"])
            self.assertLess(overlap["helper"], overlap["dma"])
            self.assertLess(overlap["dma"], 1)

    def test_nothing_changes_without_a_design(self):
        self.assertEqual(self.ends("progress", 1000000, 3000), self.ends("nic", 1000000, 3000))
        self.assertEqual(self.ends("progress", 1000000, 3000, 1, "rma.progress=in_mpi"), self.ends("onload", 1000000, 3000, 1, "rma.design.copy_bandwidth=inf"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
