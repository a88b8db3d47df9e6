#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what records and what replays each MPI function, from the ABI's prototypes and mpi/record/functions.txt.

    generate.py record functions.txt record/functions.txt > mpi-record-entry.c
    generate.py replay functions.txt record/functions.txt > replay-entry.c
    generate.py trace functions.txt record/functions.txt constants.csv MPICC > trace-entry.c
"""
import csv
import os
import re
import subprocess
import sys

from functions import kinds_of, names_of, parameters_of, read_prototypes, read_refused, read_table

GIVEN, MADE = "bitocgwraqmTFvdUs", "RCMVS"  # letters of what is known before a call, and of what it gives
# Lengths of arrays: what the recorder evaluates, and the replay before it gives an array to MPI.
LENGTHS = {
    "peers": "mpi_record_n_peers({me}, comm)",
    "send_peers": "sendbuf == MPI_IN_PLACE ? 0 : mpi_record_n_peers({me}, comm)",
    "members": "mpi_record_n_members({me}, comm)",
    "root_peers": "mpi_record_n_at_root({me}, comm, root)",
    "in": "mpi_record_n_neighbours({me}, comm, false)",
    "out": "mpi_record_n_neighbours({me}, comm, true)",
    "graph_edges": "nnodes > 0 ? indx[nnodes - 1] : 0",
    "degrees": "mpi_record_sum(n, degrees)",
    "dims": "mpi_record_n_dims({me}, comm)",
}


# --- recording ---

INPUTS = {"b": "mpi_record_buffer(&call, {p});", "i": "mpi_record_int(&call, {p});", "t": "mpi_record_type(&call, {p});",
          "o": "mpi_record_op(&call, {p});", "c": "mpi_record_comm(&call, {p});", "g": "mpi_record_group(&call, {p});",
          "w": "mpi_record_source(&call, {p}, comm);", "r": "mpi_record_request(&call, {p} ? *{p} : MPI_REQUEST_NULL);",
          "F": "mpi_record_comm(&call, {p} ? *{p} : MPI_COMM_NULL);", "q": "mpi_record_requests(&call, {n}, {p});",
          "v": "mpi_record_win(&call, {p});", "d": "mpi_record_int(&call, {p});",
          "U": "mpi_record_win(&call, {p} ? *{p} : MPI_WIN_NULL);",
          "m": "mpi_record_message(&call, {p} ? *{p} : MPI_MESSAGE_NULL);"}
OUTPUTS = {"R": "mpi_record_new_request(&call, {p}, code);", "C": "mpi_record_new_comm(&call, {p}, code);",
           "M": "mpi_record_new_message(&call, {p}, code);", "F": "mpi_record_freed_comm(&call, {p});",
           "V": "mpi_record_new_win(&call, {p}, code);", "U": "mpi_record_freed_win(&call, {p});",
           "m": "mpi_record_taken_message(&call, {p});", "S": "mpi_record_new_session(&call, {p}, code);"}
# Calls whose results depend on which ranks are on which node.
PLACED = ("MPI_Get_processor_name", "MPI_Get_hw_resource_info", "MPI_Comm_split_type", "MPI_Win_allocate_shared")
# Calls of one-sided communication whose results may depend on what others do at the same time.
FETCHES = ("MPI_Win_sync", "MPI_Fetch_and_op", "MPI_Compare_and_swap", "MPI_Get_accumulate", "MPI_Rget_accumulate", "MPI_Get", "MPI_Rget")

# Those whose results depend on when they are called.
CLOCKS = ("MPI_Wtime", "MPI_T_pvar_read", "MPI_T_pvar_readreset")


def length_of(length, me):
    return LENGTHS.get(length, length).format(me=me)


# Integers with values that each library chooses: a real one's become the ABI's.
TRANSLATED = {"dest": "mpi_trace_peer", "source": "mpi_trace_peer", "root": "mpi_trace_peer", "tag": "mpi_trace_tag",
              "recvtag": "mpi_trace_tag", "color": "mpi_trace_color", "split_type": "mpi_trace_split_type",
              "target_rank": "mpi_trace_peer", "assert": "mpi_trace_assertion", "lock_type": "mpi_trace_lock_type"}


def record_input(kind):
    c_type, parameter, is_array, letter, length = kind
    n = length_of(length, "call.me")
    if letter == "r" and c_type == "MPI_Request":
        return f"mpi_record_request(&call, {parameter});"
    if letter == "s":
        given = f"{parameter} ? *{parameter} : MPI_SESSION_NULL" if "*" in c_type else parameter
        return f"mpi_record_session(&call, {given});"
    if letter == "a":
        wide = "MPI_Count" in c_type
        return f"mpi_record_{'counts' if wide else 'ints'}(&call, {n}, {parameter});"
    if letter == "T":
        return f"mpi_record_types(&call, {n}, {parameter});"
    return INPUTS[letter].format(p=parameter, n=n) if letter in INPUTS else None


def note_doubts(name):
    plain = name.removesuffix("_c")
    out = ["\tmpi_record_fetches(&call, win);"] if plain in FETCHES else []
    out += ["\tmpi_record_doubt(&call, MTRACE_DOUBT_CLOCK);"] if name in CLOCKS else []
    return out + (["\tmpi_record_doubt(&call, MTRACE_DOUBT_PLACE);"] if plain in PLACED else [])


def write_local(result, name, parameters, signature, real=False):
    head, own = (name, "P" + name) if real else (f"record_{name}", name)
    return [f"{'' if real else 'static '}{result} {head}({signature})", "{", "\tstruct mpi_record_call call;",
            f"\t{result} code;", "",
            f"\tif (!mpi_record_begin(&call, F_{name}, __builtin_return_address(0)))",
            f"\t\treturn {own}({names_of(parameters)});", "\tmpi_record_open(&call);",
            f"\tcode = {own}({names_of(parameters)});", *note_doubts(name), "\tmpi_record_end(&call, MPI_SUCCESS);", "\treturn code;", "}"]


def write_call(result, name, kinds, signature, real=False):
    head, own = (name, "P" + name) if real else (f"record_{name}", name)
    parameters = names_of([k[:3] for k in kinds])
    letters = "".join(k[3] for k in kinds)
    status = any(k[0] == "MPI_Status *" for k in kinds) and "w" in letters
    out = [f"{'' if real else 'static '}{result} {head}({signature})", "{", "\tstruct mpi_record_call call;", f"\t{result} code;"]
    out += ["\tMPI_Status own;"] if status else []
    out += ["", f"\tif (!mpi_record_begin(&call, F_{name}, __builtin_return_address(0)))", f"\t\treturn {own}({parameters});"]
    out += ["\tif (status == MPI_STATUS_IGNORE)", "\t\tstatus = &own;"] if status else []
    for c_type, p, _, letter, length in kinds:
        if letter == "t":
            out.append(f"\tmpi_record_define(&call, {p});")
        elif letter == "T":
            out.append(f"\tmpi_record_define_all(&call, {length_of(length, 'call.me')}, {p});")
    out += ["\tmpi_record_open(&call);"]
    for kind in kinds:
        line = record_input(kind)
        if line and real and kind[1] in TRANSLATED and kind[3] == "i":
            line = re.sub(rf"\b{kind[1]}\b", f"{TRANSLATED[kind[1]]}({kind[1]})", line, count=1)
        out += [f"\t{line}"] if line else []
    out += [f"\tcode = {own}({parameters});"]
    out += [f"\t{OUTPUTS[k[3]].format(p=k[1])}" for k in kinds if k[3] in OUTPUTS]
    out += ["\tmpi_record_matched(&call, status, code);"] if status else []
    out += ["\tmpi_record_freed_session(&call, session);"] if any(k[:2] == ("MPI_Session *", "session") and k[3] == "s" for k in kinds) else []
    out += note_doubts(name)
    out += [f"\tmpi_record_end(&call, {'code' if result == 'int' else 'MPI_SUCCESS'});", "\treturn code;", "}"]
    return out


def write_own(result, name, parameters, signature, real=False):
    head, own = (name, "P" + name) if real else (f"record_{name}", name)
    arguments = names_of(parameters)
    return [f"{'' if real else 'static '}{result} {head}({signature})", "{", "\tstruct mpi_record_call call;", "",
            f"\tif (!mpi_record_begin(&call, F_{name}, __builtin_return_address(0)))",
            f"\t\treturn {own}({arguments});", f"\treturn mpi_record_own_{name[4:]}(&call, {arguments});", "}"]


def write_taken(result, name, parameters, signature):
    """A real file's call: what it does is not known, what it took is."""
    return [f"{result} {name}({signature})", "{", "\tstruct mpi_record_call call;", f"\t{result} code;", "",
            f"\tif (!mpi_record_begin(&call, F_{name}, __builtin_return_address(0)))",
            f"\t\treturn P{name}({names_of(parameters)});", "\tmpi_record_open(&call);",
            f"\tcode = P{name}({names_of(parameters)});", "\tmpi_trace_taken(&call);", "\treturn code;", "}"]


