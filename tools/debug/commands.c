/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of docs/debug.md. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pdexec/image.h"
#include "tools/debug/internal.h"
#include "util/units.h"

enum { MOST_WORDS = 24 };

/* A command: NULL when it is done, or what is wrong. `words` behind its name, ended by NULL. */
typedef const char *(*command_fn)(struct run_debug *debug, char *words[]);

const char *debug_take_rank(struct run_debug *debug, const char *word, int *out)
{
	int64_t value;

	if (!word || util_parse_int(word, 0, debug->n_ranks - 1, &value, NULL))
		return debug_wrong(debug, "wanted a rank from 0 to %d, found %s",
				   debug->n_ranks - 1, word ? word : "nothing");
	*out = (int)value;
	return NULL;
}

static const char *go_on(struct run_debug *debug, char *words[])
{
	debug->is_resumed = true;
	return NULL;
}

static const char *step(struct run_debug *debug, char *words[])
{
	const char *wrong;
	int r;

	if (!words[0]) {
		debug->steps_any = debug->is_resumed = true;
		return NULL;
	}
	wrong = debug_take_rank(debug, words[0], &r);
	if (wrong)
		return wrong;
	if (debug->world->ranks[r].pd->has_ended)
		return "this rank has ended";
	debug->ranks[r].is_stepped = debug->is_resumed = true;
	if (!debug->ranks[r].call || !debug->ranks[r].is_kept)
		return NULL;
	debug->ranks[r].is_passing = true;
	if (debug->stopped == r)
		debug->stopped = -1;
	sim_task_wake(&debug->world->ranks[r].pd->task);
	return NULL;
}

/* One rank or all. */
static const char *keep(struct run_debug *debug, char *words[], bool is_kept)
{
	const char *wrong;
	int first = 0, last = debug->n_ranks - 1;

	if (!words[0] || strcmp(words[0], "all") != 0) {
		wrong = debug_take_rank(debug, words[0], &first);
		if (wrong)
			return debug_wrong(debug, "wanted a rank or all; ranks go from 0 to %d",
					   debug->n_ranks - 1);
		last = first;
	}
	for (int r = first; r <= last; r++)
		debug->ranks[r].is_kept = is_kept;
	return NULL;
}

static const char *hold(struct run_debug *debug, char *words[])
{
	return keep(debug, words, true);
}

static const char *release(struct run_debug *debug, char *words[])
{
	return keep(debug, words, false);
}

static const char *show_ranks(struct run_debug *debug, char *words[])
{
	debug_show_ranks(debug);
	return NULL;
}

static const char *show_pending(struct run_debug *debug, char *words[])
{
	debug_show_pending(debug);
	return NULL;
}

static const char *delete (struct run_debug *debug, char *words[])
{
	int64_t number;

	if (!words[0] || util_parse_int(words[0], 1, INT32_MAX, &number, NULL))
		return "wanted the number of a breakpoint";
	return debug_break_remove(debug, (int)number);
}

static const char *list_breaks(struct run_debug *debug, char *words[])
{
	debug_breaks_list(debug);
	return NULL;
}

/* choose RANK receive|probe N SOURCE [MESSAGE] */
static const char *choose(struct run_debug *debug, char *words[])
{
	struct mpi_decision d = {.value = -1};
	int64_t ordinal, value;
	const char *wrong;

	if (!words[0] || !words[1] || !words[2] || !words[3] ||
	    (strcmp(words[1], "receive") != 0 && strcmp(words[1], "probe") != 0) ||
	    util_parse_int(words[2], 0, UINT32_MAX, &ordinal, NULL))
		return "wanted choose RANK receive|probe NUMBER SOURCE [MESSAGE]";
	wrong = debug_take_rank(debug, words[0], &d.rank);
	if (!wrong)
		wrong = debug_take_rank(debug, words[3], &d.source);
	if (wrong)
		return wrong;
	d.kind = strcmp(words[1], "probe") == 0 ? MPI_CHOICE_PROBE : MPI_CHOICE_RECV;
	d.ordinal = (uint32_t)ordinal;
	if (words[4]) {
		if (util_parse_int(words[4], 0, INT32_MAX, &value, NULL))
			return "wanted the number of a message of that source";
		d.value = (int32_t)value;
	}
	return debug_choose_plan(debug, &d);
}

static const char *list_choices(struct run_debug *debug, char *words[])
{
	debug_choices_list(debug);
	return NULL;
}

