/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes of more than two links, as properties: random transfers come and go on random networks of
 * links with capacities of their own; at every instant the rates must be those that a naive solver
 * finds from scratch, and every byte must have been delivered at the end.
 */
#include "netmodel/private.h"
#include "tests/netmodel/fixture.h"
#include "util/rng.h"

#define N_NODES 8
#define N_INNER 7
#define N_LINKS (2 * N_NODES + N_INNER)
#define LONGEST 6
#define N_FLOWS 60
#define MB 1000000

/* For each pair of nodes a random choice of inner links, none of them twice. */
struct network {
	struct net_topology topology; /* first */
	int n[N_NODES][N_NODES], links[N_NODES][N_NODES][LONGEST];
	double capacity[N_LINKS];
	double most; /* of a transfer; INFINITY: what its links give */
};

struct flow {
	struct mail mail; /* first */
	int from, to;
	double work, delivered;
	sim_time_ps start;
	bool started;
};

static int route(const struct net_topology *topology, int source, int dest, uint64_t choice,
		 bool is_detour, int links[])
{
	const struct network *network = (const struct network *)topology;

	memcpy(links, network->links[source][dest], sizeof network->links[source][dest]);
	return network->n[source][dest];
}

static void draw_route(struct network *network, struct util_rng *rng, int from, int to)
{
	int *links = network->links[from][to], *n = &network->n[from][to];
	int n_inner = (int)(util_rng_next(rng) % (LONGEST - 1));
	int first = (int)(util_rng_next(rng) % N_INNER), step = 1 + (int)(util_rng_next(rng) % 2);

	links[(*n)++] = from;
	for (int k = 0; k < n_inner; k++)
		links[(*n)++] = 2 * N_NODES + (first + k * step) % N_INNER;
	links[(*n)++] = N_NODES + to;
}

static void draw_network(struct network *network, struct util_rng *rng, bool are_equal, int n_nics)
{
	*network = (struct network){{.n_links = N_LINKS, .longest = LONGEST, .route = route}};
	for (int l = 0; l < N_LINKS; l++)
		network->capacity[l] = l < 2 * N_NODES ? n_nics
				       : are_equal     ? 1
						       : 0.3 + 2 * util_rng_uniform(rng);
	network->most = n_nics > 1 ? 1 : INFINITY;
	for (int from = 0; from < N_NODES; from++)
		for (int to = 0; to < N_NODES; to++)
			draw_route(network, rng, from, to);
}

static void draw_flows(struct flow flows[], struct util_rng *rng, bool same_times)
{
	for (int k = 0; k < N_FLOWS; k++) {
		struct flow *flow = &flows[k];
		double start =
		    same_times ? (double)(util_rng_next(rng) % 6) : 6 * util_rng_uniform(rng);

		*flow = (struct flow){.from = (int)(util_rng_next(rng) % N_NODES)};
		flow->to = (flow->from + 1 + (int)(util_rng_next(rng) % (N_NODES - 1))) % N_NODES;
		flow->work = same_times ? 1 + (double)(util_rng_next(rng) % 2)
					: 0.1 + 2 * util_rng_uniform(rng);
		flow->start = (sim_time_ps)(start * SIM_PS_PER_S);
	}
}

static bool is_active(const struct flow *flow)
{
	return flow->started && flow->mail.done_s < 0;
}

static bool crosses(const struct network *network, const struct flow *flow, int link)
{
	for (int k = 0; k < network->n[flow->from][flow->to]; k++)
		if (network->links[flow->from][flow->to][k] == link)
			return true;
	return false;
}

/* The link that fills first when the rates that are not fixed are raised together; -1: none. */
static int first_full(const struct network *network, const struct flow flows[],
		      const double rates[], double *out_share)
{
	int best = -1;

	*out_share = INFINITY;
	for (int l = 0; l < N_LINKS; l++) {
		double room = network->capacity[l];
		int n = 0;

		for (int f = 0; f < N_FLOWS; f++) {
			if (!is_active(&flows[f]) || !crosses(network, &flows[f], l))
				continue;
			room -= rates[f] < 0 ? 0 : rates[f];
			n += rates[f] < 0;
		}
		if (n && room / n < *out_share) {
			*out_share = room / n;
			best = l;
		}
	}
	return best;
}

static void check_instant(const struct network *network, const struct flow flows[])
{
	double rates[N_FLOWS], share;
	int link;

	for (int f = 0; f < N_FLOWS; f++)
		rates[f] = -1;
	while ((link = first_full(network, flows, rates, &share)) >= 0 && share < network->most)
		for (int f = 0; f < N_FLOWS; f++)
			if (rates[f] < 0 && is_active(&flows[f]) &&
			    crosses(network, &flows[f], link))
				rates[f] = share;
	for (int f = 0; f < N_FLOWS; f++)
		if (rates[f] < 0)
			rates[f] = network->most;
	for (int f = 0; f < N_FLOWS; f++)
		if (is_active(&flows[f]))
			assert_near(flows[f].mail.transfer.rate, rates[f], 1e-9);
}

