/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank as a process: its stack block, start, variables of libc, and end. */
#include "pdexec/process.h"

#include <alloca.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "pdexec/arch.h"
#include "pdexec/cores.h"
#include "pdexec/directory.h"
#include "pdexec/image.h"
#include "pdexec/libc-next.h"
#include "pdexec/private.h"
#include "pdexec/streams.h"
#include "pdexec/threads.h"
#include "util/array.h"

int pd_process_create(struct pd_process **out, const struct pd_process *outside,
		      struct util_error *err)
{
	struct pd_process *process = calloc(1, sizeof(*process));

	if (!process)
		return util_error_set(err, UTIL_ENOMEM, "no memory for the processes of the ranks");
	process->libc = (struct pd_libc_variables){
	    .environment = outside ? outside->libc.environment : environ,
	    .in = outside ? outside->libc.in : stdin,
	    .out = outside ? outside->libc.out : stdout,
	    .err = outside ? outside->libc.err : stderr,
	};
	*out = process;
	return 0;
}

void pd_process_destroy(struct pd_process *process)
{
	if (process) {
		pd_directory_leave(process);
		free(process->environment);
		free(process->affinity);
		free(process->handlers);
	}
	free(process);
}

struct pd_rank *pd_process_here(void)
{
	struct pd_rank *rank = pd_rank_here();

	return rank && rank->world->process_id == getpid() ? rank : NULL;
}

/* --- start --- */

struct block { /* of the initial stack, as it is being written */
	uint64_t *words;
	char *strings;
};

static size_t count(char **list, size_t *out_bytes)
{
	size_t n = 0;

	for (*out_bytes = 0; list[n]; n++)
		*out_bytes += strlen(list[n]) + 1;
	return n;
}

static void put_arguments(struct block *block, char **argv)
{
	for (size_t i = 0; argv[i]; i++) {
		size_t size = strlen(argv[i]) + 1;

		*block->words++ = (uint64_t)(uintptr_t)memcpy(block->strings, argv[i], size);
		block->strings += size;
	}
	*block->words++ = 0;
}

/*
 * The list is the rank's own, because setenv writes into it. The strings are shared: nobody writes
 * into those that are there at the start.
 */
static void put_environment(struct block *block, char **environment)
{
	for (size_t i = 0; environment[i]; i++)
		*block->words++ = (uint64_t)(uintptr_t)environment[i];
	*block->words++ = 0;
}

static void put_auxiliary(struct block *block, const struct pd_image *image, const char *base)
{
	const uint64_t values[][2] = {
	    {AT_PAGESZ, image->elf.page_B},
	    {AT_PHDR, (uint64_t)(uintptr_t)base + ((const Elf64_Ehdr *)image->elf.file)->e_phoff},
	    {AT_PHENT, sizeof(Elf64_Phdr)},
	    {AT_PHNUM, (uint64_t)image->elf.n_phdrs},
	    {AT_ENTRY, (uint64_t)(uintptr_t)base + image->elf.entry},
	    {AT_RANDOM, getauxval(AT_RANDOM)},
	    {AT_NULL, 0},
	};

	memcpy(block->words, values, sizeof(values));
	block->words += sizeof(values) / sizeof(values[0][0]);
}

void pd_process_run(struct pd_rank *rank)
{
	enum { AUXILIARY_WORDS = 14, OTHER_WORDS = 4 };
	struct pd_process *process = rank->process;
	const struct pd_image *image = rank->program->image;
	const char *base = pd_rank_base(rank);
	char **argv = rank->program->config.argv, **environment = process->libc.environment;
	size_t string_B, ignored, n_argv = count(argv, &string_B),
				  n_environment = count(environment, &ignored);
	size_t words = n_argv + n_environment + AUXILIARY_WORDS + OTHER_WORDS;
	char *memory = alloca(words * 8 + string_B + 16);
	uint64_t *start = (uint64_t *)(((uintptr_t)memory + 15) & ~(uintptr_t)15);
	struct block block = {start, (char *)(start + words)};

	*block.words++ = n_argv;
	put_arguments(&block, argv);
	put_environment(&block, environment);
	put_auxiliary(&block, image, base);
	pd_compute_begin(rank);
	pd_arch_enter(base + image->elf.entry, start, process->leave);
}

/* --- initialisation, as the system's loader and crt1 do it --- */

typedef void (*init_fn)(int argc, char **argv, char **environment);

static void run_init_array(const char *base, struct pd_elf_table table, int argc, char **argv,
			   char **environment)
{
	for (size_t i = 0; i < table.size_B / sizeof(init_fn); i++) {
		init_fn function = ((const init_fn *)(base + table.vaddr))[i];

		if (function && (uintptr_t)function != UINTPTR_MAX)
			function(argc, argv, environment);
	}
}

