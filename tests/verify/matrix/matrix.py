#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Wrong programs by the hundred: each argument of each call of the right ones in programs.txt is made wrong by what the table of functions says of it, and
calls are left out, made twice, or made otherwise on one rank. The right ones have no finding; each wrong one has one that names what is wrong.

usage: matrix.py BIN_DIR MPI_ABI_DIR [--list] [--only GLOB] [--every]
"""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CLUSTER = "mpisim_cluster: 1\nname: matrix\nnodes: 4\nnetwork:\n  latency: 10us\n  bandwidth: 100 MB/s\n"
HEAD = """#include <mpi.h>
#include <string.h>

static int rank, next, prev, a[64], b[64], ranks[] = {0, 1}, fours[] = {4, 4, 4, 4}, twos[] = {2, 2}, ones[] = {1, 1}, ones_and_none[] = {1, 0};
static int displs[] = {0, 4, 8, 12}, bytes_displs[] = {0, 16, 32, 48}, fives[] = {5, 5, 5, 5};
static MPI_Aint bytes_displs_a[] = {0, 16, 32, 48};
static MPI_Comm twin, stale_comm;
static MPI_Datatype uncommitted, stale_type, types[4], floats[4];
static char bytes[4096], name[] = "matrix.data";

static void function(void *in, void *out, int *n, MPI_Datatype *type)
{
	for (int i = 0; i < *n; i++)
		((int *)out)[i] += ((int *)in)[i];
}

