#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every function of MPI is recorded.

    classes.py SOURCE_DIR
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.abspath(sys.argv[1]), "mpi", "abi"))
import table  # noqa: E402

N_FUNCTIONS = 664  # of the ABI
OUTSIDE = {"MPI_Aint_add", "MPI_Aint_diff", "MPI_Wtick"}


def every_function_has_its_class():
    functions = table.read()
    without = [f.name for f in functions if not f.record[0] and f.chapter != "Language bindings"]
    assert sum(f.is_in_abi for f in functions) == N_FUNCTIONS and not without, f"of {len(functions)} functions these have no class: {without}"
    assert {f.name for f in functions if f.record[0] == "none"} == OUTSIDE, "only these enter nothing"


every_function_has_its_class()
