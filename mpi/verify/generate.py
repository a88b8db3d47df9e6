#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the functions that a verified program calls, from the table of functions.

    generate.py functions.txt > mpi-verify-entry.c
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "abi"))
import table  # noqa: E402

# What verification looks at: mpi/verify/call.h has an enumerator for each.
PARAMETERS = ("buf buffer sendbuf recvbuf count sendcount sendcounts recvcount recvcounts partitions displs sdispls rdispls datatype sendtype "
              "sendtypes recvtype recvtypes dest source tag sendtag recvtag comm root op request array_of_requests incount indx outcount "
              "array_of_indices flag message newcomm win assert origin_addr result_addr").split()
MODES = {"": "SEND_STANDARD", "b": "SEND_BUFFERED", "s": "SEND_SYNCHRONOUS", "r": "SEND_READY"}
FORMS = {"blocking": "FORM_BLOCKING", "nonblocking": "FORM_NONBLOCKING", "persistent": "FORM_PERSISTENT"}
# Calls that are no communication of their own and that have to be seen.
OTHERS = {
    "WAIT": "Wait Waitall Waitany Waitsome",
    "TEST": "Test Testall Testany Testsome",
    "START": "Start Startall",
    "FREE": "Request_free",
    "CANCEL": "Cancel",
    "PROBE": "Probe Iprobe",
    "MPROBE": "Mprobe Improbe",
    "MRECV": "Mrecv Imrecv",
    "COMM_FREE": "Comm_free",
    "LOCK": "Win_lock Win_lock_all",
    "INIT": "Init Init_thread",
    "FINALIZE": "Finalize",
}
KIND_OF = {name: kind for kind, names in OTHERS.items() for name in names.split()}


def kind_of(f):
    """(kind, form, mode) as enumerators, or None for what is not looked at."""
    name = f.base.removeprefix("MPI_")
    form = "nonblocking" if re.match(r"I[a-z]", name) else "persistent" if name.endswith("_init") else "blocking"
    send = re.fullmatch(r"I?([bsr]?)send(_init)?", name, re.I)
    if "coll" in f.columns:
        return "COLL", FORMS[f.columns["coll"].split()[-1]], MODES[""]
    if send:
        return "SEND", FORMS[form], MODES[send[1].lower()]
    if re.fullmatch(r"I?recv(_init)?", name, re.I):
        return "RECV", FORMS[form], MODES[""]
    if re.fullmatch(r"I?sendrecv(_replace)?", name, re.I):
        return "SENDRECV", FORMS[form], MODES[""]
    if re.fullmatch(r"P(send|recv)_init", name):
        return "PARTITIONED", FORMS["persistent"], MODES[""]
    if name in KIND_OF:
        return KIND_OF[name], FORMS["blocking"], MODES[""]
    over = over_of(f)
    if over and over.c_type.startswith(("MPI_Comm", "MPI_Win")):
        form = "nonblocking" if any(p.name == "request" for p in f.parameters) else "blocking"
        return "TOGETHER" if over.c_type.startswith("MPI_Comm") else "TOGETHER_WIN", FORMS[form], MODES[""]
    return ("MEMORY", FORMS[form], MODES[""]) if uses_memory(f) else None


def uses_memory(f):
    """Whether it has buffers, or orders accesses to windows."""
    return any(p.buffer or p.name == "win" and p.direction != "out" for p in f.parameters)


def over_of(f):
    """What the ranks that call a collective together have in common, a parameter; None: nothing that is looked at."""
    if "collective" not in f.columns:
        return None
    said = f.columns["collective"]
    found = [p for p in f.parameters if p.name == said or (not said and p.direction != "out" and p.c_type.split(" ")[0] in
                                                          ("MPI_Comm", "MPI_Win", "MPI_File", "MPI_Group"))]
    return found[0] if found else None


def argument_of(f, p):
    """The enumerator of a parameter, "" if it is not looked at."""
    if p is over_of(f) and p.c_type.startswith("MPI_Comm"):
        return "COMM"
    return p.name.upper() if p.name in PARAMETERS else ""


