#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the functions that stand in for BLAS and LAPACK routines, from the table of what they take.

usage: blas-generate.py blas-routines.txt
Each asks pd_blas_begin whether the routine runs (pdexec/blas.h) and calls the real one when it does.
"""
import sys

LETTERS = {"side", "uplo", "trans", "transa", "transb", "diag"}
INTEGERS = {"m", "n", "k", "k1", "k2", "nrhs", "lda", "ldb", "ldc", "incx", "incy", "lwork"}
SCALARS = {"alpha", "beta"}
ARRAYS = {"a", "b", "c", "x", "y", "tau", "work"}
WORKSPACE = {"work", "lwork", "info"}  # in Fortran only
REALS = {"s": "float", "d": "double"}
ROW_MAJOR, LEFT = 101, 141  # CblasRowMajor, CblasLeft


class Routine:
    """One symbol: its C prototype, and how its parameters are read."""

    def __init__(self, interface, base, parameters, arguments, result, precision):
        self.interface, self.base, self.arguments = interface, base, arguments
        self.kernel = f"i{precision}amax" if base == "iamax" else precision + base
        self.real = REALS[precision]
        self.parameters = parameters
        self.result = {"": "void", "real": self.real, "index": "int" if interface == "fortran" else "size_t"}[result]
        self.has_order = interface == "lapacke" or (interface == "cblas" and "a" in arguments)
        if interface == "fortran":
            self.symbol = self.kernel + "_"
        else:
            self.symbol = {"cblas": "cblas_", "lapacke": "LAPACKE_"}[interface] + self.kernel
            self.arguments = [name for name in arguments if name not in WORKSPACE]
        if interface == "lapacke":
            self.result = "int"

    def type_of(self, name):
        pointer = self.interface == "fortran"
        if name in LETTERS:
            return "const char *" if pointer else "char " if self.interface == "lapacke" else "int "
        if name in INTEGERS:
            return "const int *" if pointer else "int "
        if name in SCALARS:
            return f"const {self.real} *" if pointer else self.real + " "
        if name in ARRAYS:
            return "void *"
        if name in ("ipiv", "pivots", "info"):
            return "int *"
        raise SystemExit(f"{self.symbol}: what is the argument '{name}'?")

    def value(self, name):
        return "*" + name if self.interface == "fortran" else name

    def declared(self):
        words = ["int order"] if self.has_order else []
        words += [self.type_of(name) + name for name in self.arguments]
        if self.interface == "fortran":  # Fortran passes the length of every character argument behind all others
            words += [f"size_t {name}_length" for name in self.arguments if name in LETTERS]
        return ", ".join(words)

    def passed(self):
        words = ["order"] if self.has_order else []
        words += self.arguments
        if self.interface == "fortran":
            words += [f"{name}_length" for name in self.arguments if name in LETTERS]
        return ", ".join(words)

    def is_left(self):
        if self.interface == "cblas":
            return f"side == {LEFT}"
        return f"({self.value('side')} | 0x20) == 'l'"

    def parameter_values(self):
        if self.parameters == ["sided"]:
            left, m, n = self.is_left(), self.value("m"), self.value("n")
            return [f"{left} ? {m} : {n}", f"{left} ? {n} : {m}"]
        values = [f"{self.value('k2')} - {self.value('k1')} + 1" if name == "rows" else self.value(name)
                  for name in self.parameters]
        if self.interface == "cblas" and self.has_order and self.parameters[:2] == ["m", "n"]:
            # Storage by rows is the transposed problem stored by columns, which is what the library computes.
            values[:2] = [f"order == {ROW_MAJOR} ? n : m", f"order == {ROW_MAJOR} ? m : n"]
        return values

    def skipped(self):
        """What a routine that does not run leaves behind."""
        lines = []
        if "pivots" in self.arguments:
            size = (f"{self.value('m')} < {self.value('n')} ? {self.value('m')} : {self.value('n')}"
                    if self.base == "getrf" else self.value("n"))
            lines.append(f"\tpd_blas_identity(pivots, {size});")
        if "info" in self.arguments:
            lines.append("\t*info = 0;")
        if self.interface == "lapacke":
            lines.append("\treturn 0;")
        return lines

    def code(self, index):
        returns, runs_always = self.result != "void", self.result in ("float", "double", "size_t") or self.base == "iamax"
        values = self.parameter_values()
        read = [name for name in ("x", "y") if name in self.arguments] if runs_always else []
        lines = [f"static {self.result} replaces_{self.symbol}({self.declared()})", "{",
                 f"\t__typeof__(replaces_{self.symbol}) *real = (__typeof__(real))pd_blas_real({index});",
                 f"\tconst double params[] = {{{', '.join(values)}}};"]
        if read:
            lines.append(f"\tconst void *const read[] = {{{', '.join(read)}}};")
        lines.append("\tstruct pd_blas_call call;")
        if returns:
            lines.append(f"\t{self.result} result;")
        lines.append("")
        if "lwork" in self.arguments:  # asks how large `work` should be
            lines += ["\tif (*lwork == -1) {", f"\t\treal({self.passed()});", "\t\treturn;", "\t}"]
        begin = (f"pd_blas_begin(&call, {index}, {len(values)}, params, {len(read)}, {'read' if read else 'NULL'},"
                 " __builtin_return_address(0))")
        call = f"{'result = ' if returns else ''}real({self.passed()});"
        after = ["\t\tpd_blas_end(&call);"]
        if self.skipped():
            after.append("\t\treturn result;" if returns else "\t\treturn;")
        if runs_always:
            lines += [f"\t{begin};", f"\t{call}", "\tpd_blas_end(&call);", "\treturn result;"]
        else:
            lines += [f"\tif ({begin}) {{", f"\t\t{call}", *after, "\t}", *self.skipped()]
        return "\n".join(lines + ["}"])


def read_table(path):
    routines = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            family, base, parameters, arguments, result = (field.strip() for field in line.split(";"))
            for interface in ("fortran", "cblas" if family == "blas" else "lapacke"):
                for precision in "sd":
                    routines.append(Routine(interface, base, parameters.split(), arguments.split(), result, precision))
    return routines


def main():
    routines = read_table(sys.argv[1])
    print("/* SPDX-License-Identifier: BSD-3-Clause */\n/* Written by pdexec/blas-generate.py. */\n"
          '#include <stddef.h>\n\n#include "pdexec/blas.h"\n')
    for index, routine in enumerate(routines):
        print(routine.code(index) + "\n")
    print("const struct pd_blas_routine pd_blas_routines[] = {")
    for routine in routines:
        print(f'\t{{"{routine.symbol}", "{routine.kernel}", (void *)replaces_{routine.symbol}}},')
    print("};\nconst int pd_n_blas_routines = sizeof(pd_blas_routines) / sizeof(pd_blas_routines[0]);")


if __name__ == "__main__":
    main()
