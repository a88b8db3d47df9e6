/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of others, as a search sees them: benchmarks and programs are simulated. */
#include "view_times.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"
#include "util/yaml.h"

/* --- what the cluster file says of nodes --- */

/* A file that is wrong is refused by the simulator, in better words. */
static int number_at(const struct util_yaml_tree *tree, const char *path)
{
	const struct util_yaml *node = util_yaml_at(tree, path);
	struct util_error err;
	int64_t n = 1;

	if (!node || node->kind != UTIL_YAML_SCALAR ||
	    util_parse_int(node->text, 1, 1000000, &n, &err))
		return 1;
	return (int)n;
}

static int read_shape(struct shape *shape, const char *known, const char *name,
		      struct util_error *err)
{
	static const char *const levels[] = {"levels", "latency", "bandwidth", "segments"};
	struct util_yaml_tree tree = {0};
	int failed = util_yaml_parse(&tree, name, known, strlen(known), err);

	*shape = (struct shape){0};
	if (!failed && !util_yaml_at(&tree, "mpisim_cluster"))
		failed = util_yaml_fail(&tree, tree.root, err,
					"found no key \"mpisim_cluster\", wanted a cluster file");
	if (!failed) {
		int sockets = number_at(&tree, "cores.sockets"),
		    domains = number_at(&tree, "cores.domains");

		shape->n_nodes = number_at(&tree, "nodes");
		shape->is_block = util_yaml_at(&tree, "cores.per_domain") != NULL;
		shape->per_domain =
		    number_at(&tree, shape->is_block ? "cores.per_domain" : "cores");
		shape->n_cores = sockets * domains * shape->per_domain;
		shape->has_sockets = sockets > 1;
		shape->has_domains = domains > 1;
		shape->knows_topology = util_yaml_at(&tree, "network.topology") != NULL;
		for (int k = 0; k < 4; k++) {
			char path[64];

			snprintf(path, sizeof(path), "network.intra_node.%s", levels[k]);
			shape->knows_levels |= util_yaml_at(&tree, path) != NULL;
		}
	}
	util_yaml_finish(&tree);
	return failed;
}

/* Whether so many ranks are at a place. */
static bool shape_has(const struct shape *shape, enum place place, int n_ranks)
{
	int n_pairs = n_ranks / 2;

	switch (place) {
	case PLACE_DOMAIN:
		return n_ranks <= shape->per_domain;
	case PLACE_SOCKET:
		return shape->has_domains && n_pairs <= shape->per_domain;
	case PLACE_NODE:
		return shape->has_sockets && n_pairs <= shape->per_domain;
	case PLACE_NODES:
		return shape->n_nodes > 1 && n_pairs <= shape->n_cores;
	case PLACE_ACROSS:
		return shape->n_nodes >= 4 && n_ranks <= shape->n_nodes;
	default:
		return n_ranks <= shape->n_nodes * shape->n_cores;
	}
}

/* --- runs --- */

/* Benchmarks of two ranks run on two nodes; those with a place on all cores of two nodes and one of
 * each other; the rest where the cluster file places them; programs one by one. */
enum part { PAIRS, GROUPS, PLACED, PROGRAM };

static enum part part_of(const struct observation *observation)
{
	if (!observation->what)
		return PROGRAM;
	if (observation->place)
		return PLACED;
	return observation->what->is_pair && observation->n_ranks == 2 ? PAIRS : GROUPS;
}

static bool is_same_run(const struct observation *a, const struct observation *b)
{
	return a == b || (part_of(a) == part_of(b) && part_of(a) != PROGRAM);
}

static int find_runs(struct predictor *predictor, struct util_error *err)
{
	const struct observations *all = predictor->observations;
	int *n = &predictor->forward.n_parts;

	predictor->first = calloc((size_t)all->n + 1, sizeof(const struct observation *));
	if (!predictor->first)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	for (int k = 0, part; k < all->n; k++) {
		for (part = 0; part < *n; part++)
			if (is_same_run(predictor->first[part], &all->list[k]))
				break;
		if (part == *n)
			predictor->first[(*n)++] = &all->list[k];
	}
	return 0;
}

/* --- what is run --- */

/* What mpirun calls -np is -n here. */
static void say_program(struct forward_run *run, const char *text)
{
	char words[4096], *word, *rest;

	child_say(&run->command, "--json=%s/output.json", run->folder);
	snprintf(words, sizeof(words), "%s", text);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		child_say(&run->command, "%s", strcmp(word, "-np") ? word : "-n");
}

