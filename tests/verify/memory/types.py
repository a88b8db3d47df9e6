#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run --verify=memory: the types of variables against datatypes, by debug information.

usage: types.py BIN_DIR SOURCE_DIR
"""
import json
import pathlib
import re
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from harness import Folder, call, paths  # noqa: E402

BIN, SOURCE = paths(2)
SOURCE, FORTRAN = SOURCE / "types.c", SOURCE / "types.f90"
WRONG = {  # case: rank, text, whether optimized code has the variable in memory
    "wrong-global": (0, "MPI_INT at offset 0 of the buffer of MPI_Send (40 bytes, dest 1, tag 0): numbers is of type double", True),
    "wrong-stack": (0, "MPI_FLOAT at offset 0 of the buffer of MPI_Send (40 bytes, dest 1, tag 0): local is of type double", True),
    "wrong-heap": (0, "MPI_INT at offset 0 of the buffer of MPI_Send (16 bytes, dest 1, tag 0): what points to it, p is of type double", False),
    "wrong-argument": (0, "numbers is of type double", True),
    "wrong-size": (0, "MPI_INT at offset 0 of the buffer of MPI_Send (40 bytes, dest 1, tag 0): counters is of type long int", True),
    "wrong-member": (0, "MPI_FLOAT at offset 8 of the buffer of MPI_Send (60 bytes, dest 1, tag 0): particles is of type double", True),
    "wrong-receive": (1, "MPI_INT at offset 0 of the buffer of MPI_Recv (16 bytes, source 0, tag 0): few is of type float", False),
    "wrong-sum": (0, "MPI_DOUBLE at offset 0 of sendbuf of MPI_Allreduce (8 bytes): mine is of type int", True),
}
WRONG_IN_FORTRAN = {  # case: what is in its line, text
    "module": ("shared_numbers, 10", "MPI_INTEGER", "shared_numbers is of type real(kind=8)"),
    "common": ("few, 10, MPI_INTEGER", "MPI_INTEGER", "few is of type real(kind=4)"),
    "local": ("a, 10, MPI_REAL,", "MPI_REAL", "a is of type real(kind=8)"),
    "alloc": ("h, 10, MPI_REAL,", "MPI_REAL", "h is of type real(kind=8)"),
    "pointer": ("p, 10", "MPI_REAL", "p is of type real(kind=8)"),
    "element": ("h(3)", "MPI_REAL", "h is of type real(kind=8)"),
    "column": ("m2(1,2), 4, MPI_REAL,", "MPI_REAL", "m2 is of type real(kind=8)"),
    "dummy": ("x, n,", "MPI_INTEGER", "x is of type real(kind=8)"),
    "shape": ("x, 10", "MPI_INTEGER", "x is of type real(kind=8)"),
    "star": ("x, 9", "MPI_INTEGER", "x is of type real(kind=8)"),
}
RIGHT = ("structures", "kinds", "raw", "names", "columns")
WAYS = {"plain": ("-g", "-O0"), "optimized": ("-g", "-O2", "-fno-optimize-sibling-calls"), "callbacks": ("-g", "-O1", "--verify-memory"), "bare": ("-O1",)}


class Types(Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, options in WAYS.items():
            cls.made(BIN / "mpisim-cc", *options, SOURCE, "-o", name)

    def found(self, way, *cases, isolation="map"):
        out = self.dir / "out.json"
        call(BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", 2, "--compute", "modelled", "--verify=memory", "--isolation", isolation,
             "--json", out, self.dir / way, *cases)
        return json.loads(out.read_text())["findings"]

    def check(self, case, finding):
        rank, text, _ = WRONG[case]
        line = next(i for i, source in enumerate(SOURCE.read_text().splitlines(), 1) if f"/* {case} */" in source)
        self.assertEqual((finding["class"], finding["calls"][0]["rank"]), ("buffer-type", rank))
        self.assertIn(text, finding["found"])
        self.assertEqual(int(re.search(r"types\.c:(\d+)", finding["calls"][0]["site"])[1]), line)

    def test_wrong_types_are_found_with_rank_and_line(self):
        for isolation in "map", "copy":
            for case in WRONG:
                with self.subTest(case=case, isolation=isolation):
                    (finding,) = self.found("plain", case, isolation=isolation)
                    self.check(case, finding)

    def test_what_optimized_code_keeps_in_memory_is_found(self):
        for way in "optimized", "callbacks":
            for case, (*_, is_there) in WRONG.items():
                with self.subTest(way=way, case=case):
                    findings = self.found(way, case)
                    if is_there:
                        self.check(case, findings[0])

    def test_right_types_are_not_told(self):
        for way in WAYS:
            with self.subTest(way):
                self.assertEqual(self.found(way, *RIGHT), [])

    def test_without_debug_information_nothing_is_told(self):
        self.assertEqual(self.found("bare", *WRONG), [])

    @unittest.skipUnless(shutil.which("gfortran"), "no compiler for Fortran")
    def test_variables_of_fortran_are_looked_at_too(self):
        lines = FORTRAN.read_text().splitlines()
        self.made(BIN / "mpisim-fc", "-g", "-O0", FORTRAN, "-o", "fortran")
        for case, (where, datatype, text) in WRONG_IN_FORTRAN.items():
            with self.subTest(case):
                (finding,) = self.found("fortran", case)
                line = next(i for i, source in enumerate(lines, 1) if where in source and "MPI_Send" in source)
                self.assertEqual(finding["class"], "buffer-type")
                self.assertIn(f"{datatype} at offset 0 of the buffer of MPI_Send", finding["found"])
                self.assertIn(text, finding["found"])
                self.assertEqual(int(re.search(r"types\.f90:(\d+)", finding["calls"][0]["site"])[1]), line)
        self.assertEqual(self.found("fortran", "right"), [])


if __name__ == "__main__":
    unittest.main()
