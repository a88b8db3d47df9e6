# SPDX-License-Identifier: BSD-3-Clause
"""What the Fortran interfaces declare besides the functions of the table."""

KINDS = [("MPI_ADDRESS_KIND", 8), ("MPI_OFFSET_KIND", 8), ("MPI_COUNT_KIND", 8), ("MPI_INTEGER_KIND", 4),
         ("MPI_STATUS_SIZE", 8), ("MPI_SOURCE", 1), ("MPI_TAG", 2), ("MPI_ERROR", 3)]
# The bounds of MPI-1, numbered as in mpi/abi/generate.py.
MARKERS = [("MPI_LB", "MPI_Datatype", 0x204), ("MPI_UB", "MPI_Datatype", 0x205)]
# Sections of arrays as buffers: see docs/fortran.md.
SUPPORTED = {module: [("MPI_SUBARRAYS_SUPPORTED", are_supported), ("MPI_ASYNC_PROTECTS_NONBLOCKING", "false")]
             for module, are_supported in (("mpi", "false"), ("mpi_f08", "true"))}
# Name, type, shape, COMMON block: fortran/binding.c has the blocks.
SENTINELS = [
    ("MPI_BOTTOM", "INTEGER", "", "MPISIM_F_BOTTOM"), ("MPI_IN_PLACE", "INTEGER", "", "MPISIM_F_IN_PLACE"),
    ("MPI_BUFFER_AUTOMATIC", "INTEGER", "", "MPISIM_F_AUTOMATIC"),
    ("MPI_STATUS_IGNORE", "INTEGER", "(MPI_STATUS_SIZE)", "MPISIM_F_STATUS"),
    ("MPI_STATUSES_IGNORE", "INTEGER", "(MPI_STATUS_SIZE,1)", "MPISIM_F_STATUSES"),
    ("MPI_ERRCODES_IGNORE", "INTEGER", "(1)", "MPISIM_F_ERRCODES"), ("MPI_UNWEIGHTED", "INTEGER", "(1)", "MPISIM_F_UNWEIGHTED"),
    ("MPI_WEIGHTS_EMPTY", "INTEGER", "(1)", "MPISIM_F_EMPTY"), ("MPI_ARGV_NULL", "CHARACTER*1", "(1)", "MPISIM_F_ARGV"),
    ("MPI_ARGVS_NULL", "CHARACTER*1", "(1,1)", "MPISIM_F_ARGVS"),
]
OBJECTS = [("comm", "MPI_Comm"), ("type", "MPI_Datatype"), ("win", "MPI_Win")]
PREDEFINED = ["MPI_NULL_COPY_FN", "MPI_DUP_FN", "MPI_NULL_DELETE_FN", "MPI_CONVERSION_FN_NULL"] + [
    f"MPI_{o.upper()}_{f}" for o, _ in OBJECTS for f in ("NULL_COPY_FN", "DUP_FN", "NULL_DELETE_FN")]

STATUS_TYPE = ["type, bind(C) :: MPI_Status", "  integer :: MPI_SOURCE", "  integer :: MPI_TAG", "  integer :: MPI_ERROR",
               "  integer, private :: MPI_internal(5)", "end type MPI_Status"]
ADDRESS = "integer(kind=MPI_ADDRESS_KIND)"
DOUBLE = "real(kind=8)"  # C's: with -fdefault-real-8 "double precision" has 16 bytes


# --- functions without an error code ---

def function_body(result, name, dummies):
    return [f"  function {name}({', '.join(dummies)}) result(value)", "    import"] + [
        f"    {ADDRESS}, intent(in) :: {d}" for d in dummies] + [f"    {result} :: value", "  end function"]


