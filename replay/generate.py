#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what makes each recorded MPI call again, from the table of functions.

    generate.py functions.txt > replay-entry.c
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "mpi" / "abi"))
import calls  # noqa: E402
import table  # noqa: E402

# Lengths of arrays, asked for before an array is given to MPI.
LENGTHS = {
    "peers": "mpi_record_n_peers(rank->mpi, comm)",
    "send_peers": "sendbuf == MPI_IN_PLACE ? 0 : mpi_record_n_peers(rank->mpi, comm)",
    "members": "mpi_record_n_members(rank->mpi, comm)",
    "root_peers": "mpi_record_n_at_root(rank->mpi, comm, root)",
    "in_neighbours": "mpi_record_n_neighbours(rank->mpi, comm, false)",
    "out_neighbours": "mpi_record_n_neighbours(rank->mpi, comm, true)",
    "graph_edges": "nnodes > 0 ? indx[nnodes - 1] : 0",
    "degrees": "mpi_record_sum(n, degrees)",
    "dims": "mpi_record_n_dims(rank->mpi, comm)",
}


def kinds_of(function):
    """[(C type, parameter, is array, letter, length)]"""
    return [(p.c_type, p.name, p.is_array, calls.letter_of(function, p), p.length) for p in function.parameters]


def replay_declaration(kind):
    """(lines before the call, argument, lines after it)"""
    c_type, p, is_array, letter, _ = kind
    simple = {"b": "void *{p} = replay_buffer(rank);", "t": "MPI_Datatype {p} = replay_type(rank);",
              "o": "MPI_Op {p} = replay_op(rank);", "c": "MPI_Comm {p} = replay_comm(rank);",
              "g": "MPI_Group {p} = replay_group(rank);", "v": "MPI_Win {p} = replay_win(rank);",
              "d": "MPI_Aint {p} = replay_displacement(rank);", "w": "int {p} = replay_source(rank);"}
    if letter == "i":
        read = "replay_lock_type" if p == "lock_type" else "replay_int"
        return [f"{c_type} {p} = ({c_type}){read}(rank);"], p
    if letter in simple:
        return [simple[letter].format(p=p)], p
    if letter == "a":
        if "MPI_Count" in c_type:
            return [f"const MPI_Count *{p} = replay_counts(rank);"], p
        return [f"const int *{p} = replay_ints(rank);"], p
    if letter == "T":
        return [f"const MPI_Datatype *{p} = replay_types(rank);"], p
    if letter == "q":
        return [f"MPI_Request *{p} = replay_requests(rank);"], p
    if letter == "r" and c_type == "MPI_Request":
        return [f"MPI_Request *{p} = replay_request(rank);"], f"*{p}"
    if letter in "VU":
        return [f"MPI_Win *{p} = replay_{'new_' if letter == 'V' else ''}win{'' if letter == 'V' else '_place'}(rank);"], p
    if letter in "rR":
        return [f"MPI_Request *{p} = replay_request(rank);"], p
    if letter in "sS":
        return [f"MPI_Session *{p} = replay_session(rank);"], p if "*" in c_type else f"*{p}"
    if letter == "C":
        return [f"MPI_Comm *{p} = replay_new_comm(rank);"], p
    if letter == "F":
        return [f"MPI_Comm *{p} = replay_comm_place(rank);"], p
    if letter in "mM":
        return [f"MPI_Message *{p} = replay_message(rank);"], p
    if c_type == "MPI_Status *":
        return [], "MPI_STATUS_IGNORE"
    if c_type == "MPI_Info":
        return [], "MPI_INFO_NULL"
    if c_type == "MPI_Errhandler":
        return [], "MPI_ERRORS_ARE_FATAL"
    if "weights" in p:
        return [], "MPI_UNWEIGHTED"
    if "displs" in p:
        return [], "replay_zeros(rank)"
    if p in ("argc", "argv"):
        return [], "NULL"
    return [], "(void *)rank->ignored"


