#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the functions that stand in for BLAS and LAPACK routines, from the table of what they take.

usage: blas-generate.py blas-routines.txt
Each asks pd_blas_begin whether the routine runs (pdexec/blas.h) and calls the real one when it does.
"""
import sys

LETTERS = {"side", "uplo", "trans", "transa", "transb", "diag"}
INTEGERS = {"m", "n", "k", "kl", "ku", "k1", "k2", "nrhs", "lda", "ldb", "ldc", "incx", "incy", "lwork"}
SCALARS = {"alpha", "beta"}
REAL_SCALARS = {"ralpha", "rbeta", "cosine", "sine"}
MATRICES = {"a", "ap"}
ARRAYS = {"a", "ap", "a5", "b", "c", "x", "y", "tau", "work"}
WORKSPACE = {"work", "lwork"}  # in Fortran and LAPACKE_NAME_work only
PRECISIONS = "sdcz"
REALS = {"s": "float", "d": "double", "c": "float", "z": "double"}
ROW_MAJOR, LEFT = 101, 141  # CblasRowMajor, CblasLeft


class Routine:
    """One symbol: its C prototype, and how its parameters are read."""

    def __init__(self, interface, kernel, parameters, arguments, result, precision):
        self.interface, self.kernel, self.parameters, self.arguments = interface, kernel, parameters, arguments
        self.real, self.is_complex = REALS[precision], precision in "cz"
        self.result = {"": "void", "real": self.real, "complex": self.real + " _Complex",
                       "index": "int" if interface == "fortran" else "size_t"}[result]
        self.runs_always = bool(result)
        self.has_order = interface.startswith("lapacke") or (interface == "cblas" and bool(MATRICES & set(arguments)))
        if interface == "fortran":
            self.symbol = kernel + "_"
            return
        self.symbol = {"cblas": "cblas_", "lapacke": "LAPACKE_", "lapacke_work": "LAPACKE_"}[interface] + kernel
        self.symbol += "_work" if interface == "lapacke_work" else ""
        self.arguments = [name for name in arguments if name != "info" and (name not in WORKSPACE or interface == "lapacke_work")]
        if interface != "cblas":
            self.result = "int"
        elif result == "complex":  # C89 has no such numbers
            self.symbol, self.result, self.arguments = self.symbol + "_sub", "void", self.arguments + ["result"]

    def type_of(self, name):
        pointer = self.interface == "fortran"
        if name in LETTERS:
            return "const char *" if pointer else "char " if self.interface == "lapacke" else "int "
        if name in INTEGERS:
            return "const int *" if pointer else "int "
        if name in SCALARS and self.is_complex:
            return "const void *"
        if name in SCALARS | REAL_SCALARS:
            return f"const {self.real} *" if pointer else self.real + " "
        if name in ARRAYS or name == "result":
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
        derived = {"rows": f"{self.value('k2')} - {self.value('k1')} + 1",
                   "diagonals": "1 + " + " + ".join(self.value(name) for name in ("kl", "ku", "k") if name in self.arguments)}
        values = [derived.get(name) or self.value(name) for name in self.parameters]
        if self.interface == "cblas" and self.has_order and self.parameters[:2] == ["m", "n"]:
            # Storage by rows is the transposed problem stored by columns, which is what the library computes.
            values[:2] = [f"order == {ROW_MAJOR} ? n : m", f"order == {ROW_MAJOR} ? m : n"]
        return values

    def skipped(self):
        """What a routine that does not run leaves behind."""
        lines = []
        if "pivots" in self.arguments:
            size = (f"{self.value('m')} < {self.value('n')} ? {self.value('m')} : {self.value('n')}"
                    if "m" in self.arguments else self.value("n"))
            lines.append(f"\tpd_blas_identity(pivots, {size});")
        if "info" in self.arguments:
            lines.append("\t*info = 0;")
        if self.interface.startswith("lapacke"):
            lines.append("\treturn 0;")
        return lines

    def code(self, index):
        returns, runs_always = self.result != "void", self.runs_always
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
            ask = f"real({self.passed()});"
            lines += [f"\tif ({self.value('lwork')} == -1) {{", *([f"\t\treturn {ask}"] if returns else [f"\t\t{ask}", "\t\treturn;"]), "\t}"]
        begin = (f"pd_blas_begin(&call, {index}, {len(values)}, params, {len(read)}, {'read' if read else 'NULL'},"
                 " __builtin_return_address(0))")
        call = f"{'result = ' if returns else ''}real({self.passed()});"
        after = ["\t\tpd_blas_end(&call);"]
        if self.skipped():
            after.append("\t\treturn result;" if returns else "\t\treturn;")
        if runs_always:
            lines += [f"\t{begin};", f"\t{call}", "\tpd_blas_end(&call);", *(["\treturn result;"] if returns else [])]
        else:
            lines += [f"\tif ({begin}) {{", f"\t\t{call}", *after, "\t}", *self.skipped()]
        return "\n".join(lines + ["}"])


def names_of(words):
    """{precision: name} of "sdcz:gemm" or of "cz:csscal,zdscal"."""
    precisions, _, names = words.partition(":")
    names = names.split(",")
    if len(names) == 1:
        names = [precision + names[0] for precision in precisions]
    if len(names) != len(precisions) or set(precisions) - set(PRECISIONS):
        raise SystemExit(f"found the names '{words}', wanted precisions of {PRECISIONS} and as many names")
    return dict(zip(precisions, names))


def read_table(path):
    routines = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            family, names, parameters, arguments, result = (field.strip() for field in line.split(";"))
            for interface in ("fortran", *(["cblas"] if family == "blas" else ["lapacke", "lapacke_work"])):
                for precision, name in names_of(names).items():
                    routines.append(Routine(interface, name, parameters.split(), arguments.split(), result, precision))
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
