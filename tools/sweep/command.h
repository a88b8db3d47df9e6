/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_COMMAND_H
#define TOOLS_SWEEP_COMMAND_H

#include "tools/sweep/file.h"
#include "tools/sweep/spec.h"

/* What is the same for all points. The working directory is the folder of the sweep file. */
struct sweep_tools {
	char *run;	      /* mpisim-run, a path */
	char *replay;	      /* mpisim-replay; NULL: there is none */
	char *simulator_hash; /* of the library in which mpisim-run simulates */
	struct sweep_files *files;
};

/* Finds the tools beside `own_path` (that of the running executable), and the library in
 * `lib_from_bin` seen from there, or where it is built. Errors: UTIL_EINPUT. */
int sweep_tools_find(const char *own_path, const char *lib_from_bin, struct sweep_tools *out,
		     struct util_error *err);
void sweep_tools_finish(struct sweep_tools *tools);

struct sweep_command { /* what one point runs */
	char **words;  /* mpisim-run or mpisim-replay with its options, then the program or trace; a
			  NULL at its end; without --json */
	int n_words, program;	      /* the place of program or trace */
	char hash[SWEEP_HASH_SIZE];   /* of all inputs */
	char traced[SWEEP_HASH_SIZE]; /* of those that a trace cannot vary */
	bool can_replay;	      /* nothing is random, so a replay says the same as a run */
	bool is_measured;	      /* computation is: the next run says something else */
};

/*
 * The command of the point with `choice` [n_parameters]. The hash covers: mpisim's version and
 * library, the contents of program or trace, cluster file, bench files and inputs, every other
 * option and argument as text. Errors: UTIL_EINPUT (a file that cannot be read, an expression
 * without a value), UTIL_ENOMEM.
 */
int sweep_command_make(const struct sweep_spec *spec, const struct sweep_tools *tools,
		       const int choice[], struct sweep_command *out, struct util_error *err);
void sweep_command_finish(struct sweep_command *command);

/* Whether a replay takes the option of mpisim-run, with the effect that it has on a run. */
bool sweep_option_is_replayed(const struct sweep_spec *spec, const char *option);

/* The words as a shell takes them, in one line; the caller's. NULL: out of memory. */
char *sweep_command_line(char *const words[]);

#endif
