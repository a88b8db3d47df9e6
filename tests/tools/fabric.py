#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What is told of the links between switches: by the report of a run, by a replay that jumps over loops.

usage: fabric.py BIN_DIR SOURCE_DIR
"""
import pathlib
import sys
import unittest

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
        cls.made(BIN / "mpisim-cc", HERE / "programs" / "shift.c", "-o", cls.dir / "shift")

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


if __name__ == "__main__":
    unittest.main()
