#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what records and what replays each MPI function, from the table of functions.

    generate.py record functions.txt > mpi-record-entry.c
    generate.py replay functions.txt > replay-entry.c
    generate.py trace functions.txt constants.csv MPICC > trace-entry.c
"""
import csv
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "abi"))
import table  # noqa: E402

GIVEN, MADE = "bitocgwraqmTFvdUs", "RCMVS"  # letters of what is known before a call, and of what it gives
# Lengths of arrays: what the recorder evaluates, and the replay before it gives an array to MPI.
LENGTHS = {
    "peers": "mpi_record_n_peers({me}, comm)",
    "send_peers": "sendbuf == MPI_IN_PLACE ? 0 : mpi_record_n_peers({me}, comm)",
    "members": "mpi_record_n_members({me}, comm)",
    "root_peers": "mpi_record_n_at_root({me}, comm, root)",
    "in_neighbours": "mpi_record_n_neighbours({me}, comm, false)",
    "out_neighbours": "mpi_record_n_neighbours({me}, comm, true)",
    "graph_edges": "nnodes > 0 ? indx[nnodes - 1] : 0",
    "degrees": "mpi_record_sum(n, degrees)",
    "dims": "mpi_record_n_dims({me}, comm)",
}


# --- the kinds of parameters ---

IGNORED = {"MPI_Info", "MPI_Errhandler", "MPI_Status *"}
SCALARS = {"int", "MPI_Count", "MPI_Aint"}
HANDLES = {"MPI_Datatype": "t", "MPI_Op": "o", "MPI_Comm": "c", "MPI_Group": "g", "MPI_Win": "v", "MPI_Request": "r", "MPI_Session": "s"}
# Places of handles: letters of those that the call makes, and of those that it takes.
PLACES = {"MPI_Request *": "Rr", "MPI_Win *": "VU", "MPI_Comm *": "CF", "MPI_Message *": "Mm", "MPI_Session *": "Ss"}
ARRAYS = {"const int": "a", "const MPI_Count": "a", "int": "a", "const MPI_Datatype": "T", "MPI_Datatype": "T", "MPI_Request": "q"}


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
    return HANDLES[p.c_type]


def kinds_of(function):
    """[(C type, parameter, is array, letter, length)]"""
    return [(p.c_type, p.name, p.is_array, letter_of(function, p), p.length) for p in function.parameters]


def names_of(kinds):
    return ", ".join(kind[1] for kind in kinds)


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


def note_doubts(function):
    doubt = function.columns.get("doubt")
    if doubt == "fetch":
        return ["\tmpi_record_fetches(&call, win);"]
    return [f"\tmpi_record_doubt(&call, MTRACE_DOUBT_{doubt.upper()});"] if doubt else []


def head_of(f, real, signature, *declared):
    """The first lines of what records a function, and the name of that which it calls."""
    head, own = (f.name, "P" + f.name) if real else (f"record_{f.name}", f.name)
    return [f"{'' if real else 'static '}{f.result} {head}({signature or f.signature})", "{", "\tstruct mpi_record_call call;", *declared, "",
            f"\tif (!mpi_record_begin(&call, F_{f.name}, __builtin_return_address(0)))",
            f"\t\treturn {own}({f.arguments});"], own


def write_local(f, real=False, signature=None):
    head, own = head_of(f, real, signature, f"\t{f.result} code;")
    return head + ["\tmpi_record_open(&call);", f"\tcode = {own}({f.arguments});", *note_doubts(f),
                   "\tmpi_record_end(&call, MPI_SUCCESS);", "\treturn code;", "}"]


def write_call(f, real=False, signature=None):
    kinds = kinds_of(f)
    letters = "".join(k[3] for k in kinds)
    status = any(k[0] == "MPI_Status *" for k in kinds) and "w" in letters
    out, own = head_of(f, real, signature, f"\t{f.result} code;", *(["\tMPI_Status own;"] if status else []))
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
    out += [f"\tcode = {own}({f.arguments});"]
    out += [f"\t{OUTPUTS[k[3]].format(p=k[1])}" for k in kinds if k[3] in OUTPUTS]
    out += ["\tmpi_record_matched(&call, status, code);"] if status else []
    out += ["\tmpi_record_freed_session(&call, session);"] if any(k[:2] == ("MPI_Session *", "session") and k[3] == "s" for k in kinds) else []
    out += note_doubts(f)
    return out + [f"\tmpi_record_end(&call, {'code' if f.result == 'int' else 'MPI_SUCCESS'});", "\treturn code;", "}"]


def write_own(f, real=False, signature=None):
    return head_of(f, real, signature)[0] + [f"\treturn mpi_record_own_{f.name[4:]}(&call, {f.arguments});", "}"]


def write_taken(f, real=True, signature=None):
    """A real file's call: what it does is not known, what it took is."""
    head, own = head_of(f, real, signature, f"\t{f.result} code;")
    return head + ["\tmpi_record_open(&call);", f"\tcode = {own}({f.arguments});", "\tmpi_trace_taken(&call);", "\treturn code;", "}"]


