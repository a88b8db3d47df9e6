#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints what tests/mpi/classes.c includes: every function with one wrong argument at a time, and the class of its error.

usage: classes.py mpi/abi/functions.txt

What a wrong argument gets follows from its type and name (MPI 4.1, §9.4: "MPI_ERR_COMM: invalid communicator argument", …), but for
EXCEPTIONS. A function that has no case and is not named in CANNOT_FAIL stops the build.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "mpi/abi"))
import table  # noqa: E402

# type: (class, the null handle)
HANDLES = {"MPI_Comm": "COMM", "MPI_Group": "GROUP", "MPI_Datatype": "TYPE", "MPI_Op": "OP", "MPI_Win": "WIN", "MPI_File": "FILE",
           "MPI_Request": "REQUEST", "MPI_Info": "INFO", "MPI_Errhandler": "ERRHANDLER", "MPI_Session": "SESSION",
           "MPI_Message": "REQUEST"}
NULLS = {name: "MPI_DATATYPE_NULL" if name == "MPI_Datatype" else name.upper() + "_NULL" for name in HANDLES}
TOOL_HANDLES = {"MPI_T_cvar_handle": "HANDLE", "MPI_T_pvar_handle": "HANDLE", "MPI_T_event_registration": "HANDLE",
                "MPI_T_event_instance": "HANDLE", "MPI_T_pvar_session": "SESSION", "MPI_T_enum": "HANDLE"}
# They return no error, take nothing that could be wrong, or end the run.
CANNOT_FAIL = re.compile(
    r"MPI_(\w+_(toint|fromint|f2c|c2f)|Wtime|Wtick|Aint_add|Aint_diff|Abort|Init|Init_thread|Finalize|Pcontrol|Free_mem|Buffer_flush|"
    r"T_finalize|T_init_thread|(\w+_)?(DUP_FN|NULL_COPY_FN|NULL_DELETE_FN)|CONVERSION_FN_NULL\w*)$")
# (function, parameter, class); the first that matches counts. RIGHT: what is wrong elsewhere is right here, or decided by something else
# that is wrong, too; RIGHT_NULL: the null handle alone is.
RIGHT, RIGHT_NULL = None, "garbage"
EXCEPTIONS = [(re.compile(f"MPI_(?:{function})$"), re.compile(f"(?:{parameter})$"), found) for function, parameter, found in (
    (r"(?!Status_|Get_)\w+", "status|array_of_statuses", RIGHT),
    (r"\w+", r"extra_state|argv|argc|\w*_fn|array_of_errcodes|array_of_argv|array_of_indices", RIGHT),
    (r"(Wait|Test)(any|all|some)|Request_get_status\w*|Parrived", "request|array_of_requests", RIGHT_NULL),
    (r"(Comm|Type|Win)_get_name", "comm|datatype|win", RIGHT_NULL),
    (r"File_\w+_errhandler", "file|fh", RIGHT_NULL),
    (r"\w+_attach_buffer\w*|Buffer_attach\w*", "buffer", RIGHT),
    (r"Get_address", "location", RIGHT),
    (r"\w+_end", "buf", RIGHT),
    (r"Win_(create|attach|detach)\w*", "base", RIGHT),
    (r"(Comm|Win|Type)_set_attr|Attr_put", "attribute_val", RIGHT),
    (r"\w+", r"buffer_addr|attribute_val|logical_\w+|baseptr", "ARG"),
    (r"Info_get_nthkey", "key", "ARG"),
    (r"Info_\w+", "key", "INFO_KEY"),
    (r"Info_set", "value", "INFO_VALUE"),
    (r"Info_get_string", "value", RIGHT),
    (r"\w+", "assert", "ASSERT"),
    (r"\w+", "lock_type", "LOCKTYPE"),
    (r"File_open", "amode", "AMODE"),
    (r"Cart_shift", "disp", RIGHT),
    (r"Cartdim_get", "ndims", "ARG"),
    (r"\w+", "ndims|maxdims", "DIMS"),
    (r"Dist_graph_neighbors", r"\w+weights", RIGHT),
    (r"Win_shared_query\w*", "size|disp_unit", "ARG"),
    (r"\w+", "target_disp|disp_unit", "DISP"),
    (r"Win_\w+", "size", "SIZE"),
    (r"Win_test", "flag", RIGHT),
    (r"Parrived", "partition", RIGHT),
    (r"Type_get_contents_c", r"max_\w+", "ARG"),
    (r"Type_create_resized\w*", "lb|extent", RIGHT),
    (r"\w+", "stride", RIGHT),
    (r"Status_set_\w+", "source|tag", RIGHT),
    (r"Session_get_nth_pset", "pset_name", RIGHT),
    (r"\w+_call_errhandler", "errorcode", RIGHT),
    (r"Comm_remote_\w+", "size|group", RIGHT),
    (r"Intercomm_merge", "newintracomm", RIGHT),
    (r"Comm_spawn\w*", r"(?!comm$)\w+", RIGHT),
    (r"(Pack|Unpack)(_external)?(_c)?", "inbuf|outbuf", RIGHT),
    (r"T_([cp]var|event)_read", "buf|buffer", RIGHT))]
