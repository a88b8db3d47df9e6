#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that call different collectives: found wherever messages would match all the same, and told with both calls.

usage: order.py BIN_DIR SOURCE_DIR
"""
import unittest

import base
from base import BIN, HERE, call

SAME_ORDER = "instead, and the ranks of a communicator have to call the same collectives in the same order"


class Order(base.Base):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        built = call(BIN / "mpisim-cc", "-g", HERE / "programs" / "order.c", "-o", cls.dir / "order")
        assert built.returncode == 0, built.stderr

    def start(self, case, *options):
        return call(*self.words("--quiet", *options, n=2), self.dir / "order", case)

    def refused(self, case, *wanted):
        for options in ((), ("--coll", "ideal")):
            done = self.start(case, *options)
            self.assertEqual(done.returncode, 1, (case, options, done.stderr))
            for text in wanted:
                self.assertIn(text, done.stderr, (case, options))

    def test_other_operations(self):
        self.refused("kind", "rank 1: MPI_Allgather at order.c:", "rank 0 called MPI_Allreduce at order.c:", SAME_ORDER)

    def test_blocking_and_nonblocking_ones(self):
        self.refused("form", "MPI_Ibcast at order.c:", "called MPI_Bcast at order.c:", SAME_ORDER)

    def test_other_roots(self):
        self.refused("root", "rank 1: MPI_Gather at order.c:", "root is 1, and 0 where rank 0 called MPI_Gather at order.c:")

    def test_other_predefined_operations(self):
        self.refused("op", "op is not the one with which rank 0 called MPI_Allreduce at order.c:")

    def test_constructors_of_communicators(self):
        self.refused("constructor", "rank 1: MPI_Comm_split at", "rank 0 called MPI_Comm_dup at", SAME_ORDER)
        self.refused("swapped", "deadlock", "MPI_Comm_dup at", "MPI_Barrier at")

    def test_operations_between_groups(self):
        self.refused("between_groups", "MPI_Barrier at", "MPI_Allgather at", SAME_ORDER)

    def test_operations_that_not_all_ranks_call(self):
        done = self.start("missing")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: at MPI_Finalize: collective that other ranks never called, made by MPI_Gather at order.c:", done.stderr)

    def test_what_is_in_order(self):
        for case in ("twins", "ahead", "none"):
            done = self.start(case)
            self.assertEqual((done.returncode, done.stderr), (0, ""), case)


if __name__ == "__main__":
    unittest.main()
