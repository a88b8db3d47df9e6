# SPDX-License-Identifier: BSD-3-Clause
"""The library that programs are linked to shows nothing but MPI, mpisim.h and the libc functions it replaces.

usage: exports.py LIBRARY |  exports.py --self-test COMPILER...
The names of libc stand in exports.txt.
"""
import os
import re
import subprocess
import sys
import tempfile

OURS = re.compile(r"^(?:MPI_|PMPI_|mpisim_|__tsan_)\w+$|^add_compute_time$")


def allowed_names(path):
    with open(path, encoding="utf-8") as file:
        return {line.strip() for line in file if line.strip() and not line.startswith("#")}


def exported_names(library):
    """Defined dynamic symbols without their versions; the names of the versions themselves (type A) do not count."""
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    fields = [line.split() for line in listing.splitlines()]
    return sorted({field[-1].split("@")[0] for field in fields if field[-2] != "A"})


def lint(library, names):
    return [f"{library}: exports '{name}', wanted only MPI_*, PMPI_*, mpisim_*, __tsan_*, add_compute_time and exports.txt"
            for name in exported_names(library) if not OURS.match(name) and name not in names]


def self_test(compiler):
    """A library with one name of each kind and two planted ones, a function and a variable."""
    source = ("int MPI_Init(void) { return 0; }\nint PMPI_Init(void) { return 0; }\nint mpisim_now(void) { return 0; }\n"
              "int add_compute_time(void) { return 0; }\nint rand(void) { return 0; }\n"
              "int add_compute_times(void) { return 0; }\nint sim_counter;\n"
              "__attribute__((visibility(\"hidden\"))) int hidden;\nstatic int own;\nint *mpisim_own(void) { return &own; }\n")
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "planted.so")
        subprocess.run([*compiler, "-w", "-fno-builtin", "-shared", "-fPIC", "-x", "c", "-", "-o", library],
                       input=source, text=True, check=True)
        found = [complaint.split("'")[1] for complaint in lint(library, {"rand"})]
    wanted = ["add_compute_times", "sim_counter"]
    return [] if found == wanted else [f"planted {wanted}, found {found}"]


def main():
    if sys.argv[1] == "--self-test":
        complaints = self_test(sys.argv[2:])
    else:
        complaints = lint(sys.argv[1], allowed_names(os.path.join(os.path.dirname(__file__), "exports.txt")))
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