def without_code(prefix, suffix):
    out = []
    for name, result, dummies in (("MPI_Wtime", DOUBLE, []), ("MPI_Wtick", DOUBLE, []),
                                  ("MPI_Aint_add", ADDRESS, ["base", "disp"]), ("MPI_Aint_diff", ADDRESS, ["addr1", "addr2"])):
        generic = prefix + name if suffix else ""
        out += [f"interface {generic}"] + function_body(result, prefix + name + suffix, dummies) + ["end interface"]
    generic = prefix + "MPI_Pcontrol" if suffix else ""
    return out + [f"interface {generic}", f"  subroutine {prefix}MPI_Pcontrol{suffix}(level)",
                  "    integer, intent(in) :: level", "  end subroutine", "end interface"]


def status_conversion(prefix, is_f08):
    """MPI_Status_f2f08 and back; the module mpi has no type of mpi_f08, so they are in mpi_f08 alone."""
    out = []
    for name, first, second in (("f2f08", "f_status", "f08_status"), ("f082f", "f08_status", "f_status")) if is_f08 else ():
        out += [f"interface {prefix}MPI_Status_{name}", f"  subroutine {prefix}MPI_Status_{name}_f08({first}, {second}, ierror)",
                "    import"]
        for dummy, direction in ((first, "in"), (second, "inout")):
            f_type, shape = ("integer", "(MPI_STATUS_SIZE)") if dummy == "f_status" else ("type(MPI_Status)", "")
            out.append(f"    {f_type}, intent({direction}) :: {dummy}{shape}")
        out += ["    integer, optional, intent(inout) :: ierror", "  end subroutine", "end interface"]
    return out


# --- MPI-1 ---

def removed(prefix):
    choice = ["    !GCC$ ATTRIBUTES NO_ARG_CHECK :: location", "    type(*), dimension(*) :: location"]
    integers = {"MPI_Address": (["location"], ["address"]), "MPI_Type_extent": (["datatype"], ["extent"]),
                "MPI_Type_lb": (["datatype"], ["displacement"]), "MPI_Type_ub": (["datatype"], ["displacement"]),
                "MPI_Type_hvector": (["count", "blocklength", "stride", "oldtype"], ["newtype"]),
                "MPI_Errhandler_set": (["comm", "errhandler"], []), "MPI_Errhandler_get": (["comm"], ["errhandler"])}
    arrays = {"MPI_Type_struct": ["array_of_blocklengths", "array_of_displacements", "array_of_types"],
              "MPI_Type_hindexed": ["array_of_blocklengths", "array_of_displacements"]}
    out = ["interface"]
    for name, (taken, given) in integers.items():
        out += [f"  subroutine {prefix}{name}({', '.join(taken + given + ['ierror'])})"]
        out += choice if taken == ["location"] else [f"    integer, intent(in) :: {', '.join(taken)}"]
        out += [f"    integer, intent(inout) :: {', '.join(given + ['ierror'])}", "  end subroutine"]
    for name, taken in arrays.items():
        old = ["oldtype"] if name == "MPI_Type_hindexed" else []
        out += [f"  subroutine {prefix}{name}({', '.join(['count'] + taken + old + ['newtype', 'ierror'])})",
                f"    integer, intent(in) :: {', '.join(['count'] + [t + '(*)' for t in taken] + old)}",
                "    integer, intent(inout) :: newtype, ierror", "  end subroutine"]
    out += [f"  subroutine {prefix}MPI_Errhandler_create(function, errhandler, ierror)", "    external :: function",
            "    integer, intent(inout) :: errhandler, ierror", "  end subroutine"]
    return out + ["end interface"]


# --- callbacks of mpi_f08 ---

def abstract(name, dummies):
    return [f"  subroutine {name}({', '.join(d for d, _ in dummies)})", "    import"] + [
        f"    {f_type} :: {dummy}" for dummy, f_type in dummies] + ["  end subroutine"]


def copy_dummies(handle, keyval):
    return [("old" + handle[0], f"type({handle[1]})"), (keyval, "integer"), ("extra_state", ADDRESS), ("attribute_val_in", ADDRESS),
            ("attribute_val_out", ADDRESS), ("flag", "logical"), ("ierror", "integer")]


