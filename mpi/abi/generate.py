#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what follows mechanically from the ABI tables: mpi.h, the stubs, the PMPI aliases and the table of functions.

    generate.py header  functions.txt constants.csv > mpi.h
    generate.py stubs   functions.txt               > stubs.c     weak definitions of every function
    generate.py aliases functions.txt               > pmpi.ld     PMPI_X = MPI_X, for the linker
    generate.py table   functions.txt               > functions.c chapters and restrictions (mpi/abi/functions.h)
"""
import csv
import re
import sys

import table

HANDLES = ["Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Win"]
TOOL_HANDLES = ["cvar_handle", "enum", "event_instance", "event_registration", "pvar_handle", "pvar_session"]

TYPES_H = """
typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef MPI_Offset MPI_Count;

typedef struct {
	int MPI_SOURCE;
	int MPI_TAG;
	int MPI_ERROR;
	int MPI_internal[5];
} MPI_Status;
"""

# Callback types of the standard, in the order of its chapters.
CALLBACKS_H = """
typedef void (MPI_User_function)(void *invec, void *inoutvec, int *len, MPI_Datatype *datatype);
typedef void (MPI_User_function_c)(void *invec, void *inoutvec, MPI_Count *len, MPI_Datatype *datatype);

typedef int (MPI_Comm_copy_attr_function)(MPI_Comm oldcomm, int keyval, void *extra_state,
					  void *attribute_val_in, void *attribute_val_out, int *flag);
typedef int (MPI_Comm_delete_attr_function)(MPI_Comm comm, int keyval, void *attribute_val, void *extra_state);
typedef int (MPI_Type_copy_attr_function)(MPI_Datatype oldtype, int keyval, void *extra_state,
					  void *attribute_val_in, void *attribute_val_out, int *flag);
typedef int (MPI_Type_delete_attr_function)(MPI_Datatype datatype, int keyval, void *attribute_val, void *extra_state);
typedef int (MPI_Win_copy_attr_function)(MPI_Win oldwin, int keyval, void *extra_state,
					 void *attribute_val_in, void *attribute_val_out, int *flag);
typedef int (MPI_Win_delete_attr_function)(MPI_Win win, int keyval, void *attribute_val, void *extra_state);
typedef int (MPI_Copy_function)(MPI_Comm oldcomm, int keyval, void *extra_state, void *attribute_val_in,
				void *attribute_val_out, int *flag); /* deprecated: MPI-2.0 */
typedef int (MPI_Delete_function)(MPI_Comm comm, int keyval, void *attribute_val, void *extra_state); /* deprecated: MPI-2.0 */

typedef void (MPI_Comm_errhandler_function)(MPI_Comm *comm, int *error_code, ...);
typedef void (MPI_Win_errhandler_function)(MPI_Win *win, int *error_code, ...);
typedef void (MPI_File_errhandler_function)(MPI_File *file, int *error_code, ...);
typedef void (MPI_Session_errhandler_function)(MPI_Session *session, int *error_code, ...);

typedef int (MPI_Grequest_query_function)(void *extra_state, MPI_Status *status);
typedef int (MPI_Grequest_free_function)(void *extra_state);
typedef int (MPI_Grequest_cancel_function)(void *extra_state, int complete);

typedef int (MPI_Datarep_extent_function)(MPI_Datatype datatype, MPI_Aint *extent, void *extra_state);
typedef int (MPI_Datarep_conversion_function)(void *userbuf, MPI_Datatype datatype, int count, void *filebuf,
					      MPI_Offset position, void *extra_state);
typedef int (MPI_Datarep_conversion_function_c)(void *userbuf, MPI_Datatype datatype, MPI_Count count, void *filebuf,
						MPI_Offset position, void *extra_state);
"""

TOOL_CALLBACKS_H = """
typedef void (MPI_T_event_cb_function)(MPI_T_event_instance event_instance, MPI_T_event_registration event_registration,
				       MPI_T_cb_safety cb_safety, void *user_data);
typedef void (MPI_T_event_free_cb_function)(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
					    void *user_data);
