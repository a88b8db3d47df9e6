#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what follows mechanically from the ABI tables: mpi.h, the stubs, the PMPI aliases and the table of functions.

    generate.py header  functions.txt constants.csv > mpi.h
    generate.py stubs   functions.txt               > stubs.c     weak definitions of every function
    generate.py aliases functions.txt               > pmpi.ld     PMPI_X = MPI_X, for the linker
    generate.py table   functions.txt               > functions.c chapters and restrictions (mpi/abi/functions.h)
"""
import csv
import fnmatch
import os
import re
import sys

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

# The functions of removed.txt: REMOVED_AS have today's functions behind them (same arguments), the others are defined in
# mpi/datatype/query.c.
REMOVED_H = """
/* Removed from the standard in MPI 3.0; here so that old programs build. */
typedef MPI_Comm_errhandler_function MPI_Handler_function;
#define MPI_LB ((MPI_Datatype)0x00000204)
#define MPI_UB ((MPI_Datatype)0x00000205)
"""
REMOVED_AS = {
    "MPI_Address": "MPI_Get_address",
    "MPI_Type_struct": "MPI_Type_create_struct",
    "MPI_Type_hvector": "MPI_Type_create_hvector",
    "MPI_Type_hindexed": "MPI_Type_create_hindexed",
    "MPI_Errhandler_create": "MPI_Comm_create_errhandler",
    "MPI_Errhandler_set": "MPI_Comm_set_errhandler",
    "MPI_Errhandler_get": "MPI_Comm_get_errhandler",
}
REMOVED = ["MPI_Type_extent", "MPI_Type_lb", "MPI_Type_ub"]

# The functions of fortran.txt, which are not part of the ABI because Fortran compilers differ: this is for gfortran.
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


def read_functions(path):
    """[(return type, name, parameters, note)] in file order."""
    functions = []
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        text, _, note = line.partition("//")
        if line.startswith("#") or not text.strip():
            continue
        match = re.fullmatch(r"(.+?[ *])(MPI_\w+)\((.*)\);", text.strip())
        if not match:
            sys.exit(f"{path}:{number}: found {text.strip()!r}, wanted a prototype of an MPI_ function")
        functions.append((match[1].strip(), match[2], match[3], note.strip()))
    return functions


def beside(name):
    """The lines of a table in this folder, without comments."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    with open(path, encoding="utf-8") as stream:
        return [line.strip() for line in stream if not line.startswith("#") and line.strip()]


def read_removed():
    """The prototypes of removed.txt."""
    return beside("removed.txt")


def read_fortran():
    """The prototypes of fortran.txt, and again with the profiling names."""
    lines = beside("fortran.txt")
    return lines + [re.sub(r"\bMPI_(?=\w+\()", "PMPI_", line) for line in lines]


def fits(pattern, name):
    return pattern == name or fnmatch.fnmatchcase(name, pattern)


def read_chapters(names):
    """{chapter: [function]} in the order of chapters.txt; the longest pattern that fits a function counts."""
    patterns = []
    chapters = {}
    for line in beside("chapters.txt"):
        chapter, _, words = line.partition(": ")
        chapters[chapter] = []
        patterns += [(chapter, word) for word in words.split()]
    for name in names:
        found = [(len(pattern), chapter) for chapter, pattern in patterns if fits(pattern, name)]
        if not found:
            sys.exit(f"chapters.txt: no pattern fits {name}")
        chapters[max(found)[1]].append(name)
    return chapters


def read_restrictions(names):
    """{function: (version, how)}, large-count twins included."""
    restrictions = {}
    for line in beside("restrictions.txt"):
        words = line.split(None, 2)
        found = [name for name in names if fits(words[0], name) or fits(words[0] + "_c", name)]
        if not found or len(words) < 3 or not re.fullmatch(r"\d+\.\d+\.\d+", words[1]):
            sys.exit(f"restrictions.txt: found {line!r}, wanted a function of MPI, a version as 0.1.0, and how")
        restrictions.update((name, (words[1], words[2])) for name in found if name not in restrictions)
    return restrictions


def names_in(prototypes):
    return [re.search(r"MPI_\w+(?=\()", line)[0] for line in prototypes]


def all_names(functions):
    """Names of functions.txt, removed.txt and fortran.txt, sorted."""
    return sorted([name for _, name, _, _ in functions] + names_in(read_removed()) + names_in(beside("fortran.txt")))


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
    for prefix in ("", "P"):
        out += [""] + [f"{result} {prefix}{name}({pointers_for_weights(parameters)});".replace("* ", "*")
                       for result, name, parameters, _ in functions]
    out += [REMOVED_H, *read_removed(), FORTRAN_H, *read_fortran(), "#if defined(MPISIM_BUILDING)", "#pragma GCC visibility pop", "#endif",
            "#if defined(__cplusplus)", "}", "#endif", "#endif"]
    return out


def write_stubs(functions):
    """Weak definitions: a chapter that implements a function defines it strongly, and the stub is gone."""
    out = ["/* SPDX-License-Identifier: BSD-3-Clause */",
           "/* Generated by mpi/abi/generate.py: what is not implemented ends the run with its name. */",
           '#include "mpi/core/rank.h"', ""]
    for result, name, parameters, _ in functions:
        value = "mpi_unsupported(__func__, __builtin_return_address(0))"
        body = f"return {value};" if result == "int" else f"return ({result})(intptr_t){value};"
        out += [f'__attribute__((weak, visibility("default"))) {result} {name}({parameters})', "{", f"\t{body}", "}"]
    return out


def write_table(functions):
    """The rows of mpi/abi/functions.h, sorted by name."""
    names = all_names(functions)
    restrictions = read_restrictions(names)
    chapter_of = {name: chapter for chapter, members in read_chapters(names).items() for name in members}
    out = ["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Generated by mpi/abi/generate.py, do not edit. */",
           '#include "mpi/abi/functions.h"', "", "const struct mpi_function mpi_functions[] = {"]
    for name in names:
        since, how = (f'"{text}"' for text in restrictions[name]) if name in restrictions else ("NULL", "NULL")
        out.append(f'\t{{"{name}", "{chapter_of[name]}", {since}, {how}}},')
    return out + ["};", "", f"const int mpi_n_functions = {len(names)};"]


def main():
    what, functions = sys.argv[1], read_functions(sys.argv[2])
    if what == "header":
        out = write_header(functions, read_constants(sys.argv[3]))
    elif what == "stubs":
        out = write_stubs(functions)
    elif what == "table":
        out = write_table(functions)
    else:
        out = ["/* SPDX-License-Identifier: BSD-3-Clause */"] + [f"P{name} = {name};" for _, name, _, _ in functions]
        out += [f"{removed} = {name};\nP{removed} = {name};" for removed, name in REMOVED_AS.items()]
        out += [f"P{name} = {name};" for name in REMOVED]
        out += [f"P{name} = {name};" for name in names_in(beside("fortran.txt"))]
    print("\n".join(out))


if __name__ == "__main__":
    main()