static void handler(MPI_Comm *comm, int *error, ...)
{
}
"""
LOCALS = """	int i = 0, j = 0, k = MPI_KEYVAL_INVALID;
	void *p = NULL;
	MPI_Comm comm = MPI_COMM_NULL, half = MPI_COMM_NULL, whole = MPI_COMM_NULL;
	MPI_Group group = MPI_GROUP_NULL, other = MPI_GROUP_NULL;
	MPI_Datatype type = MPI_DATATYPE_NULL;
	MPI_Op op = MPI_OP_NULL;
	MPI_Info info = MPI_INFO_NULL;
	MPI_Errhandler e = MPI_ERRHANDLER_NULL;
	MPI_Win win = MPI_WIN_NULL;
	MPI_File file = MPI_FILE_NULL;
	MPI_Session session = MPI_SESSION_NULL;
	MPI_Message m = MPI_MESSAGE_NULL;
	MPI_Request r = MPI_REQUEST_NULL, rs[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	MPI_Status s, ss[4];

	(void)i, (void)j, (void)k, (void)p, (void)comm, (void)half, (void)whole, (void)group, (void)other, (void)type, (void)op, (void)info, (void)e, (void)win;
	(void)file, (void)session, (void)m, (void)r, (void)rs, (void)s, (void)ss;
"""
MAIN = """int main(int argc, char **argv)
{
	int size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	next = (rank + 1) % size;
	prev = (rank + size - 1) % size;
	for (int i = 0; i < 4; i++)
		types[i] = MPI_INT, floats[i] = MPI_FLOAT;
	MPI_Comm_dup(MPI_COMM_WORLD, &twin);
	MPI_Comm_dup(MPI_COMM_SELF, &stale_comm);
	MPI_Type_contiguous(2, MPI_INT, &uncommitted);
	MPI_Type_dup(MPI_INT, &stale_type);
	MPI_Type_free(&(MPI_Datatype){stale_type});
	MPI_Comm_free(&(MPI_Comm){stale_comm});
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (strcmp(argv[1], cases[i].name) == 0)
			cases[i].run();
	MPI_Type_free(&uncommitted);
	MPI_Comm_free(&twin);
	MPI_Finalize();
	return 0;
}
"""
STUCK = {"deadlock", "potential-deadlock", "collective-mismatch", "unmatched-send", "request-never-completed", "tag-mismatch", "communicator-mismatch"}


def read_programs():
    programs = {}
    for line in (HERE / "programs.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            name, star = (line[3:].split() + [""])[:2]
            lines = programs.setdefault(name, [])
            lines.append(star)
        elif line and not line.startswith("#"):
            lines.append(line)
    return programs


def forms(name, star, lines):
    """The program, and with its collective as a nonblocking and a persistent one."""
    yield name, lines
    if not star:
        return
    at, = (i for i, line in enumerate(lines) if "create" not in line and "free" not in line and "split" not in line)
    function, arguments = re.match(r"MPI_(\w+)\((.*)\);", lines[at]).groups()
    started = [f"MPI_I{function.lower()}({arguments}, &r);", "MPI_Wait(&r, &s);"]
    yield name + "-nonblocking", lines[:at] + started + lines[at + 1:]
    kept = [f"MPI_{function}_init({arguments}, MPI_INFO_NULL, &r);", "MPI_Start(&r);", "MPI_Wait(&r, &s);", "MPI_Request_free(&r);"]
    yield name + "-persistent", lines[:at] + kept + lines[at + 1:]


def split(text):
    """The arguments of a call."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


def one_rank(wrong, right, before):
    """Only rank 1 does it otherwise, or whoever makes the call."""
    return wrong if before else f"rank == 1 ? {wrong} : {right}"


def other_values(f, p, given, before):
    """(what it is, the argument, classes that name it): right by itself, but not what the other ranks have."""
    kind, name, names = p.c_type, p.name, [q.name for q in f.parameters]
    is_together = "coll" in f.columns
    is_message = "dest" in names or "source" in names
    if kind == "MPI_Comm" and given == "MPI_COMM_WORLD" and p.direction == "in" and (is_together or is_message and name == "comm"):
        yield "other", one_rank("twin", given, before), STUCK
    elif kind == "MPI_Datatype" and given == "MPI_INT" and (is_together or is_message) and "op" not in names:
        yield "other", one_rank("MPI_FLOAT", given, before), {"datatype-mismatch"}
    elif given == "types":
        yield "other", one_rank("floats", given, before), {"datatype-mismatch"}
    elif name == "root" and given == "1":
        yield "other", one_rank("2", given, before), {"root-mismatch"}
    elif name in ("tag", "sendtag", "recvtag") and given == "7":
        yield "other", one_rank("8", given, before), STUCK
    elif is_together and given in ("4", "fours"):
        yield "other", one_rank({"4": "5", "fours": "fives"}[given], given, before), {"count-mismatch", "truncation"}
    elif is_together and given == "MPI_SUM":
        yield "other", one_rank("MPI_MAX", given, before), {"operation-mismatch"}
    elif given == "b" and name in ("recvbuf", "result_addr"):
        yield "same", "a", {"invalid-buffer", "overlapping-buffers"}


def wrong_values(f, p, given):
    """The same for arguments that are wrong on every rank, by what the table says of the parameter."""
    kind, name = p.c_type, p.name
    if kind == "MPI_Comm" and p.direction == "in":
        yield "null", "MPI_COMM_NULL", {"invalid-communicator"}
        yield "stale", "stale_comm", {"invalid-communicator"}
    elif kind == "MPI_Datatype" and given == "MPI_INT":
        yield "null", "MPI_DATATYPE_NULL", {"invalid-datatype"}
        yield "stale", "stale_type", {"invalid-datatype"}
        if any(q.buffer and q.buffer[1] == name for q in f.parameters):
            yield "uncommitted", "uncommitted", {"invalid-datatype"}
    elif name in ("dest", "source", "target_rank"):
        yield "outside", "99", {"invalid-rank"}
    elif name == "root":
        yield "outside", "99", {"invalid-root"}
    elif name in ("tag", "sendtag", "recvtag") and kind == "int":
        yield "negative", "-1000", {"invalid-tag"}
    elif kind == "int" and name.endswith("count") and given.isdigit():
        yield "negative", "-1", {"invalid-count", "invalid-argument"}
    elif kind == "MPI_Op" and given in ("MPI_SUM", "op"):
        yield "null", "MPI_OP_NULL", {"invalid-operation"}
    elif kind in ("MPI_Win", "MPI_File", "MPI_Group", "MPI_Errhandler", "MPI_Session", "MPI_Request") and not p.is_array:
        what = kind[4:].lower()
        yield "null", f"MPI_{what.upper()}_NULL", {f"invalid-{WORDS.get(what, what)}"}
    elif p.buffer and given in ("a", "b") and "Win" not in f.name:
        yield "null", "NULL", {"invalid-buffer"}


WORDS = {"win": "window"}
LEAKS = {"Comm_free": "communicator-leak", "Group_free": "group-leak", "Type_free": "datatype-leak", "Op_free": "operation-leak", "Win_free": "window-leak",
         "File_close": "file-leak", "Request_free": "request-leak", "Info_free": "handle-leak", "Errhandler_free": "handle-leak",
         "Comm_free_keyval": "handle-leak", "Session_finalize": "handle-leak"}
# Calls that a program may leave out, or make twice.
MAY_LACK = set("""Cancel Probe Group_translate_ranks Comm_set_attr Comm_get_attr Comm_delete_attr Info_set Comm_set_info Reduce_local Comm_set_errhandler
    Put Get Accumulate Fetch_and_op Compare_and_swap Get_accumulate Rput Win_flush Win_flush_all Win_detach Pack Unpack File_set_view File_write_at File_iwrite_at
    Buffer_detach Buffer_attach Type_commit File_write_shared""".split())
MAY_BE_TWICE = MAY_LACK - {"Buffer_attach", "Rput", "File_iwrite_at"} | {"Wait", "Waitall", "Waitany", "Cart_shift", "File_write_shared"}
# Arguments that mean nothing on rank 1; groups of an intercommunicator may have operations of their own; its buffers are not compared.
NO_ERRORS = ("inter_*:op-other", "inter_gather*:recvcount-other", "inter_gather*:recvtype-other", "inter_*:recvbuf-same")


def wrong_lines(f, line, before):
    """(what it is, the lines instead, classes; None: any) for a call as a whole."""
    base = f.name.removeprefix("MPI_")
    if base in LEAKS:
        yield "missing", [], {LEAKS[base]}
    elif base not in MAY_LACK:
        yield "missing", [] if before else [f"if (rank != 1) {{ {line} }}"], None
    if base not in MAY_BE_TWICE:
        yield "twice", [line, line if before else f"if (rank == 1) {{ {line} }}"], None


def mutants_of(name, body, functions):
    for at, line in enumerate(body):
        match = re.fullmatch(r"(.*?)(MPI_\w+)\((.*)\);", line)
        if not match:
            continue
        before, f, arguments = match[1], functions[match[2]], split(match[3])
        for i, p in enumerate(f.parameters):
            wrong = list(other_values(f, p, arguments[i], before))
            if "-" not in name: # tests/mpi/classes.txt has them for all forms
                wrong += wrong_values(f, p, arguments[i])
            for what, value, classes in wrong:
                call = f"{before}{f.name}({', '.join(arguments[:i] + [value] + arguments[i + 1:])});"
                yield f, f"{at + 1}:{f.name}:{p.name}-{what}", body[:at] + [call] + body[at + 1:], classes
        for what, instead, classes in wrong_lines(f, line, before):
            yield f, f"{at + 1}:{f.name}:{what}", body[:at] + instead + body[at + 1:], classes


def mutants(functions, every):
    """(name, lines, classes) of all programs; classes: empty for right ones, None for any."""
    seen = set()
    for program, (star, *lines) in read_programs().items():
        for name, body in forms(program, star, lines):
            yield name, body, set()
            for f, what, instead, classes in mutants_of(name, body, functions):
                key = program.startswith("inter"), what.partition(":")[2]
                full = f"{name}:{what}"
                if (every or key not in seen) and not any(fnmatch.fnmatch(full, pattern) for pattern in NO_ERRORS):
                    seen.add(key)
                    yield full, instead, classes


def write(cases):
    rows = "".join(f'    {{"{name}", case_{i}}},\n' for i, (name, _, _) in enumerate(cases))
    bodies = "".join(f"static void case_{i}(void)\n{{\n{LOCALS}" + "".join(f"\t{line}\n" for line in lines) + "}\n\n" for i, (_, lines, _) in enumerate(cases))
    return HEAD + bodies + "static const struct {\n\tconst char *name;\n\tvoid (*run)(void);\n} cases[] = {\n" + rows + "};\n\n" + MAIN


def run(args, folder, name):
    """The classes that are found."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        out = pathlib.Path(own) / "out.json"
        done = subprocess.run([args.bin / "mpisim-run", "--cluster", folder / "cluster.yaml", "-n", "4", "--compute", "modelled", "--quiet",
                               f"--verify={args.verify}", "--json", out, folder / "matrix", name], capture_output=True, text=True, timeout=60, check=False, cwd=own)
        if done.returncode not in (0, 1) or not out.exists():
            return {f"exit {done.returncode}: {done.stderr}"}
        return {f["class"] for f in json.loads(out.read_text(encoding="utf-8"))["findings"] if f["severity"] != "note"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("abi", type=pathlib.Path)
    parser.add_argument("--list", action="store_true", help="what each one gives")
    parser.add_argument("--only", default="*")
    parser.add_argument("--every", action="store_true", help="each call of each program, not each function once")
    parser.add_argument("--verify", default="matching,deadlock,leaks")
    args = parser.parse_args()
    args.bin = args.bin.resolve()
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    sys.path.insert(0, str(args.abi))
    import table
    functions = {f.name: f for f in table.read()}
    cases = [case for case in mutants(functions, args.every) if fnmatch.fnmatch(case[0], args.only)]
    bad = 0
    with tempfile.TemporaryDirectory(prefix="mpisim-matrix-") as folder:
        folder = pathlib.Path(folder)
        (folder / "cluster.yaml").write_text(CLUSTER)
        (folder / "matrix.c").write_text(write(cases), encoding="utf-8")
        subprocess.run([args.bin / "mpisim-cc", "-g", "-w", folder / "matrix.c", "-o", folder / "matrix"], check=True)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda case: run(args, folder, case[0]), cases))
    for (name, _, wanted), got in zip(cases, found):
        right = got & wanted if wanted else bool(got) == (wanted is None)
        bad += not right
        if args.list or not right:
            print(f"{'ok' if right else 'NOT OK'}: {name}: found {' '.join(sorted(got)) or 'nothing'}, wanted "
                  f"{'any' if wanted is None else ' or '.join(sorted(wanted)) or 'nothing'}")
    print(f"{len(cases)} programs, {sum(c[2] == set() for c in cases)} of them right; {bad} with other findings than wanted")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