REQUESTS = ("MPI_Start", "MPI_Cancel", "MPI_Request_free") # what "request" is not only written by
IN_OUT = re.compile(r"MPI_(\w+_(free|disconnect|finalize|close)|Type_commit|Start|Cancel|I?[mM]recv(_c)?|Errhandler_free)$")


def parse(path):
    for f in table.in_abi(table.read(path)):
        yield f.result, f.name, [(p.c_type + ("[]" if p.is_array else ""), p.name) for p in f.parameters if p.name]


def right_communicator(function):
    for pattern, name in (("MPI_I?[nN]eighbor_", "grid"), ("MPI_Cart(dim)?_(coords|get|rank|shift|sub)|MPI_Cartdim", "grid"),
                          ("MPI_Graph(dims)?_(get|neigh)", "graph"), ("MPI_Dist_graph_neighbors", "dist_graph")):
        if re.match(pattern, function):
            return name
    return "comm"


def right_number(function, name):
    known = {"amode": "MPI_MODE_CREATE | MPI_MODE_RDWR", "order": "MPI_ORDER_C", "whence": "MPI_SEEK_SET", "split_type": "MPI_COMM_TYPE_SHARED",
             "lock_type": "MPI_LOCK_SHARED", "errorcode": "error_class", "errorclass": "error_class", "typeclass": "MPI_TYPECLASS_INTEGER",
             "required": "MPI_THREAD_SINGLE", "disp_unit": "1", "partitions": "2", "var_class": "MPI_T_PVAR_CLASS_COUNTER"}
    if name in known:
        return known[name]
    if "keyval" in name:
        return "win_keyval" if "Win" in function else "type_keyval" if "Type" in function else "keyval"
    if function == "MPI_Type_match_size":
        return "4"
    return "1" if re.search(r"count|size|^n|ndims|len|blocklength|degree|max|incount", name) else "0"


def right(function, kind, name, place):
    """A right argument; those that are written to have places of their own."""
    scratch, base = f"(void *)scratch[{place}]", kind.replace("const ", "").strip()
    handle = base[:-1].strip() if base.endswith("*") else base
    if handle in HANDLES and base.endswith("*"):
        return f"&fresh()->{handle[4:].lower()}"
    simple = {"MPI_Group": "group", "MPI_Op": "MPI_SUM", "MPI_File": "file", "MPI_Errhandler": "MPI_ERRORS_RETURN", "MPI_Session": "session",
              "MPI_Message": "MPI_MESSAGE_NO_PROC", "MPI_T_pvar_session": "tool_session", "MPI_T_cb_safety": "MPI_T_CB_REQUIRE_NONE"}
    if base == "MPI_Comm":
        return right_communicator(function)
    if base == "MPI_Datatype":
        return "vector" if "contents" in function else "MPI_INT"
    if base == "MPI_Win":
        return "dynamic" if re.search("attach|detach", function) else "win"
    if base == "MPI_Request":
        return "partitioned" if re.match("MPI_P(ready|arrived)", function) else "request"
    if base == "MPI_Info":
        return "info" if function.startswith("MPI_Info") else "MPI_INFO_NULL"
    if base in simple:
        return simple[base]
    if base in ("int", "MPI_Count", "MPI_Offset", "MPI_Aint"):
        return right_number(function, name)
    if base == "char[]":
        return '"external32"'
    if base.endswith("_cb_function"):
        return "NULL"
    if base.endswith("[]"):
        zero = re.search("disp|ranks|coords|starts|dests|destinations|sources|remain|partitions|indices", name)
        arrays = {"int": "none" if zero else "ones", "MPI_Count": "large_none" if zero else "large_ones", "MPI_Aint": "large_none",
                  "MPI_Datatype": "types", "MPI_Request": "requests", "MPI_Info": "infos"}
        return ("(void *)" + arrays[base[:-2]]) if "const" in kind and base[:-2] in arrays else scratch
    if kind == "const char *":
        return {"datarep": '"external32"' if "ack_external" in function else '"native"', "filename": "path"}.get(name, '"key"')
    return scratch