typedef void (MPI_T_event_dropped_cb_function)(MPI_Count count, MPI_T_event_registration event_registration,
					       int source_index, MPI_T_cb_safety cb_safety, void *user_data);
"""

# Functions without an alias are defined in mpi/datatype/query.c.
REMOVED_H = """
/* Removed from the standard in MPI 3.0; here so that old programs build. */
typedef MPI_Comm_errhandler_function MPI_Handler_function;
#define MPI_LB ((MPI_Datatype)0x00000204)
#define MPI_UB ((MPI_Datatype)0x00000205)
"""

# Conversions for Fortran are not part of the ABI because Fortran compilers differ: this is for gfortran.
FORTRAN_H = """
/* Handles and statuses of Fortran (gfortran), for programs of both languages. */
typedef int MPI_Fint;
typedef MPI_Status MPI_F08_status;
extern MPI_Fint mpisim_f_status_[8], mpisim_f_statuses_[8];
#define MPI_F_STATUS_IGNORE mpisim_f_status_
#define MPI_F_STATUSES_IGNORE mpisim_f_statuses_
#define MPI_F08_STATUS_IGNORE ((MPI_F08_status *)mpisim_f_status_)
#define MPI_F08_STATUSES_IGNORE ((MPI_F08_status *)mpisim_f_statuses_)
"""

SENTINEL_TYPES = {
    "MPI_ARGV_NULL": "char **", "MPI_ARGVS_NULL": "char ***", "MPI_ERRCODES_IGNORE": "int *",
    "MPI_STATUS_IGNORE": "MPI_Status *", "MPI_STATUSES_IGNORE": "MPI_Status *",
    "MPI_UNWEIGHTED": "int *", "MPI_WEIGHTS_EMPTY": "int *",
}


def read_constants(path):
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def callback_type(name):
    for suffix, c_type in (("NULL_COPY_FN", "copy_attr"), ("DUP_FN", "copy_attr"), ("NULL_DELETE_FN", "delete_attr")):
        for prefix in ("MPI_COMM_", "MPI_TYPE_", "MPI_WIN_"):
            if name == prefix + suffix:
                return f"MPI_{prefix[4:-1].capitalize()}_{c_type}_function *"
    return {"MPI_NULL_COPY_FN": "MPI_Copy_function *", "MPI_DUP_FN": "MPI_Copy_function *",
            "MPI_NULL_DELETE_FN": "MPI_Delete_function *",
            "MPI_CONVERSION_FN_NULL": "MPI_Datarep_conversion_function *",
            "MPI_CONVERSION_FN_NULL_C": "MPI_Datarep_conversion_function_c *"}[name]


def constant_definition(row):
    """The line of C for a row of constants.csv, or None for rows that are facts about layout."""
    name, kind, value = row["name"], row["kind"], row["value"]
    c_type = None
    if kind == "op":
        c_type = "MPI_Op"
    elif kind == "datatype":
        c_type = "MPI_Datatype"
    elif kind.startswith("handle:"):
        c_type = kind.split(":")[1]
    elif kind == "pointer_sentinel":
        c_type = SENTINEL_TYPES.get(name, "void *")
    elif kind == "callback_sentinel":
        c_type = callback_type(name)
    elif kind == "const:offset":
        c_type = "MPI_Offset"
    elif not (kind in ("version", "max_string", "const", "error_class", "mpit_error_class")
              or kind.startswith(("enum:", "attr_key:", "mpit:"))) or kind in ("mpit:cb", "mpit:source"):
        return None
    if c_type:
        return f"#define {name} (({c_type}){value})"
    return f"#define {name} {value if int(value, 0) >= 0 else f'({value})'}"


def tool_enum(rows, kind, type_name):
    items = ",\n".join(f"\t{r['name']} = {r['value']}" for r in rows if r["kind"] == kind)
    return f"typedef enum {{\n{items}\n}} {type_name};"


def pointers_for_weights(parameters):
    """Compilers take an array parameter for readable memory and warn about MPI_UNWEIGHTED."""
    return re.sub(r"(\w*weights)\[\]", r"*\1", parameters)


def write_header(functions, constants):
    out = ["/* SPDX-License-Identifier: BSD-3-Clause */",
           "/* mpi.h of the MPI 5.0 standard ABI; generated by mpi/abi/generate.py, do not edit. */",
           "#ifndef MPI_H_ABI", "#define MPI_H_ABI", "", "#include <stdint.h>", "",
           "#if defined(__cplusplus)", 'extern "C" {', "#endif",
           "#if defined(MPISIM_BUILDING)", "#pragma GCC visibility push(default)", "#endif", ""]
    out += [f"typedef struct MPI_ABI_{h} *MPI_{h};" for h in HANDLES]
    out += [f"typedef struct MPI_ABI_T_{h} *MPI_T_{h};" for h in TOOL_HANDLES]
    out += [TYPES_H, CALLBACKS_H, tool_enum(constants, "mpit:cb", "MPI_T_cb_safety"),
            tool_enum(constants, "mpit:source", "MPI_T_source_order"), TOOL_CALLBACKS_H]
    out += filter(None, (constant_definition(row) for row in constants))
    bindings, removed = (table.in_chapter(functions, chapter) for chapter in table.OUTSIDE)
    for prefix in ("", "P"):
        out += [""] + [f"{f.result} {prefix}{f.name}({pointers_for_weights(f.signature)});".replace("* ", "*") for f in table.in_abi(functions)]
    out += [REMOVED_H, *(f.prototype for f in removed), FORTRAN_H]
    out += [f"{f.result} {prefix}{f.name}({f.signature});" for prefix in ("", "P") for f in bindings]
    return out + ["#if defined(MPISIM_BUILDING)", "#pragma GCC visibility pop", "#endif", "#if defined(__cplusplus)", "}", "#endif", "#endif"]


def write_stubs(functions):
    """Weak definitions: a chapter that implements a function defines it strongly, and the stub is gone."""
    out = ["/* SPDX-License-Identifier: BSD-3-Clause */",
           "/* Generated by mpi/abi/generate.py: what is not implemented ends the run with its name. */",
           '#include "mpi/core/rank.h"', ""]
    for f in table.in_abi(functions):
        value = "mpi_unsupported(__func__, __builtin_return_address(0))"
        body = f"return {value};" if f.result == "int" else f"return ({f.result})(intptr_t){value};"
        out += [f'__attribute__((weak, visibility("default"))) {f.result} {f.name}({f.signature})', "{", f"\t{body}", "}"]
    return out


def write_aliases(functions):
    bindings, removed = (table.in_chapter(functions, chapter) for chapter in table.OUTSIDE)
    aliases = [f for f in removed if "alias" in f.columns]
    out = ["/* SPDX-License-Identifier: BSD-3-Clause */"] + [f"P{f.name} = {f.name};" for f in table.in_abi(functions)]
    out += [f"{p}{f.name} = {f.columns['alias']};" for f in aliases for p in ("", "P")]
    return out + [f"P{f.name} = {f.name};" for f in removed + bindings if f not in aliases]


def write_table(functions):
    """The rows of mpi/abi/functions.h, sorted by name."""
    out = ["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Generated by mpi/abi/generate.py, do not edit. */",
           '#include "mpi/abi/functions.h"', "", "const struct mpi_function mpi_functions[] = {"]
    for f in sorted(functions, key=lambda f: f.name):
        since, how = (f'"{text}"' for text in f.restriction) if f.restriction else ("NULL", "NULL")
        out.append(f'\t{{"{f.name}", "{f.chapter}", {since}, {how}}},')
    return out + ["};", "", f"const int mpi_n_functions = {len(functions)};"]


def main():
    what, functions = sys.argv[1], table.read(sys.argv[2])
    if what == "header":
        out = write_header(functions, read_constants(sys.argv[3]))
    else:
        out = {"stubs": write_stubs, "table": write_table, "aliases": write_aliases}[what](functions)
    print("\n".join(out))


if __name__ == "__main__":
    main()