static bool start_due(struct fixture *f, struct flow flows[], sim_time_ps *next)
{
	bool is_any_left = false;

	*next = SIM_TIME_MAX;
	for (int k = 0; k < N_FLOWS; k++) {
		if (flows[k].started)
			continue;
		if (flows[k].start > f->engine.now) {
			is_any_left = true;
			*next = flows[k].start < *next ? flows[k].start : *next;
			continue;
		}
		flows[k].started = true;
		mail_send(f, &flows[k].mail, flows[k].from, flows[k].to,
			  (int64_t)(flows[k].work * MB + 0.5));
	}
	return is_any_left;
}

static void ring(struct sim_event *event)
{
}

static void open_on(struct fixture *f, const struct network *network, bool has_capacities)
{
	static const char yaml[] =
	    "mpisim_cluster: 1\nnodes: 8\nnetwork: {latency: 0, bandwidth: 1 MB/s}\n";
	struct util_error err = {0};
	double *capacities = malloc(sizeof network->capacity);

	assert_non_null(capacities);
	memcpy(capacities, network->capacity, sizeof network->capacity);
	assert_int_equal(cluster_parse("routes.yaml", yaml, strlen(yaml), &f->cluster, &err), 0);
	sim_engine_init(&f->engine);
	assert_int_equal(
	    net_model_create_on(&f->engine, f->cluster, &network->topology, &f->model, &err), 0);
	f->model->most_rate = network->most;
	if (has_capacities)
		net_model_set_capacities(f->model, capacities);
	else
		free(capacities);
}

static void run(uint64_t seed, bool are_equal, bool same_times, int n_nics)
{
	struct flow flows[N_FLOWS];
	struct network network;
	struct sim_event alarm;
	struct util_rng rng;
	struct fixture f;
	bool is_any_left;

	print_message("seed %llu\n", (unsigned long long)seed);
	util_rng_init(&rng, seed, 0);
	draw_network(&network, &rng, are_equal, n_nics);
	draw_flows(flows, &rng, same_times);
	open_on(&f, &network, !are_equal || n_nics > 1);
	sim_event_init(&alarm, ring);
	do {
		sim_time_ps next, before = f.engine.now;
		double rates[N_FLOWS];

		is_any_left = start_due(&f, flows, &next);
		fixture_settle(&f);
		check_instant(&network, flows);
		if (next < SIM_TIME_MAX)
			sim_engine_at(&f.engine, &alarm, next);
		for (int k = 0; k < N_FLOWS; k++)
			rates[k] = is_active(&flows[k]) ? flows[k].mail.transfer.rate : 0;
		sim_engine_step(&f.engine);
		for (int k = 0; k < N_FLOWS; k++)
			flows[k].delivered += rates[k] * sim_time_to_s(f.engine.now - before);
		fixture_settle(&f);
	} while (is_any_left || sim_queue_peek(&f.engine.queue));
	for (int k = 0; k < N_FLOWS; k++) {
		assert_true(flows[k].mail.done_s >= 0);
		assert_near(flows[k].delivered, flows[k].work, 1e-6);
	}
	fixture_close(&f);
}

static void other_methods_know_the_star_only(void **state)
{
	static const char *const keys[] = {"model: thesis", "packets: {payload: 1 kB}"};
	struct net_topology topology = {.n_links = N_LINKS, .longest = LONGEST, .route = route};

	for (int i = 0; i < 2; i++) {
		struct cluster *cluster = NULL;
		struct net_model *model = NULL;
		struct util_error err = {0};
		struct sim_engine engine;
		char yaml[256];

		snprintf(yaml, sizeof yaml,
			 "mpisim_cluster: 1\nnodes: 8\n"
			 "network: {latency: 0, bandwidth: 1 MB/s, %s}\n",
			 keys[i]);
		assert_int_equal(cluster_parse("r.yaml", yaml, strlen(yaml), &cluster, &err), 0);
		sim_engine_init(&engine);
		assert_int_equal(net_model_create_on(&engine, cluster, &topology, &model, &err),
				 UTIL_EINPUT);
		assert_null(model);
		sim_engine_finish(&engine);
		cluster_destroy(cluster);
	}
}

static void links_of_equal_capacity_equal_the_naive_solver_at_every_instant(void **state)
{
	for (uint64_t seed = 1; seed <= 40; seed++)
		run(seed, true, seed % 2 == 0, 1);
}

static void links_with_capacities_equal_the_naive_solver_at_every_instant(void **state)
{
	for (uint64_t seed = 101; seed <= 180; seed++)
		run(seed, false, seed % 2 == 0, 1);
}

static void nodes_with_several_nics_equal_the_naive_solver_at_every_instant(void **state)
{
	for (uint64_t seed = 201; seed <= 280; seed++)
		run(seed, seed % 3 == 0, seed % 2 == 0, 2 + (int)(seed % 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(links_of_equal_capacity_equal_the_naive_solver_at_every_instant),
	    cmocka_unit_test(links_with_capacities_equal_the_naive_solver_at_every_instant),
	    cmocka_unit_test(nodes_with_several_nics_equal_the_naive_solver_at_every_instant),
	    cmocka_unit_test(other_methods_know_the_star_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