static void say_cores(struct child_command *command, const struct shape *shape)
{
	int n = shape->n_nodes, cores = shape->n_cores;

	child_say(command, "%d", n > 1 ? 2 * cores + n - 2 : cores);
	if (n > 3)
		child_say(command, "--placement=0*%d,1*%d,2-%d", cores, cores, n - 1);
	else if (n == 3)
		child_say(command, "--placement=0*%d,1*%d,2", cores, cores);
}

/* How many ranks the tests need. */
static int write_tests(const struct predictor *predictor, int part, struct forward_run *run)
{
	const struct observations *all = predictor->observations;
	FILE *file = forward_open(run, "tests.txt", "w");
	int n_ranks = 0;

	for (int k = 0; k < all->n && file; k++) {
		const struct observation *o = &all->list[k];

		if (!is_same_run(predictor->first[part], o))
			continue;
		fprintf(file, "%s %d %d %s\n", o->what->name, o->size_B, o->n_ranks,
			place_name(o->place));
		n_ranks = o->n_ranks > n_ranks ? o->n_ranks : n_ranks;
	}
	if (file && fclose(file))
		util_error_set(&run->err, UTIL_ESYSTEM, "cannot write in %s", run->folder);
	return n_ranks;
}

static void say(void *context, int part, struct forward_run *run)
{
	const struct predictor *predictor = context;
	const struct observation *first = predictor->first[part];
	struct child_command *command = &run->command;
	int n_ranks;

	if (part_of(first) == PROGRAM) {
		say_program(run, first->command);
		return;
	}
	n_ranks = write_tests(predictor, part, run);
	child_say(command, "--compute=modelled");
	child_say(command, "--no-alloc");
	if (part_of(first) == PAIRS)
		child_say(command, "--placement=cyclic");
	child_say(command, "-n");
	if (part_of(first) == PLACED)
		say_cores(command, &predictor->shape);
	else
		child_say(command, "%d", n_ranks);
	forward_say_program(run, "mpisim-benchmark.simulated");
	child_say(command, "%s/tests.txt", run->folder);
}

/* --- what it says --- */

static bool read_program_time(FILE *file, double *time_s)
{
	static const char key[] = "\"predicted_time_s\":";
	char line[65536], *found;

	while (fgets(line, sizeof(line), file))
		if ((found = strstr(line, key)))
			return sscanf(found + strlen(key), "%lf", time_s) == 1;
	return false;
}

/* Into the candidate's times; what is missing stays NAN. */
static void collect(void *context, int machine, int part, struct forward_run *run)
{
	const struct predictor *predictor = context;
	const struct observations *all = predictor->observations;
	const struct observation *first = predictor->first[part];
	bool is_program = part_of(first) == PROGRAM;
	double *times = predictor->times + (ptrdiff_t)machine * all->n;
	FILE *file = forward_open(run, is_program ? "output.json" : "output.txt", "r");

	if (!file)
		return;
	if (is_program)
		read_program_time(file, &times[first - all->list]);
	for (int k = 0; k < all->n && !is_program; k++)
		if (is_same_run(first, &all->list[k]) && fscanf(file, "%lf", &times[k]) != 1)
			break;
	fclose(file);
}

int predictor_begin(struct predictor *predictor, const struct observations *observations,
		    const char *known, const char *name, struct util_error *err)
{
	*predictor = (struct predictor){
	    .observations = observations,
	    .forward = {.known = known, .say = say, .read = collect, .context = predictor}};
	if (find_runs(predictor, err) || read_shape(&predictor->shape, known, name, err))
		return err->code;
	for (int k = 0; k < observations->n; k++) {
		const struct observation *o = &observations->list[k];

		if (!shape_has(&predictor->shape, o->place, o->n_ranks))
			return util_error_set(err, UTIL_EINPUT,
					      "found times of %d ranks, %s, wanted --cluster FILE "
					      "with nodes and cores that have them",
					      o->n_ranks, place_name(o->place));
	}
	return 0;
}

int predictor_run(struct predictor *predictor, const struct machine *machines, int n, double *times,
		  struct util_error *err)
{
	for (int k = 0; k < n * predictor->observations->n; k++)
		times[k] = NAN;
	predictor->times = times;
	return forward(&predictor->forward, machines, n, err);
}

void predictor_end(struct predictor *predictor)
{
	free(predictor->first);
}

static int predict(void *context, const struct machine *machines, int n, double *off,
		   struct util_error *err)
{
	struct predictor *predictor = context;
	const struct observations *all = predictor->observations;
	int failed = predictor_run(predictor, machines, n, off, err);

	for (int k = 0; k < n * all->n; k++) {
		off[k] = log(off[k] / all->list[k % all->n].time_s);
		if (!isfinite(off[k]))
			off[k] = INFINITY;
	}
	return failed;
}

