# SPDX-License-Identifier: BSD-3-Clause
"""Measurements on a machine that may be busy: in turns with something that is known, and judged only where that tells.

What other programs do beside a measurement shows in three ways: the known thing is slower than it can be, it is not the same
before and after, and runnable processes wait for a processor.
"""
SCATTER = 0.01  # two measurements of the same on a quiet machine
PRESSURE = 0.1  # part of the time that some process waited for a processor
OK, FAILED, CANNOT_TELL = "ok", "FAILED", "cannot tell"


def waited_s():
    """How long some process has waited for a processor since the machine started; None: this kernel does not count it."""
    try:
        with open("/proc/pressure/cpu", encoding="ascii") as file:
            return float(file.readline().rsplit("total=", 1)[1]) * 1e-6
    except OSError:
        return None


class Pressure:
    """Whether the machine was busy since this was made."""

    def __init__(self, clock, waited=waited_s):
        self.clock, self.waited = clock, waited
        self.begin_s, self.before_s = clock(), waited()

    def is_high(self):
        elapsed_s = self.clock() - self.begin_s
        return self.before_s is not None and elapsed_s > 0 and self.waited() - self.before_s > PRESSURE * elapsed_s


def verdict(is_good, is_quiet):
    """What is wrong on a machine that is not quiet may be the machine's fault."""
    return OK if is_good else FAILED if is_quiet else CANNOT_TELL


def within(value, wanted, tolerance):
    return abs(value / wanted - 1) <= tolerance


def judge_fastest(values, wanted, tolerance, is_busy):
    """Other programs only ever make a link slower: the fastest counts. Where it is too slow, all must be, alike."""
    alike = max(values) <= min(values) * (1 + SCATTER)
    return verdict(within(max(values), wanted, tolerance), alike and not is_busy)


def ratio_in_turns(known, other, n=3, most=6):
    """The median of n ratios of `other` to `known`, each between two measurements of `known` that agree; None: of `most` too few had such."""
    ratios, before = [], known()
    for _ in range(most):
        value, after = other(), known()
        if within(after, before, SCATTER):
            ratios.append(value / (0.5 * (before + after)))
        before = after
        if len(ratios) == n:
            return sorted(ratios)[n // 2]
    return None


def judge_ratio(ratio, tolerance, is_busy):
    return CANNOT_TELL if ratio is None else verdict(within(ratio, 1, tolerance), not is_busy)
