#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the functions of MPI that have the column "entry" or "coll", and conversions of handles: what each does before and after the chapter's own function.

    entries.py header functions.txt > mpi-calls.h     declares the chapters' functions
    entries.py source functions.txt > mpi-entry.c     the entry points, which call them

An entry point enters, looks handles up and checks arguments, calls the chapter's function with objects, and leaves. The object whose error
handler the errors of the others go to is looked up first, then the others in the order of parameters. The chapter's function is named as MPI's,
in lower case, or as the column says. It gets the rank, the numbers that the column has in parentheses, and the arguments, integers as the twin
with large counts has them: of a handle its object, NULL where the column "args" has `null` and the argument is a null handle; of the place of a
handle that it changes the object and the place; of an array that is of other integers in the twin a struct mpi_counts.
"""
import re
import sys

import table

# Type of a handle: name in the look-up's, type of the object.
HANDLES = {"MPI_Comm": ("comm", "mpi_comm"), "MPI_Group": ("group", "mpi_group"), "MPI_Info": ("info", "mpi_info"), "MPI_Op": ("op", "mpi_op"),
           "MPI_Datatype": ("datatype", "mpi_datatype"), "MPI_Win": ("win", "mpi_win"), "MPI_File": ("file", "mpi_file"),
           "MPI_Request": ("request", "mpi_request"), "MPI_Session": ("session", "mpi_session")}
WORDS = ("anytime", "raw", "large", "tool", "optional", "poll", "files", "handles", "into")
# Headers with the numbers that the column gives, and the structs that arguments are put into.
INCLUDES = ("mpi/coll/args.h", "mpi/comm/group_recall.h", "mpi/core/arguments.h", "mpi/dynamic/port.h", "mpi/io/access.h", "mpi/p2p/poll.h",
            "mpi/p2p/request.h", "mpi/rma/call.h", "mpi/rma/window.h", "mpi/tool/tool.h")
# Objects that have an error handler, which the errors of other arguments go to.
RAISING = ("comm", "win", "file", "session", "request")
# Callbacks that reach the chapter as any function: their types differ between twins, or between the kinds of objects.
ANY_FUNCTION = ("_function_c *", "_errhandler_function *", "_attr_function *", "MPI_Copy_function *", "MPI_Delete_function *")
# What conversions of handles return.
CONVERSIONS = {"toint": "mpi_handle_to_int(__func__, __builtin_return_address(0), {name})", "c2f": "mpisim_foreign_number({name})",
               "fromint": "mpi_handle_from_int(__func__, __builtin_return_address(0), KIND_{kind}, {name}, MPI_{kind}_NULL)",
               "f2c": "mpi_handle_from_fint(KIND_{kind}, {name}, MPI_{kind}_NULL)"}
# Classes of negative lengths of arrays, where that is not MPI_ERR_ARG.
NEGATIVE = {"ndims": "MPI_ERR_DIMS"}
# Members of struct mpi_coll_args that are not named as the parameters.
MEMBERS = {"buffer": "recv.buf", "count": "recv.count", "datatype": "recv.type", "sdispls": "send.displs", "rdispls": "recv.displs"}


class Entry:
    """How one function of MPI is written. plain, large: the function and its twin; one of them is the function itself."""

    def __init__(self, function, plain, large):
        self.function, self.plain, self.large = function, plain, large
        words = function.columns.get("entry", "").split()
        self.words = {word for word in words if word in WORDS}
        named = [word for word in words if word not in WORDS] or [function.base.lower()]
        self.struct = named.pop(0) if "into" in words else None
        match = re.fullmatch(r"(\w+)(?:\((.+)\))?", named[0])
        self.callee, self.given = match[1], match[2].split(",") if match[2] else []
        if "coll" in function.columns:
            kind, form = function.columns["coll"].split()
            self.struct, self.callee, self.given = "mpi_coll_args", f"mpi_coll_call_{form}", [f"kind=COLL_{kind.upper()}"]
        self.is_wanted = "large" not in words or function.name != function.base
        own = {p.name: p for p in function.parameters}
        self.parameters = [(own.get(p.name), p) for p in large.parameters]

    def is_counts(self, large):
        """An array of int that is one of large counts in the twin."""
        plain = next((p for p in self.plain.parameters if p.name == large.name), large)
        return large.is_array and plain.c_type != large.c_type

    # --- what the chapter's function is ---

    def declaration(self):
        parts = ["struct mpi_rank *me"] + [f"int given_{i}" for i in range(len(self.given))]
        for _, large in self.parameters:
            parts += self.declared_parameter(large)
        return [f"int {self.callee}({', '.join(parts)});"] + [f"bool {self.callee}_quick({', '.join(parts)});"] * ("poll" in self.words)

    def declared_parameter(self, p):
        item = "" if self.words & {"raw", "handles"} else p.c_type.removesuffix("*").strip()
        if item in HANDLES and p.c_type == item and p.kind not in ("handle", "both") and not p.is_array:
            return [f"struct {HANDLES[item][1]} *{p.name}"]
        if item in HANDLES and p.kind == "inout":
            return [f"struct {HANDLES[item][1]} *{p.name}", f"{p.c_type}place"]
        if p.kind == "both":
            return [f"struct {HANDLES[item][1]} *{p.name}", f"{p.c_type} handle"]
        if self.is_counts(p):
            return [f"struct mpi_counts {p.name}"]
        if is_callback(p) and p.c_type.endswith(ANY_FUNCTION):
            return [f"void (*{p.name})(void)"]
        return [join(p.c_type, p.name + p.brackets)]

    # --- the entry point ---

    def text(self):
        self.declared, self.checks, self.before, self.after, self.raising = [], [], [], [], ""
        function = self.function
        if not function.takes_device:
            self.checks += [f'mpi_check_host(me, {p.name}, "{p.name}")' for p in function.parameters if p.buffer and not p.is_array]
        call = self.given[0] if self.callee == "gives" else self.gathered() if self.struct else self.called()
        enter = {"tool": "", "anytime": "mpi_enter_anytime(__func__, __builtin_return_address(0))", "poll": ""}
        me = enter.get(next(iter(self.words & set(enter)), ""), "MPI_ENTER()")
        out = self.answers(call) if "poll" in self.words else []
        out += [f"int {function.name}({function.signature})", "{", f"\tstruct mpi_rank *me = {me};" if me else "\tstruct mpi_rank *me;"]
        out += [f"\t{line}" for line in self.declared]
        steps = (["TOOL_ENTER(&me)"] if "tool" in self.words else []) + self.checks + [call]
        if "poll" in self.words:
            out += ["\tint code;", "", f"\tif (mpi_poll_{function.name}({function.arguments}))", "\t\treturn MPI_SUCCESS;",
                    "\tme = MPI_ENTER_POLL();", f"\tcode = {steps[0]};"]
        else:
            out += [f"\tint code = {steps[0]};", ""]
        for step in steps[1:]:
            if step == call and self.before:
                out += ["\tif (code == MPI_SUCCESS) {", *(f"\t\t{line}" for line in self.before), f"\t\tcode = {step};", "\t}"]
            else:
                out += ["\tif (code == MPI_SUCCESS)", f"\t\tcode = {step};"]
        return out + [f"\t{line}" for line in self.after] + ["\treturn mpi_leave(me, code);", "}", ""]

    def answers(self, call):
        """Whether the poll is answered without the end of the step: here, and where it is watched."""
        f = self.function
        return [f"bool mpi_poll_{f.name}({f.signature});", f"bool mpi_poll_{f.name}({f.signature})", "{", "\tstruct mpi_rank *me = mpi_poll_quick();", "",
                f"\tif (!me || !{call.replace('(', '_quick(', 1)})", "\t\treturn false;", f'\tmpi_poll_answer(me, "{f.name}");', "\treturn true;", "}", ""]

    def called(self):
        """The call of the chapter's function; what is done for its arguments before and after."""
        pairs = self.parameters
        arguments = {large.name: [p.name] for p, large in pairs if p} if "raw" in self.words else {}
        for p, large in sorted(pairs, key=lambda pair: not self.raises(pair[0])):
            if large.name not in arguments:
                arguments[large.name] = self.argument(p, large) if p else ["NULL" if large.is_array or "*" in large.c_type else "0"]
        given = [{"LARGE": str(self.function is self.large and self.plain is not self.large).lower()}.get(what, what) for what in self.given]
        return f"{self.callee}({', '.join(['me', *given, *(name for _, large in pairs for name in arguments[large.name])])})"

    def raises(self, p):
        item = p.c_type.removesuffix("*").strip() if p else ""
        return not self.words & {"files", "handles"} and item in HANDLES and HANDLES[item][0] in RAISING and p.kind not in ("handle", "null") and (p.c_type == item or p.kind == "inout")

    def argument(self, p, large):
        """What the chapter's function gets of a parameter."""
        item = "" if "handles" in self.words else p.c_type.removesuffix("*").strip()
        if item in HANDLES and p.c_type == item and p.kind != "handle" and not p.is_array:
            return [self.object(p, p.c_type, p.name, p.name)] + [p.name] * (p.kind == "both")
        if item in HANDLES and p.kind == "inout":
            self.checks.append(self.not_null(p.name))
            return [self.object(p, item, f"*{p.name}", p.name), p.name]
        if self.is_checked(p):
            self.checks.append(self.list(p) if p.length else self.not_null(p.name))
        if self.is_counts(large):
            return [f"(struct mpi_counts){{.{'narrow' if p.c_type == 'const int' else 'wide'} = {p.name}}}"]
        if is_callback(large) and large.c_type.endswith(ANY_FUNCTION):
            return [f"(void (*)(void)){p.name}"]
        if p.c_type == "int *" and p.c_type != large.c_type:
            self.declared.append(f"{large.c_type.removesuffix('*').strip()} {p.name}_wide = 0;")
            if p.direction == "inout":
                self.before.append(f"{p.name}_wide = *{p.name};")
            self.after += ["if (code == MPI_SUCCESS)", f"\t*{p.name} = mpi_narrow({p.name}_wide);"]
            return [f"&{p.name}_wide"]
        return [p.name]

    def is_checked(self, p):
        """Must there be something? A status need not be, of the tool interface some outputs."""
        if p.buffer or p.kind.split("[")[0] in ("null", "value", "address", "handle") or p.name == "extra_state" or p.name.endswith("weights") or is_callback(p) and not p.kind:
            return False
        if p.c_type == "MPI_Status *" and not p.kind or "optional" in self.words:
            return False
        if p.length and p.length not in (other.name for other in self.function.parameters if not other.is_array):  # known to the chapter only
            return False
        return p.is_array or "*" in p.c_type

    def object(self, p, handle, value, name):
        short, struct = HANDLES[handle]
        self.declared.append(f"struct {struct} *{name}_object = NULL;")
        self.checks.append(f'mpi_find_{short}(me, {self.on()}, {value}, "{name}", {str(p.kind == "null").lower()}, &{name}_object)')
        if not self.raising and self.raises(p):
            self.raising = f"mpi_on_{short}({name}_object)"
        if p.kind in ("intra", "inter"):
            self.checks.append(f'mpi_check_{p.kind}(me, {self.on()}, {name}_object, "{name}")')
        return f"{name}_object"

    def on(self):
        """Whose error handler errors go to."""
        return self.raising or ("mpi_on_no_file(me)" if "files" in self.words else "MPI_ON_NONE")

    def not_null(self, name):
        return f"tool_check_place({name})" if "tool" in self.words else f'mpi_check_place(me, {self.on()}, {name}, "{name}")'

    def list(self, p):
        negative = "MPI_ERR_COUNT" if p.length.endswith("count") else NEGATIVE.get(p.length, "MPI_ERR_ARG")
        return f'mpi_check_list(me, {self.on()}, {negative}, {p.length}, "{p.length}", {p.name}, "{p.name}")'

    # --- arguments that are put into a struct ---

    def gathered(self):
        members = [f".{pair.replace('=', ' = ')}" for pair in self.given]
        is_coll = self.struct == "mpi_coll_args"
        for p in self.function.parameters:
            if not (is_coll and p.name == "request"):
                members += collective_members(p, members[0]) if is_coll else [f".{p.name} = {'(void *)' if p.c_type == 'const void *' else ''}{p.name}"]
        request = ", request" if is_coll and not self.callee.endswith("_blocking") else ""
        self.declared += [f"struct {self.struct} arguments = {{", *(f"\t{member}," for member in members), "};"]
        return f"{self.callee}(me, &arguments{request})"


