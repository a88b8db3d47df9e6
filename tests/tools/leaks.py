#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What mpisim-run says of MPI objects that a program leaves behind: in the summary and in the JSON.

usage: leaks.py BIN_DIR SOURCE_DIR
"""
import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import Folder, call, ignore_leaks, paths  # noqa: E402  (the folder above)

# What the program leaves is what is tested here; the sanitizers would report it once more.
ignore_leaks()
(BIN,) = paths(1)
SOURCE = pathlib.Path(sys.argv.pop(1)).resolve() / "programs" / "leaks.c"


class Leaks(Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made(BIN / "mpisim-cc", "-g", SOURCE, "-o", cls.dir / "leaks")

    def leaks(self, *words):
        """(what, made by, line of the source), and all of the JSON's warnings."""
        options = [word for word in words if word.startswith("-")]
        arguments = [word for word in words if not word.startswith("-")]
        done = call(BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", 4, "--compute", "modelled",
                    "--json", self.dir / "leaks.json", *options, self.dir / "leaks", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        warnings = json.loads((self.dir / "leaks.json").read_text())["warnings"]
        for warning in warnings:
            self.assertIn(warning, re.sub(r"\n +", " ", done.stderr))
        found = re.findall(r"at MPI_Finalize: (.*), made by (\w+) at .*leaks\.c:(\d+).*\(4 in all, first on rank 0\)", "\n".join(warnings))
        self.assertEqual(len(found), len(warnings), warnings)
        return sorted(found)

    def test_leaks_of_every_kind_are_told_with_their_lines(self):
        source = SOURCE.read_text().splitlines()
        kinds = {"communicator": "MPI_Comm_dup", "group": "MPI_Comm_group", "datatype": "MPI_Type_contiguous",
                 "operation": "MPI_Op_create", "info object": "MPI_Info_create", "error handler": "MPI_Comm_create_errhandler",
                 "window": "MPI_Win_create", "session": "MPI_Session_init", "receive that was never completed": "MPI_Irecv",
                 "persistent request": "MPI_Send_init", "keyval of communicators": "MPI_Comm_create_keyval",
                 "keyval of datatypes": "MPI_Type_create_keyval", "keyval of windows": "MPI_Win_create_keyval"}
        wanted = [(what, function, str(1 + next(i for i, line in enumerate(source) if f"\t{function}(" in line)))
                  for what, function in kinds.items()]
        self.assertEqual(self.leaks(), sorted(wanted))
        self.assertEqual(self.leaks("--isolation=copy"), sorted(wanted))

    def test_quiet_runs_warn_too(self):
        self.assertEqual(len(self.leaks("--quiet")), 13)

    def test_what_was_freed_is_no_leak(self):
        self.assertEqual(self.leaks("free"), [])

    def test_a_session_that_ends_before_others_have_come_is_no_end(self):
        built = call(BIN / "mpisim-cc", SOURCE.parent / "early.c", "-o", self.dir / "early")
        self.assertEqual(built.returncode, 0, built.stderr)
        done = call(BIN / "mpisim-run", "--quiet", "--cluster", self.dir / "cluster.yaml", "-n", 4, "--compute", "modelled", self.dir / "early")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_leaks_can_be_ignored(self):
        self.assertEqual(self.leaks("--ignore-leaks"), [])


unittest.main()
