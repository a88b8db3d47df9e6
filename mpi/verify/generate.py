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
              "array_of_indices flag message newcomm win").split()
MODES = {"": "SEND_STANDARD", "b": "SEND_BUFFERED", "s": "SEND_SYNCHRONOUS", "r": "SEND_READY"}
FORMS = {"blocking": "MPI_FORM_BLOCKING", "nonblocking": "MPI_FORM_NONBLOCKING", "persistent": "MPI_FORM_PERSISTENT"}
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
    "INIT": "Init Init_thread",
    "FINALIZE": "Finalize",
    # collective over `comm`, by the standard
    "TOGETHER": "Comm_create Comm_dup Comm_dup_with_info Comm_split Comm_split_type Comm_free Comm_disconnect Cart_create Cart_sub Graph_create "
                "Dist_graph_create Dist_graph_create_adjacent Intercomm_merge Win_create Win_allocate Win_allocate_shared Win_create_dynamic "
                "File_open",
    "TOGETHER_WIN": "Win_fence Win_free",
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
        return KIND_OF[name], FORMS[form], MODES[""]
    return ("MEMORY", FORMS[form], MODES[""]) if uses_memory(f) else None


def uses_memory(f):
    """Whether it has buffers, or orders accesses to windows."""
    return any(p.buffer or p.name == "win" and p.direction != "out" for p in f.parameters) or f.base in ("MPI_Pready", "MPI_Parrived")


def operation_of(f):
    """The collective operation, as in MPI_X, MPI_Ix and MPI_X_init."""
    name = f.base.removeprefix("MPI_").removesuffix("_init")
    return name[1:].capitalize() if re.match(r"I[a-z]", name) else name


def value_of(p):
    return f"{{.p = {p.name}}}" if p.is_array or "*" in p.c_type or p.c_type.startswith("MPI_") and p.c_type not in ("MPI_Count", "MPI_Aint", "MPI_Offset") \
        else f"{{.i = {p.name}}}"


def write_function(f):
    statuses = [p for p in f.parameters if p.name == "array_of_statuses"]
    status = [p for p in f.parameters if p.name == "status"]
    names = [p.name for p in f.parameters]
    out = [f"static int verify_{f.name}({f.signature})", "{"]
    seen = [p for p in f.parameters if p.name in PARAMETERS]
    values = ", ".join([f"[MPI_ARG_{p.name.upper()}] = {value_of(p)}" for p in seen] +
                       [f"[MPI_N_ARGS + {i}] = {value_of(p)}" for i, p in enumerate(f.parameters)] +
                       [f"[MPI_N_ARGS + {len(f.parameters)}] = {{.p = __builtin_frame_address(0)}}"])
    out += [f"\tconst union mpi_verify_value values[MPI_N_ARGS + {len(f.parameters) + 1}] = {{{values}}};", "\tstruct mpi_verify_call call;", "",
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
        given = " | ".join(f"UINT64_C(1) << MPI_ARG_{p.name.upper()}" for p in f.parameters if p.name in PARAMETERS) or "0"
        operation = operation_of(f) if kind == "COLL" else f.base.removeprefix("MPI_")
        rows.append(f'\t[F_{f.name}] = {{"{f.name}", (void (*)(void))verify_{f.name}, "{operation}", MPI_CALL_{kind}, {form}, {mode}, '
                    f'{str(f.name.endswith("_c")).lower()}, {given}}},')
    print("\n".join(["static const struct mpi_verify_function functions[N_FUNCTIONS] = {"] + rows + ["};", "",
                     "const struct mpi_verify_function *mpi_verify_functions(int *out_n)", "{", "\t*out_n = N_FUNCTIONS;", "\treturn functions;", "}"]))


if __name__ == "__main__":
    main()