EFFECTS = "caR"  # the signature of every function of files: mpi/io/effects.h


def write_effects(result, name, parameters, signature):
    names = [p for _, p, _ in parameters]
    doubt = ["\tmpi_record_doubt(&call, MTRACE_DOUBT_POINTER);"] if re.search("_shared(_c)?$", name) and "seek" not in name else []
    return [f"static {result} record_{name}({signature})", "{", "\tstruct mpi_record_call call;", f"\t{result} code;", "",
            f"\tif (!mpi_record_begin(&call, F_{name}, __builtin_return_address(0)))",
            f"\t\treturn {name}({names_of(parameters)});",
            f"\tmpi_record_effects_begin(&call, {'comm' if 'comm' in names else 'MPI_COMM_NULL'});",
            f"\tcode = {name}({names_of(parameters)});", *doubt,
            f"\treturn mpi_record_effects_end(&call, {'request' if 'request' in names else 'NULL'}, code);", "}"]


def order(kinds):
    """The letters as they stand in the file: what is known before the call, then what it gives."""
    return "".join(k[3] for k in kinds if k[3] in GIVEN) + "".join(k[3] for k in kinds if k[3] in MADE)


def write_record(prototypes, table, path):
    out = ["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Generated by mpi/record/generate.py, do not edit. */",
           '#include "mpi/record/call.h"', "", "/* Those that are not implemented are in the shared library only. */"]
    out += [f"#pragma weak {name}" for name, *_ in table] + ["", "enum {"] + [f"\tF_{name}," for name, *_ in table] + ["\tN_FUNCTIONS,", "};", ""]
    rows = []
    for name, what, given in table:
        result, parameters, signature = prototypes[name]
        letters = ""
        if "..." in signature:
            rows.append((name, "NULL", ""))
            continue
        if what == "local":
            out += write_local(result, name, parameters, signature)
        elif what == "call":
            kinds = kinds_of(name, parameters, given, path)
            letters = order(kinds)
            out += write_call(result, name, kinds, signature)
        elif what == "effects":
            letters = EFFECTS
            out += write_effects(result, name, parameters, signature)
        else:
            letters = given[0]
            out += write_own(result, name, parameters, signature)
        out.append("")
        rows.append((name, f"(void (*)(void))record_{name}", letters))
    out += ["static const struct mpi_record_function table[N_FUNCTIONS] = {"]
    out += [f'\t{{"{name}", {wrapper}, "{letters}"}},' for name, wrapper, letters in rows]
    out += ["};", "", "const struct mpi_record_function *mpi_record_functions(int *out_n)", "{", "\t*out_n = N_FUNCTIONS;",
            "\treturn table;", "}", "", "static const struct mpi_record_refusal refused[] = {"]
    out += [f'\t{{"{name}", "{reason}"}},' for name, reason in read_refused(path, prototypes).items()]
    out += ["\t{NULL, NULL},", "};", "", "const struct mpi_record_refusal *mpi_record_refusals(void)", "{", "\treturn refused;", "}"]
    return out


