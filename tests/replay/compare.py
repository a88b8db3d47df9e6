# SPDX-License-Identifier: BSD-3-Clause
"""Comparing results of runs and replays."""
import math


def is_close(found, wanted):
    """Equal, but that sums which were added up in another order may differ in their last digits."""
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(is_close(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(is_close, found, wanted))
    return math.isclose(found, wanted, rel_tol=1e-14, abs_tol=1e-14) if isinstance(wanted, float) else found == wanted
