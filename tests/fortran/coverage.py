#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every function of the ABI can be called from mpif.h, the module mpi and the module mpi_f08, by its name and its profiling name.

usage: coverage.py functions.txt LIBRARY MPI.F90 MPI_F08.F90
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "mpi/abi"))
import table  # noqa: E402

C_ONLY = re.compile(r"MPI_T_|MPI_\w+_(toint|fromint)$")  # MPI has no Fortran binding of these
NOT_IN_F08 = {"MPI_Attr_delete", "MPI_Attr_get", "MPI_Attr_put", "MPI_Keyval_create", "MPI_Keyval_free"}
OWN_NAME = {"MPI_Op_create_c", "MPI_Register_datarep_c"}
# With MPI_ADDRESS_KIND and MPI_COUNT_KIND of one size these are what the others are.
SAME_AS_SMALL = {"MPI_File_get_type_extent_c", "MPI_Type_create_hindexed_block_c", "MPI_Type_get_extent_c",
                 "MPI_Type_get_true_extent_c", "MPI_Type_create_resized_c"}


def interfaces(path):
    """Names of generic interfaces and of procedures of a module, in lower case."""
    text = open(path, encoding="utf-8").read().lower()
    return set(re.findall(r"^interface (\w+)", text, re.M)), set(re.findall(r"^  (?:subroutine|function) (\w+)", text, re.M))


def missing(functions, symbols, mpi, mpi_f08):
    """What cannot be called, as sentences."""
    out = []
    for function in functions:
        for prefix in ("", "p"):
            name, base = prefix + function.lower(), prefix + function.lower().removesuffix("_c")
            if not function.endswith("_c") and name + "_" not in symbols:
                out.append(f"{name}: not in the library")
            if not function.endswith("_c") and name not in mpi[1]:
                out.append(f"{name}: not in the module mpi")
            generic = name if function in OWN_NAME else base
            if function not in NOT_IN_F08 | SAME_AS_SMALL:
                specific = [n for n in (name + "_f08", name + "_f08ts") if n in mpi_f08[1] and n + "_" in symbols]
                if generic not in mpi_f08[0] or not specific:
                    out.append(f"{name}: not in the module mpi_f08")
    return out


def main():
    functions_file, library, mpi, mpi_f08 = sys.argv[1:]
    functions = [f.name for f in table.in_abi(table.read(functions_file)) if not C_ONLY.match(f.name)]
    listing = subprocess.run(["nm", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    symbols = {line.split()[-1] for line in listing.splitlines() if len(line.split()) == 3}
    arguments = symbols, interfaces(mpi), interfaces(mpi_f08)
    complaints = missing(functions, *arguments)
    if len(missing(["MPI_Nothing"], *arguments)) != 6:
        complaints.append("a function that does not exist is not missed")
    print(f"{len(functions)} functions", *complaints, sep="\n")
    sys.exit(bool(complaints))


main()
