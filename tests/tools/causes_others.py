#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Who is to blame, in ten more programs: C, C++ and Fortran, nested and inlined functions, other clusters and numbers of ranks. Of each the first
reason names ranks, line and callers, and its gain is that of the program without the cause.

usage: causes_others.py BIN_DIR SOURCE_DIR INCLUDE_DIR
"""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import OwnFolder, paths, succeed  # noqa: E402  (the folder above)

BIN, SOURCES, INCLUDE = paths(3)
COMPILERS = {".c": "mpisim-cc", ".cpp": "mpisim-c++", ".f90": "mpisim-fc"}
CLUSTER = """mpisim_cluster: 1
name: test
nodes: {nodes}
cores: {cores}
cpu: {{speed: {speed}}}
network:
  latency: {latency}
  bandwidth: {bandwidth}
  intra_node: {{latency: 500ns, bandwidth: 5 GB/s}}
protocol: {{eager_threshold: 12KiB, overhead: 300ns}}
"""
NEAR = 0.1  # of the gain: what one replay without a cause may be off


class Causes(OwnFolder):
    def build(self, source):
        program = self.dir / "program"
        succeed(BIN / COMPILERS[pathlib.Path(source).suffix], "-g", "-O1", f"-I{INCLUDE}", SOURCES / source, "-o", program)
        return program

    def run_one(self, program, how, ranks, *options, **cluster):
        file, out = self.dir / "cluster.yaml", self.dir / f"{how}.json"
        file.write_text(CLUSTER.format(**{"cores": 1, "speed": 1, "latency": "3us", "bandwidth": "1 GB/s", **cluster}), encoding="utf-8")
        succeed(BIN / "mpisim-run", "--cluster", file, "-n", ranks, "--compute", "modelled", "--quiet", "--explain", "--json", out, *options, program, how)
        return json.loads(out.read_text(encoding="utf-8"))

    def check(self, planted, removed, kind, ranks, where):
        self.assertTrue(planted["analysis"]["reasons"], "no reasons")
        reason = planted["analysis"]["reasons"][0]
        gain_s = planted["predicted_time_s"] - removed["predicted_time_s"]
        print(reason["text"], "|", reason["where"], "|", reason["called_from"], "|", reason["gain_s"], "is", gain_s)
        self.assertEqual((reason["kind"], reason["ranks"]), (kind, ranks))
        self.assertIn(where, reason["where"])
        self.assertGreater(gain_s, 0)
        self.assertLess(abs(reason["gain_s"] - gain_s), NEAR * gain_s)
        return reason

    def planted(self, source, ranks, kind, blamed, where, **cluster):
        program = self.build(source)
        return self.check(self.run_one(program, "planted", ranks, **cluster), self.run_one(program, "removed", ranks, **cluster), kind, blamed, where)

    def test_slow_rank_in_a_method(self):
        reason = self.planted("halo.cpp", 12, "slow_ranks", [7], "(Solver::halo())", nodes=3, cores=4)
        self.assertRegex(reason["called_from"], r"halo\.cpp:\d+ \(main\)$")
        self.assertIn("rank 7 computes 1.7 times as long", reason["text"])

    def test_slow_node_in_a_module_of_fortran(self):
        program, cluster = self.build("vcycle.f90"), {"nodes": 4, "cores": 4}
        planted = self.run_one(program, "planted", 16, speed=[1, 0.7, 1, 1], **cluster)
        reason = self.check(planted, self.run_one(program, "planted", 16, **cluster), "slow_node", [4, 5, 6, 7], "(work::vcycle)")
        self.assertRegex(reason["called_from"], r"^vcycle\.f90:\d+ \(MAIN__\)$")

    def test_serial_part_of_the_last_rank(self):
        reason = self.planted("gather.c", 10, "serial", [9], "(postprocess)", nodes=10, latency="20us", bandwidth="125 MB/s")
        self.assertRegex(reason["called_from"], r"^gather\.c:\d+ \(main\)$")

    def test_late_sender_in_every_second_step(self):
        self.planted("exchange.c", 6, "slow_ranks", [2], "(step)", nodes=3, cores=2, latency="2us", bandwidth="3 GB/s")

    def test_late_receiver_of_large_messages(self):
        self.planted("collect.c", 5, "serial", [0], "(collect)", nodes=5, latency="10us")

    def test_imbalance_in_one_of_two_phases(self):
        self.planted("forces.f90", 9, "imbalance", [5, 6, 7, 8], "(phases::timestep)", nodes=3, cores=3, latency="5us")

    def test_contended_links_of_nodes(self):
        program, cluster = self.build("transpose.c"), {"nodes": 2, "cores": 8, "latency": "5us"}
        planted = self.run_one(program, "planted", 16, **cluster)
        self.check(planted, self.run_one(program, "planted", 16, "--set", "network.model=unshared", **cluster), "contention", list(range(8)),
                   "MPI_Alltoall at transpose.c")

    def test_wrong_placement_of_rows(self):
        program, cluster = self.build("rows.cpp"), {"nodes": 4, "cores": 4, "latency": "20us", "bandwidth": "125 MB/s"}
        planted = self.run_one(program, "planted", 16, "--placement", "cyclic", **cluster)
        reason = self.check(planted, self.run_one(program, "planted", 16, "--placement", "block", **cluster), "placement", [0, 2], "MPI_Alltoall at rows.cpp")
        self.assertEqual(reason["option"], "--placement block")

    def test_messages_of_one_number(self):
        self.planted("lines.c", 7, "messages", [0], "(send_line)", nodes=7, latency="8us")

    def test_locks_of_a_table(self):
        self.planted("table.cpp", 11, "locks", list(range(11)), "(Table::add(int, bool, int))", nodes=11)


if __name__ == "__main__":
    unittest.main()
