#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A wrong table of functions ends its reader with the line, what was found, and what was wanted; the table that there is says what its readers need.

usage: table.py MPI/ABI
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, sys.argv[1])
import table  # noqa: E402

RIGHT = "== Chapter\nint MPI_X(const void *buf, int count, MPI_Comm comm);\n\ttime local; record local; args buf=in:count:datatype\n"
WRONG = [("\ttime local", "\tcolour red; time local", ":3: found 'colour red'"),
         ("record local", "record often", ":3: found 'record often'"),
         ("record local", "record own", ":3: found 'record own'"),
         ("record local", "record local; restricted soon", ":3: a restriction wants a version"),
         ("args buf", "args comm=null buffer", ":3: MPI_X has no parameter buffer"),
         ("args buf=in:count:datatype", "repeat", "MPI_X: not said: the kind of buf"),
         ("time local; ", "", "MPI_X: not said: time"),
         ("int MPI_X", "int X", ":3: found 'int X(const void *buf, int count, MPI_Comm comm);', wanted a prototype"),
         ("int MPI_X(const void *buf, int count, MPI_Comm comm);\n", "", ":2: columns without a function")]


def said_of(text):
    """What reading the table says; "" when it is right."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "functions.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        program = f"import sys; sys.path.insert(0, {sys.argv[1]!r}); import table; table.read({path!r})"
        return subprocess.run([sys.executable, "-B", "-c", program], stderr=subprocess.PIPE, text=True, check=False).stderr


def buffers_name_parameters():
    """Count and type of a buffer are parameters, or what the head of the table says."""
    for f in table.read():
        names = {p.name for p in f.parameters} | {"1", "MPI_BYTE"}
        for p in f.parameters:
            if p.buffer:
                count = p.buffer[0].removesuffix(".own").replace("*", "@").split("@")
                yield from (f"{f.name}: {p.name}: {word} is no parameter" for word in [count[0], p.buffer[1]] if word not in names)
            if p.is_array and p.length and p.c_type.startswith("MPI_Request") and p.direction != "inout" and "get_status" not in f.name:
                yield f"{f.name}: {p.name} is {p.direction}"


def main():
    failures = [f"the right table: {said_of(RIGHT)}"] if said_of(RIGHT) else []
    for old, new, wanted in WRONG:
        found = said_of(RIGHT.replace(old, new, 1))
        if wanted not in found:
            failures.append(f"{new!r}: wanted {wanted!r}, found {found!r}")
    failures += buffers_name_parameters()
    print("\n".join(failures))
    sys.exit(bool(failures))


main()