def collective_members(p, kind):
    side = re.fullmatch(r"(send|recv)(\w+)", p.name)
    member = MEMBERS.get(p.name, f"{side[1]}.{side[2]}" if side else p.name)
    if p.name == "displs":
        member = "send.displs" if kind.endswith("_SCATTERV") else "recv.displs"
    is_counts = p.is_array and not p.name.endswith("types")
    out = [f".{member}{('.narrow' if p.c_type == 'const int' else '.wide') if is_counts else ''} = {p.name}"]
    return out + [f".{member[:4]}.has_{member[5:]} = true"] * p.name.endswith(("counts", "types"))


def conversions(functions):
    """MPI_X_toint, _fromint, _c2f and _f2c of every kind of handle."""
    out = []
    for f in functions:
        match = re.fullmatch(r"MPI_(\w+)_(toint|fromint|c2f|f2c)", f.name)
        if match and match[1] != "Status":
            kind = {"Type": "DATATYPE"}.get(match[1], match[1].upper())
            out += [f"{f.result} {f.name}({f.signature})", "{", f"\treturn {CONVERSIONS[match[2]].format(name=f.arguments, kind=kind)};", "}", ""]
    return out


def is_callback(p):
    return re.search(r"_function(_c)? \*$", p.c_type)


def wrapped(line):
    """In lines of at most 100 characters, broken after commas."""
    out, indent = [], "\t" * (len(line) - len(line.lstrip("\t")) + 1)
    while len(line.expandtabs()) > 100 and ", " in line[:100]:
        cut = line.rindex(", ", 0, 100 - 7 * line.count("\t")) + 1
        out.append(line[:cut])
        line = indent + line[cut:].lstrip()
    return out + [line]


