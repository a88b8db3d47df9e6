#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the functions of MPI that have the column "entry": what each does before and after the chapter's own function.

    entries.py header functions.txt > mpi-calls.h     declares the chapters' functions
    entries.py source functions.txt > mpi-entry.c     the entry points, which call them

An entry point enters, looks handles up and checks arguments in the order of parameters, calls the chapter's function with objects, and
leaves. That function is named as MPI's, in lower case, or as the column says. It gets the rank, the numbers that the column has in
parentheses, and the arguments: of a handle its object, NULL where the column "args" has `null` and the argument is a null handle; of the
place of a handle that it changes the object and the place.
"""
import re
import sys

import table

# Type of a handle: name in the look-up's, type of the object.
HANDLES = {"MPI_Comm": ("comm", "mpi_comm"), "MPI_Group": ("group", "mpi_group"), "MPI_Info": ("info", "mpi_info"), "MPI_Op": ("op", "mpi_op"),
           "MPI_Datatype": ("datatype", "mpi_datatype"), "MPI_Win": ("win", "mpi_win"), "MPI_File": ("file", "mpi_file")}
WORDS = ("anytime", "raw", "large", "tool")
# Headers with the numbers that the column gives.
NUMBERS = ("mpi/comm/group_recall.h", "mpi/p2p/request.h", "mpi/rma/window.h")
# Objects that have an error handler, which the errors of later arguments go to.
RAISING = ("comm", "win", "file")
WIDE = {"int": "MPI_Count"}


class Entry:
    """How one function of MPI is written. words: of the column."""

    def __init__(self, function, twin):
        self.function = function
        words = function.columns["entry"].split()
        self.is_anytime, self.is_raw, self.is_tool = ("anytime" in words, "raw" in words, "tool" in words)
        named = next((word for word in words if word not in WORDS), function.base.lower())
        match = re.fullmatch(r"(\w+?)(?:\((.+)\))?", named)
        self.callee, self.given = match[1], match[2].split(",") if match[2] else []
        self.is_wanted = "large" not in words or function.name != function.base
        self.parameters = list(zip(function.parameters, (twin or function).parameters))

    def declaration(self):
        parts = ["struct mpi_rank *me"] + [f"int given_{i}" for i in range(len(self.given))]
        for p, large in self.parameters:
            item = "" if self.is_raw else p.c_type.removesuffix("*").strip()
            if item in HANDLES and p.c_type == item and p.kind != "handle":
                parts.append(f"struct {HANDLES[p.c_type][1]} *{p.name}")
            elif item in HANDLES and p.direction == "inout":
                parts += [f"struct {HANDLES[item][1]} *{p.name}", f"{p.c_type}place"]
            else:
                parts.append(join(large.c_type, p.name + p.brackets))
        return f"int {self.callee}({', '.join(parts)});"

    def text(self):
        if self.is_tool:
            return self.tool_text()
        self.declared, self.checks, self.after, self.raising = [], [], [], ("", "NULL")
        arguments = ["me", *self.given]
        for p, large in self.parameters:
            arguments += [p.name] if self.is_raw else self.argument(p, large)
        function = self.function
        enter = "mpi_enter_anytime(__func__, __builtin_return_address(0))" if self.is_anytime else "MPI_ENTER()"
        steps = self.checks + [f"{self.callee}({', '.join(arguments)})"]
        out = [f"int {function.name}({function.signature})", "{", f"\tstruct mpi_rank *me = {enter};", *(f"\t{line}" for line in self.declared)]
        out += [f"\tint code = {steps[0]};", ""]
        for step in steps[1:]:
            out += ["\tif (code == MPI_SUCCESS)", f"\t\tcode = {step};"]
        return out + [f"\t{line}" for line in self.after] + ["\treturn mpi_leave(me, code);", "}", ""]

    def tool_text(self):
        """Of the tool interface: it returns a number that the column gives."""
        function = self.function
        return [f"int {function.name}({function.signature})", "{", "\tstruct mpi_rank *me;", "\tint code = TOOL_ENTER(&me);", "",
                f"\treturn mpi_leave(me, code == MPI_SUCCESS ? {self.given[0]} : code);", "}", ""]

    def argument(self, p, large):
        """What the chapter's function gets of a parameter; what is done for it before and after."""
        item = p.c_type.removesuffix("*").strip()
        if p.c_type in HANDLES and p.kind != "handle":
            return [self.object(p, p.c_type, p.name, p.name)]
        if item in HANDLES and p.direction == "inout":
            self.checks.append(self.not_null(p.name))
            return [self.object(p, item, f"*{p.name}", p.name), p.name]
        is_checked = not (p.buffer or p.kind in ("null", "value", "address") or p.name == "extra_state" or p.c_type.endswith("_function *"))
        if is_checked and (p.is_array or "*" in p.c_type):
            self.checks.append(self.not_null(p.name) if not p.length else self.list(p))
        if p.c_type == "int *" and p.c_type != large.c_type:
            self.declared.append(f"{large.c_type.removesuffix('*').strip()} {p.name}_wide = 0;")
            self.after += ["if (code == MPI_SUCCESS)", f"\t*{p.name} = mpi_narrow({p.name}_wide);"]
            return [f"&{p.name}_wide"]
        return [p.name]

    def object(self, p, handle, value, name):
        short, struct = HANDLES[handle]
        self.declared.append(f"struct {struct} *{name}_object = NULL;")
        raising = self.raising[1] if self.raising[0] == "comm" else "NULL"
        check = f'mpi_find_{short}(me, {raising}, {value}, "{name}", {str(p.kind == "null").lower()}, &{name}_object)'
        self.checks.append(check)
        if short in RAISING and not self.raising[0]:
            self.raising = (short, f"{name}_object")
        return f"{name}_object"

    def not_null(self, name):
        kind, raising = self.raising
        return f'mpi_check_place{"_of_" + kind if kind in ("win", "file") else ""}(me, {raising}, {name}, "{name}")'

    def list(self, p):
        return f'mpi_check_list(me, {self.raising[1]}, {p.length}, "{p.length}", {p.name}, "{p.name}")'


