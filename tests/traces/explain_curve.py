#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run --explain: efficiencies over time against what can be derived by hand.

usage: explain_curve.py BIN_DIR SOURCE_DIR APPS_DIR
"""
import json
import unittest

from explaining import Base, IDEAL


class Curve(Base):
    def within(self, analysis, begin_s, end_s):
        """(load balance, serialization, transfer, parallel) of the windows between: they must all be the same."""
        windows = [w for w in analysis["efficiency_curve"] if w["begin_s"] >= begin_s and w["end_s"] <= end_s]
        self.assertGreater(len(windows), 4)
        keys = ("load_balance", "serialization", "transfer", "parallel")
        found = {tuple(w[key] if w[key] is None else round(w[key], 9) for key in keys) for w in windows}
        self.assertEqual(len(found), 1, found)
        return found.pop()

    def test_load_balance_over_time(self):
        # rank r computes r + 1 s: after each second one more waits at the barrier
        _, a = self.case("barrier", 4)
        for second in range(4):
            busy = (4 - second) / 4
            self.assertEqual(self.within(a, second, second + 1), (busy, 1, 1, busy))

    SLOW = ["--set", "network.bandwidth=1 MB/s"]  # 1 MB takes 1 s

    def test_ranks_that_share_a_core_over_time(self):
        # ranks 0 and 1 have one core: from 1 s on each has a half of it, until both end at 3 s. Rank 0's 2 s count evenly over its
        # 3 s, with the half of rank 1 more than the core can do: the other 1/3 s belongs to the first second
        time, a = self.case("joined", 3, "--placement", "0,0,1", "--set", "network.latency=0s")
        self.near(time, 3)
        self.near(a["efficiency"]["parallel"], 4 / 6)
        self.assertEqual(self.within(a, 0, 0.99), (1, 1, 1, 1))
        self.assertEqual(self.within(a, 1.03, 3), (0.5, 1, 1, 0.5))
        self.check(self.call(3, [self.dir / "waits", "joined"], ["--placement", "0,0,1", "--set", "network.latency=0s"]))

    def test_transfer_and_serialization_over_time(self):
        # exchange 0 … 1 s; both compute; one does, 2 … 3 s; its message is under way; the other computes, 4 … 5 s
        time, a = self.case("in_turn", 2, *self.SLOW)
        self.near(time, 5, 1e-4)
        self.assertEqual(self.within(a, 0, 1), (None, None, 0, 0))
        self.assertEqual(self.within(a, 1.0001, 2), (1, 1, 1, 1))
        self.assertEqual(self.within(a, 2.0001, 3), (0.5, 1, 1, 0.5))
        # the second clock of who waits for the message stands; that of the other goes on with half the pace in the
        # 2 s for which it waits at the barrier: the mean is 1/4
        self.assertEqual(self.within(a, 3.0001, 4)[:2], (None, 0))
        self.near(self.within(a, 3.0001, 4)[2], 0.25, 1e-4)
        self.assertEqual(self.within(a, 4.0001, 5), (0.5, 1, 1, 0.5))

    def test_ranks_that_ended_hold_up_nobody(self):
        # all ranks compute 1 s, one another second; no network is needed: transfer is 1 up to the end
        _, a = self.case("phases", 2)
        self.assertEqual(self.within(a, 0, 1), (1, 1, 1, 1))
        self.assertEqual(self.within(a, 1.0001, 2), (0.5, 1, 1, 0.5))

    def test_curve_follows_the_phases_of_the_ideal_run(self):
        ideal = self.call(2, [self.dir / "waits", "in_turn"], [*self.SLOW, *IDEAL])
        self.assertEqual([(p["name"], p["begin_s"], p["end_s"]) for p in ideal["phases"]], [("exchange", 0, 0), ("all", 0, 1), ("one", 1, 3)])
        path = self.dir / "ideal.json"
        path.write_text(json.dumps(ideal))
        _, a = self.case("in_turn", 2, *self.SLOW, "--ideal", path)
        self.assertEqual(self.within(a, 0, 1), (None, None, 0, 0))
        self.assertEqual(self.within(a, 1.0001, 2), (1, 1, 1, 1))
        # an ideal run in which the exchange takes 0.3 s and the rest is later: what its clocks do not see
        ideal["phases"][0]["end_s"] = 0.3
        for phase in ideal["phases"][1:]:
            phase["begin_s"] += 0.3
            phase["end_s"] += 0.3
        ideal["predicted_time_s"] += 0.3
        path.write_text(json.dumps(ideal))
        _, a = self.case("in_turn", 2, *self.SLOW, "--ideal", path)
        self.assertEqual(self.within(a, 0, 1)[:2], (None, 0))
        self.near(self.within(a, 0, 1)[2], 0.3, 1 / 512)  # the clocks are known in bins of 1/512 of the run, or less
        self.assertEqual(self.within(a, 1.0001, 2), (1, 1, 1, 1))

    def test_phases_that_overlap_otherwise_do_not_set_the_ideal_run_back(self):
        # "far" ends at 3 s, and at 0 s on an ideal network; "near" at 2 s in both: an ideal run has come to 2 s from then on
        options = [*self.SLOW, "--set", "network.latency=0s", "--set", "protocol.eager_threshold=0"]
        ideal = self.call(2, [self.dir / "waits", "crossed"], [*options, *IDEAL])
        self.assertEqual({p["name"]: p["end_s"] for p in ideal["phases"]}, {"far": 0, "near": 2})
        path = self.dir / "ideal.json"
        path.write_text(json.dumps(ideal))
        time, a = self.case("crossed", 2, *options, "--ideal", path)
        # 1 s is left to the last 3 s of rank 0's computation; a run set back to 0 s would go on during the last two messages
        self.near(time, 8)
        self.assertEqual(self.within(a, 0, 2), (0.5, 1, 1, 0.5))
        self.assertEqual(self.within(a, 2.0001, 3), (None, None, 0, 0))
        self.assertEqual(self.within(a, 3.0001, 4), (1, 1, 1, 1))
        self.assertEqual(self.within(a, 4.0001, 6), (0.5, 1, 1, 0.5))
        self.assertEqual(self.within(a, 6.0001, 8), (None, None, 0, 0))


if __name__ == "__main__":
    unittest.main()