def join(c_type, name):
    return c_type + ("" if c_type.endswith("*") else " ") + name


def entries(path):
    functions = table.read(path)
    by_name = {f.name: f for f in functions}
    functions = table.in_abi(functions) + [f for f in functions if not f.is_in_abi]
    found = [Entry(f, by_name[f.base], by_name.get(f.base + "_c", f)) for f in functions if "entry" in f.columns or "coll" in f.columns]
    return [entry for entry in found if entry.is_wanted]


def write_header(found):
    declared = {entry.callee: entry.declaration() for entry in reversed(found) if not entry.struct and entry.callee != "gives"}
    structs = sorted({struct for _, struct in HANDLES.values()})
    return (["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Generated by mpi/abi/entries.py, do not edit. */", "#ifndef MPI_ABI_CALLS_H",
             "#define MPI_ABI_CALLS_H", "", '#include "mpi/core/arguments.h"', ""] + [f"struct {struct};" for struct in structs] + [""] +
            sorted(line for lines in declared.values() for line in lines) + ["", "#endif"])


def write_source(found, functions):
    out = ["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Generated by mpi/abi/entries.py, do not edit. */",
           '#include "mpi/abi/mpi-calls.h"', *(f'#include "{name}"' for name in INCLUDES), ""]
    for entry in found:
        out += entry.text()
    return (out + conversions(functions))[:-1]


def main():
    found = entries(sys.argv[2])
    lines = write_header(found) if sys.argv[1] == "header" else write_source(found, table.read(sys.argv[2]))
    print("\n".join(part for line in lines for part in wrapped(line)))


main()