def replay_lengths(kinds):
    """Lines that refuse arrays shorter than MPI takes them."""
    out = []
    has_zeros = any("displs" in k[1] for k in kinds)
    for c_type, p, _, letter, length in kinds:
        if letter in ("a", "T"):
            out.append(f"\treplay_check_length(rank, n_{p}, {LENGTHS.get(length, length)}, {str(has_zeros).lower()});")
        elif letter == "q":
            out.append(f"\treplay_check_length(rank, (uint64_t)rank->n_listed, {length}, false);")
    return out


def replay_call(name, result, kinds, arguments):
    if any(k[3] == "V" for k in kinds):  # of memory that is not there
        return ["\treturn replay_win_create(rank, comm, win);"]
    if any(k[3] == "q" for k in kinds):
        return [f"\treturn replay_requests_back(rank, {name}({arguments}));"]
    if result != "int":
        return [f"\t{name}({arguments});", "\treturn MPI_SUCCESS;"]
    return [f"\treturn {name}({arguments});"]


def replay_buffers(name, kinds, text):
    """Addresses that are none only where MPI takes them: it would read from them."""
    names = {k[1] for k in kinds}
    if "attach_buffer" in name.lower() or "Buffer_attach" in name:
        return text.replace("= replay_buffer(", "= replay_attached_buffer(")
    if "eighbor" in name or names & {"dest", "target_rank"}:
        return text
    return re.sub(r"(sendbuf|recvbuf) = replay_buffer\(", r"\1 = replay_buffer_or_in_place(", text)


def replay_function(f):
    kinds = [(k[0], "member" if k[1] == "rank" else k[1], *k[2:]) for k in kinds_of(f)]
    declarations = {k[1]: replay_declaration(k) for k in kinds}
    ordered = [k for k in kinds if k[3] in calls.GIVEN] + [k for k in kinds if k[3] in calls.MADE]
    arguments = ", ".join(declarations[k[1]][1] for k in kinds)
    lines = []
    for k in ordered:
        lines += declarations[k[1]][0]
        if k[3] in ("a", "T"):
            lines.append(f"uint64_t n_{k[1]} = rank->n_items;")
    if any(k[3] == "V" for k in kinds):  # what the window is of is read, and not used
        lines = [line if line.startswith(("MPI_Comm ", "MPI_Win ")) else re.sub(r".* = (\(\w+\))?", "", line) for line in lines]
    text = "\n".join("\t" + line for line in lines)
    if any(k[3] == "R" for k in kinds):  # the operation goes on with its arrays
        for what in ("ints", "counts", "types"):
            text = text.replace(f"= replay_{what}(", f"= replay_kept_{what}(")
    if any(k[3] == "v" for k in kinds):
        text = text.replace("= replay_op(", "= replay_win_op(")
    text = replay_buffers(f.name, kinds, text)
    return ([f"static int replay_{f.name}(struct replay_rank *rank)", "{"] + ([text, ""] if lines else []) +
            replay_lengths(kinds) + replay_call(f.name, f.result, kinds, arguments) + ["}", ""])


def write_replay(functions):
    called = [f for f in functions if f.record[0] == "call"]
    out = ["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Generated by replay/generate.py, do not edit. */",
           '#include "mpi/record/call.h"', '#include "replay/call.h"', ""]
    out += [f"#pragma weak {f.name}" for f in called] + [""]
    for f in called:
        out += replay_function(f)
    names = {"call": "replay_{0}", "own": "replay_own_{1}", "effects": "replay_effects"}
    out += ["static const struct replay_function table[] = {"]
    out += [f'\t{{"{f.name}", {names[f.record[0]].format(f.name, f.name[4:])}, "{calls.signature_of(f)}"}},' for f in functions if f.record[0] in names]
    return out + ["};", "", "const struct replay_function *replay_functions(int *out_n)", "{",
                  "\t*out_n = sizeof table / sizeof table[0];", "\treturn table;", "}"]


if __name__ == "__main__":
    print("\n".join(write_replay(sorted(table.read(sys.argv[1]), key=lambda f: f.name))))