/* --- closed forms of the plain model --- */

enum { ANY_KIND = -1 };

/* The least time of a kind at a place, ANYWHERE: all but within a node; of a byte, if `by_byte`. 0:
 * there is none. */
static double least_s(const struct observations *all, int kind, enum place place, bool by_byte)
{
	double least = 0;

	for (int k = 0; k < all->n; k++) {
		const struct observation *o = &all->list[k];
		double value = o->time_s / (by_byte && o->size_B > 0 ? o->size_B : 1);
		bool is_there = place ? o->place == place : !observation_is_within(o);

		if (o->what && (kind == ANY_KIND || (int)o->what->kind == kind) && is_there &&
		    (o->size_B > 0 || !by_byte))
			least = least > 0 ? fmin(least, value) : value;
	}
	return least;
}

/* Which of them has the largest messages; of equal ones, streams. */
static enum benchmark_kind largest_kind(const struct observations *all)
{
	static const enum benchmark_kind kinds[] = {BENCHMARK_STREAM, BENCHMARK_LATENCY,
						    BENCHMARK_BOTH_WAYS};
	int largest_B = 0;
	enum benchmark_kind found = BENCHMARK_STREAM;

	for (int j = 0; j < 3; j++)
		for (int k = 0; k < all->n; k++) {
			const struct observation *o = &all->list[k];

			if (o->what && o->what->kind == kinds[j] && !observation_is_within(o) &&
			    o->size_B > largest_B) {
				largest_B = o->size_B;
				found = kinds[j];
			}
		}
	return found;
}

/* An empty message is a latency and two overheads; a window of them an overhead each; bytes of the
 * largest ones take what the link does. */
static void begin_plain(const struct observations *all, struct machine *machine)
{
	double empty_s = least_s(all, BENCHMARK_LATENCY, PLACE_ANYWHERE, false),
	       each_s = least_s(all, BENCHMARK_STREAM, PLACE_ANYWHERE, false),
	       byte_s = least_s(all, largest_kind(all), PLACE_ANYWHERE, true);

	if (empty_s == 0)
		empty_s = each_s > 0 ? 5 * each_s : 20e-6;
	if (each_s == 0 || each_s > empty_s / 2)
		each_s = empty_s / 10;
	machine_set(machine, BANDWIDTH, byte_s > 0 ? 1 / byte_s : 1e9);
	machine_set(machine, LATENCY, fmax(empty_s - 2 * each_s, empty_s / 10));
	machine_set(machine, SEND_OVERHEAD, each_s);
	machine_set(machine, RECV_OVERHEAD, each_s);
}

/* --- pairs of ranks at places --- */

/* Levels of a node, where there are times of one; those that nobody timed are as the one before. */
static void begin_levels(const struct observations *all, const struct shape *shape,
			 struct machine *machine)
{
	const bool has[] = {true, shape->has_domains, shape->has_sockets};
	double overheads_s = machine->value[SEND_OVERHEAD] + machine->value[RECV_OVERHEAD],
	       times_s[3], bytes_s[3], empty_s = 0, byte_s = 0;
	int level = 0;

	for (int k = 0; k < 3; k++) {
		enum place place = PLACE_DOMAIN + k;

		empty_s += times_s[k] = least_s(all, BENCHMARK_LATENCY, place, false);
		byte_s += bytes_s[k] = least_s(all, ANY_KIND, place, true);
	}
	for (int k = 0; k < 3 && !shape->knows_levels && empty_s + byte_s > 0; k++) {
		empty_s = times_s[k] > 0 ? times_s[k] : empty_s;
		byte_s = bytes_s[k] > 0 ? bytes_s[k] : byte_s;
		if (!has[k])
			continue;
		machine_set(machine, LEVEL_LATENCY + level,
			    fmax(empty_s - overheads_s, empty_s / 10));
		machine_set(machine, LEVEL_RATE + level++, byte_s > 0 ? 1 / byte_s : 1e10);
	}
}

/* The most that all pairs at once move in a second: messages, or bytes; 0: nobody timed several. */
static double most_per_s(const struct observations *all, enum place first, enum place last,
			 bool bytes)
{
	double most = 0;
	int most_ranks = 0;

	for (int k = 0; k < all->n; k++) {
		const struct observation *o = &all->list[k];

		if (!o->what || o->place < first || o->place > last)
			continue;
		most_ranks = o->n_ranks > most_ranks ? o->n_ranks : most_ranks;
		if (o->what->unit == BENCHMARK_OF_WINDOW)
			most = fmax(most, o->n_ranks / 2 * (bytes ? o->size_B : 1) / o->time_s);
	}
	return most_ranks >= 4 ? most : 0;
}

