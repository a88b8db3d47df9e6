#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run --verify=memory: which pairs of accesses to a window are races. Every case is two accesses and what stands between them
(windows.c); the verdict follows from the rules of MPI 4.1, chapter 12, which `conflict` and `is_ordered` state.

usage: windows.py BIN_DIR SOURCE_DIR [--list]
"""
import concurrent.futures
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from harness import Folder, call, ignore_leaks, paths  # noqa: E402

ignore_leaks()
BIN, SOURCE = paths(2)
CLUSTER = "mpisim_cluster: 1\nname: test\nnodes: 8\ncores: 4\nnetwork:\n  latency: 10us\n  bandwidth: 100 MB/s\n"
BACK_ENDS = {"snapshot": (), "callbacks": ("--verify-memory",)}
# Accumulates: (operation, datatype); None: any.
ACCUMULATES = {
    "sum": ("sum", "int"),
    "replace": ("replace", "int"),
    "sum-unsigned": ("sum", "unsigned"),
    "get-sum": ("sum", "int"),
    "get-only": ("no_op", "int"),
    "fetch-sum": ("sum", "int"),
    "swap": (None, "int"),
    "rsum": ("sum", "int"),
}
REMOTE = ["put", "get", *ACCUMULATES, "rput", "rget"]
LOCAL = ["load", "store", "copy-from", "copy-to", "send", "recv"]
READS = {"get", "rget", "get-only", "load", "copy-from", "send"}
UNSEEN = {"load", "store"}  # by snapshots
# Scenes (scenes.c): what callbacks find, and snapshots.
SCENES = {
    "spin-lock": ([], []),
    "flag-after": ([], []),
    "flag-before": (["rma-conflict"], ["rma-conflict"]),
    "detach": ([], []),
    "detach-early": (["rma-conflict"], ["rma-conflict"]),
    "shared-plain": (["rma-conflict"], []),
    "shared-barrier": ([], []),
    "shared-atomic": ([], []),
    "shared-put": (["rma-conflict"], []),
    "irecv-window": (["rma-conflict"], ["rma-conflict"]),
    "irecv-window-complete": ([], []),
    "send-window": ([], []),
    "two-windows": (["rma-conflict"], ["rma-conflict"]),
    "put-write": (["active-write"], ["active-write"]),
    "put-flush-local-write": ([], []),
    "rput-wait-write": ([], []),
    "rput-write": (["active-write"], ["active-write"]),
    "get-copy": (["active-read"], ["active-read"]),
    "get-length": (["active-read"], ["active-read"]),
    "get-print": (["active-write"], ["active-write"]),
    "get-twice": (["active-write"], ["active-write"]),
    "put-twice": ([], []),
    "put-own-window": (["active-write"], ["active-write"]),
    "no-op-origin": ([], []),
    "no-check": (["rma-conflict"], ["rma-conflict"]),
    "no-check-barrier": ([], []),
}
SEPARATE = ("--set", "rma.model=separate")
# What lets the second rank know of the first, where it follows on the completion of the first access.
INFORMS = ("barrier", "+message", "+matched", "+probed", "+exchange", "+partition", "+prefix", "+bcast-first", "+ssend", "+issend")


def are_atomic(first, second, is_one_origin):
    """Accumulates of one predefined datatype are atomic with the same operation or MPI_NO_OP (info key accumulate_ops, §12.2.1), and those of one
    origin are ordered (§12.7.2)."""
    if first not in ACCUMULATES or second not in ACCUMULATES:
        return False
    (op, datatype), (other_op, other_datatype) = ACCUMULATES[first], ACCUMULATES[second]
    return datatype == other_datatype and (is_one_origin or op == other_op or bool({None, "no_op"} & {op, other_op}))


def conflict(first, second, is_one_rank):
    """§12.3: one of two accesses to the same bytes changes them. A rank's own loads and stores follow its program."""
    if {first, second} <= READS or (is_one_rank and {first, second} <= set(LOCAL)):
        return False
    return not are_atomic(first, second, is_one_rank)


def is_complete(first, how):
    """At the target, before the second access: §12.5.4; what is complete at the origin (§12.3.5) is so for gets alone."""
    if first in LOCAL or "+flush" in how.replace("+flush-local", ""):
        return True
    return ("+flush-local" in how and first in ("get", "rget")) or ("+wait" in how and first == "rget")


