# SPDX-License-Identifier: BSD-3-Clause
"""Comparing results of runs and replays."""
import math

OF_SUMS = 1e-14
OF_WINDOWS = 1e-13  # what an interval that ends beyond a window's end by the last digit of its time is of the window


def is_close(found, wanted, tolerance=OF_SUMS):
    """Equal, but that sums which were added up in another order may differ in their last digits."""
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(
            is_close(found[key], wanted[key], OF_WINDOWS if key == "efficiency_curve" else tolerance) for key in wanted)
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(is_close(a, b, tolerance) for a, b in zip(found, wanted))
    return math.isclose(found, wanted, rel_tol=OF_SUMS, abs_tol=tolerance) if isinstance(wanted, float) else found == wanted
