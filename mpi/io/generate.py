#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the entry points of the accesses to data in files, all forms of them, from the table of functions.

    generate.py functions.txt > entry.c

Every one does the same: collects its arguments in a struct io_call and hands them on.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "abi"))
import entry  # noqa: E402

ACCESS = re.compile(r"MPI_File_(i?)(read|write)(_at|_shared|_ordered)?(_all)?(_begin|_end)?(_c)?")
PLACES = {None: "INDIVIDUAL", "_at": "AT", "_shared": "SHARED", "_ordered": "ORDERED"}
# Parameter names of the standard → member of struct io_call.
MEMBERS = {"fh": "fh", "offset": "offset", "buf": "buf", "count": "count", "datatype": "datatype", "status": "status",
           "request": "request"}


def describe(function):
    match = ACCESS.fullmatch(function.name)
    if not match:
        return None
    is_nonblocking, direction, place, is_all, half, _ = match.groups()
    out = [f".place = IO_{PLACES[place]}"]
    if direction == "write":
        out.append(".is_write = true")
    if is_all or place == "_ordered":
        out.append(".is_collective = true")
    if is_nonblocking:
        out.append(".is_nonblocking = true")
    if half:
        out.append(".is_split = true")
    for name in (p.name for p in function.parameters):
        cast = "(void *)" if name == "buf" else ""
        out.append(f".{MEMBERS[name]} = {cast}{name}")
    return "io_call call", out, ("io_access_end" if half == "_end" else "io_access") + "(MPI_ENTER(), &call)"


entry.write("mpi/io/generate.py", "mpi/io/access.h", sys.argv[1], describe)
