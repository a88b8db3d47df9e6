#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the communication functions of windows, all forms of them, from the table of functions.

    generate.py functions.txt > entry.c

Every one does the same: collects its arguments in a struct rma_call and hands them on.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "abi"))
import entry  # noqa: E402

KINDS = {"put": "PUT", "get": "GET", "accumulate": "ACCUMULATE", "get_accumulate": "GET_ACCUMULATE",
         "fetch_and_op": "GET_ACCUMULATE", "compare_and_swap": "COMPARE_AND_SWAP"}
# Parameter names of the standard → members of struct rma_call. Of MPI_Get, `result` is what it calls the origin.
MEMBERS = {"target_rank": "target", "target_disp": "disp", "target_count": "target_count", "target_datatype": "target_type",
           "compare_addr": "compare", "op": "op", "win": "win", "request": "request"}
SIDES = {"addr": "addr", "count": "count", "datatype": "type"}
# What one item of a basic type is to the members: "datatype" is that of all sides.
SINGLE = ["origin.count = 1", "origin.type = datatype", "result.count = 1", "result.type = datatype", "target_count = 1",
          "target_type = datatype", "is_single = true"]


def describe(function):
    match = re.fullmatch(r"MPI_(R?)(\w+?)(_c)?", function.name)
    kind = KINDS.get(match[2].lower())
    if not kind or (match[1] and match[2][0].isupper()):
        return None
    members = [f"kind = RMA_{kind}"]
    names = [p.name for p in function.parameters]
    for name in names:
        side, _, part = name.partition("_")
        if side in ("origin", "result") and part in SIDES:
            cast = "(void *)" if part == "addr" else ""
            members.append(f"{'result' if kind == 'GET' else side}.{SIDES[part]} = {cast}{name}")
        elif name in MEMBERS:
            members.append(f"{MEMBERS[name]} = {name}")
    if "datatype" in names:
        members += SINGLE
    if "request" in names:
        members.append("has_request = true")
    return "rma_call call", [f".{member}" for member in members], "rma_communicate(MPI_ENTER(), &call)"


entry.write("mpi/rma/generate.py", "mpi/rma/call.h", sys.argv[1], describe)