def is_ordered(case):
    """The second access comes after the first one has been completed, and its rank knows of it."""
    (rank, first), (other, _), how = case["first"], case["second"], case["how"]
    if how in ("fence-two", "post-two", "post-after", "post-before"):
        return True
    if how.startswith("lock-"):  # §12.5.3
        return "exclusive" in how or "+message" in how
    if how.startswith("all"):
        return is_complete(first, how) and (rank == other or any(word in how for word in INFORMS))
    return False


def is_race(case):
    (rank, first), (other, second) = case["first"], case["second"]
    return case["place"] == 0 and conflict(first, second, rank == other) and not is_ordered(case)


def case_of(first, second, how, place=0, target=2):
    return {"first": first, "second": second, "how": how, "place": place, "target": target}


def all_pairs():
    """Nothing between two accesses: two origins, one, one and the target, the target alone."""
    for first in REMOTE:
        for second in REMOTE:
            yield case_of((0, first), (1, second), "all")
            yield case_of((0, first), (0, second), "all")
        for second in LOCAL:
            yield case_of((0, first), (2, second), "all")
            yield case_of((2, first), (2, second), "all")
        for second in "load", "store":
            yield case_of((2, second), (0, first), "all")


def disjoint_pairs():
    for first in ("put", "get", "fetch-sum"):
        for second in ("put", "get", "sum"):
            yield case_of((0, first), (1, second), "all", place=1)
            yield case_of((0, first), (0, second), "all", place=1)
        for second in LOCAL:
            yield case_of((0, first), (2, second), "all", place=1)


def orders():
    """What stands between."""
    between = ["", "+flush", "+flush-local"]
    informs = ["+barrier", "+message", "+backward", "+matched", "+probed", "+exchange", "+partition", "+prefix", "+bcast-first", "+bcast-second",
               "+ssend", "+issend", "+early-send"]
    hows = ["all" + a + b for a in between for b in informs if a != "" or b == "+barrier"] + ["all+sync+barrier", "all+flush+barrier-and-sync"]
    for how in hows:
        for first in "put", "get":
            for second in (1, "put"), (2, "load"), (2, "copy-to"):
                yield case_of((0, first), second, how)
        for first in "store", "recv":
            yield case_of((1, first), (2, "get"), how.replace("+flush-local", "").replace("+flush", ""), target=1)
    for how in "all+wait+barrier", "all+wait+flush+barrier":
        for first in "rput", "rget", "rsum":
            for second in (1, "put"), (1, "get"), (2, "store"), (2, "copy-to"), (2, "copy-from"):
                yield case_of((0, first), second, how)


def epochs():
    origins = [(first, second) for first in ("put", "get", "sum") for second in ("put", "get", "sum")]
    for first, second in origins:
        for how in ("fence-one", "fence-two", "post-one", "post-two", "lock-exclusive-exclusive", "lock-exclusive-shared", "lock-shared-exclusive",
                    "lock-shared-shared", "lock-shared+message-shared"):
            yield case_of((0, first), (1, second), how)
    for first in "put", "get", "sum":
        for second in "load", "store", "copy-to":
            for how in ("fence-one", "fence-two", "post-during", "post-after", "lock-exclusive-exclusive", "lock-shared-shared", "lock-shared-exclusive"):
                yield case_of((0, first), (2, second), how)
            for how in "fence-one", "fence-two", "post-before", "lock-exclusive-exclusive", "lock-shared-shared":
                yield case_of((2, second), (0, first), how)


def separate():
    """(case, whether it is a race) with two copies of a window (§12.7): rule 5: a store is in the public copy when its owner has synchronized the
    window; rule 6: an update is in the private copy when the owner has done so later; and both exclude each other wherever in a window they are."""
    for first in "put", "sum":
        for second in "load", "store", "copy-to":
            yield case_of((0, first), (2, second), "all+flush+barrier"), True
            yield case_of((0, first), (2, second), "all+flush+barrier-and-sync"), False
            yield case_of((0, first), (2, second), "post-after"), False
            yield case_of((0, first), (2, second), "fence-two"), False
            yield case_of((0, first), (2, second), "lock-exclusive-exclusive"), False
            yield case_of((0, first), (2, second), "all", place=1), second != "load"
            yield case_of((0, first), (2, second), "fence-one", place=1), second != "load"
            yield case_of((2, second), (0, first), "fence-one", place=1), second != "load"
            yield case_of((2, second), (0, first), "all+barrier"), second != "load"
            yield case_of((2, second), (0, first), "all+sync+barrier"), False
            yield case_of((2, second), (0, first), "post-before"), False
            yield case_of((2, second), (0, first), "fence-two"), False
    for second in "put", "get", "sum":
        yield case_of((0, "put"), (1, second), "all+flush+barrier"), False
        yield case_of((0, "put"), (1, second), "all", place=1), False
    yield case_of((0, "get"), (2, "store"), "all", place=1), False


