/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_CHECK_H
#define TOOLS_CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "mpi/abi/functions.h"
#include "tools/check/binary.h"
#include "tools/run/strings.h"

/*
 * `mpisim-run --check-binary`: whether a program can be simulated, before anything of it runs: what
 * kind of file it is, which libraries it needs, which MPI functions, and what would stop it.
 */
struct check_symbol_owner { /* a symbol that some object defines */
	const char *name;
	bool is_own; /* defined by the simulator's library */
	bool is_weak;
};

enum check_support {
	CHECK_SUPPORTED,
	CHECK_RESTRICTED, /* need->function->restriction says how */
	CHECK_MISSING,	  /* ends the run when it is called */
};

struct check_need {
	const struct mpi_function *function; /* its name in C */
	const char *symbol;		     /* as it is asked for: "PMPI_Send", "mpi_send_" */
	const char *by; /* path of the library that needs it; NULL: the program itself */
	enum check_support support;
};

struct check_library {
	const char *name; /* as it is asked for */
	const char *path; /* NULL: not found */
	bool needs_mpi;
};

struct check {
	struct check_binary
	    *objects; /* [n_objects] the program, its libraries, then the simulator's */
	int n_objects;
	int n_program;			 /* objects of the program: the first ones */
	struct check_library *libraries; /* [n_libraries] that the program needs, in search order */
	int n_libraries;
	struct check_symbol_owner *owners; /* [n_owners] sorted by name */
	size_t n_owners;
	struct check_need *needs; /* [n_needs] sorted by function and symbol, each once */
	int n_needs;
	const char *mpi;	 /* "mpisim", "MPICH", …; NULL: none is linked */
	const char *mpi_library; /* the name by which it is asked for; NULL: none */
	struct run_strings
	    stops; /* what would stop a run, in sentences; empty: nothing that is known */
	struct run_strings doubts; /* what stops a run if the program does it */
	struct run_strings notes;  /* what one should know before a run */
};

/*
 * Checks `path`. `tls_size_B`: how much room for thread-local variables a run has. Errors: those of
 * check_binary_open for the program itself. On failure nothing is to be released.
 */
int check_create(struct check *out, const char *path, size_t tls_size_B, struct util_error *err);
void check_destroy(struct check *check);

/* What is found about the program as text, at most some 100 columns wide but for names. */
void check_write_text(const struct check *check, FILE *file);
/* The same as JSON (docs/check-binary.md): for util_outfile_write, with a `struct check` as context. */
int check_write_json(const void *check, FILE *file, struct util_error *err);
/* "position-independent program" and so on. */
const char *check_kind_name(enum check_kind kind);

/* --- within the check --- */
/* Fills needs from the symbols of the program's objects. Errors: UTIL_ENOMEM. */
int check_find_needs(struct check *check, struct util_error *err);
/* Adds sentences to stops and notes. */
void check_judge(struct check *check, size_t tls_size_B);
/* The definition of a symbol, the simulator's own where there are several; NULL: nobody has it. */
const struct check_symbol_owner *check_find_owner(const struct check *check, const char *name);
/* Whether a library is part of the simulator: what it needs of MPI is not the program's need. */
bool check_is_own_library(const char *name);

#endif
