# SPDX-License-Identifier: BSD-3-Clause
"""Reads what the ABI's prototypes and mpi/record/functions.txt say of each MPI function. A wrong table ends the program with its line."""
import fnmatch
import re
import sys

IGNORED = {"MPI_Info", "MPI_Errhandler", "MPI_Status *"}
SCALARS = {"int", "MPI_Count", "MPI_Aint"}
HANDLES = {"MPI_Datatype": "t", "MPI_Op": "o", "MPI_Comm": "c", "MPI_Group": "g", "MPI_Win": "v"}


def parameters_of(signature):
    """[(C type, name, is array)]"""
    parameters = []
    for text in signature.split(", ") if signature != "void" else []:
        part = re.fullmatch(r"(.*?)(\w+)((?:\[\d*\])*)", text)
        parameters.append((part[1].strip(), part[2], bool(part[3])) if part else (text, "", False))
    return parameters


def read_prototypes(path):
    """{name: (return type, [(C type, name, is array)], parameters)}"""
    found = {}
    for line in open(path, encoding="utf-8"):
        match = re.match(r"(.+?[ *])(MPI_\w+)\((.*)\);", line)
        if not match or line.startswith("#"):
            continue
        found[match[2]] = (match[1].strip(), parameters_of(match[3]), match[3])
    return found


CLASSES = ("local", "call", "own", "effects", "refused", "none")


def classify(path, prototypes):
    """{name: (class, words)}: what the table says of each function, large-count twins included."""
    described = {}
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        names = [n for n in prototypes if n == words[0] or n == words[0] + "_c" or
                 ("*" in words[0] and fnmatch.fnmatchcase(n, words[0]))]
        if not names or len(words) < 2 or words[1] not in CLASSES or (words[1] == "refused") > (len(words) > 2):
            sys.exit(f"{path}:{number}: found {line.strip()!r}, wanted a function of MPI and {', '.join(CLASSES)}, with a reason if refused")
        for name in names:
            if name not in described:
                described[name] = (words[1], words[2:])
    return described


def read_table(path, prototypes):
    """[(name, class, {parameter: kind})], the functions that are recorded, by name."""
    described = classify(path, prototypes)
    return [(name, *described[name]) for name in sorted(described) if described[name][0] in ("local", "call", "own", "effects")]


def read_refused(path, prototypes):
    """{name: reason}, by name; a function of which the table says nothing is an error."""
    described = classify(path, prototypes)
    for name in prototypes:
        if name not in described:
            sys.exit(f"{path}: {name} has no line: say how it is recorded, or why not")
    return {name: " ".join(words) for name, (what, words) in sorted(described.items()) if what == "refused"}


def kinds_of(name, parameters, given, path):
    """[(C type, parameter, is array, letter or "" for not recorded, length)]"""
    given = dict(word.split("=") for word in given)
    out = []
    for c_type, parameter, is_array in parameters:
        letter, _, length = given.pop(parameter, "").partition(":")
        if letter in ("out", "weights"):  # weights change no times
            letter = "-"
        elif letter:
            pass
        elif c_type in IGNORED or parameter in ("argc", "argv") or "displs" in parameter:
            letter = "-"
        elif parameter == "source" and c_type == "int":
            letter = "w"
        elif parameter == "target_disp":
            letter = "d"
        elif c_type in SCALARS and not is_array:
            letter = "i"
        elif c_type in HANDLES and not is_array:
            letter = HANDLES[c_type]
        elif c_type in ("const void *", "void *"):
            letter = "b"
        elif c_type == "MPI_Request *":
            letter = "R"
        elif c_type == "MPI_Win *":
            letter = "U" if name == "MPI_Win_free" else "V"
        elif c_type == "MPI_Comm *":
            letter = "C" if parameter == "newcomm" or parameter.startswith("comm_") else "F"
        else:
            sys.exit(f"{path}: {name}: say the kind of {parameter} ({c_type}{'[]' if is_array else ''})")
        out.append((c_type, parameter, is_array, letter, length))
    if given:
        sys.exit(f"{path}: {name} has no {', '.join(given)}")
    return out


def names_of(parameters):
    return ", ".join(p for _, p, _ in parameters)
