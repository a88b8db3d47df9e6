#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""apps/heat: points that are exchanged and that nobody reads are found, counted and priced.

usage: heat.py BIN_DIR HEAT_C
"""
import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from harness import CLUSTER, Folder, call, paths  # noqa: E402

BIN, SOURCE = paths(2)


class Heat(Folder):
    cluster_text = CLUSTER.replace("nodes: 4", "nodes: 64")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made(BIN / "mpisim-cc", "--verify-memory", "-g", "-O1", SOURCE, "-o", "heat")

    def run_heat(self, rows, columns, exchange, n, steps, *options):
        out = self.dir / "out.json"
        done = call(BIN / "mpisim-run", "--cluster", self.cluster, "-n", rows * columns, "--compute", "modelled", "--quiet", "--json", out, *options,
                    self.dir / "heat", "--rows", rows, "--columns", columns, "--exchange", exchange, "--n", n, "--steps", steps)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(out.read_text()), re.search("hottest (.*)", done.stdout)[1]

    def unread_B(self, *arguments):
        result, _ = self.run_heat(*arguments, "--verify-memory=unread")
        self.assertEqual({finding["class"] for finding in result["findings"]} - {"never-read"}, set())
        return [(int(re.match(r"(\d+) of", finding["found"])[1]), finding["found"]) for finding in result["findings"]]

    def test_two_strips_of_16_points_exchange_two_points_of_each_line_for_nothing(self):
        """7 exchanges, 2 points of 8 bytes: 112 bytes on each rank, which have a call of their own each."""
        found = self.unread_B(2, 1, "full", 16, 7)
        self.assertEqual([n for n, _ in found], [112, 112])
        for _, text in found:
            self.assertIn("never read in any: bytes [0,8), [120,128)", text)
            self.assertRegex(text, "without them the predicted time is")

    def test_where_four_blocks_meet_eight_points_are_exchanged_for_nothing(self):
        """(rows - 1) (columns - 1) such places; two blocks side by side have none."""
        for rows, columns, points in (4, 4, 72), (2, 3, 16), (1, 2, 0):
            with self.subTest(rows=rows, columns=columns):
                self.assertEqual(sum(n for n, _ in self.unread_B(rows, columns, "corners", 32, 3)), points * 8 * 3)

    def test_corners_in_messages_of_their_own_come_for_nothing_and_to_drop_them_is_a_gain(self):
        (found,) = self.unread_B(2, 2, "apart", 32, 3)
        self.assertEqual(found[0], 4 * 8 * 3)
        self.assertIn("96 of 96 bytes in 12 messages came for nothing", found[1])

    def test_nothing_is_left_where_only_what_is_needed_is_exchanged(self):
        self.assertEqual(self.unread_B(3, 3, "needed", 32, 3), [])

    def test_what_is_exchanged_changes_nothing_but_time(self):
        results = [self.run_heat(2, 2, exchange, 32, 20) for exchange in ("full", "corners", "needed", "apart")]
        self.assertEqual(len({hottest for _, hottest in results}), 1)
        times = [result["predicted_time_s"] for result, _ in results]
        self.assertGreater(times[0], times[1])
        self.assertGreater(times[1], times[2])


if __name__ == "__main__":
    unittest.main()