def wrapped(line):
    """In lines of at most 100 characters, broken after commas."""
    out = []
    while len(line.expandtabs()) > 100:
        cut = line.rindex(", ", 0, 100 - 7 * line.count("\t")) + 1
        out.append(line[:cut])
        line = "\t\t" + line[cut:].lstrip()
    return out + [line]


def join(c_type, name):
    return c_type + ("" if c_type.endswith("*") else " ") + name


def entries(path):
    functions = table.in_abi(table.read(path))
    by_name = {f.name: f for f in functions}
    found = [Entry(f, by_name.get(f.name + "_c")) for f in functions if "entry" in f.columns]
    return [entry for entry in found if entry.is_wanted]


def write_header(found):
    declared = {entry.callee: entry.declaration() for entry in reversed(found) if not entry.is_tool}
    structs = sorted({struct for _, struct in HANDLES.values()})
    return (["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Generated by mpi/abi/entries.py, do not edit. */", "#ifndef MPI_ABI_CALLS_H",
             "#define MPI_ABI_CALLS_H", "", '#include "mpi/core/rank.h"', ""] + [f"struct {struct};" for struct in structs] + [""] +
            sorted(declared.values()) + ["", "#endif"])


def write_source(found):
    out = ["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Generated by mpi/abi/entries.py, do not edit. */",
           '#include "mpi/abi/mpi-calls.h"', *(f'#include "{name}"' for name in NUMBERS), '#include "mpi/core/arguments.h"', '#include "mpi/tool/tool.h"', ""]
    for entry in found:
        out += entry.text()
    return out[:-1]


def main():
    found = entries(sys.argv[2])
    lines = write_header(found) if sys.argv[1] == "header" else write_source(found)
    print("\n".join(part for line in lines for part in wrapped(line)))


main()