RECORDED = ("local", "call", "own", "effects")
EFFECTS = "caR"  # the signature of every function of files: mpi/io/effects.h


def write_effects(f):
    names = [p.name for p in f.parameters]
    return head_of(f, False, None, f"\t{f.result} code;")[0] + [
        f"\tmpi_record_effects_begin(&call, {'comm' if 'comm' in names else 'MPI_COMM_NULL'});",
        f"\tcode = {f.name}({f.arguments});", *note_doubts(f),
        f"\treturn mpi_record_effects_end(&call, {'request' if 'request' in names else 'NULL'}, code);", "}"]


def order(kinds):
    """The letters as they stand in the file: what is known before the call, then what it gives."""
    return "".join(k[3] for k in kinds if k[3] in GIVEN) + "".join(k[3] for k in kinds if k[3] in MADE)


def letters_of(f):
    what, rest = f.record
    return {"call": lambda: order(kinds_of(f)), "own": lambda: rest, "effects": lambda: EFFECTS}.get(what, str)()


def write_record(functions):
    recorded = [f for f in functions if f.record[0] in RECORDED]
    out = ["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Generated by mpi/record/generate.py, do not edit. */",
           '#include "mpi/record/call.h"', "", "/* Those that are not implemented are in the shared library only. */"]
    out += [f"#pragma weak {f.name}" for f in recorded] + ["", "enum {"] + [f"\tF_{f.name}," for f in recorded] + ["\tN_FUNCTIONS,", "};", ""]
    rows = []
    for f in recorded:
        if "..." in f.signature:
            rows.append((f.name, "NULL", ""))
            continue
        out += {"local": write_local, "call": write_call, "effects": write_effects, "own": write_own}[f.record[0]](f) + [""]
        rows.append((f.name, f"(void (*)(void))record_{f.name}", letters_of(f)))
    out += ["static const struct mpi_record_function table[N_FUNCTIONS] = {"]
    out += [f'\t{{"{name}", {wrapper}, "{letters}"}},' for name, wrapper, letters in rows]
    out += ["};", "", "const struct mpi_record_function *mpi_record_functions(int *out_n)", "{", "\t*out_n = N_FUNCTIONS;",
            "\treturn table;", "}", "", "static const struct mpi_record_refusal refused[] = {"]
    out += [f'\t{{"{f.name}", "{f.record[1]}"}},' for f in functions if f.record[0] == "refused"]
    return out + ["\t{NULL, NULL},", "};", "", "const struct mpi_record_refusal *mpi_record_refusals(void)", "{", "\treturn refused;", "}"]


# --- recording real runs ---

# Their lives are more than a record: real/trace/life.c.
LIFE = {"MPI_Init": "mpi_trace_init(F_MPI_Init, site, argc, argv, -1, NULL)",
        "MPI_Init_thread": "mpi_trace_init(F_MPI_Init_thread, site, argc, argv, required, provided)",
        "MPI_Finalize": "mpi_trace_finalize(F_MPI_Finalize, site)"}
# No calls of a program's: the tool interface, and handles of other languages, which the libraries convert by macros.
NOT_TRACED = re.compile(r"MPI_T_|\w+_(f2c|c2f|f082\w+|\w+2f08|toint|fromint)$|MPI_Pcontrol$|MPI_(DUP|NULL|TYPE_|COMM_|WIN_|CONV)\w*_FN")


