# SPDX-License-Identifier: BSD-3-Clause
"""Reads functions.txt, what is known of each function of MPI. A wrong table ends the program with its line."""
import os
import re
import sys

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "functions.txt")
# Chapters of functions that are not part of the ABI.
OUTSIDE = ("Language bindings", "Removed from the standard")
CHOICES = {"record": ("local", "call", "own", "effects", "none"), "doubt": ("fetch", "clock", "place", "pointer", "any", "test", "probe"), "simulated": ("",),
           "in_place": ("unread", "block", "all"), "repeat": ("",), "ordered": ("",), "meets": ("",), "holds": ("epoch", "detach", "window", "end"),
           "window": ("create", "free", "attach", "detach", "fence", "post", "start", "complete", "wait", "test", "lock", "lock_all", "unlock", "flush",
                      "flush_local", "sync", "put", "get", "accumulate", "fetch"),
           "verify": ("send", "recv", "sendrecv", "partitioned", "wait", "test", "start", "free", "cancel", "probe", "mprobe", "mrecv", "comm_free", "lock", "status",
                      "init", "finalize", "memory")}
COLUMNS = set(CHOICES) | {"time", "entry", "coll", "collective", "args", "fortran", "otf2", "paraver", "alias", "restricted", "same"}
SAME = ("value", "truth", "defined", "side", "members", "weighted", "fence", "promised")
WITH_MORE = ("own", "send")  # what something follows
RESULTS = ("int", "MPI_Aint", "double")  # in the order of mpi.h: by what is returned, then by name; conversions and MPI_T_* come last


class Parameter:
    """c_type: without an array's brackets; name, "" for "..."; brackets; kind: what the table says of it, "" for nothing."""

    def __init__(self, text, kinds):
        match = re.fullmatch(r"(.*?)(\w+)((?:\[\d*\])*)", text)
        self.c_type, self.name, self.brackets = (match[1].strip(), match[2], match[3]) if match else (text, "", "")
        self.kind = kinds.pop(self.name, "")

    @property
    def is_array(self):
        return bool(self.brackets)

    @property
    def length(self):
        """Of an array: what its kind has in brackets, or ""."""
        match = re.search(r"\[(.+)\]$", self.kind)
        return match[1] if match else ""

    @property
    def direction(self):
        """in, out or inout: what the call does with what a pointer or a handle leads to."""
        match = re.match(r"(inout|out|in)\b", self.kind)
        if match:
            return match[1]
        return "out" if "const" not in self.c_type and (self.is_array or "*" in self.c_type) else "in"

    @property
    def buffer(self):
        """(count, type) of a buffer as the table has them, or None."""
        parts = self.kind.split(":")
        return tuple(parts[1:]) if len(parts) == 3 else None


class Function:
    """result, name, signature: as in the prototype; parameters; note: of deprecation; chapter; columns: {name: text}."""

    def __init__(self, prototype, chapter, columns, fail):
        match = re.fullmatch(r"(.+?[ *])(MPI_\w+)\((.*)\);\s*(?:// *(.*))?", prototype)
        if not match:
            fail(f"found {prototype!r}, wanted a prototype of an MPI_ function")
        self.result, self.name, self.signature, self.note = match[1].strip(), match[2], match[3], match[4] or ""
        self.prototype = prototype.partition("//")[0].strip()
        self.chapter, self.columns = chapter, columns
        kinds = dict(word.split("=", 1) for word in columns.get("args", "").split())
        texts = self.signature.split(", ") if self.signature != "void" else []
        self.parameters = [Parameter(text, kinds) for text in texts]
        if kinds:
            fail(f"{self.name} has no parameter {', '.join(kinds)}")

    @property
    def base(self):
        """Its name, or that of which it is the twin with large counts."""
        return self.name.removesuffix("_c")

    @property
    def is_in_abi(self):
        return self.chapter not in OUTSIDE

    @property
    def record(self):
        """(class, what follows), ("", "") for functions that are not recorded by name."""
        what, _, rest = self.columns.get("record", "").partition(" ")
        return what, rest

    @property
    def takes_device(self):
        """Whether its buffers may be in memory of accelerators."""
        return "coll" in self.columns or self.columns.get("verify", "").split(" ")[0] in ("send", "recv", "sendrecv", "mrecv")

    @property
    def same(self):
        """{parameter: how it is the same on all ranks that make the call together}"""
        words = (word.partition("=") for word in self.columns.get("same", "").split())
        return {name: how or "value" for name, _, how in words}

    @property
    def restriction(self):
        """(version, how), or None."""
        version, _, how = self.columns.get("restricted", "").partition(" ")
        return (version, how) if version else None

    @property
    def arguments(self):
        return ", ".join(p.name for p in self.parameters)


def read_columns(text, fail):
    columns = {}
    for column in text.split("; "):
        name, _, rest = column.partition(" ")
        choices = CHOICES.get(name)
        what, _, more = rest.partition(" ")
        if name not in COLUMNS or name in columns or (choices and (what not in choices or bool(more) != (what in WITH_MORE))):
            fail(f"found {column!r}, wanted a column as said at the head")
        columns[name] = rest
    if "restricted" in columns and not re.fullmatch(r"\d+\.\d+\.\d+ .+", columns["restricted"]):
        fail("a restriction wants a version as 0.1.0, and how")
    return columns


def check(functions):
    """What must be said of functions of the ABI."""
    for f in functions:
        wanted = ("time", "record") if f.is_in_abi else ()
        missing = [column for column in wanted if column not in f.columns]
        missing += [f"the kind of {p.name}" for p in f.parameters if p.c_type.endswith("void *") and p.name != "extra_state" and not p.kind]
        if missing:
            sys.exit(f"{PATH}: {f.name}: not said: {', '.join(missing)}")
        wrong = [name for name, how in f.same.items() if name not in (p.name for p in f.parameters) or how not in SAME]
        if wrong:
            sys.exit(f"{PATH}: {f.name}: found {', '.join(wrong)} among what is the same, wanted NAME[=HOW] as said at the head")


def read(path=PATH):
    """[Function], as they stand there: by chapters."""
    functions, chapter, waiting = [], None, []
    lines = open(path, encoding="utf-8").read().splitlines()
    for number, line in enumerate(lines, 1):
        def fail(text, number=number):
            sys.exit(f"{path}:{number}: {text}")
        is_column = line.startswith("\t")
        if waiting and not is_column and not line.startswith(waiting[-1].split("(")[0] + "_c("):
            functions += [Function(prototype, chapter, {}, fail) for prototype in waiting]
            waiting = []
        if line.startswith("== "):
            chapter = line[3:]
        elif is_column:
            if not waiting:
                fail("columns without a function")
            columns = read_columns(line.strip(), fail)
            functions += [Function(prototype, chapter, columns, fail) for prototype in waiting]
            waiting = []
        elif line and not line.startswith("#"):
            waiting.append(line)
    functions += [Function(prototype, chapter, {}, sys.exit) for prototype in waiting]
    check(functions)
    return functions


def mpi_h_order(function):
    is_conversion = function.name.endswith(("_fromint", "_toint"))
    number = len(RESULTS) if is_conversion else RESULTS.index(function.result)
    return function.name.startswith("MPI_T_"), number, function.base, function.name


def in_abi(functions):
    """Those of the ABI, in the order of its mpi.h."""
    return sorted((f for f in functions if f.is_in_abi), key=mpi_h_order)


def in_chapter(functions, chapter):
    return [f for f in functions if f.chapter == chapter]