def operation_of(f):
    """The collective operation, as in MPI_X, MPI_Ix and MPI_X_init."""
    name = f.base.removeprefix("MPI_").removesuffix("_init")
    return name[1:].capitalize() if re.match(r"I[a-z]", name) else name


def has_places(f):
    is_place = any(argument_of(f, p) in ("COMM", "WIN") and p.c_type in ("MPI_Comm *", "MPI_Win *") and p.direction != "out" for p in f.parameters)
    return str(is_place).lower()


def value_of(p):
    is_pointer = p.is_array or "*" in p.c_type or p.c_type.startswith("MPI_") and p.c_type not in ("MPI_Count", "MPI_Aint", "MPI_Offset")
    if p.c_type.endswith(("_function", "_function_c")):
        return "{.p = NULL}"
    return f"{{.p = {p.name}}}" if is_pointer else f"{{.i = {p.name}}}"


def write_function(f):
    statuses = [p for p in f.parameters if p.name == "array_of_statuses"]
    status = [p for p in f.parameters if p.name == "status"]
    names = [p.name for p in f.parameters]
    out = [f"static int verify_{f.name}({f.signature})", "{"]
    values = ", ".join([value_of(p) for p in f.parameters] + ["{.p = __builtin_frame_address(0)}"])
    out += [f"\tconst union mpi_verify_value values[] = {{{values}}};", "\tstruct mpi_verify_call call;", "",
            f"\tif (!mpi_verify_begin(&call, &functions[F_{f.name}], values, __builtin_return_address(0)))",
            f"\t\treturn {f.name}({f.arguments});"]
    out += [f"\t{p.name} = mpi_verify_buffer(&call, {i}, {p.name});" for i, p in enumerate(f.parameters) if p.buffer]
    for p in statuses:
        out.append(f"\t{p.name} = mpi_verify_statuses(&call, {'incount' if 'incount' in names else 'count'}, {p.name});")
    out += [f"\t{p.name} = mpi_verify_status(&call, {p.name});" for p in status]
    return out + [f"\treturn mpi_verify_end_call(&call, {f.name}({f.arguments}));", "}", ""]


def main():
    functions = sorted(table.read(sys.argv[1]), key=lambda f: f.name)
    seen = [f for f in functions if kind_of(f) and f.result == "int" and "..." not in f.signature]
    print("\n".join(["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Generated by mpi/verify/generate.py, do not edit. */",
                     '#include "mpi/verify/call.h"', "", "/* Those that are not implemented are in the shared library only. */"]
                    + [f"#pragma weak {f.name}" for f in seen] + ["", "enum {"] + [f"\tF_{f.name}," for f in seen] + ["\tN_FUNCTIONS,", "};", "",
                     "static const struct mpi_verify_function functions[N_FUNCTIONS];", ""]))
    rows = []
    for f in seen:
        print("\n".join(write_function(f)))
        kind, form, mode = kind_of(f)
        at = ", ".join(f"[MPI_ARG_{argument_of(f, p)}] = {i}" for i, p in enumerate(f.parameters, 1) if argument_of(f, p)) or "0"
        operation = operation_of(f) if kind == "COLL" else f.base.removeprefix("MPI_")
        rows.append(f'\t[F_{f.name}] = {{"{f.name}", (void (*)(void))verify_{f.name}, "{operation}", MPI_CALL_{kind}, {form}, {mode}, '
                    f'{str(f.name.endswith("_c")).lower()}, {has_places(f)}, {{{at}}}}},')
    print("\n".join(["static const struct mpi_verify_function functions[N_FUNCTIONS] = {"] + rows + ["};", "",
                     "const struct mpi_verify_function *mpi_verify_functions(int *out_n)", "{", "\t*out_n = N_FUNCTIONS;", "\treturn functions;", "}"]))


if __name__ == "__main__":
    main()