def hints():
    """(hint, case, whether it is a race): what windows say of their accumulates (§12.2.1, §12.7.2)."""
    same_op, unordered = ("accumulate_ops", "same_op"), ("accumulate_ordering", "none")
    for rank in 0, 1:
        yield same_op, case_of((0, "sum"), (rank, "get-only"), "all"), rank == 1
        yield same_op, case_of((0, "sum"), (rank, "get-sum"), "all"), False
        yield same_op, case_of((0, "sum"), (rank, "replace"), "all"), rank == 1
        yield unordered, case_of((0, "sum"), (rank, "replace"), "all"), True
        yield unordered, case_of((0, "sum"), (rank, "fetch-sum"), "all"), False
        yield unordered, case_of((0, "sum"), (rank, "get-only"), "all"), False
    yield ("accumulate_ordering", "waw"), case_of((0, "sum"), (0, "replace"), "all"), False
    yield ("accumulate_ordering", "rar"), case_of((0, "sum"), (0, "replace"), "all"), True


def matrix():
    seen = {}
    for maker in (all_pairs, disjoint_pairs, orders, epochs):
        for case in maker():
            seen[json.dumps(case)] = case
    return list(seen.values())


class Windows(Folder):
    cluster_text = CLUSTER

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, options in BACK_ENDS.items():
            for source in "windows", "scenes":
                cls.made(BIN / "mpisim-cc", *options, "-g", "-O1", SOURCE / f"{source}.c", "-o", f"{source}-{name}")

    def classes(self, back_end, case, hint=(), options=()):
        """What is found in the case."""
        words = [case["first"][0], case["first"][1], case["second"][0], case["second"][1], case["target"], case["how"], case["place"], *hint]
        return self.found("windows-" + back_end, *words, options=options)

    def found(self, program, *words, options=()):
        done = call(BIN / "mpisim-run", "--cluster", "cluster.yaml", "-n", 3, "--compute", "modelled", "--quiet", "--verify=memory",
                    "--json", "-", *options, "./" + program, *words, cwd=self.dir)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        classes = [finding["class"] for finding in json.loads(done.stdout)["findings"]]
        self.assertEqual("unchecked-accesses" in classes, "snapshot" in program)  # a note says that loads and stores are not seen
        return [name for name in classes if name != "unchecked-accesses"]

    def compare(self, back_end, cases, expected):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = pool.map(lambda case: self.classes(back_end, case), cases)
            wrong = [(case, classes) for case, classes in zip(cases, found) if classes != expected(case)]
        text = "".join(f"\n{case['first']} {case['second']} {case['how']} {case['place']}: {classes}, not {expected(case)}" for case, classes in wrong)
        self.assertEqual(wrong, [], f"{len(wrong)} of {len(cases)}:{text}")

    def test_with_callbacks_every_race_is_found_and_nothing_else(self):
        self.compare("callbacks", matrix(), lambda case: ["rma-conflict"] if is_race(case) else [])

    def test_snapshots_find_those_of_calls_and_copies(self):
        seen = [case for case in matrix() if case["how"] in ("all", "fence-one", "lock-shared-shared", "all+flush+barrier")]
        self.compare("snapshot", seen, lambda case: ["rma-conflict"] if is_race(case) and not UNSEEN & {case["first"][1], case["second"][1]} else [])

    def test_the_separate_memory_model_has_more_of_them(self):
        for case, is_wrong in separate():
            with self.subTest(case):
                self.assertEqual(self.classes("callbacks", case, options=SEPARATE), ["rma-conflict"] if is_wrong else [])

    def test_hints_say_what_accumulates_may_do(self):
        for hint, case, is_wrong in hints():
            with self.subTest(hint=hint, case=case):
                self.assertEqual(self.classes("callbacks", case, hint), ["rma-conflict"] if is_wrong else [])

    def test_scenes(self):
        for scene, expected in SCENES.items():
            for back_end, classes in zip(("callbacks", "snapshot"), expected):
                with self.subTest(scene=scene, back_end=back_end):
                    self.assertEqual(self.found("scenes-" + back_end, scene), classes)


if __name__ == "__main__":
    unittest.main()
