#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes docs/mpi-functions.md: what of MPI is there, from the library that is built and the tables beside the code.

    mpi/abi/page.py LIBRARY --write         write the page; LIBRARY is build/tools/libmpi_abi.so.1
    mpi/abi/page.py LIBRARY --check         exit 1 when the page is not what --write would write

A function is implemented when the library defines it strongly: the stubs of generate.py are weak. All else stands in functions.txt.
"""
import argparse
import pathlib
import subprocess
import sys

import generate
import table

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs/mpi-functions.md"
# They compute from their arguments or from nothing, and a run that is recorded does not notice them.
HEAD = """<!-- SPDX-License-Identifier: BSD-3-Clause -->
<!-- Written by mpi/abi/page.py from the code; a test holds it up to date. Do not edit. -->
# Functions of MPI

What the library implements of the MPI {version} ABI, chapter by chapter. `mpisim-run --check-binary ./program` says the same of the functions that a program needs ([check-binary.md](check-binary.md)).

* *restricted*: it is there and does not do everything, or does it otherwise than on a cluster; the text says how, and since which version of mpisim.
* *missing*: calling it ends the run with its name, the rank and the source line.
* A name with `[_c]` stands for its large-count twin, too.
* Every `MPI_X` has its `PMPI_X`.
* For each function the tests in `tests/mpi` assert its result, the class of its errors, and what it takes in simulated time by the formulas of [model.md](model.md) and [collectives.md](collectives.md), or that it takes
  none.
"""


def implemented_names(library):
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    fields = [line.split() for line in listing.splitlines()]
    return {field[-1].split("@")[0] for field in fields if field[-2] == "T"}


def described(functions, implemented):
    """{function: (status, remark)}"""
    out = {}
    for f in functions:
        if f.name not in implemented:
            if f.restriction:
                sys.exit(f"functions.txt: {f.name} is restricted and not implemented: one word says too much")
            out[f.name] = ("missing", "")
        elif f.restriction:
            since, how = f.restriction
            out[f.name] = ("restricted", f"since {since}: {how}")
        else:
            out[f.name] = ("implemented", "")
    return out


def rows_of(members, rows):
    """Lines of a chapter's table; twins of equal state share one."""
    lines = []
    for name in members:
        if name.endswith("_c") and rows.get(name[:-2]) == rows[name]:
            continue
        twin = "[_c]" if rows.get(name + "_c") == rows[name] else ""
        status, remark = rows[name]
        lines.append(f"| `{name}{twin}` | {status} | {remark} |")
    return lines


def page(library):
    functions = sorted(table.read(), key=lambda f: f.name)
    standard = {f.name for f in functions if f.is_in_abi}
    chapters = {f.chapter: [] for f in table.read()}
    for f in functions:
        chapters[f.chapter].append(f.name)
    rows = described(functions, implemented_names(library))
    version = next(row for row in generate.read_constants(HERE / "constants.csv") if row["name"] == "MPI_VERSION")["value"]

    def count(members, status):
        return sum(rows[name][0] == status for name in members)

    there = count(standard, "implemented") + count(standard, "restricted")
    out = [HEAD.format(version=f"{version}.0"),
           f"Of the {len(standard)} functions of the standard **{there} are implemented**, "
           f"{count(standard, 'restricted')} of them restricted; {count(standard, 'missing')} are missing.", "",
           "| chapter | functions | implemented | restricted | missing |", "|---|---|---|---|---|"]
    for chapter, members in chapters.items():
        anchor = "".join(c for c in chapter.lower() if c.isalnum() or c in " -").replace(" ", "-")
        out.append(f"| [{chapter}](#{anchor}) | {len(members)} | {count(members, 'implemented')} | "
                   f"{count(members, 'restricted')} | {count(members, 'missing')} |")
    for chapter, members in chapters.items():
        out += ["", f"## {chapter}", "", "| function | | |", "|---|---|---|", *rows_of(members, rows)]
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    text = page(options.library)
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    if options.check and (not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text):
        sys.exit("docs/mpi-functions.md is out of date: run mpi/abi/page.py build/tools/libmpi_abi.so.1 --write")


main()
