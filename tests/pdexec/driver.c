/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a program as ranks, without MPI: driver [-n RANKS] [-i map|copy|auto] [-s STACK_B] [-a] [-q]
 * PROGRAM [ARGUMENT…]. At the end it writes one line about the run to stdout. Programs switch ranks
 * by sleeping. Exit code: 0, 1 when the run failed, 2 when it could not start.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pdexec/image.h"
#include "pdexec/rank.h"

static _Thread_local char tls_area[65536] __attribute__((aligned(64)));

static const char *const kinds[] = {"none",  "deadlock", "abort",      "mpi_error", "unsupported",
				    "crash", "overflow", "annotation", "memory"};

/* CPU time, past the simulated clocks: others may use the machine. */
static double host_s(void)
{
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int parse(int argc, char **argv, struct pd_config *config, struct pd_program_config *program,
		 int *out_quiet)
{
	static const char *const isolations[] = {"auto", "map", "copy"};
	int option;

	while ((option = getopt(argc, argv, "+n:i:s:aq")) != -1) {
		if (option == 'n')
			program->n_ranks = atoi(optarg);
		else if (option == 's')
			config->stack_size_B = (size_t)atol(optarg);
		else if (option == 'a')
			config->no_alloc = true;
		else if (option == 'q')
			*out_quiet = 1;
		else if (option == 'i')
			for (int i = 0; i < 3; i++)
				config->isolation = !strcmp(optarg, isolations[i])
							? (enum pd_isolation)i
							: config->isolation;
		else
			return -1;
	}
	program->path = argv[optind];
	program->argv = argv + optind;
	return program->path ? 0 : -1;
}

static void print_end(const struct pd_world *world)
{
	const struct pd_failure *failure = &world->failure;
	char site[256];

	printf("end: time %.6f s, %d running, %d ended badly, %s", sim_time_to_s(world->engine.now),
	       world->n_running, (int)world->n_ended_badly, kinds[failure->kind]);
	if (failure->kind != PD_FAILURE_NONE)
		printf(": rank %d in %s at %s: %s", failure->rank,
		       failure->function ? failure->function : "the program",
		       pd_describe_site(world, failure->site, site, sizeof(site)), failure->text);
	printf("\n");
}

static void print_cost(const struct pd_world *world, double load_s, double run_s)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	fprintf(stderr,
		"cost: %s, load %.2f us/rank, run %.3f s, %llu switches, %.0f ns/switch, peak %.1f "
		"KiB/rank\n",
		world->programs[0].image->isolation == PD_ISOLATION_MAP ? "map" : "copy",
		load_s * 1e6 / world->n_ranks, run_s, (unsigned long long)world->engine.n_switches,
		run_s * 1e9 / (double)world->engine.n_switches,
		(double)usage.ru_maxrss / world->n_ranks);
}

int main(int argc, char **argv)
{
	struct cluster cluster = {.name = (char *)"one",
				  .n_nodes = 1,
				  .cores = 1,
				  .cpu.speed = (double[]){1},
				  .cpu.host_to_target = 1,
				  .network.bandwidth_Bps = 1e9,
				  .network.intra_bandwidth_Bps = 1e9};
	struct pd_program_config program = {.n_ranks = 1};
	struct pd_config config = {.programs = &program,
				   .n_programs = 1,
				   .mode = PD_COMPUTE_MODELLED,
				   .tls_area = tls_area,
				   .tls_area_size_B = sizeof(tls_area)};
	struct util_error err = {0};
	struct pd_world *world;
	double begin = host_s(), loaded;
	int quiet = 0, failed;

	if (parse(argc, argv, &config, &program, &quiet))
		return 2;
	config.node_of = calloc((size_t)program.n_ranks + 1, sizeof(int));
	if (pd_world_create(&config, &cluster, NULL, &world, &err)) {
		fprintf(stderr, "error %d: %s\n", err.code, err.text);
		free((void *)config.node_of);
		return 2;
	}
	loaded = host_s();
	pd_world_start(world);
	while (!pd_world_is_over(world) && pd_world_step(world) != SIM_STEP_IDLE)
		;
	if (!quiet)
		print_end(world);
	else
		print_cost(world, loaded - begin, host_s() - loaded);
	failed = world->failure.kind != PD_FAILURE_NONE || world->n_running > 0;
	pd_world_destroy(world);
	free((void *)config.node_of);
	return failed;
}
