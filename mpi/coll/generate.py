#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the entry points of the collectives, all forms of them, from the ABI's prototypes.

    generate.py functions.txt > entry.c

Every one does the same: collects its arguments in a struct mpi_coll_args and hands them on.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "abi"))
import entry  # noqa: E402

KINDS = ["Barrier", "Bcast", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv", "Alltoall",
         "Alltoallv", "Alltoallw", "Reduce", "Allreduce", "Reduce_scatter", "Reduce_scatter_block", "Scan", "Exscan"]
KINDS += ["Neighbor_" + kind for kind in ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")]

# Parameter names of the standard → member of struct mpi_coll_args; arrays have a plain and a large form.
MEMBERS = {"buffer": "recv.buf", "count": "recv.count", "datatype": "recv.type", "root": "root", "comm": "comm",
           "op": "op", "info": "info", "sdispls": "send.displs", "rdispls": "recv.displs"}
for side in ("send", "recv"):
    for member in ("buf", "count", "counts", "type", "types"):
        MEMBERS[side + member] = f"{side}.{member}"


def split_name(function):
    """(kind, form) of MPI_Iallgatherv_c and the like; None for other functions."""
    match = re.fullmatch(r"MPI_(\w+?)(_init)?(_c)?", function)
    name, is_persistent = match[1], bool(match[2])
    if name in KINDS:
        return name, "persistent" if is_persistent else "blocking"
    if not is_persistent and name[0] == "I" and name[1:].capitalize() in KINDS:
        return name[1:].capitalize(), "nonblocking"
    return None


def initializers(kind, parameters):
    out = [f".kind = COLL_{kind.upper()}"]
    for c_type, name, is_array in entry.split(parameters):
        if name == "request":
            continue
        member = ("send.displs" if kind == "Scatterv" else "recv.displs") if name == "displs" else MEMBERS[name]
        if is_array and not name.endswith("types"):
            member += ".plain" if c_type == "const int " else ".large"
        out.append(f".{member} = {name}")
        if name.endswith(("counts", "types")):
            out.append(f".{member[:4]}.has_{name[4:]} = true")
    return out


def describe(function, parameters):
    found = split_name(function)
    if not found:
        return None
    kind, form = found
    request = "" if form == "blocking" else ", request"
    return "mpi_coll_args args", initializers(kind, parameters), f"mpi_coll_call_{form}(MPI_ENTER(), &args{request})"


entry.write("mpi/coll/generate.py", "mpi/coll/args.h", sys.argv[1], describe)
