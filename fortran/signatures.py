# SPDX-License-Identifier: BSD-3-Clause
"""The Fortran bindings' functions: every function of the ABI with the kinds of its parameters, from the table of functions.

Kinds that the column "fortran" of the table gives:

    string, key      characters that come in: trailing blanks, or all outer blanks are cut off
    text:LENGTH      characters that go out, at most LENGTH with C's NUL
    absent:VALUE     no parameter in Fortran, VALUE for C
    name:NAME        the parameter's name in Fortran
    kept             an integer of which the call keeps the address: callbacks get the caller's own variable
    by-hand          the kinds are for the interfaces; the function is in fortran/special.c
    … and those for which class Body of bindings.py has an add_KIND
"""
import collections
import csv
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "mpi/abi"))
import table  # noqa: E402

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
# Reductions, and several blocks on one side: sections of arrays are not given as derived datatypes.
NOT_TRIPLES = re.compile(r"MPI_(I?(neighbor_)?allgather|.*reduce|.*scan).*", re.I)
# Lengths of arrays that are no parameters.
LENGTHS = {"send_peers": "fortran_n_send(sendbuf_c,comm_c,0)", "peers": "mpisim_foreign_n_types(comm_c,0)",
           "out_neighbours": "fortran_n_send(sendbuf_c,comm_c,1)", "in_neighbours": "mpisim_foreign_n_types(comm_c,2)"}

# c_type: of an item, without const and pointer. is_const: the call does not change what the pointer leads to. name: in Fortran. given: table.Parameter.
Parameter = collections.namedtuple("Parameter", "c_type c_name name kind detail is_const given")


class Function:
    """name; parameters; by_hand: the C code is in special.c; holds: the column of the table."""

    def __init__(self, name, parameters, by_hand, holds):
        self.name, self.parameters, self.by_hand, self.holds = name, parameters, by_hand, holds
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
        return not (self.request or self.holds)

    def triple_of(self, parameter):
        """The count and the datatype that go with a buffer, when they say exactly what is touched."""
        if NOT_TRIPLES.fullmatch(self.name):
            return None
        names = {p.c_name: p for p in self.parameters}
        pair = parameter.given.buffer
        return pair if pair and all(n in names and names[n].kind in ("value", "handle") for n in pair) else None


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


def made(function, given, word):
    """The Parameter that `given`, one of the table, is in Fortran; `word`: what the column "fortran" says of it."""
    item, name = given.c_type.replace("*", "").replace("const", "").strip(), given.name
    shape = "[]" * given.brackets.count("[") + "*" * given.c_type.count("*")
    kind, detail = kind_of(item, name, shape)
    name_in_fortran = {"indx": "index"}.get(name, name)
    word, _, rest = word.partition(":")
    if word == "name":
        name_in_fortran = rest
    elif word:
        kind, detail = word, rest
    elif item in HANDLES and given.length:
        kind, detail = "list", f"{LENGTHS.get(given.length, '*' + given.length)}:{given.direction}"
    elif given.kind == "inout":
        kind = "handle_inout" if item in HANDLES else "inout"
    if kind == "handle_out" and shape != "*":
        sys.exit(f"{table.PATH}: {function}: say the length of {name}")
    return Parameter(item, name, name_in_fortran, kind, detail, "const" in given.c_type, given)


def read_functions(path):
    """[Function], all that have a Fortran binding, in the order of mpi.h; those of WITHOUT_CODE are left out."""
    functions = []
    for f in table.in_abi(table.read(path)):
        if C_ONLY.fullmatch(f.name) or f.name in WITHOUT_CODE:
            continue
        words = f.columns.get("fortran", "").split()
        kinds = dict(word.split("=", 1) for word in words if "=" in word)
        parameters = [made(f.name, p, kinds.get(p.name, "")) for p in f.parameters]
        functions.append(Function(f.name, parameters, "by-hand" in words, f.columns.get("holds")))
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
