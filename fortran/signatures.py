# SPDX-License-Identifier: BSD-3-Clause
"""The Fortran bindings' table: every function of the ABI with the kinds of its parameters, from the prototypes and functions.txt."""
import collections
import csv
import fnmatch
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# Handles and the kinds of mpi/core/foreign.h.
HANDLES = {"MPI_Comm": "COMM", "MPI_Datatype": "DATATYPE", "MPI_Errhandler": "ERRHANDLER", "MPI_File": "FILE",
           "MPI_Group": "GROUP", "MPI_Info": "INFO", "MPI_Message": "MESSAGE", "MPI_Op": "OP",
           "MPI_Request": "REQUEST", "MPI_Session": "SESSION", "MPI_Win": "WIN"}
INTEGERS = {"int": "MPI_INTEGER", "MPI_Count": "MPI_COUNT_KIND", "MPI_Aint": "MPI_ADDRESS_KIND", "MPI_Offset": "MPI_OFFSET_KIND"}
LOGICALS = {"reorder", "commute", "high", "flag", "weighted", "is_set", "periods", "remain_dims"}
# Of C only: MPI has no Fortran binding of them.
C_ONLY = re.compile(r"MPI_T_\w+|MPI_\w+_(toint|fromint)")
# Deprecated since MPI-2: not in mpi_f08.
NOT_IN_F08 = re.compile(r"MPI_(Attr|Keyval)_\w+")
# Large-count functions that have a name of their own in mpi_f08, as their arguments do not tell them from the others.
OWN_NAME = ("MPI_Op_create_c", "MPI_Register_datarep_c")
# Functions without an error code, declared in declarations.py and written in special.c.
WITHOUT_CODE = ("MPI_Wtime", "MPI_Wtick", "MPI_Aint_add", "MPI_Aint_diff", "MPI_Pcontrol")
# A buffer whose count and datatype say exactly what is touched: sections of arrays may be given as derived datatypes.
TRIPLES = {"buf": ("count", "datatype"), "buffer": ("count", "datatype"), "sendbuf": ("sendcount", "sendtype"),
           "recvbuf": ("recvcount", "recvtype"), "origin_addr": ("origin_count", "origin_datatype"),
           "result_addr": ("result_count", "result_datatype")}
# … but not these: several blocks, one per process or partition, or a reduction.
NOT_TRIPLES = re.compile(r"MPI_(P(send|recv)_init|I?(neighbor_)?(allgather|alltoall)|Buffer|.*reduce|.*scan|Register).*", re.I)

# c_type: of an item, without const and pointer. is_const: the call does not change what the pointer leads to. name: in Fortran.
Parameter = collections.namedtuple("Parameter", "c_type c_name name kind detail is_const")


class Function:
    """name; parameters; by_hand: the C code is in special.c."""

    def __init__(self, name, parameters, by_hand):
        self.name, self.parameters, self.by_hand = name, parameters, by_hand
        self.lower = name.lower()

    @property
    def is_large(self):
        return self.name.endswith("_c")

    @property
    def base(self):
        return self.name.removesuffix("_c")

    @property
    def has_descriptors(self):
        """Whether mpi_f08 has a function of its own, which gets descriptors of buffers and pointers to memory."""
        return any(p.kind in ("choice", "detached") for p in self.parameters)

    @property
    def language(self):
        """In which language its callbacks and attributes are, None when it has none."""
        if not any(p.kind in ("callback", "attribute", "attribute_out", "state") for p in self.parameters):
            return None
        return "MPI_LANGUAGE_FORTRAN_1" if NOT_IN_F08.fullmatch(self.name) else "MPI_LANGUAGE_FORTRAN"

    @property
    def request(self):
        """The request that a call gives which goes on after its return; None: it gives none."""
        return next((p for p in self.parameters if p.c_type == "MPI_Request" and p.kind == "handle_out"), None)

    @property
    def is_blocking(self):
        """Whether buffers are the caller's again when it returns."""
        return not (self.request or
                    re.match(r"MPI_(R?(Put|Get|Accumulate|Get_accumulate)|Fetch_and_op|Compare_and_swap|Win_\w+|Get_address|Free_mem|"
                             r"\w*[Aa]ttach\w*|File_\w+_(begin|end))(_c)?$", self.name))

    def triple_of(self, parameter):
        """The count and the datatype that go with a buffer, when they say exactly what is touched."""
        if NOT_TRIPLES.fullmatch(self.name):
            return None
        names = {p.c_name: p for p in self.parameters}
        # the root's side of gather and scatter has a block per process
        one_block = {"Gather": "sendbuf", "Igather": "sendbuf", "Gatherv": "sendbuf", "Igatherv": "sendbuf",
                     "Scatter": "recvbuf", "Iscatter": "recvbuf", "Scatterv": "recvbuf", "Iscatterv": "recvbuf"}
        short = re.sub(r"(_init)?(_c)?$", "", self.name[4:])
        if short in one_block and one_block[short] != parameter.c_name:
            return None
        pair = TRIPLES.get(parameter.c_name)
        return pair if pair and all(n in names and names[n].kind in ("value", "handle") for n in pair) else None


