/* SPDX-License-Identifier: BSD-3-Clause */
/* What would stop a run, and what one should know before it. */
#include <string.h>

#include "pdexec/arch.h"
#include "pdexec/private.h"
#include "tools/check/check.h"

enum { SYMBOLS_LISTED = 8 };

const char *check_kind_name(enum check_kind kind)
{
	static const char *const names[] = {
	    [CHECK_PROGRAM] = "position-independent program",
	    [CHECK_FIXED_PROGRAM] = "program that is not position-independent",
	    [CHECK_STATIC_PROGRAM] = "statically linked program",
	    [CHECK_LIBRARY] = "shared library",
	    [CHECK_OBJECT] = "object file",
	    [CHECK_CORE] = "core dump",
	};

	return names[kind];
}

static void judge_kind(struct check *check, const struct check_binary *program)
{
	static const char *const what_to_do[] = {
	    [CHECK_PROGRAM] = NULL,
	    [CHECK_FIXED_PROGRAM] =
		"it is not position-independent: compile it with -fPIE and link "
		"it with -pie, as mpisim-cc does",
	    [CHECK_STATIC_PROGRAM] =
		"it is statically linked: link it without -static, as mpisim-cc does",
	    [CHECK_LIBRARY] = "it is a shared library, not a program",
	    [CHECK_OBJECT] = "it is an object file: link it",
	    [CHECK_CORE] = "it is a core dump",
	};

	if (what_to_do[program->kind])
		run_strings_add(&check->stops, "%s", what_to_do[program->kind]);
	if (program->bits != 64)
		run_strings_add(&check->stops, "it is a %d-bit program: rebuild it for 64 bits",
				program->bits);
	else if (pd_arch_machine == 0)
		run_strings_add(&check->stops, "programs cannot be loaded on this processor yet");
	else if (program->machine != pd_arch_machine)
		run_strings_add(&check->stops, "it is for another processor (%s), this one runs %s",
				check_machine_name(program->machine), pd_arch_name);
	if (program->has_text_relocations)
		run_strings_add(&check->stops,
				"it has relocations in its code: compile all of it with -fPIE");
}

static void judge_tls(struct check *check, const struct check_binary *program, size_t room_B)
{
	if (program->tls_size_B > room_B)
		run_strings_add(
		    &check->stops,
		    "it has %llu bytes of thread-local variables, at most %zu are possible",
		    (unsigned long long)program->tls_size_B, room_B);
}

/* Those of libraries are bound when they are called, if ever. */
static void judge_symbols(struct check *check, const struct check_binary *program)
{
	bool is_ours = !check->mpi || strcmp(check->mpi, "mpisim") == 0;

	int n_unknown = 0;

	for (int i = 0; i < check->n_libraries; i++)
		if (!check->libraries[i].path)
			return; /* told already: nobody knows what it has */
	if (program->kind != CHECK_PROGRAM || program->machine != pd_arch_machine || !is_ours)
		return; /* its libraries were not looked into, or must be replaced anyway */
	for (int i = 0; i < program->n_symbols; i++) {
		const struct check_symbol *symbol = &program->symbols[i];

		if (symbol->is_defined || symbol->is_weak || check_find_owner(check, symbol->name))
			continue;
		if (n_unknown++ < SYMBOLS_LISTED)
			run_strings_add(&check->stops,
					"it needs the symbol %s, which no library has",
					symbol->name);
	}
	if (n_unknown > SYMBOLS_LISTED)
		run_strings_add(&check->stops, "it needs %d more symbols that no library has",
				n_unknown - SYMBOLS_LISTED);
}

static void judge_functions(struct check *check)
{
	int n_missing = 0;
	const char *first = NULL;

	for (int i = 0; i < check->n_needs; i++) {
		if (check->needs[i].support != CHECK_MISSING)
			continue;
		n_missing++;
		first = first ? first : check->needs[i].function->name;
	}
	if (n_missing == 1)
		run_strings_add(&check->stops, "%s is missing: calling it would end the run",
				first);
	else if (n_missing > 1)
		run_strings_add(&check->stops,
				"%d MPI functions are missing: calling one would end the run",
				n_missing);
}

static bool needs_any(const struct check_binary *program, const char *const names[], int n)
{
	for (int i = 0; i < program->n_symbols; i++)
		for (int k = 0; k < n && !program->symbols[i].is_defined; k++)
			if (strcmp(program->symbols[i].name, names[k]) == 0)
				return true;
	return false;
}

static void note_library(struct check *check, const struct check_library *library)
{
	if (library->path && pd_private_is_doubtful(library->path))
		run_strings_add(&check->notes,
				"%s%s lies with the system's libraries, so all ranks share its "
				"variables (to give each its own: --private-lib %s)",
				library->name, library->needs_mpi ? " calls MPI and" : "",
				library->name);
}

static bool starts_threads(const struct check_binary *object)
{
	static const char *const names[] = {"pthread_create",
					    "thrd_create",
					    "GOMP_parallel",
					    "__kmpc_fork_call",
					    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE"};

	return needs_any(object, names, sizeof names / sizeof names[0]);
}

static bool starts_processes(const struct check_binary *object)
{
	static const char *const names[] = {"fork", "vfork", "system", "popen", "posix_spawn",
					    "posix_spawnp"};

	return needs_any(object, names, sizeof names / sizeof names[0]);
}

/* What depends on what the program does: its symbols do not tell. */
static void judge_threads(struct check *check, const struct check_binary *program)
{
	static const char *const init[] = {"MPI_Init_thread", "PMPI_Init_thread",
					   "mpi_init_thread_", "mpi_init_thread_f08_",
					   "MPI_Session_init"};

	if (needs_any(program, init, sizeof init / sizeof init[0]))
		run_strings_add(&check->doubts,
				"it asks for a level of thread support: MPI_THREAD_FUNNELED is the "
				"highest that is provided; a program that insists on more ends itself");
	if (!starts_threads(program))
		return;
	run_strings_add(&check->doubts,
			"it can start threads: a call of MPI from another one than the thread "
			"that initializes ends the run");
	run_strings_add(&check->notes,
			"it can start threads: they share the cores that their rank holds "
			"(--cpus-per-rank)");
}

static void add_notes(struct check *check, const struct check_binary *program)
{
	if (program->kind == CHECK_STATIC_PROGRAM)
		run_strings_add(&check->notes,
				"what a statically linked program calls cannot be listed");
	else if (check->n_needs == 0)
		run_strings_add(&check->notes, "it calls no function of MPI");
	if (program->kind == CHECK_PROGRAM && !program->has_lines)
		run_strings_add(&check->notes,
				"it was built without -g: reports will name no source lines");
	if (starts_processes(program))
		run_strings_add(&check->notes,
				"it can start processes: what they compute is not in the prediction, "
				"and a child of fork cannot call MPI");
	for (int i = 0; i < check->n_libraries; i++)
		note_library(check, &check->libraries[i]);
}

void check_judge(struct check *check, size_t tls_size_B)
{
	const struct check_binary *program = &check->objects[0];

	judge_kind(check, program);
	judge_tls(check, program, tls_size_B);
	judge_symbols(check, program);
	judge_functions(check);
	judge_threads(check, program);
	add_notes(check, program);
}