static void initialise(const struct pd_elf *elf, const char *base, int argc, char **argv,
		       char **environment)
{
	run_init_array(base, elf->preinit_array, argc, argv, environment);
	if (elf->init)
		((init_fn)(uintptr_t)(base + elf->init))(argc, argv, environment);
	run_init_array(base, elf->init_array, argc, argv, environment);
}

/*
 * What crt1 calls. Programs linked with glibc before 2.34 pass the function that runs the
 * initialisers, `init`; from then on it is NULL and libc runs them.
 */
static int start_main(int (*main_function)(int, char **, char **), int argc, char **argv,
		      init_fn init, void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
	struct pd_rank *rank = pd_current;
	const struct pd_image *image = rank->program->image;
	const char *base = pd_rank_base(rank);
	int code;

	environ = argv + argc + 1;
	if (image->link.copies.environ)
		*(char ***)(base + image->link.copies.environ) = environ;
	pd_getopt_begin(rank);
	pd_streams_begin(rank);
	if (fini)
		pd_process_at_exit(rank, PD_EXIT_PLAIN, fini, NULL);
	if (init)
		init(argc, argv, environ);
	else
		initialise(&image->elf, base, argc, argv, environ);
	code = main_function(argc, argv, environ);
	if (pd_rank_before_fork())
		pd_process_exit_child(rank, code);
	pd_rank_exit(rank, code);
}

/*
 * std::ios_base::sync_with_stdio: streams stay as they are, on the buffers of stdio. The real one
 * takes the buffers away that the program's copies of the streams use (link.c).
 */
static int keep_streams(int is_synchronised)
{
	return 1;
}

void *pd_process_override(const char *name)
{
	if (!strcmp(name, "__libc_start_main"))
		return (void *)(uintptr_t)start_main;
	if (!strcmp(name, "_ZNSt8ios_base15sync_with_stdioEb"))
		return (void *)(uintptr_t)keep_streams;
	return pd_openmp_override(name);
}

/* --- end --- */

int pd_process_at_exit(struct pd_rank *rank, enum pd_exit_kind kind, void (*function)(void),
		       void *argument)
{
	struct pd_process *process = rank->process;

	if (!util_array_room(&process->handlers, (size_t)process->n_handlers,
			     sizeof *process->handlers))
		return -1;
	process->handlers[process->n_handlers++] =
	    (struct pd_exit_handler){kind, function, argument};
	return 0;
}

static void call_handler(const struct pd_process *process, struct pd_exit_handler handler)
{
	if (handler.kind == PD_EXIT_WITH_STATUS)
		((void (*)(int, void *))handler.function)(process->exit_code, handler.argument);
	else
		((void (*)(void *))handler.function)(handler.argument);
}

/* Takes out and calls the handlers of which `is_thread` holds, the last first; a handler may
 * register more. */
static void run_handlers(struct pd_process *process, bool is_thread)
{
	for (size_t i = process->n_handlers; i-- > 0;) {
		struct pd_exit_handler handler = process->handlers[i];
		size_t n_before;

		if (handler.kind == PD_EXIT_QUICK || (handler.kind == PD_EXIT_THREAD) != is_thread)
			continue;
		memmove(&process->handlers[i], &process->handlers[i + 1],
			(--process->n_handlers - i) * sizeof(handler));
		n_before = process->n_handlers;
		call_handler(process, handler);
		if (process->n_handlers > n_before)
			i = process->n_handlers;
	}
}

static void run_fini_array(const char *base, struct pd_elf_table table)
{
	for (size_t i = table.size_B / sizeof(void (*)(void)); i-- > 0;) {
		void (*function)(void) = ((void (*const *)(void))(base + table.vaddr))[i];

		if (function && (uintptr_t)function != UINTPTR_MAX)
			function();
	}
}

void pd_process_run_exit(struct pd_rank *rank)
{
	struct pd_process *process = rank->process;
	const struct pd_image *image = rank->program->image;
	const char *base = pd_rank_base(rank);

	run_handlers(process, true);
	run_handlers(process, false);
	if (process->has_finished)
		return;
	process->has_finished = true;
	run_fini_array(base, image->elf.fini_array);
	if (image->elf.fini)
		((void (*)(void))(uintptr_t)(base + image->elf.fini))();
}

_Noreturn void pd_process_exit_child(struct pd_rank *rank, int code)
{
	struct pd_process *process = rank->process;

	process->exit_code = code;
	pd_process_run_exit(rank);
	pd_libc_next()->exit(code);
}

_Noreturn void pd_process_leave(struct pd_rank *rank)
{
	pd_arch_leave(((struct pd_process *)rank->process)->leave);
}