# --- recording real runs ---

# Their lives are more than a record: real/trace/life.c.
LIFE = {"MPI_Init": "mpi_trace_init(F_MPI_Init, site, argc, argv, -1, NULL)",
        "MPI_Init_thread": "mpi_trace_init(F_MPI_Init_thread, site, argc, argv, required, provided)",
        "MPI_Finalize": "mpi_trace_finalize(F_MPI_Finalize, site)"}
# No calls of a program's: the tool interface, and handles of other languages, which the libraries convert by macros.
NOT_TRACED = re.compile(r"MPI_T_|\w+_(f2c|c2f|f082\w+|\w+2f08|toint|fromint)$|MPI_Pcontrol$|MPI_(DUP|NULL|TYPE_|COMM_|WIN_|CONV)\w*_FN")


# Described, but recorded in the simulator only. A trace of a real run is refused.
UNTRACED = re.compile(r"MPI_(Session_|\w+_from_groups?$)")


def declared_by(compiler):
    """{name: parameters} of the MPI functions of that compiler's mpi.h."""
    text = subprocess.run([compiler, "-E", "-x", "c", "-"], input="#include <mpi.h>\n", stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    found = re.findall(r"\b(MPI_\w+)\s*\(([^()]*)\)", text)
    return {name: " ".join(parameters.split()) for name, parameters in found if not NOT_TRACED.match(name)}


def write_predefined(path):
    """Handles of the library that the ABI has constants for."""
    out = ["void mpi_trace_predefined(struct mpi_trace_map *types, struct mpi_trace_map *ops)", "{"]
    for row in csv.reader(open(path, encoding="utf-8")):
        if len(row) > 2 and row[1] in ("datatype", "op"):
            out += [f"#ifdef {row[0]}", f"\tmpi_trace_map_set({row[1].removeprefix('data')}s, (uintptr_t){row[0]}, {row[2]});", "#endif"]
    return out + ["}"]


def write_trace(prototypes, table, path, constants, compiler):
    declared = declared_by(compiler)
    table = [row for row in table if row[0] in declared and not UNTRACED.match(row[0])]
    refused = sorted(declared.keys() & (read_refused(path, prototypes).keys() | {name for name in prototypes if UNTRACED.match(name)}))
    out = ["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Generated by mpi/record/generate.py, do not edit. */",
           '#include "real/trace/trace.h"', "", "#pragma GCC visibility push(default)", "", "enum {"]
    out += [f"\tF_{name}," for name, *_ in table] + ["\tN_FUNCTIONS,", "};", ""]
    rows, defined = [], []
    for name, what, given in table:
        result, parameters, signature = prototypes[name]
        kinds = kinds_of(name, parameters, given, path) if what == "call" else []
        if names_of(parameters_of(declared[name])) == names_of(parameters):  # drafts of the standard differ in types
            signature = declared[name]
        out += [f"#undef {name}"]
        if name in LIFE:
            out += [f"{result} {name}({signature})", "{", "\tconst void *site = __builtin_return_address(0);", "",
                    f"\treturn {LIFE[name]};", "}"]
        elif what == "local":
            out += write_local(result, name, parameters, signature, real=True)
        elif what == "call":
            out += write_call(result, name, kinds, signature, real=True)
        elif what == "effects":
            out += write_taken(result, name, parameters, signature)
        else:
            out += write_own(result, name, parameters, signature, real=True)
        out.append("")
        rows.append((name, given[0] if what == "own" else order(kinds)))
    for name in refused:
        if "..." not in prototypes[name][2]:
            result, signature = prototypes[name][0], declared[name]
            parameters = parameters_of(signature)
            out += [f"#undef {name}", f"{result} {name}({signature})", "{", f'\tmpi_trace_refuse_call("{name}");',
                    f"\treturn P{name}({names_of(parameters)});", "}", ""]
            defined.append(name)
    out += ["#pragma GCC visibility pop", "", "static const struct mpi_record_function table[N_FUNCTIONS] = {"]
    out += [f'\t{{"{name}", NULL, "{letters}"}},' for name, letters in rows]
    out += ["};", "", "const struct mpi_record_function *mpi_record_functions(int *out_n)", "{", "\t*out_n = N_FUNCTIONS;",
            "\treturn table;", "}", "", "static const struct mpi_trace_wrapper wrappers[] = {"]
    out += [f'\t{{"{name}", (mpi_trace_fn *){name}}},' for name in sorted(defined + [row[0] for row in rows])]
    out += ["\t{NULL, NULL},", "};", "", "const struct mpi_trace_wrapper *mpi_trace_wrappers(void)", "{", "\treturn wrappers;", "}", ""]
    return out + write_predefined(constants)


# --- replaying ---

def replay_declaration(kind):
    """(lines before the call, argument, lines after it)"""
    c_type, p, is_array, letter, _ = kind
    simple = {"b": "void *{p} = replay_buffer(rank);", "t": "MPI_Datatype {p} = replay_type(rank);",
              "o": "MPI_Op {p} = replay_op(rank);", "c": "MPI_Comm {p} = replay_comm(rank);",
              "g": "MPI_Group {p} = replay_group(rank);", "v": "MPI_Win {p} = replay_win(rank);",
              "d": "MPI_Aint {p} = replay_displacement(rank);", "w": "int {p} = replay_source(rank);"}
    if letter == "i":
        return [f"{c_type} {p} = ({c_type})replay_int(rank);"], p
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
        return [], f"replay_zeros(rank)"
    if p in ("argc", "argv"):
        return [], "NULL"
    return [], "(void *)rank->ignored"


def replay_lengths(kinds):
    """Lines that refuse arrays shorter than MPI takes them."""
    out = []
    has_zeros = any("displs" in k[1] for k in kinds)
    for c_type, p, _, letter, length in kinds:
        if letter in ("a", "T"):
            out.append(f"\treplay_check_length(rank, n_{p}, {length_of(length, 'rank->mpi')}, {str(has_zeros).lower()});")
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


def replay_function(name, result, kinds):
    declarations = {k[1]: replay_declaration(k) for k in kinds}
    ordered = [k for k in kinds if k[3] in GIVEN] + [k for k in kinds if k[3] in MADE]
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
    text = replay_buffers(name, kinds, text)
    return ([f"static int replay_{name}(struct replay_rank *rank)", "{"] + ([text, ""] if lines else []) +
            replay_lengths(kinds) + replay_call(name, result, kinds, arguments) + ["}", ""])


def write_replay(prototypes, table, path):
    out = ["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Generated by mpi/record/generate.py, do not edit. */",
           '#include "mpi/record/call.h"', '#include "replay/call.h"', ""]
    out += [f"#pragma weak {name}" for name, what, _ in table if what == "call"] + [""]
    rows = []
    for name, what, given in table:
        result, parameters, signature = prototypes[name]
        if what == "own":
            rows.append((name, f"replay_own_{name[4:]}", given[0]))
        if what == "effects":
            rows.append((name, "replay_effects", EFFECTS))
        if what != "call":
            continue
        kinds = [(k[0], "member" if k[1] == "rank" else k[1], *k[2:]) for k in kinds_of(name, parameters, given, path)]
        out += replay_function(name, result, kinds)
        rows.append((name, f"replay_{name}", order(kinds)))
    out += ["static const struct replay_function table[] = {"]
    out += [f'\t{{"{name}", {function}, "{letters}"}},' for name, function, letters in sorted(rows)]
    out += ["};", "", "const struct replay_function *replay_functions(int *out_n)", "{",
            "\t*out_n = sizeof table / sizeof table[0];", "\treturn table;", "}"]
    return out


def main():
    prototypes = read_prototypes(sys.argv[2])
    prototypes.update(read_prototypes(os.path.join(os.path.dirname(sys.argv[2]), "removed.txt")))
    table = read_table(sys.argv[3], prototypes)
    if sys.argv[1] == "trace":
        print("\n".join(write_trace(prototypes, table, *sys.argv[3:6])))
        return
    write = write_record if sys.argv[1] == "record" else write_replay
    print("\n".join(write(prototypes, table, sys.argv[3])))


if __name__ == "__main__":
    main()
