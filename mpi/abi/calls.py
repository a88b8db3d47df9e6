# SPDX-License-Identifier: BSD-3-Clause
"""What the arguments of each function are, for whoever is told of calls: the rows of mpi/abi/call_info.h, and what a record of a call holds."""
import re
import sys

import table

NAMES = {"root": "ROOT", "tag": "TAG", "sendtag": "TAG", "recvtag": "TAG", "dest": "RANK", "source": "RANK", "target_rank": "RANK", "local_leader": "RANK",
         "remote_leader": "RANK", "rank": "RANK"}
HANDLES = ("COMM", "DATATYPE", "ERRHANDLER", "FILE", "GROUP", "INFO", "MESSAGE", "OP", "REQUEST", "SESSION", "STATUS", "WIN")
# Parameters that are asked for by their names: enum mpi_argument has an enumerator for each.
ASKED_FOR = ("buf buffer sendbuf recvbuf count sendcount sendcounts recvcount recvcounts partitions displs sdispls rdispls datatype sendtype "
             "sendtypes recvtype recvtypes dest source tag sendtag recvtag comm root op request array_of_requests incount indx outcount "
             "array_of_indices flag message newcomm win assert origin_addr origin_count origin_datatype "
             "result_addr result_count result_datatype target_count target_datatype status array_of_statuses").split()


def kind_of(function, p):
    """What enum mpi_parameter_kind calls a parameter."""
    counts = [re.split(r"[*@.]", other.buffer[0]) for other in function.parameters if other.buffer]
    handle = p.c_type.removeprefix("const ").removesuffix("*").strip().removeprefix("MPI_").upper()
    if p.buffer:
        return "BUFFER"
    if handle in HANDLES:
        return handle
    if "*" not in p.c_type and p.name in NAMES:
        return NAMES[p.name]
    if any(p.name == words[0] for words in counts):
        return "COUNT"
    if p.is_array and p.name.endswith("displs"):
        return "DISPLACEMENTS"
    return {"int": "INT", "MPI_Count": "INT", "MPI_Aint": "INT", "const char *": "TEXT"}.get(p.c_type + p.brackets, "OTHER")


def parameter_row(function, p):
    names = {other.name: i for i, other in enumerate(function.parameters)}
    flags = {"is_array": p.is_array or p.name.startswith("array_of_"), "is_place": p.c_type.endswith("*") and not p.buffer and p.c_type != "const char *",
             "is_wide": re.search(r"MPI_(Count|Aint|Offset)", p.c_type)}
    extent, members = p.length, []
    if p.buffer:
        count, count_type = p.buffer
        if count_type in names and function.parameters[names[count_type]].c_type == "int":  # so many bytes
            count, count_type = count_type, "MPI_BYTE"
        flags["is_own"], count = count.endswith(".own"), count.removesuffix(".own")
        count, _, extent = count.partition("*")
        count, _, displs = count.partition("@")
        members = [f".{member} = {names.get(name, -1)}" for member, name in (("count", count), ("displs", displs), ("type", count_type))]
    if extent in names and not function.parameters[names[extent]].is_array:
        members += [".extent = EXTENT_PARAMETER", f".extent_from = {names[extent]}"]
    elif extent:
        members.append(f".extent = EXTENT_{extent.upper()}")
    if p.name in function.same:
        members.append(f".same = SAME_{function.same[p.name].upper()}")
    members = [f".{flag} = true" for flag, is_so in flags.items() if is_so] + members
    return f"\t{{{', '.join([quoted(p.name), f'PARAMETER_{kind_of(function, p)}', f'MPI_ARGUMENT_{p.direction.upper()}', *members])}}},"


# --- records ---

