#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a run says beside its figures: what they leave out, who failed, where a rank stands, what other runs left behind.

usage: told.py BIN_DIR SOURCE_DIR
"""
import json
import unittest

from base import BIN, Base, call


class Placement(Base):
    def nodes(self, *options, n):
        done = self.run_misc("work", "--json", "-", *options, n=n)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [rank["node"] for rank in json.loads(done.stdout)["ranks"]], done.stderr

    def test_the_default_fills_the_cores_of_a_node_before_the_next(self):
        self.assertEqual(self.nodes("--set", "cores=4", n=6)[0], [0, 0, 0, 0, 1, 1])
        self.assertEqual(self.nodes("--set", "cores=4", "--placement", "spread", n=6)[0], [0, 0, 1, 1, 2, 3])

    def test_more_ranks_than_cores_are_told(self):
        wanted = "carries more ranks than cores, up to 3 on 2: they share them\n"
        self.assertIn("1 node " + wanted, self.nodes("--set", "cores=2", "--placement", "0,0,0,1", n=4)[1])
        self.assertIn("4 nodes carry more ranks than cores, up to 2 on 1", self.nodes(n=8)[1])
        self.assertNotIn("more ranks than cores", self.nodes("--set", "cores=2", n=8)[1])

    def test_a_job_with_nodes_of_its_own_uses_them_all(self):
        jobs = self.dir / "jobs.yaml"
        jobs.write_text(f"jobs:\n  - {{name: a, program: {self.misc}, arguments: [work], ranks: 4, nodes: 4}}\n"
                        f"  - {{name: b, program: {self.misc}, arguments: [work], ranks: 4, nodes: 4, placement: block}}\n")
        done = call(BIN / "mpisim-run", "--cluster", self.cluster, "--set", "cores=2", "--compute", "modelled", "--schedule", jobs, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([rank["node"] for rank in json.loads(done.stdout)["ranks"]], [0, 1, 2, 3, 0, 0, 1, 1])
        self.assertNotIn("more ranks than cores", done.stderr)


if __name__ == "__main__":
    unittest.main()
