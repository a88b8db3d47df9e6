#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Levels of a node, binding, and who shares its memory, as runs and replays predict it; times derived by hand.

usage: node.py BIN_DIR SOURCE_DIR
"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import Folder, call, paths, read_json  # noqa: E402  (the folder above)

BIN, HERE = paths(2)
# Two sockets of two domains of two cores; 10 MB take 1, 2 and 4 s, with 0.1, 0.2 and 0.3 s of latency.
CLUSTER = """mpisim_cluster: 1
nodes: 2
cores: {sockets: 2, domains: 2, per_domain: 2, memory: 20 MB/s}
network:
  latency: 0
  bandwidth: 1 MB/s
  intra_node:
    copies: 1
    levels:
      - {latency: 100ms, bandwidth: 10 MB/s}
      - {latency: 200ms, bandwidth: 5 MB/s}
      - {latency: 300ms, bandwidth: 2.5 MB/s}
"""
MB = 1000000


class Node(Folder):
    cluster_text = CLUSTER

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made(BIN / "mpisim-cc", HERE / "programs" / "node.c", "-o", cls.dir / "node")
        cls.store = cls.dir / "store"
        cls.store.write_text("sweep,,,,,2\n")  # 2 s

    def run_it(self, n, *arguments, options=(), tool="mpisim-run"):
        out = self.dir / "out.json"
        program = ("-n", n, "--no-alloc", self.dir / "node") if tool == "mpisim-run" else ()
        mode = ("--compute", "modelled", *(() if "--cpus-per-rank" in options else ("--cpus-per-rank", 1))) if tool == "mpisim-run" else ()
        done = call(BIN / tool, "--cluster", self.cluster, "--json", out, *mode, "--bench", self.store, *options, *program, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return read_json(out)

    def takes(self, seconds, *arguments, **more):
        self.assertAlmostEqual(self.run_it(*arguments, **more)["predicted_time_s"], seconds, 9)


class Levels(Node):
    def test_a_message_takes_what_the_lowest_common_level_takes(self):
        for to, wanted in ((1, 0.1 + 1), (2, 0.2 + 2), (4, 0.3 + 4), (7, 0.3 + 4)):
            self.takes(wanted, 8, "to", to, 10 * MB)
            self.takes(wanted, 8, "to", to, 10 * MB, options=["--set", "network.intra_node.copies=0"])

    def test_ranks_go_round_domains_and_sockets_as_bound(self):
        # rank 1: core 1, or the first of domain 1 (on the same socket), or of socket 1
        for bind, wanted in (("cores", 0.1 + 1), ("domains", 0.2 + 2), ("sockets", 0.3 + 4)):
            self.takes(wanted, 8, "to", 1, 10 * MB, options=["--set", f"cores.bind={bind}"])

    def test_ranks_with_several_cores_are_farther_apart(self):
        self.takes(0.2 + 2, 4, "to", 1, 10 * MB, options=["--cpus-per-rank", 2])
        self.takes(0.3 + 4, 2, "to", 1, 10 * MB, options=["--cpus-per-rank", 4, "--placement", "0,0"])

    def test_levels_are_no_contention(self):
        run = self.run_it(8, "to", 4, 10 * MB, options=["--explain"])
        parts = run["analysis"]["critical_path"]["parts_s"]
        self.assertAlmostEqual(parts["latency"], 0.3, 9)
        self.assertAlmostEqual(parts["bandwidth"], 4, 9)
        self.assertAlmostEqual(parts["contention"], 0, 9)


class Memory(Node):
    def test_copies_of_one_domain_halve_and_those_of_two_do_not(self):
        # one domain of four cores: 20 MB/s of reading and writing for each pair, of 20; then two domains of two
        self.takes(0.1 + 2, 4, "pairs", 10 * MB, options=["--set", "cores={per_domain: 4, memory: 20 MB/s}",
                                                          "--set", "network.intra_node={copies: 1, latency: 100ms, bandwidth: 10 MB/s}"])
        self.takes(0.1 + 1, 4, "pairs", 10 * MB)

    def test_a_kernel_slows_down_by_its_fair_share(self):
        # 2 s alone. Two on a domain with 20 MB/s that draw 15 each get 10: 3 s; that draw 5: 2 s.
        self.takes(3, 2, "kernels", 30 * MB)
        self.takes(2, 2, "kernels", 10 * MB)
        # beside a message on the other domain, as before
        self.takes(3, 4, "both", 30 * MB, 10 * MB)

    def test_what_says_nothing_draws_what_the_cluster_says(self):
        self.takes(2, 2, "kernels", -1)
        self.takes(3, 2, "kernels", -1, options=["--set", "cores.computation=15 MB/s"])
        self.takes(2, 2, "kernels", 0, options=["--set", "cores.computation=15 MB/s"])
        self.takes(2, 2, "kernels", 10 * MB, options=["--set", "cores.computation=15 MB/s"])
        # on two domains they do not meet
        self.takes(2, 2, "kernels", -1, options=["--set", "cores.computation=15 MB/s", "--set", "cores.bind=domains"])

    def test_a_replay_knows_what_kernels_said(self):
        trace = self.dir / "run.mpitrace"
        self.takes(3, 4, "both", 30 * MB, 10 * MB, options=["--record", trace])
        self.takes(3, None, trace, tool="mpisim-replay")
        self.takes(2, None, trace, tool="mpisim-replay", options=["--set", "cores.memory=40 MB/s"])
        nothing = self.dir / "nothing.mpitrace"
        self.takes(2, 2, "kernels", 0, options=["--record", nothing])
        self.takes(2, None, nothing, tool="mpisim-replay", options=["--set", "cores.computation=15 MB/s"])

    def test_a_replay_binds_ranks_as_the_run_did(self):
        trace = self.dir / "bound.mpitrace"
        options = ["--cpus-per-rank", 2, "--placement", "0,0"]
        self.takes(0.2 + 2, 2, "to", 1, 10 * MB, options=[*options, "--record", trace])
        self.takes(0.2 + 2, None, trace, tool="mpisim-replay")
        self.takes(0.3 + 4, None, trace, tool="mpisim-replay", options=["--set", "cores.bind=sockets"])

    def test_memory_told_outside_of_kernels_is_an_error(self):
        done = call(BIN / "mpisim-run", "--cluster", self.cluster, "-n", 1, "--compute", "modelled", "--bench", self.store, self.dir / "node", "wrong", 1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("memory is told where no kernel is open", done.stderr)


class Report(Node):
    def test_memory_that_is_full_is_told_and_to_blame(self):
        out = self.dir / "out.json"
        done = call(BIN / "mpisim-run", "--cluster", self.cluster, "--json", out, "--compute", "modelled", "--bench", self.store,
                    "--cpus-per-rank", 1, "-n", 2,
                    self.dir / "node", "kernels", 30 * MB)
        self.assertEqual(done.returncode, 0, done.stderr)
        run = read_json(out)
        # 60 MB in 3 s of 20 MB/s; each of two computations takes 1 s longer
        self.assertEqual(run["fabric"]["classes"][0]["name"], "memory domains")
        self.assertEqual(run["fabric"]["classes"][0]["links"], 8)
        memory, = run["fabric"]["links"]
        self.assertEqual(memory["name"], "node 0, memory domain 0")
        self.assertAlmostEqual(memory["bytes"], 60 * MB, 3)
        self.assertAlmostEqual(memory["utilisation"], 1, 9)
        self.assertAlmostEqual(memory["lost_s"], 2, 9)
        self.assertRegex(done.stderr, r"memory domains are full, most of all domain 0 of node 0, shared by ranks 0-1: .*100 %")
        self.assertIn("--set cores.memory=inf", done.stderr)

    def shown(self, out, *options):
        done = call(BIN / "mpisim-run", "--cluster", self.cluster, "--show-cluster", out, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_cluster_is_shown_with_its_levels(self):
        self.assertRegex(self.shown("-"), r"levels of a node +2 sockets with 2 memory domains of 2 cores, 20 MB/s each")
        self.shown(self.dir / "shown.json")
        self.assertEqual(read_json(self.dir / "shown.json")["levels"],
                         {"sockets": 2, "domains_per_socket": 2, "cores_per_domain": 2, "memory_Bps": 20 * MB})
        self.shown(self.dir / "shown.svg", "-n", 4, "--placement", "0*4", "--set", "cores.bind=sockets", "--cpus-per-rank", 1)
        picture = (self.dir / "shown.svg").read_text()
        self.assertEqual(picture.count(">memory domain"), 4)
        for core, rank in ((0, 0), (4, 1), (1, 2), (5, 3)):
            self.assertIn(f">core {core}: rank {rank}<", picture)
        self.assertIn(">core 7<", picture)


if __name__ == "__main__":
    unittest.main()