def read_table(path):
    """[(pattern, {parameter: kind}, by hand)]"""
    rows = []
    for line in open(path, encoding="utf-8"):
        words = line.split("#")[0].split()
        if words:
            rows.append((words[0], dict(w.split("=", 1) for w in words[1:] if "=" in w), "by-hand" in words))
    return rows


def split_parameters(text):
    """[(C type of an item, name, pointer or array, is const)]"""
    out = []
    for part in text.split(", ") if text not in ("void", "") else []:
        if part == "...":
            continue
        match = re.fullmatch(r"(.*?)(\w+)((?:\[\d*\])*)", part)
        c_type, shape = match[1].strip(), match[3]
        stars = c_type.count("*")
        item = c_type.replace("*", "").replace("const", "").strip()
        out.append((item, match[2], "[]" * (shape.count("[")) + "*" * stars, "const" in c_type))
    return out


def kind_of(item, name, shape):
    """(kind, detail) of a parameter that the table does not speak of."""
    if item == "void":
        return ("state", "") if name == "extra_state" else ("choice", "")
    if item.endswith(("_function", "_function_c")):
        return "callback", item
    if item == "char":
        return "string", ""
    if item == "MPI_Status":
        return ("statuses" if name.startswith("array_of") else "status"), ""
    if item in HANDLES:
        return ("handle" if shape == "" else "handle_out"), ""
    if name.endswith("weights") and shape:
        return "weights", ""
    if shape == "[][]":
        return "ranges", ""
    if name in LOGICALS and item == "int":
        return {"": "logical", "*": "logical_out", "[]": "logicals"}[shape], ""
    return {"": "value", "*": "out", "[]": "array"}[shape], ""


def made(function, item, name, shape, is_const, given):
    kind, detail = kind_of(item, name, shape)
    name_in_fortran = {"indx": "index"}.get(name, name)
    if given is not None:
        word, _, rest = given.partition(":")
        if word == "name":
            name_in_fortran = rest
        elif word == "inout" and item in HANDLES:
            kind = "handle_inout"
        elif word == "callback":
            kind, detail = "callback", rest
        else:
            kind, detail = word, rest
    if kind == "handle_out" and shape != "*":
        sys.exit(f"fortran/functions.txt: {function}: say the length of {name}")
    return Parameter(item, name, name_in_fortran, kind, detail, is_const)


def matches(pattern, name):
    return any(fnmatch.fnmatchcase(n, pattern) for n in (name, name.removesuffix("_c")))


def read_functions(prototypes, table=os.path.join(HERE, "functions.txt")):
    """[Function], all that have a Fortran binding, in the order of the prototypes; those of WITHOUT_CODE are left out."""
    rows = read_table(table)
    functions = []
    for line in open(prototypes, encoding="utf-8"):
        match = re.match(r"(.+?[ *])(MPI_\w+)\((.*)\);", line)
        if not match or line.startswith("#") or C_ONLY.fullmatch(match[2]) or match[2] in WITHOUT_CODE:
            continue
        name, given, by_hand = match[2], {}, False
        for pattern, kinds, hand in rows:
            if matches(pattern, name):
                given |= kinds
                by_hand |= hand
        parameters = [made(name, item, p, shape, is_const, given.get(p))
                      for item, p, shape, is_const in split_parameters(match[3])]
        functions.append(Function(name, parameters, by_hand))
    return functions


def read_constants(path):
    """[(name, kind, value)]: what Fortran has of constants.csv. kind: int, offset, or the name of a handle's type."""
    out = []
    for row in csv.DictReader(open(path, encoding="utf-8", newline="")):
        name, kind = row["name"], row["kind"]
        if name.startswith(("MPI_T_", "MPIX_", "MPI_F_")):
            continue
        if kind in ("op", "datatype"):
            out.append((name, {"op": "MPI_Op", "datatype": "MPI_Datatype"}[kind], int(row["value"], 0)))
        elif kind.startswith("handle:"):
            out.append((name, kind.split(":")[1], int(row["value"], 0)))
        elif kind == "max_string":  # Fortran's have no NUL
            out.append((name, "int", int(row["value"]) - 1))
        elif kind == "const:offset":
            out.append((name, "offset", int(row["value"])))
        elif kind in ("version", "const", "error_class") or kind.startswith(("enum:", "attr_key:")):
            out.append((name, "int", int(row["value"], 0)))
    return out