# (name of a number, wrong value, class)
NUMBERS = [(re.compile(pattern), bad, found) for pattern, bad, found in (
    ("count", "-1", "COUNT"), ("root$", "99", "ROOT"), ("dest$|source$|rank$|remote_leader", "99", "RANK"), ("tag", "-5", "TAG"),
    ("keyval", "-77", "KEYVAL"), ("(cvar|pvar|cat|source|event)_index", "99999", "T_ERR_INVALID_INDEX"),
    ("assert|amode$|lock_type|whence|^order$|split_type|typeclass|errorc", "0x7ffff", "ARG"),
    ("partition|ndims|^n$|nnodes|maxdims|size|nneighbors|maxindegree|disp|offset", "-1", "ARG"))]


def wrong_handle(function, kind, name):
    """The same for handles, and for places of handles, which some functions read and the others write."""
    base = kind.rstrip(" *")
    if base == kind:
        null_is_right = base == "MPI_Info" and not function.startswith("MPI_Info")
        return [(f"({base})garbage", HANDLES[base])] + ([] if null_is_right else [(NULLS[base], HANDLES[base])])
    if re.match("MPI_(Wait|Test)$", function):
        return [("(void *)&garbage", HANDLES[base])]
    return [("(void *)&null_handle", HANDLES[base])] if IN_OUT.match(function) and name != "request" or function in REQUESTS else [("NULL", "ARG")]


def wrong(function, kind, name):
    """Pairs of a wrong argument and the class of its error."""
    base = kind.replace("const ", "").strip()
    is_tool = function.startswith("MPI_T_")
    if base.rstrip(" *") in HANDLES and not base.endswith("[]"):
        return wrong_handle(function, base, name) if not is_tool else []
    if base in TOOL_HANDLES:
        return [("NULL", "T_ERR_INVALID_" + TOOL_HANDLES[base])]
    if base.rstrip(" *") in TOOL_HANDLES and IN_OUT.match(function):
        return [("(void *)&null_handle", "T_ERR_INVALID_" + TOOL_HANDLES[base.rstrip(" *")])]
    if is_tool and re.search("get_num$|get_index$|changed$|session_create$|_read$", function) and base.endswith("*"):
        return [("NULL", "T_ERR_INVALID")]
    if re.match("MPI_(Status|Get)_", function) and name == "status":
        return [("NULL", "ARG")]
    if base.endswith("[]") or re.match(r"(int|MPI_Count|MPI_Aint|MPI_Offset|char) \*$", base):
        return [("NULL", "ARG")] if not is_tool else []
    if base in ("int", "MPI_Count", "MPI_Aint", "MPI_Offset"):
        return next(([(bad, found)] for pattern, bad, found in NUMBERS if pattern.search(name)), [])
    return [("NULL", "BUFFER")] if base == "void *" and not is_tool else []


def cases_of(function, parameters):
    for i, (kind, name) in enumerate(parameters):
        exception = next((found for f, p, found in EXCEPTIONS if f.match(function) and p.match(name)), "")
        for bad, found in wrong(function, kind, name):
            if exception is RIGHT or (exception == RIGHT_NULL and "garbage" not in bad):
                continue
            arguments = [bad if j == i else right(function, other, n, j) for j, (other, n) in enumerate(parameters)]
            yield name, bad, exception if exception not in ("", RIGHT_NULL) else found, f"{function}({', '.join(arguments)})"


def main():
    calls, table, without = [], [], []
    for result, function, parameters in parse(sys.argv[1]):
        cases = [] if CANNOT_FAIL.match(function) or result != "int" else list(cases_of(function, parameters))
        if not cases and not CANNOT_FAIL.match(function):
            without.append(function)
        for name, bad, found, call in cases:
            table.append(f'\t{{"{function}", "{name} is {bad}", call_{len(calls)}, {"MPI_" + found if found[:2] == "T_" else "MPI_ERR_" + found}}},')
            calls.append(f"static int call_{len(calls)}(void)\n{{\n\treturn {call};\n}}\n")
    if without:
        sys.exit("no case for " + ", ".join(without))
    print("/* Generated by tests/mpi/classes.py, do not edit. */")
    print("\n".join(calls) + "\nstatic const struct wrong_call calls[] = {\n" + "\n".join(table) + "\n};")


if __name__ == "__main__":
    main()