GIVEN, MADE = "bitocgwraqmTFvdUs", "RCMVSNP"  # letters of what is known before a call, and of what it gives
EFFECTS = "caR"  # the signature of every function of files: mpi/io/effects.h
IGNORED = {"MPI_Info", "MPI_Errhandler", "MPI_Status *"}
SCALARS = {"int", "MPI_Count", "MPI_Aint"}
BY_TYPE = {"MPI_Datatype": "t", "MPI_Op": "o", "MPI_Comm": "c", "MPI_Group": "g", "MPI_Win": "v", "MPI_Request": "r", "MPI_Session": "s"}
# Places of handles: letters of those that the call makes, and of those that it takes.
PLACES = {"MPI_Request *": "Rr", "MPI_Win *": "VU", "MPI_Comm *": "CF", "MPI_Message *": "Mm", "MPI_Session *": "Ss"}
ARRAYS = {"const int": "a", "const MPI_Count": "a", "int": "a", "const MPI_Datatype": "T", "MPI_Datatype": "T", "MPI_Request": "q"}
# What the letters of a signature that the table gives (record own) may stand for; "s" also for the session that a group is of.
OWN = {"x": lambda p: p.name in ("flag", "indx"), "X": lambda p: p.name == "array_of_indices", "q": lambda p: p.name == "array_of_requests",
       "w": lambda p: p.name == "source", "i": lambda p: p.c_type == "int" and p.name not in ("source", "count", "maxprocs"), "n": lambda p: p.c_type == "const char *",
       "r": lambda p: p.c_type in ("MPI_Request", "MPI_Request *"), "g": lambda p: p.c_type == "MPI_Group", "s": lambda p: p.c_type == "MPI_Group",
       "c": lambda p: p.c_type == "MPI_Comm", "v": lambda p: p.c_type == "MPI_Win", "C": lambda p: p.c_type == "MPI_Comm *", "N": lambda p: p.c_type == "MPI_Comm *", "P": lambda p: p.c_type == "MPI_Comm *",
       "R": lambda p: p.c_type == "MPI_Request *",
       "M": lambda p: p.c_type == "MPI_Message *"}


def letter_of(function, p):
    """What a parameter is in the signature of a record (mtrace/format.h); "-": it is not recorded."""
    if p.c_type in IGNORED or p.name in ("argc", "argv") or "displs" in p.name or p.name.endswith("weights"):
        return "-"
    if p.is_array:
        if not p.length:
            sys.exit(f"{table.PATH}: {function.name}: say the length of {p.name}")
        return ARRAYS[p.c_type]
    if p.name == "source":
        return "w"
    if p.name == "target_disp":
        return "d"
    if p.c_type in PLACES:
        return PLACES[p.c_type][p.direction == "inout"]
    if p.c_type.endswith("void *"):
        return "-" if p.kind == "out" else "b"
    if p.c_type in SCALARS:
        return "i"
    if p.c_type in ("int *", "MPI_Count *"):
        return "-"
    return BY_TYPE[p.c_type]


def recorded(function):
    """[(letter, index of the parameter)] as they stand in the file: what is known before the call, then what it gives."""
    what, signature = function.record
    if what == "call":
        letters = [(letter_of(function, p), i) for i, p in enumerate(function.parameters)]
        return [pair for pair in letters if pair[0] in GIVEN] + [pair for pair in letters if pair[0] in MADE]
    out = []
    for letter in signature if what == "own" else "":
        used = [i for other, i in out if other == letter]
        found = [i for i, p in enumerate(function.parameters) if OWN[letter](p) and i not in used]
        out.append((letter, found[0]))
    return out


def ends_requests(function):
    """Of calls that are recorded on their own: their numbers are noted before."""
    return function.record[0] == "own" and any(p.c_type.startswith("MPI_Request") and p.direction == "inout" for p in function.parameters)


def signature_of(function):
    return EFFECTS if function.record[0] == "effects" else "".join(letter for letter, _ in recorded(function))


# --- calls ---

def over_of(function):
    """The parameter whose ranks all make the call; -1: none, or all there are."""
    said = function.columns.get("collective", "")
    found = [i for i, p in enumerate(function.parameters) if p.name == said or
             (not said and kind_of(function, p) in ("COMM", "WIN", "FILE", "GROUP") and ("*" not in p.c_type or p.direction == "inout"))]
    return found[0] if found else -1


def role_of(function, over):
    """The enumerator of enum mpi_call_kind without its prefix, and the mode of a send."""
    role, _, mode = function.columns.get("verify", "").partition(" ")
    over_type = function.parameters[over].c_type if over >= 0 else ""
    if function.result != "int":
        return "NONE", "standard"
    if "coll" in function.columns or role:
        return role.upper() or "COLL", mode or "standard"
    if over_type.startswith(("MPI_Comm", "MPI_Win")) and "collective" in function.columns:
        return "TOGETHER" if over_type.startswith("MPI_Comm") else "TOGETHER_WIN", "standard"
    uses_memory = any(p.buffer or p.name == "win" and p.direction != "out" for p in function.parameters)
    uses_memory |= function.name.startswith("MPI_File_") and function.name.endswith("_end")  # the buffer is the program's again
    return "MEMORY" if uses_memory else "NONE", "standard"


