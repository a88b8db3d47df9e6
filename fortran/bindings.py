#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the functions of C that Fortran calls, a file for each function of MPI, so that programs have what they call.

    bindings.py --list functions.txt    prints the files' names
    bindings.py FOLDER functions.txt    writes them

A function with buffers has two: for mpif.h and the module mpi, and for mpi_f08, which gives descriptors of the buffers. The
others have one for all. All arguments are addresses, `ierror` may be absent; lengths of characters stand at the end. Each has
two names: pmpi_x_, and mpi_x_, which a program may replace.
"""
import os
import sys

import signatures

class Body:
    """One function in C: declarations, what is done before the call, the arguments, what is done after it."""

    def __init__(self, function, with_descriptors):
        self.function, self.with_descriptors = function, with_descriptors
        self.parameters, self.lengths = [], []
        self.declared, self.before, self.arguments, self.after = [], [], [], []
        self.replaced = {}  # arguments that a section gives instead
        for p in function.parameters:
            getattr(self, "add_" + p.kind)(p, p.c_name, p.c_name + "_c")

    def take(self, c_type, name):
        self.parameters.append(f"{c_type}{name}")

    def argument(self, name, text):
        self.arguments.append(self.replaced.get(name, text))

    # --- numbers ---

    def add_value(self, p, name, local):
        self.take(f"const {p.c_type} *", name)
        self.argument(name, f"*{name}")

    def add_out(self, p, name, local):
        self.take(f"{p.c_type} *", name)
        self.arguments.append(name)

    add_inout = add_array = add_out

    def add_ranges(self, p, name, local):
        self.take("int ", name + "[][3]")
        self.arguments.append(name)

    def add_absent(self, p, name, local):
        self.arguments.append(p.detail)

    def add_weights(self, p, name, local):
        self.take("int *", name)
        self.arguments.append(f"fortran_weights({name})")

    def add_logical(self, p, name, local):
        self.take("const int *", name)
        self.arguments.append(f"*{name} != 0")

    def add_logical_out(self, p, name, local):
        self.take("int *", name)
        self.declared.append(f"int {local} = 0;")
        self.arguments.append(f"&{local}")
        self.after.append(f"*{name} = {local} != 0;")

    def add_logicals(self, p, name, local):
        self.take("const int *" if p.is_const else "int *", name)
        self.arguments.append(name)
        if not p.is_const:
            self.after.append(f"if (code == MPI_SUCCESS)\n\t\tfortran_logicals({p.detail}, {name});")

    def add_index(self, p, name, local):
        self.take("int *", name)
        self.declared.append(f"int {local} = MPI_UNDEFINED;")
        self.arguments.append(f"&{local}")
        self.after.append(f"*{name} = {local} == MPI_UNDEFINED ? {local} : {local} + 1;")

    def add_outcount(self, p, name, local):
        self.take("int *", name)
        self.declared.append(f"int {local} = MPI_UNDEFINED;")
        self.arguments.append(f"&{local}")
        self.after.append(f"*{name} = {local};")

    def add_indices(self, p, name, local):
        self.take("int *", name)
        self.arguments.append(name)
        self.after.append(f"for (int i = 0; i < outcount_c; i++)\n\t\t{name}[i]++;")

    # --- handles ---

    def add_handle(self, p, name, local):
        self.take("const int *", name)
        self.declared.append(f"{p.c_type} {local} = fortran_handle({signatures.HANDLES[p.c_type]}, *{name});")
        self.argument(name, local)

    def add_handle_inout(self, p, name, local):
        self.take("int *", name)
        self.declared.append(f"{p.c_type} {local} = fortran_handle({signatures.HANDLES[p.c_type]}, *{name});")
        self.arguments.append(f"&{local}")
        self.after.append(f"fortran_number({name}, {local});")

    def add_handle_out(self, p, name, local):
        self.take("int *", name)
        self.declared.append(f"{p.c_type} {local} = NULL;")
        self.arguments.append(f"&{local}")
        self.after.append(f"fortran_number({name}, {local});")

    def add_list(self, p, name, local):
        length, _, direction = p.detail.rpartition(":")
        self.take("const int *" if direction == "in" else "int *", name)
        self.declared.append(f"struct fortran_list {local};")
        numbers = "NULL" if direction == "out" else name
        self.before.append(f"fortran_list_begin(&{local}, FOREIGN_{signatures.HANDLES[p.c_type]}, {length}, {numbers});")
        self.arguments.append(f"({p.c_type} *){local}.handles")
        self.after.append(f"fortran_list_end(&{local}, {'NULL' if direction == 'in' else name});")

    def add_status(self, p, name, local):
        self.take("const MPI_Status *" if p.is_const else "MPI_Status *", name)
        self.arguments.append(f"fortran_status({name})")

    add_statuses = add_status

    # --- characters ---

    def add_string(self, p, name, local):
        if self.with_descriptors:
            self.take("const CFI_cdesc_t *", name)
            text = f"{name}->base_addr, {name}->elem_len"
        else:
            self.take("const char *", name)
            self.lengths.append(name)
            text = f"{name}, {name}_len"
        self.declared.append(f"struct fortran_string {local};")
        self.before.append(f"fortran_string_begin(&{local}, {text}, {'true' if p.kind == 'key' else 'false'});")
        self.arguments.append(f"{local}.text")
        self.after.append(f"fortran_string_end(&{local});")

    add_key = add_string

    def add_text(self, p, name, local):
        self.take("char *", name)
        self.lengths.append(name)
        self.declared.append(f"char {local}[{p.detail}];")
        self.arguments.append(local)
        self.after.append(f"if (code == MPI_SUCCESS)\n\t\tfortran_text({name}, {name}_len, {local});")

    # --- memory ---

    def add_choice(self, p, name, local):
        if self.with_descriptors:
            self.add_section(p, name, local)
            return
        self.take("const void *" if p.is_const else "void *", name)
        self.declared.append(f"void *{local} = fortran_buffer({name});")
        self.arguments.append(local)

    def add_section(self, p, name, local):
        self.take("const CFI_cdesc_t *", name)
        function, triple, is_written = self.function, self.function.triple_of(p), "false" if p.is_const else "true"
        request = f"{function.request.c_name}_c" if function.request else "MPI_REQUEST_NULL"
        self.declared.append(f"void *{local} = fortran_buffer({name}->base_addr);")
        if p.given.kind in ("address", "out"):
            pass  # nothing that the program keeps there is touched
        elif triple and not function.is_blocking:
            count, datatype = triple
            c_type = next(q.c_type for q in function.parameters if q.c_name == count)
            has_request = "true" if function.request else "false"
            self.declared.append(f'struct fortran_section {name}_section = {{"{function.name}", __builtin_return_address(0), {is_written}, {has_request}}};')
            self.before.append(f"{local} = fortran_section_begin(&{name}_section, {name}, *{count}, {datatype}_c);")
            self.after.append(f"fortran_section_end(&{name}_section, {request});")
            self.replaced[count] = f"{'(int)' if c_type == 'int' else ''}{name}_section.count"
            self.replaced[datatype] = f"{name}_section.type"
        elif function.is_blocking or function.request:
            self.declared.append(f"struct fortran_copy *{name}_copy;")
            self.before.append(f'{local} = fortran_copy_begin(&{name}_copy, "{function.name}", {name}, {is_written});')
            self.after.append(f"fortran_copy_end({name}_copy);" if function.is_blocking else f"fortran_copy_keep({name}_copy, {request});")
        else:
            self.before.append(f'fortran_contiguous("{function.name}", {name});')
        self.arguments.append(local)

    def add_pointer(self, p, name, local):
        self.take("void *", name)
        self.arguments.append(name)

    def add_detached(self, p, name, local):
        """A pointer for mpi_f08 only; the others' argument has a type that cannot hold one."""
        self.declared.append(f"void *{local} = NULL;")
        self.take("void **", name)
        self.arguments.append(f"&{local}")
        if self.with_descriptors:
            self.after.append(f"if (code == MPI_SUCCESS)\n\t\t*{name} = fortran_detached({local});")

    # --- callbacks and attributes ---

    def add_callback(self, p, name, local):
        self.take("fortran_procedure *", name)
        self.arguments.append(f"({p.detail or p.c_type} *)fortran_callback({name})")

    def integer(self):
        return "int" if self.function.language == "MPI_LANGUAGE_FORTRAN_1" else "MPI_Aint"

    def add_state(self, p, name, local):
        self.take(f"const {self.integer()} *", name)
        self.arguments.append(f"(void *)(MPI_Aint)*{name}")

    add_attribute = add_state

    def add_kept(self, p, name, local):
        self.take(f"{self.integer()} *", name)
        self.arguments.append(name)

    def add_attribute_out(self, p, name, local):
        self.take(f"{self.integer()} *", name)
        self.declared.append(f"void *{local} = NULL;")
        self.arguments.append(f"&{local}")
        keyval = next(q for q in p.detail.split(":") if q.removeprefix("*") in [o.c_name for o in self.function.parameters])
        self.after.append(f"if (code == MPI_SUCCESS && flag_c)\n\t\t*{name} = ({self.integer()})fortran_attribute({keyval}, {local});")

    # --- the text ---

    def text(self):
        function = self.function
        name = function.lower + ("_f08ts_" if self.with_descriptors else "_")
        parameters = self.parameters + ["int *ierror"] + [f"size_t {n}_len" for n in self.lengths]
        out = [f"void p{name}({', '.join(parameters)})"]
        out += ["{"] + [f"\t{line}" for line in self.declared] + ["\tint code;", ""]
        if self.with_descriptors and self.before:  # for what is refused before the call
            out.append("\tFORTRAN_CALL();")
        out += [f"\t{line}" for line in self.before]
        if not self.with_descriptors or not self.before or self.replaced:
            out.append("\tFORTRAN_CALL();")
        if function.language:
            out.append(f"\tmpisim_foreign_language({function.language});")
        out.append(f"\tcode = {function.name}({', '.join(self.arguments)});")
        if function.language:
            out.append("\tmpisim_foreign_language(MPI_LANGUAGE_C);")
        out += [f"\t{line}" for line in self.after] + ["\tfortran_return(ierror, code);", "}"]
        return out + self.names(name)

    def names(self, name):
        out = [f"FORTRAN_ALIAS(p{name}, {name})"]
        if not self.with_descriptors and not self.function.has_descriptors:
            f08 = name[:-1] + "_f08_"
            out += [f"FORTRAN_ALIAS(p{name}, p{f08})", f"FORTRAN_ALIAS(p{name}, {f08})"]
        return out + [""]


def text_of(function):
    out = ["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Generated by fortran/bindings.py, do not edit. */",
           '#include "fortran/binding.h"', ""]
    if not (function.is_large and function.has_descriptors):  # large counts are mpi_f08's alone
        out += Body(function, False).text()
    if function.has_descriptors and not signatures.NOT_IN_F08.fullmatch(function.name):
        out += Body(function, True).text()
    return "\n".join(out)


def main():
    folder, functions = sys.argv[1], [f for f in signatures.read_functions(sys.argv[2]) if not f.by_hand]
    for function in functions:
        if folder == "--list":
            print(function.lower + ".c")
            continue
        with open(os.path.join(folder, function.lower + ".c"), "w", encoding="utf-8") as file:
            file.write(text_of(function))


main()
