#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What turns.py makes of machines that are quiet, slow, busy, and getting busy."""
import itertools
import unittest

from turns import CANNOT_TELL, FAILED, OK, Pressure, judge_fastest, judge_ratio, ratio_in_turns

WANTED = 11.77


def series(*values):
    at = itertools.cycle(values)
    return lambda: next(at)


class Turns(unittest.TestCase):
    def test_fastest_counts(self):
        # One of three undisturbed: the link carries what it should.
        self.assertEqual(judge_fastest([10.58, 11.75, 10.9], WANTED, 0.02, True), OK)

    def test_slow_link_on_a_quiet_machine_is_a_failure(self):
        self.assertEqual(judge_fastest([10.58, 10.6, 10.59], WANTED, 0.02, False), FAILED)
        self.assertEqual(judge_fastest([12.2, 12.21, 12.2], WANTED, 0.02, False), FAILED)

    def test_slow_link_on_a_busy_machine_tells_nothing(self):
        self.assertEqual(judge_fastest([10.58, 10.6, 10.59], WANTED, 0.02, True), CANNOT_TELL)
        self.assertEqual(judge_fastest([10.58, 10.9, 9.8], WANTED, 0.02, False), CANNOT_TELL)

    def test_both_slow_alike_agree(self):
        # A load that takes a tenth of both, and goes on: 10.58 where 11.77 is wanted, but alike.
        ratio = ratio_in_turns(series(10.58), series(10.6))
        self.assertEqual(judge_ratio(ratio, 0.02, False), OK)

    def test_turns_with_a_jump_between_them_do_not_count(self):
        # The load begins in the second turn: its known values differ. The wrong 9.0 of that turn does not count.
        ratio = ratio_in_turns(series(11.77, 11.77, 10.58, 10.58, 10.58), series(11.7, 9.0, 10.5, 10.5))
        self.assertAlmostEqual(ratio, 10.5 / 10.58)

    def test_disagreement_on_a_quiet_machine_is_a_failure(self):
        ratio = ratio_in_turns(series(11.77), series(11.3))
        self.assertEqual(judge_ratio(ratio, 0.02, False), FAILED)
        self.assertEqual(judge_ratio(ratio, 0.02, True), CANNOT_TELL)

    def test_known_values_that_never_agree_tell_nothing(self):
        calls = []
        ratio = ratio_in_turns(series(11.77, 11.0, 10.0), lambda: calls.append(0) or 11.7)
        self.assertIsNone(ratio)
        self.assertEqual(len(calls), 6)
        self.assertEqual(judge_ratio(ratio, 0.02, False), CANNOT_TELL)

    def test_pressure_is_waiting_over_time(self):
        for waited, wanted in ((0.5, False), (1.5, True)):
            self.assertEqual(Pressure(series(0, 10), series(3, 3 + waited)).is_high(), wanted)
        self.assertFalse(Pressure(series(0, 10), series(None)).is_high())


if __name__ == "__main__":
    unittest.main()