/* What limits memory is the domain that moves most: a copy draws its bytes twice where both ranks are
 * of it. */
static void may_share(const struct observations *all, const struct shape *shape, struct view *view,
		      const struct machine *machine)
{
	static const double parts[] = {0.8, 0.5, 0.25, 0.12};

	if (shape->is_block)
		view_may(view, MEMORY,
			 fmax(2 * most_per_s(all, PLACE_DOMAIN, PLACE_DOMAIN, true),
			      most_per_s(all, PLACE_SOCKET, PLACE_NODE, true)));
	view_may(view, MESSAGE_RATE, most_per_s(all, PLACE_NODES, PLACE_NODES, false));
	if (!shape->knows_topology || least_s(all, ANY_KIND, PLACE_ACROSS, false) == 0)
		return;
	view_may_all(view, TAPER, (const double[]){4. / 3, 3. / 2, 5. / 3, 2, 3, 4, 6, 8, 0});
	for (int k = 0; k < 4; k++)
		view_may(view, UPLINK, parts[k] * machine->value[BANDWIDTH]);
}

/* --- what may be tried --- */

static bool has_kind(const struct observations *all, enum benchmark_kind first,
		     enum benchmark_kind last)
{
	for (int k = 0; k < all->n; k++) {
		const struct benchmark *what = all->list[k].what;

		if (!what || (what->kind >= first && what->kind <= last))
			return true;
	}
	return false;
}

/* Below each size that was timed; what steps below the least limit of libraries are lines. */
static void find_limits(const struct observations *all, struct view *view)
{
	enum { LEAST_LIMIT_B = 1024, MOST_LIMIT_B = 4 << 20 };
	const struct starts *limits = &view->starts[THRESHOLD];

	for (int k = 1; k < all->n; k++) {
		int limit_B = all->list[k - 1].size_B, place = 0;

		while (place < limits->n && limits->values[place] != limit_B)
			place++;
		if (place == limits->n && limit_B >= LEAST_LIMIT_B && limit_B < MOST_LIMIT_B &&
		    observation_is_same_curve(&all->list[k - 1], &all->list[k]))
			view_may(view, THRESHOLD, limit_B);
	}
}

/* Of the first latency by size. */
static void find_curve(const struct observations *all, struct view *view)
{
	const struct observation *first = NULL;

	for (int k = 0; k < all->n; k++) {
		const struct observation *o = &all->list[k];

		if (!o->what || o->what->kind != BENCHMARK_LATENCY || observation_is_within(o) ||
		    (first && !observation_is_same_curve(first, o)))
			continue;
		view_add_time(view, 0, o->size_B, o->time_s, true);
		first = o;
	}
}

int predictor_view(struct predictor *predictor, struct view *view, struct machine *machine,
		   struct util_error *err)
{
	const struct observations *all = predictor->observations;
	bool has_groups = has_kind(all, BENCHMARK_BARRIER, BENCHMARK_REDUCE_SCATTER);

	*view = (struct view){.predict = predict, .context = predictor, .is_rough = true};
	if (view_begin(view, all->n, err))
		return err->code;
	for (int k = 0; k < view->n; k++) {
		view->scatter[k] = all->list[k].scatter;
		view->weight[k] = 1;
	}
	begin_plain(all, machine);
	begin_levels(all, &predictor->shape, machine);
	may_share(all, &predictor->shape, view, machine);
	find_limits(all, view);
	find_curve(all, view);
	view_may_all(view, BURST, (const double[]){1000, 3000, 10000, 50000, 0});
	view_may_all(view, PAYLOAD, (const double[]){1448, 4038, 8948, 0});
	view_may_all(view, QUEUE, (const double[]){30000, 100000, 300000, 0});
	view_may(view, HEADER, TCP_HEADER_B);
	view_may(view, LINK_RATE, machine->value[BANDWIDTH]);
	view_may(view, PER_BYTE, 0.1 / machine->value[BANDWIDTH]);
	view_may(view, REQUEST_DATA, 4096);
	view_may(view, SEND_OVERHEAD, machine->value[RECV_OVERHEAD]);
	if (has_groups || has_kind(all, BENCHMARK_BOTH_WAYS, BENCHMARK_EXCHANGE))
		view_may_all(view, DUPLEX, (const double[]){0.03, 0.2, 0.5, 0});
	if (has_groups)
		view_may_all(view, SHARING, (const double[]){0.05, 0.3, 0});
	if (has_kind(all, BENCHMARK_PUT, BENCHMARK_GET))
		view_may_all(view, DEPTH, (const double[]){1, 2, 4, 8, 16, 32, 0});
	return 0;
}
