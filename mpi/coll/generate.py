#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the entry points of the collectives, all forms of them, from the table of functions.

    generate.py functions.txt > entry.c

Every one does the same: collects its arguments in a struct mpi_coll_args and hands them on.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "abi"))
import entry  # noqa: E402

# Parameter names of the standard → member of struct mpi_coll_args; arrays have a plain and a large form.
MEMBERS = {"buffer": "recv.buf", "count": "recv.count", "datatype": "recv.type", "root": "root", "comm": "comm",
           "op": "op", "info": "info", "sdispls": "send.displs", "rdispls": "recv.displs"}
for side in ("send", "recv"):
    for member in ("buf", "count", "counts", "type", "types"):
        MEMBERS[side + member] = f"{side}.{member}"


def initializers(kind, parameters):
    out = [f".kind = COLL_{kind.upper()}"]
    for parameter in parameters:
        name = parameter.name
        if name == "request":
            continue
        member = ("send.displs" if kind == "scatterv" else "recv.displs") if name == "displs" else MEMBERS[name]
        if parameter.is_array and not name.endswith("types"):
            member += ".plain" if parameter.c_type == "const int" else ".large"
        out.append(f".{member} = {name}")
        if name.endswith(("counts", "types")):
            out.append(f".{member[:4]}.has_{name[4:]} = true")
    return out


def describe(function):
    if "coll" not in function.columns:
        return None
    kind, form = function.columns["coll"].split()
    request = "" if form == "blocking" else ", request"
    return "mpi_coll_args args", initializers(kind, function.parameters), f"mpi_coll_call_{form}(MPI_ENTER(), &args{request})"


entry.write("mpi/coll/generate.py", "mpi/coll/args.h", sys.argv[1], describe)