def delete_dummies(handle, keyval):
    return [(handle[0] if handle[0] != "type" else "datatype", f"type({handle[1]})"), (keyval, "integer"), ("attribute_val", ADDRESS),
            ("extra_state", ADDRESS), ("ierror", "integer")]


def conversion_dummies(count):
    return [("userbuf", "type(c_ptr), value"), ("datatype", "type(MPI_Datatype)"), ("count", count), ("filebuf", "type(c_ptr), value"),
            ("position", "integer(kind=MPI_OFFSET_KIND)"), ("extra_state", ADDRESS), ("ierror", "integer")]


def callback_interfaces():
    out = ["abstract interface"]
    for name, length in (("MPI_User_function", "integer"), ("MPI_User_function_c", "integer(kind=MPI_COUNT_KIND)")):
        out += abstract(name, [("invec", "type(c_ptr), value"), ("inoutvec", "type(c_ptr), value"), ("len", length),
                               ("datatype", "type(MPI_Datatype)")])
    for handle in OBJECTS:
        name = f"MPI_{handle[0].capitalize()}_"
        out += abstract(name + "copy_attr_function", copy_dummies(handle, handle[0] + "_keyval"))
        out += abstract(name + "delete_attr_function", delete_dummies(handle, handle[0] + "_keyval"))
    for dummy, handle in (("comm", "Comm"), ("win", "Win"), ("file", "File"), ("session", "Session")):
        out += abstract(f"MPI_{handle}_errhandler_function", [(dummy, f"type(MPI_{handle})"), ("error_code", "integer")])
    out += abstract("MPI_Grequest_query_function", [("extra_state", ADDRESS), ("status", "type(MPI_Status)"), ("ierror", "integer")])
    out += abstract("MPI_Grequest_free_function", [("extra_state", ADDRESS), ("ierror", "integer")])
    out += abstract("MPI_Grequest_cancel_function", [("extra_state", ADDRESS), ("complete", "logical"), ("ierror", "integer")])
    out += abstract("MPI_Datarep_extent_function", [("datatype", "type(MPI_Datatype)"), ("extent", ADDRESS), ("extra_state", ADDRESS),
                                                    ("ierror", "integer")])
    out += abstract("MPI_Datarep_conversion_function", conversion_dummies("integer"))
    out += abstract("MPI_Datarep_conversion_function_c", conversion_dummies("integer(kind=MPI_COUNT_KIND)"))
    return out + ["end interface"]


def predefined_interfaces():
    out = ["interface"]
    for handle in OBJECTS:
        name = f"MPI_{handle[0].upper()}_"
        for function in ("NULL_COPY_FN", "DUP_FN"):
            out += abstract(name + function, copy_dummies(handle, handle[0] + "_keyval"))
        out += abstract(name + "NULL_DELETE_FN", delete_dummies(handle, handle[0] + "_keyval"))
    out += abstract("MPI_CONVERSION_FN_NULL", conversion_dummies("integer"))
    out += abstract("MPI_CONVERSION_FN_NULL_C", conversion_dummies("integer(kind=MPI_COUNT_KIND)"))
    return out + ["end interface"]


# --- == and /= of handles ---

def operators(handles):
    out = []
    for operator, word in (("==", "equal"), ("/=", "differ")):
        out += [f"interface operator({operator})"] + [f"  module procedure mpisim_{word}_{h.lower()}" for h in handles] + ["end interface"]
        out += [f"private :: mpisim_{word}_{h.lower()}" for h in handles]
    return out


def operator_bodies(handles):
    out = []
    for operator, word in (("==", "equal"), ("/=", "differ")):
        for handle in handles:
            out += [f"  elemental logical function mpisim_{word}_{handle.lower()}(a, b) result(answer)",
                    f"    type({handle}), intent(in) :: a, b", f"    answer = a%MPI_VAL {operator} b%MPI_VAL", "  end function"]
    return out