def form_of(function):
    if "coll" in function.columns:
        return function.columns["coll"].split()[1]
    if function.base.endswith("_init"):
        return "persistent"
    return "nonblocking" if any(p.name == "request" for p in function.parameters) else "blocking"


def operation_of(function):
    """Of collectives the operation, as in MPI_X, MPI_Ix and MPI_X_init; of others the name without MPI_."""
    name = function.base.removeprefix("MPI_")
    if "coll" not in function.columns:
        return name
    name = name.removesuffix("_init")
    return name[1:].capitalize() if re.match(r"I[a-z]", name) else name


def arguments_at(function, over):
    """{enumerator of enum mpi_argument without its prefix: which parameter it is, from 1}"""
    at = {p.name.upper(): i for i, p in enumerate(function.parameters, 1) if p.name in ASKED_FOR and (p.name != "flag" or "*" in p.c_type)}
    if over >= 0 and "collective" in function.columns and function.parameters[over].c_type.startswith("MPI_Comm"):
        at = {name: i for name, i in at.items() if i != over + 1 and name != "COMM"} | {"COMM": over + 1}
    return at


def call_row(function, index):
    over = over_of(function) if {"coll", "collective"} & set(function.columns) else -1
    names = [p.name for p in function.parameters]
    root = next((i for i, name in enumerate(names) if name in ("root", "local_leader")), -1)
    role, mode = role_of(function, over)
    at = arguments_at(function, over)
    is_place = any(function.parameters[at[name] - 1].c_type == place and function.parameters[at[name] - 1].direction != "out"
                   for name, place in (("COMM", "MPI_Comm *"), ("WIN", "MPI_Win *")) if name in at)
    pairs = recorded(function)
    members = {"parameters": f"parameters_{index}" if names else "NULL", "n_parameters": len(names), "operation": quoted(operation_of(function)),
               "kind": f"MPI_CALL_{role}", "window": f"MPI_WINDOW_{function.columns.get('window', 'none').upper()}", "form": f"FORM_{form_of(function).upper()}", "mode": f"SEND_{mode.upper()}",
               "in_place": f"IN_PLACE_{function.columns.get('in_place', 'read').upper()}",
               "is_collective": str(bool({"coll", "collective"} & set(function.columns))).lower(), "over": over,
               "root": root if over >= 0 or {"coll", "collective"} & set(function.columns) else -1, "holds": quoted(function.columns.get("holds")),
               "is_large": str(function.name.endswith("_c")).lower(), "values_are_places": str(is_place).lower(), "has_same": str(bool(function.same)).lower(),
               "record": f"RECORD_{(function.record[0] or 'none').upper()}", "signature": f'"{signature_of(function)}"',
               "n_known": len(re.match("[^xXRCMVSNP]*", signature_of(function))[0]),
               "has_types": str(bool(set("tT") & set(signature_of(function)))).lower(), "ends_requests": str(ends_requests(function)).lower(),
               "gives": str(bool(set("xXRCMVSNPFUms") & set(signature_of(function))) and bool(pairs)).lower(),
               "has_wildcard": str("w" in signature_of(function)).lower(),
               "recorded": f"(const signed char[]){{{', '.join(str(i) for _, i in pairs)}}}" if pairs else "NULL",
               "doubt": f"MTRACE_DOUBT_{function.columns['doubt'].upper()}" if "doubt" in function.columns else -1, "is_simulated": str("simulated" in function.columns).lower(),
               "at": "{" + (", ".join(f"[MPI_ARG_{name}] = {i}" for name, i in at.items()) or "0") + "}"}
    return f'\t{{"{function.name}", ' + ", ".join(f".{name} = {value}" for name, value in members.items()) + "},"


def quoted(text):
    return f'"{text}"' if text else "NULL"


def write(functions):
    """The rows of mpi/abi/call_info.h, as those of mpi_functions."""
    out = ['#include "mpi/abi/call_info.h"', "", "#include <stddef.h>", ""]
    functions = sorted(functions, key=lambda f: f.name)
    for i, f in enumerate(functions):
        if f.parameters:
            out += [f"/* {f.name} */", f"static const struct mpi_parameter parameters_{i}[] = {{"]
            out += [parameter_row(f, p) for p in f.parameters] + ["};"]
    return out + ["", "const struct mpi_call_info mpi_call_infos[] = {", *(call_row(f, i) for i, f in enumerate(functions)), "};"]