def declared_by(compiler):
    """{name: parameters} of the MPI functions of that compiler's mpi.h."""
    text = subprocess.run([compiler, "-E", "-x", "c", "-"], input="#include <mpi.h>\n", stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    found = re.findall(r"\b(MPI_\w+)\s*\(([^()]*)\)", text)
    return {name: " ".join(parameters.split()) for name, parameters in found if not NOT_TRACED.match(name)}


def argument_names(signature):
    return ", ".join(re.search(r"(\w*)[\[\]\d]*$", text)[1] for text in signature.split(", ")) if signature != "void" else ""


def write_predefined(path):
    """Handles of the library that the ABI has constants for."""
    out = ["void mpi_trace_predefined(struct util_map *types, struct util_map *ops)", "{"]
    for row in csv.reader(open(path, encoding="utf-8")):
        if len(row) > 2 and row[1] in ("datatype", "op"):
            out += [f"#ifdef {row[0]}", f"\tmpi_trace_map_set({row[1].removeprefix('data')}s, (uintptr_t){row[0]}, {row[2]});", "#endif"]
    return out + ["}"]


def traced(f, declared):
    """What records a function of a real MPI, whose prototype it has where the parameters are the same: drafts of the standard differ in types."""
    if f.name in LIFE:
        return [f"{f.result} {f.name}({declared})", "{", "\tconst void *site = __builtin_return_address(0);", "",
                f"\treturn {LIFE[f.name]};", "}"]
    return {"local": write_local, "call": write_call, "effects": write_taken, "own": write_own}[f.record[0]](f, True, declared)


def write_trace(functions, constants, compiler):
    declared = declared_by(compiler)
    recorded = [f for f in functions if f.record[0] in RECORDED and f.name in declared and "simulated" not in f.columns]
    refused = [f for f in functions if f.name in declared and (f.record[0] == "refused" or "simulated" in f.columns)]
    out = ["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Generated by mpi/record/generate.py, do not edit. */",
           '#include "real/trace/trace.h"', "", "#pragma GCC visibility push(default)", "", "enum {"]
    out += [f"\tF_{f.name}," for f in recorded] + ["\tN_FUNCTIONS,", "};", ""]
    rows, defined = [], [f.name for f in recorded]
    for f in recorded:
        is_same = argument_names(declared[f.name]) == f.arguments
        out += [f"#undef {f.name}", *traced(f, declared[f.name] if is_same else f.signature), ""]
        rows.append((f.name, letters_of(f) if f.record[0] != "effects" else ""))
    for f in refused:
        if "..." not in f.signature:
            out += [f"#undef {f.name}", f"{f.result} {f.name}({declared[f.name]})", "{", f'\tmpi_trace_refuse_call("{f.name}");',
                    f"\treturn P{f.name}({argument_names(declared[f.name])});", "}", ""]
            defined.append(f.name)
    out += ["#pragma GCC visibility pop", "", "static const struct mpi_record_function table[N_FUNCTIONS] = {"]
    out += [f'\t{{"{name}", NULL, "{letters}"}},' for name, letters in rows]
    out += ["};", "", "const struct mpi_record_function *mpi_record_functions(int *out_n)", "{", "\t*out_n = N_FUNCTIONS;",
            "\treturn table;", "}", "", "static const struct mpi_trace_wrapper wrappers[] = {"]
    out += [f'\t{{"{name}", (mpi_trace_fn *){name}}},' for name in sorted(defined)]
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


def replay_function(f):
    kinds = [(k[0], "member" if k[1] == "rank" else k[1], *k[2:]) for k in kinds_of(f)]
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
    text = replay_buffers(f.name, kinds, text)
    return ([f"static int replay_{f.name}(struct replay_rank *rank)", "{"] + ([text, ""] if lines else []) +
            replay_lengths(kinds) + replay_call(f.name, f.result, kinds, arguments) + ["}", ""])


def write_replay(functions):
    called = [f for f in functions if f.record[0] == "call"]
    out = ["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Generated by mpi/record/generate.py, do not edit. */",
           '#include "mpi/record/call.h"', '#include "replay/call.h"', ""]
    out += [f"#pragma weak {f.name}" for f in called] + [""]
    for f in called:
        out += replay_function(f)
    names = {"call": "replay_{0}", "own": "replay_own_{1}", "effects": "replay_effects"}
    out += ["static const struct replay_function table[] = {"]
    out += [f'\t{{"{f.name}", {names[f.record[0]].format(f.name, f.name[4:])}, "{letters_of(f)}"}},' for f in functions if f.record[0] in names]
    return out + ["};", "", "const struct replay_function *replay_functions(int *out_n)", "{",
                  "\t*out_n = sizeof table / sizeof table[0];", "\treturn table;", "}"]


def main():
    functions = sorted(table.read(sys.argv[2]), key=lambda f: f.name)
    if sys.argv[1] == "trace":
        print("\n".join(write_trace(functions, *sys.argv[3:5])))
        return
    write = write_record if sys.argv[1] == "record" else write_replay
    print("\n".join(write(functions)))


if __name__ == "__main__":
    main()
