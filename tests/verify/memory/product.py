#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run --verify=memory: kinds of windows x ways to synchronize x pairs of accesses, and origin buffers x operations x what completes them, in
one program with a line for each case: the race or its right twin. The verdicts are those of MPI 4.1, chapter 12 (unified model).

usage: product.py BIN_DIR SOURCE_DIR [--list]
"""
import itertools
import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from harness import Folder, call, paths  # noqa: E402

BIN, _ = paths(2)
KINDS = ["created", "allocated", "dynamic", "shared"]
OPS = ["PUT", "GET", "SUM", "REPLACE", "FETCH", "SWAP"]
ATOMIC = {"SUM": "sum", "FETCH": "sum", "REPLACE": "replace", "SWAP": None}  # None: any operation
HEAD = """#include <mpi.h>
#include <stdlib.h>
#include <string.h>
enum { N = %d, CREATED = 0, ALLOCATED, DYNAMIC, SHARED };
static int rank, *memory[4], from[4] = {1, 2, 3, 4}, into[4], compare[4], sink, here, *there;
static MPI_Win wins[4], win;
static MPI_Aint bases[4][3], at;
static MPI_Request request;
static MPI_Group all, others, target;
static void open_created(void) { memory[CREATED] = calloc(N, sizeof(int)); MPI_Win_create(memory[CREATED], N * sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &wins[CREATED]); }
static void open_allocated(void) { MPI_Win_allocate(N * sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory[ALLOCATED], &wins[ALLOCATED]); }
static void open_dynamic(void)
{
	MPI_Aint address;

	memory[DYNAMIC] = calloc(N, sizeof(int));
	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &wins[DYNAMIC]);
	MPI_Win_attach(wins[DYNAMIC], memory[DYNAMIC], N * sizeof(int));
	MPI_Get_address(memory[DYNAMIC], &address);
	MPI_Allgather(&address, 1, MPI_AINT, bases[DYNAMIC], 1, MPI_AINT, MPI_COMM_WORLD);
}
static void open_shared(void) { MPI_Win_allocate_shared(N * sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory[SHARED], &wins[SHARED]); }
static void use(const int *p) { sink = *p; }
static void change(int *p) { *p = 9; }
static void message(int a, int b)
{
	if (rank == a)
		MPI_Send(NULL, 0, MPI_INT, b, 0, MPI_COMM_WORLD);
	if (rank == b)
		MPI_Recv(NULL, 0, MPI_INT, a, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
#define LOCATION(k, i) (win = wins[k], at = bases[k][2] + 4 * (i), there = memory[k] + (i))
#define PUT MPI_Put(&from[rank], 1, MPI_INT, 2, at, 1, MPI_INT, win)
#define GET MPI_Get(&into[rank], 1, MPI_INT, 2, at, 1, MPI_INT, win)
#define SUM MPI_Accumulate(&from[rank], 1, MPI_INT, 2, at, 1, MPI_INT, MPI_SUM, win)
#define REPLACE MPI_Accumulate(&from[rank], 1, MPI_INT, 2, at, 1, MPI_INT, MPI_REPLACE, win)
#define FETCH MPI_Fetch_and_op(&from[rank], &into[rank], MPI_INT, 2, at, MPI_SUM, win)
#define SWAP MPI_Compare_and_swap(&from[rank], &compare[rank], &into[rank], MPI_INT, 2, at, win)
#define LOAD sink = *(volatile int *)there
#define STORE *(volatile int *)there = 5
#define LOCK(type, act) (MPI_Win_lock(type, 2, 0, win), act, MPI_Win_unlock(2, win))
#define START(act) (MPI_Win_start(target, 0, win), act, MPI_Win_complete(win))
#define BARRIER MPI_Barrier(MPI_COMM_WORLD)
#define FENCE MPI_Win_fence(0, win)
#define ALL MPI_Win_lock_all(0, win), BARRIER
#define END MPI_Win_unlock_all(win), BARRIER
"""
MAIN = """int main(int argc, char **argv)
{
	int third = 2, rest[] = {0, 1};

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &third, &target);
	MPI_Group_incl(all, 2, rest, &others);
	open_created();
	open_allocated();
	open_dynamic();
	open_shared();
	BARRIER;
	cases();
	for (int i = 0; i < 4; i++)
		MPI_Win_free(&wins[i]);
	free(memory[CREATED]);
	free(memory[DYNAMIC]);
	MPI_Group_free(&all);
	MPI_Group_free(&target);
	MPI_Group_free(&others);
	MPI_Finalize();
	return 0;
}
"""


def conflict(first, second):
    """Of different ranks, to the same bytes: §12.3, accumulates §12.7.1."""
    if {first, second} <= {"GET", "LOAD"}:
        return False
    if first in ATOMIC and second in ATOMIC:
        return ATOMIC[first] != ATOMIC[second] and None not in (ATOMIC[first], ATOMIC[second])
    return True


def completes(first, how):
    """Before the second access. What is complete at the origin is at the target for gets alone (§12.3.5)."""
    return first in ("LOAD", "STORE") or how in ("flush", "flush_all", "end") or (how.startswith("flush_local") and first == "GET")


def lock_all(a, first, b, second):
    """In one lock_all epoch of all: what completes the first access, and whether the second rank knows."""
    flushes = {"": "", "flush": "MPI_Win_flush(2, win);", "flush_all": "MPI_Win_flush_all(win);", "flush_local": "MPI_Win_flush_local(2, win);",
               "flush_local_all": "MPI_Win_flush_local_all(win);", "end": "MPI_Win_unlock_all(win); MPI_Win_lock_all(0, win);"}
    tells = {"": "", "barrier": "BARRIER;", "message": f"message({a}, {b});", "sync": "MPI_Win_sync(win); BARRIER; MPI_Win_sync(win);"}
    for how, told in itertools.product(flushes, tells):
        if how in ("", "flush", "flush_local") or told == "barrier":
            code = f"ALL; if (rank == {a}) {{ {first}; {flushes[how]} }} {tells[told]} if (rank == {b}) {second}; END;"
            yield f"all {how} {told}", code, bool(told) and completes(first, how)


def ways(a, first, b, second):
    """(name, code, whether the accesses are ordered)"""
    yield "fence", f"FENCE; if (rank == {a}) {first}; if (rank == {b}) {second}; MPI_Win_fence(MPI_MODE_NOSUCCEED, win);", False
    yield "fences", f"FENCE; if (rank == {a}) {first}; FENCE; if (rank == {b}) {second}; MPI_Win_fence(MPI_MODE_NOSUCCEED, win);", True
    yield from lock_all(a, first, b, second)
    for one, two in itertools.product(("EXCLUSIVE", "SHARED"), repeat=2):
        code = f"if (rank == {a}) LOCK(MPI_LOCK_{one}, {first}); if (rank == {b}) LOCK(MPI_LOCK_{two}, {second}); BARRIER;"
        yield f"lock {one} {two}", code, "EXCLUSIVE" in (one, two)
    code = f"if (rank == {a}) LOCK(MPI_LOCK_SHARED, {first}); BARRIER; if (rank == {b}) LOCK(MPI_LOCK_SHARED, {second}); BARRIER;"
    yield "locks", code, True
    post, wait = "MPI_Win_post(others, 0, win)", "MPI_Win_wait(win)"
    if 2 not in (a, b):
        yield "post", f"if (rank == 2) {post}, {wait}; if (rank == {a}) START({first}); if (rank == {b}) START({second}); BARRIER;", False
        code = f"if (rank == 2) {post}, {wait}, {post}, {wait}; "
        code += f"if (rank == {a}) START({first}), START(0); if (rank == {b}) START(0), START({second}); BARRIER;"
        yield "posts", code, True
    elif b == 2:
        yield "post", f"if (rank == 2) {post}, {second}, {wait}; if (rank == {a}) START({first}); else if (rank < 2) START(0); BARRIER;", False
        yield "posts", f"if (rank == 2) {post}, {wait}, {second}; if (rank == {a}) START({first}); else if (rank < 2) START(0); BARRIER;", True
    else:
        yield "posts", f"if (rank == 2) {first}, {post}, {wait}; if (rank == {b}) START({second}); else if (rank < 2) START(0); BARRIER;", True


def pairs(kind):
    """All of them in allocated windows, a few in the others."""
    everything = kind == "allocated"
    for first, second in itertools.product(OPS, repeat=2) if everything else (("PUT", "PUT"), ("PUT", "GET"), ("SUM", "REPLACE"), ("FETCH", "SWAP")):
        yield 0, first, 1, second
    for first, own in itertools.product(OPS if everything else ("PUT", "GET"), ("LOAD", "STORE")):
        yield 0, first, 2, own
        yield 2, own, 0, first


def remote():
    for kind in KINDS:
        for a, first, b, second in pairs(kind):
            for name, code, is_ordered in ways(a, first, b, second):
                yield f"{kind}: {first} by {a}, {second} by {b}: {name}", kind.upper(), code, conflict(first, second) and not is_ordered


BUFFERS = {  # operation with a buffer at `p`: whether MPI writes to it
    "MPI_Put(p, 1, MPI_INT, 2, at, 1, MPI_INT, win)": False,
    "MPI_Get(p, 1, MPI_INT, 2, at, 1, MPI_INT, win)": True,
    "MPI_Accumulate(p, 1, MPI_INT, 2, at, 1, MPI_INT, MPI_SUM, win)": False,
    "MPI_Get_accumulate(p, 1, MPI_INT, &into[0], 1, MPI_INT, 2, at, 1, MPI_INT, MPI_SUM, win)": False,
    "MPI_Get_accumulate(&from[0], 1, MPI_INT, p, 1, MPI_INT, 2, at, 1, MPI_INT, MPI_SUM, win)": True,
    "MPI_Fetch_and_op(p, &into[0], MPI_INT, 2, at, MPI_SUM, win)": False,
    "MPI_Fetch_and_op(&from[0], p, MPI_INT, 2, at, MPI_SUM, win)": True,
    "MPI_Compare_and_swap(p, &compare[0], &into[0], MPI_INT, 2, at, win)": False,
    "MPI_Compare_and_swap(&from[0], p, &into[0], MPI_INT, 2, at, win)": False,
    "MPI_Compare_and_swap(&from[0], &compare[0], p, MPI_INT, 2, at, win)": True,
}
REQUESTS = {
    "MPI_Rput(p, 1, MPI_INT, 2, at, 1, MPI_INT, win, &request)": False,
    "MPI_Rget(p, 1, MPI_INT, 2, at, 1, MPI_INT, win, &request)": True,
    "MPI_Raccumulate(p, 1, MPI_INT, 2, at, 1, MPI_INT, MPI_SUM, win, &request)": False,
}
ACCESSES = {  # by the program: whether it changes the buffer
    "sink = *p;": False, "use(p);": False, "memcpy(&sink, alias, size_B);": False, "*p = 7;": True, "change(alias);": True, "memset(p, 0, size_B);": True,
    "MPI_Sendrecv(p, 1, MPI_INT, 0, 0, &sink, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);": False,
    "MPI_Sendrecv(&sink, 1, MPI_INT, 0, 0, p, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);": True,
}
PLACES = {"stack": "int own = 1, *p = &own;", "heap": "int *p = calloc(1, sizeof *p);", "global": "int *p = &here;", "window": "int *p = there;"}
DONE = {"": False, "flush(2, win)": True, "flush_all(win)": True, "flush_local(2, win)": True, "flush_local_all(win)": True, "flush(1, win)": False,
        "sync(win)": False}


def local():
    """Rank 0 accesses the buffer of an operation of its own."""
    body = "if (rank == 0) {{ {place} volatile int *alias = p; volatile size_t size_B = sizeof *p; p[0] = 1; {op}; {done} {access} {more} }} {end}"
    body = body.replace("volatile int *alias", "int *alias")
    for (place, begin), (access, changes) in itertools.product(PLACES.items(), ACCESSES.items()):
        for i, (op, is_written) in enumerate([*BUFFERS.items(), *REQUESTS.items()]):
            has_request = op in REQUESTS
            if place != "stack" and i > 1 and not has_request:
                continue
            waits = {"": False, "wait": True} if has_request else DONE
            for done, is_done in waits.items():
                wait = "MPI_Wait(&request, MPI_STATUS_IGNORE);"
                text = wait if done == "wait" else f"MPI_Win_{done};" if done else ""
                more = wait if has_request and not is_done else ""
                free = "MPI_Win_flush(2, win); free(p);" if place == "heap" else ""
                code = body.format(place=begin, op=op, done=text, access=access, more=more + free, end="")
                yield f"{place}: {op} {done or 'nothing'} {access}", "ALLOCATED", f"ALL; {code} END;", (is_written or changes) and not is_done
    for op, is_written in BUFFERS.items():
        for access, changes in ACCESSES.items():
            for name, code in {"in the epoch": "FENCE; {begin} {op}; {access} }} {fence}", "after it": "FENCE; {begin} {op}; }} {fence} {again} {access} }}"}.items():
                begin = "if (rank == 0) { int *p = &here, *alias = p; volatile size_t size_B = sizeof *p; (void)alias; (void)size_B;"
                text = code.format(begin=begin, op=op, access=access, fence="MPI_Win_fence(MPI_MODE_NOSUCCEED, win);", again=begin)
                yield f"fence: {op} {access} {name}", "ALLOCATED", text, (is_written or changes) and name == "in the epoch"


def write(cases, path):
    """Returns the line of each case."""
    lines = (HEAD % (2 * len(cases) + 2)).splitlines()
    numbers = []
    for first in range(0, len(cases), 100):
        lines.append(f"static void cases_{first}(void) {{")
        for i, (_, kind, code, _) in enumerate(cases[first:first + 100], first):
            lines.append(f"{{ LOCATION({kind}, {2 * i}); {code} BARRIER; }}")
            numbers.append(len(lines))
        lines.append("}")
    lines += ["static void cases(void) {", *(f"cases_{first}();" for first in range(0, len(cases), 100)), "}"]
    path.write_text("\n".join(lines) + "\n" + MAIN)
    return numbers


class Product(Folder):
    cluster_text = "mpisim_cluster: 1\nname: test\nnodes: 1\ncores: 4\nnetwork:\n  latency: 10us\n  bandwidth: 100 MB/s\n"  # shared windows want one node

    def verdicts(self, name, cases):
        """The cases whose verdict is wrong."""
        numbers = write(cases, self.dir / f"{name}.c")
        self.made(BIN / "mpisim-cc", "--verify-memory", "-g", "-O0", f"{name}.c", "-o", name)
        done = call(BIN / "mpisim-run", "--cluster", "cluster.yaml", "-n", 3, "--compute", "modelled", "--quiet", "--verify=memory", "--json", "-",
                    "./" + name, cwd=self.dir)
        self.assertIn(done.returncode, (0, 1), done.stderr[-2000:])
        found = {}
        for finding in json.loads(done.stdout)["findings"]:
            for one in finding["calls"]:
                found.setdefault(int(re.search(r"\.c:(\d+)", one["site"])[1]), []).append(finding["class"])
        return [f"{'missed' if is_race else found[line]}: {text}" for (text, _, _, is_race), line in zip(cases, numbers) if is_race != (line in found)]

    def check(self, name, cases):
        wrong = self.verdicts(name, cases)
        self.assertEqual(wrong, [], f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong[:20]))

    def test_accesses_to_windows_of_all_kinds_race_where_nothing_orders_them(self):
        self.check("remote", list(remote()))

    def test_buffers_of_operations_are_in_use_until_they_are_complete_at_the_origin(self):
        self.check("local", list(local()))


if __name__ == "__main__":
    if "--list" in sys.argv:
        print("\n".join(f"{'race ' if is_race else 'right'} {text}" for text, _, _, is_race in [*remote(), *local()]))
        sys.exit()
    unittest.main()
