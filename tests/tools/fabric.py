#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What is told of the links between switches: by the report of a run, by a replay that jumps over loops, --show-cluster.

usage: fabric.py BIN_DIR SOURCE_DIR
"""
import pathlib
import sys
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import Folder, call, paths, read_json  # noqa: E402  (the folder above)

BIN, HERE = paths(2)
# 1 MB takes a second on each link; leaves of 4 nodes with 2 ports up.
CLUSTER = """mpisim_cluster: 1
nodes: 16
network: {latency: 0, bandwidth: 1 MB/s, topology: {kind: fat-tree, nodes_per_leaf: 4, taper: 2}}
"""


class Fabric(Folder):
    cluster_text = CLUSTER

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made(BIN / "mpisim-cc", "-g", HERE / "programs" / "shift.c", "-o", cls.dir / "shift")

    def run_it(self, *options, by=4, n=3, tool="mpisim-run", last=None):
        out = self.dir / "out.json"
        done = call(BIN / tool, "--cluster", self.cluster, "--json", out, *options, *(last or ("-n", 16, self.dir / "shift", by, n)))
        self.assertEqual(done.returncode, 0, done.stderr)
        return read_json(out), done.stderr


class Report(Fabric):
    def test_links_that_are_full_are_told(self):
        # from leaf to leaf two messages share each port, up and down: 2 s instead of 1 s, three times
        run, text = self.run_it("--compute", "modelled", "--verbose", "--html", self.dir / "page.html")
        self.assertAlmostEqual(run["predicted_time_s"], 9, 9)
        up_down = run["fabric"]["classes"][0]
        self.assertEqual((up_down["name"], up_down["links"], up_down["bytes"]), ("level 1", 16, 16 * 6e6))
        self.assertAlmostEqual(up_down["mean_utilisation"], 6 / 9, 9)
        self.assertEqual(len(run["fabric"]["links"]), 16)
        for link in run["fabric"]["links"]:
            self.assertEqual(link["bytes"], 6e6)
            self.assertAlmostEqual(link["utilisation"], 6 / 9, 9)
            self.assertAlmostEqual(link["lost_s"], 6, 9)
        self.assertIn("level 1, switch 0, to port 0", text)
        self.assertRegex(text, r"level 1 \(mean of 16\) +96 MB +66\.7 %")
        self.assertIn('"name":"level 1, switch 0, to port 0"', (self.dir / "page.html").read_text())

    def test_who_loads_a_link_is_told(self):
        run, text = self.run_it("--compute", "modelled", "--explain", "--html", self.dir / "page.html")
        told, links = run["analysis"]["fabric"], run["fabric"]["links"]
        self.assertEqual([link["name"] for link in told], [link["name"] for link in links])
        for one, link in zip(told, links):
            self.assertEqual([(call["call"], call["bytes"]) for call in one["calls"]], [("MPI_Sendrecv", link["bytes"])])
            self.assertIn("shift.c:", one["calls"][0]["site"])
        self.assertRegex(text, r"level 1, switch 0, to port 0 +100.0 % MPI_Sendrecv")
        # what the nodes' links do not hold back is not charged to them
        self.assertEqual([link["lost_s"] for link in run["analysis"]["links"] if link["lost_s"]], [])
        self.assertIn("most sent by", (self.dir / "page.html").read_text())

    def test_adaptive_routes_are_told_as_they_were(self):
        topology = "network.topology={kind: fat-tree, nodes_per_leaf: 4, taper: 2, routing: adaptive}"
        run, _ = self.run_it("--compute", "modelled", "--explain", "--set", topology)
        for one, link in zip(run["analysis"]["fabric"], run["fabric"]["links"]):
            self.assertEqual(sum(call["bytes"] for call in one["calls"]), link["bytes"])

    def test_the_reason_names_the_link(self):
        _, text = self.run_it("--compute", "modelled")
        self.assertIn("messages wait for links between switches, most of all for level 1, switch 0, to port 0", text)
        # where nodes hold messages back, it does not
        _, text = self.run_it("--compute", "modelled", "--placement", "0*4,4*4,8*4,12*4")
        self.assertNotIn("between switches, most", text)

    def test_what_stays_within_leaves_uses_no_link(self):
        run, _ = self.run_it("--compute", "modelled", "--placement", "0-3,0-3,0-3,0-3", by=1)
        self.assertEqual(run["fabric"]["links"], [])

    def test_a_star_has_no_such_links(self):
        run, text = self.run_it("--compute", "modelled", "--verbose", "--set", "network={latency: 0, bandwidth: 1 MB/s}")
        self.assertNotIn("fabric", run)
        self.assertNotIn("between switches", text)

    def test_a_replay_that_jumps_counts_what_it_left_out(self):
        trace = self.dir / "run.mpitrace"
        wanted, _ = self.run_it("--compute", "modelled", "--record", trace, n=60)
        found, _ = self.run_it(tool="mpisim-replay", last=(trace,))
        self.assertGreater(found["simulation"]["jumped_s"], 0)
        self.assertEqual(found["predicted_time_s"], wanted["predicted_time_s"])
        for one, other in zip(found["fabric"]["links"], wanted["fabric"]["links"]):
            self.assertEqual(one["bytes"], other["bytes"])
            self.assertAlmostEqual(one["lost_s"], other["lost_s"], 6)


class Latency(Fabric):
    def test_links_between_switches_add_to_the_latency(self):
        # a second of computation, 0.5 s + 2 links of 0.25 s, then 1 s alone on its links
        full = ["--compute", "modelled", "--set", "network.latency=0.5s", "--set", "network.topology.taper=1", "--set", "network.topology.hop_latency=0.25s"]
        run, _ = self.run_it(*full, "--explain", n=1)
        parts = run["analysis"]["critical_path"]["parts_s"]
        self.assertAlmostEqual(run["predicted_time_s"], 3, 9)
        self.assertAlmostEqual(parts["latency"], 1, 9)
        self.assertAlmostEqual(parts["contention"], 0, 9)
        self.assertEqual([link["lost_s"] for link in run["analysis"]["links"] if link["lost_s"]], [])


class Show(Fabric):
    """--show-cluster: what the file describes."""

    def show(self, out, *options, topology=None):
        changed = ["--set", f"network.topology={topology}"] if topology else []
        return call(BIN / "mpisim-run", "--cluster", self.cluster, "--show-cluster", out, *changed, *options)

    def described(self, *options, **more):
        out = self.dir / "shown.json"
        done = self.show(out, *options, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return read_json(out)

    def test_json_has_switches_links_tapers_and_ranks(self):
        shown = self.described("-n", 8, "--placement", "0-7")
        self.assertEqual((shown["topology"], shown["nodes"], shown["switches"]), ("fat-tree", 16, 6))
        self.assertEqual(shown["node_of_rank"], list(range(8)))
        self.assertEqual(shown["switch_of_node"], [node // 4 for node in range(16)])
        self.assertEqual([(c["name"], c["links"], c["taper"]) for c in shown["classes"]], [("level 1", 16, 2)])
        # two ports of each leaf, up and down, to the spines 4 and 5
        self.assertEqual(sorted(shown["links"]), sorted([[0, leaf, spine] for leaf in range(4) for spine in (4, 5)] + [[0, spine, leaf] for leaf in range(4) for spine in (4, 5)]))

    def test_pictures_of_all_kinds(self):
        for topology in (None, "{kind: torus, dimensions: [4, 4]}", "{kind: dragonfly, groups: 4, routers: 2, nodes_per_router: 2, global_links: 2}"):
            out = self.dir / "shown.svg"
            self.assertEqual(self.show(out, "-n", 5, topology=topology).returncode, 0)
            picture = xml.etree.ElementTree.parse(out).getroot()
            marks = [mark for mark in picture.iter() if mark.tag.split("}")[1] in ("circle", "rect")]
            shown = self.described(topology=topology)
            self.assertEqual(len(marks), 1 + 16 + shown["switches"], topology)
            lines = [mark for mark in picture.iter() if mark.tag.endswith("line")]
            n_arcs = sum(mark.tag.endswith("path") for mark in picture.iter())
            self.assertEqual(n_arcs, 8 if topology and "torus" in topology else 0)  # the way back of each ring
            self.assertEqual(len(lines) + n_arcs, 16 + len(shown["links"]) // 2, topology)
            width, height = (float(word) for word in picture.get("viewBox").split()[2:])
            for line in lines:
                self.assertTrue(all(0 <= float(line.get(x)) <= width and 0 <= float(line.get(y)) <= height for x, y in (("x1", "y1"), ("x2", "y2"))), topology)

    def test_failed_links_are_broken_lines(self):
        out = self.dir / "shown.svg"
        failed = "{kind: fat-tree, nodes_per_leaf: 4, taper: 2, links: [{name: \"level 1, switch 0, * port 0\", speed: 0}]}"
        self.assertEqual(self.show(out, topology=failed).returncode, 0)
        text = out.read_text()
        self.assertEqual(text.count("stroke-dasharray"), 2)
        self.assertIn("level 1: 16 x 1 MB/s, 2 failed, taper 2.29", text)

    def test_links_of_several_bandwidths(self):
        slow = '{kind: fat-tree, nodes_per_leaf: 4, taper: 2, links: [{name: "level 1, switch 0, *", speed: 0.5}]}'
        self.assertRegex(self.show("-", topology=slow).stdout, r"16 links, 500 kB/s to 1 MB/s each, 438 kB/s for each node: taper 2.29")
        self.assertEqual([(c["least_Bps"], c["bandwidth_Bps"]) for c in self.described(topology=slow)["classes"]], [(5e5, 1e6)])
        self.show(self.dir / "shown.svg", topology=slow)
        self.assertIn("level 1: 16 x 500 kB/s to 1 MB/s, taper 2.29", (self.dir / "shown.svg").read_text())

    def test_a_large_cluster_is_a_few_boxes(self):
        out = self.dir / "large.svg"
        done = self.show(out, "--set", "nodes=65536", topology="{kind: fat-tree, down: [32, 32, 64], up: [16, 32]}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(out.stat().st_size, 5000)
        self.assertIn("level 2: 65536 links, 1 MB/s each, taper 2", out.read_text())
        text = self.show("-", "--set", "nodes=65536", "-n", 100, topology="{kind: fat-tree, down: [32, 32, 64], up: [16, 32]}").stdout
        self.assertIn("65536 nodes with 1 core, fat-tree of 3584 switches, deterministic routing", text)
        self.assertRegex(text, r"level 2 +65536 links, 1 MB/s each, 500 kB/s for each node: taper 2")
        self.assertIn("100 ranks on 100 nodes, at most 1 on one", text)

    def test_what_it_refuses(self):
        for wanted, words in (("wanted a file .svg or .json, or - for text", [self.dir / "shown.png"]), ("which runs nothing", ["-", "-n", 2, self.dir / "shift"]),
                              ("which runs nothing", ["-", "--html", self.dir / "x.html"])):
            done = self.show(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(wanted, done.stderr)


if __name__ == "__main__":
    unittest.main()