static const char *save(struct run_debug *debug, char *words[])
{
	return words[0] ? debug_choices_save(debug, words[0]) : "wanted a file";
}

static const char *load(struct run_debug *debug, char *words[])
{
	return words[0] ? debug_choices_load(debug, words[0]) : "wanted a file";
}

static const char *prepare_gdb(struct run_debug *debug, char *words[])
{
	int r = debug->stopped;
	const char *wrong = words[0] || r < 0 ? debug_take_rank(debug, words[0], &r) : NULL;
	struct pd_image *image;
	uint64_t vaddr;

	if (wrong)
		return wrong;
	if (!debug->ranks[r].call)
		return "this rank stands at no call: step or hold it first";
	image = debug->world->ranks[r].pd->program->image;
	if (!pd_image_locate(image, debug->ranks[r].call->site, &vaddr))
		return "the call comes from a library: step on";
	debug->ranks[r].waits_for_line = true;
	debug_say(debug, "gdb -p %d -ex 'add-symbol-file %s -o %#llx' -ex 'frame function main'",
		  (int)getpid(), image->elf.path,
		  (unsigned long long)((uintptr_t)debug->ranks[r].call->site - (uintptr_t)vaddr));
	return NULL;
}

static const char *kill_run(struct run_debug *debug, char *words[])
{
	debug->is_killed = true;
	return NULL;
}

static const char *help(struct run_debug *debug, char *words[]);

static const struct {
	const char *name;
	command_fn run;
	const char *use;
} commands[] = {
    {"break", debug_break_add,
     "break CONDITION…: stop at calls; call NAME, rank N, dest N, tag N, size [<>]BYTES, type "
     "NAME, count N"},
    {"breaks", list_breaks, "breaks: the breakpoints"},
    {"choices", list_choices,
     "choices: what receives and probes with MPI_ANY_SOURCE took, and will"},
    {"choose", choose, "choose RANK receive|probe NUMBER SOURCE [MESSAGE]: what it takes"},
    {"continue", go_on, "continue: to the next breakpoint, or the end"},
    {"delete", delete, "delete NUMBER: a breakpoint"},
    {"gdb", prepare_gdb,
     "gdb [RANK]: the command that attaches gdb to a rank that stands at a call, until the next "
     "command here"},
    {"help", help, "help: these lines"},
    {"hold", hold, "hold RANK|all: it stands at the begin of its next call until release or step"},
    {"kill", kill_run, "kill: end the run"},
    {"load", load, "load FILE: choices that save has written"},
    {"pending", show_pending, "pending: sends and receives that have not met, and candidates"},
    {"ranks", show_ranks, "ranks: where each rank is"},
    {"release", release, "release RANK|all: ends hold"},
    {"save", save, "save FILE: the choices"},
    {"step", step, "step [RANK]: to the next call of any rank, or of that one"},
};

static const char *help(struct run_debug *debug, char *words[])
{
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		debug_say(debug, "%s", commands[i].use);
	return NULL;
}

static const char *run_command(struct run_debug *debug, char *line)
{
	char *words[MOST_WORDS + 1] = {NULL}, *rest = NULL;
	int n = 0;

	for (char *word = strtok_r(line, " \t\r", &rest); word;
	     word = strtok_r(NULL, " \t\r", &rest)) {
		if (n == MOST_WORDS)
			return "too many words";
		words[n++] = word;
	}
	if (n == 0)
		return NULL;
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (strcmp(words[0], commands[i].name) == 0)
			return commands[i].run(debug, words + 1);
	return "there is no such command: see help";
}

static bool goes_elsewhere(const struct run_debug *debug)
{
	for (int r = 0; r < debug->n_ranks; r++)
		if (debug->ranks[r].waits_for_line)
			return true;
	return false;
}

/* What lets the run go on is answered when it stops the next time. */
void debug_take_commands(struct run_debug *debug)
{
	while (!debug->is_resumed && !debug->is_killed && !goes_elsewhere(debug)) {
		char *line = debug_read_line(debug);
		const char *wrong;

		if (!line) {
			debug->is_killed = true;
			return;
		}
		wrong = run_command(debug, line);
		free(line);
		if (wrong)
			debug_say(debug, "error %s", wrong);
		else if (!debug->is_resumed && !debug->is_killed)
			debug_say(debug, "ok");
	}
}
