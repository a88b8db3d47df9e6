/* SPDX-License-Identifier: BSD-3-Clause */
/* The cluster file: what it may hold, and what is refused with which words (docs/cluster-file.md).
 */
#include "tests/netmodel/fixture.h"

#include "cluster/schema.h"

#define MINIMAL "mpisim_cluster: 1\nnodes: 4\nnetwork: {latency: 1us, bandwidth: 1 GB/s}\n"

static struct cluster *parse(const char *text)
{
	struct cluster *cluster = NULL;
	struct util_error err = {0};

	if (cluster_parse("test.yaml", text, strlen(text), &cluster, &err))
		fail_msg("%s", err.text);
	return cluster;
}

static void a_minimal_file_gets_the_documented_defaults(void **state)
{
	struct cluster *c = parse(MINIMAL);

	assert_string_equal(c->name, "unnamed");
	assert_int_equal(c->n_nodes, 4);
	assert_int_equal(c->cores, 1);
	assert_null(c->placement);
	for (int node = 0; node < 4; node++)
		assert_true(c->cpu.speed[node] == 1);
	assert_true(c->cpu.host_to_target == 1);
	assert_null(c->cpu.cost.fraction);
	assert_true(cluster_cpu_cost(c, 3, 3) == 0);
	assert_true(c->cpu.cost.scale == 1);
	assert_near(c->network.latency_s, 1e-6, 1e-21);
	assert_true(c->network.bandwidth_Bps == 1e9);
	assert_int_equal(c->network.model, CLUSTER_NETWORK_FLUID);
	assert_true(c->network.timeslice_s == 0);
	assert_true(c->network.intra_latency_s == 0 && c->network.intra_bandwidth_Bps == INFINITY);
	assert_true(c->protocol.send_overhead_s == 0 && c->protocol.recv_overhead_s == 0);
	assert_true(c->protocol.eager_threshold_B == INT64_MAX);
	cluster_destroy(c);
}

static void every_key_is_read(void **state)
{
	struct cluster *c = parse("mpisim_cluster: 1\nname: all of it\nnodes: 3\ncores: 4\n"
				  "run: {placement: \"0-2,0*2\"}\n"
				  "cpu:\n  speed: [1, 0.5, 2e0]\n  host_to_target: 3.5\n"
				  "  communication_cost:\n    table: [[0, .1], [.2, .3]]\n"
				  "    scale: 0.5\n"
				  "network:\n  latency: 1350us\n  bandwidth: 100 Mbit/s\n"
				  "  model: thesis\n  timeslice: 100us\n"
				  "  intra_node: {latency: 2ns, bandwidth: 1 GiB/s}\n"
				  "protocol: {overhead: 3us, eager_threshold: 64KiB}\n");

	assert_string_equal(c->name, "all of it");
	assert_string_equal(c->placement, "0-2,0*2");
	assert_int_equal(c->cores, 4);
	assert_true(c->cpu.speed[0] == 1 && c->cpu.speed[1] == 0.5 && c->cpu.speed[2] == 2);
	assert_true(c->cpu.host_to_target == 3.5);
	assert_int_equal(c->cpu.cost.n, 1);
	assert_near(cluster_cpu_cost(c, 1, 0), 0.1, 1e-15);
	assert_near(cluster_cpu_cost(c, 0, 1), 0.05, 1e-15);
	assert_near(cluster_cpu_cost(c, 9, 9), 0.15, 1e-15);
	assert_near(c->network.latency_s, 1350e-6, 1e-18);
	assert_true(c->network.bandwidth_Bps == 12.5e6);
	assert_int_equal(c->network.model, CLUSTER_NETWORK_THESIS);
	assert_near(c->network.timeslice_s, 1e-4, 1e-18);
	assert_near(c->network.intra_latency_s, 2e-9, 1e-24);
	assert_true(c->network.intra_bandwidth_Bps == 1024. * 1024 * 1024);
	assert_near(c->protocol.send_overhead_s, 3e-6, 1e-20);
	assert_true(c->protocol.eager_threshold_B == 65536);
	cluster_destroy(c);
}

static void speeds_by_ranges_leave_the_rest_at_one(void **state)
{
	struct cluster *c =
	    parse("mpisim_cluster: 1\nnodes: 6\nnetwork: {latency: 0, bandwidth: inf}\n"
		  "cpu: {speed: [{nodes: \"1-2,5\", speed: 0.5}, {nodes: 0, speed: 3}]}\n");
	static const double wanted[] = {3, 0.5, 0.5, 1, 1, 0.5};

	for (int node = 0; node < 6; node++)
		assert_true(c->cpu.speed[node] == wanted[node]);
	assert_true(c->network.bandwidth_Bps == INFINITY);
	cluster_destroy(c);
}

static void a_law_of_cpu_cost_holds_for_any_number_of_transfers(void **state)
{
	struct cluster *c = parse(
	    MINIMAL "cpu: {communication_cost: {outgoing: 0.001, incoming: 0.3, maximum: 0.75}}\n");

	assert_near(cluster_cpu_cost(c, 1, 1), 0.301, 1e-15);
	assert_near(cluster_cpu_cost(c, 3, 1), 0.303, 1e-15);
	assert_near(cluster_cpu_cost(c, 300, 1), 0.6, 1e-15);
	assert_near(cluster_cpu_cost(c, 3, 3), 0.75, 1e-15);
	cluster_destroy(c);
}

static void scaled_cost_never_exceeds_the_cores(void **state)
{
	struct cluster *c =
	    parse(MINIMAL "cpu: {communication_cost: {outgoing: 0.5, scale: 10}}\n");

	assert_true(cluster_cpu_cost(c, 0, 0) == 0);
	assert_true(cluster_cpu_cost(c, 1, 0) == 1);
	cluster_destroy(c);
}

struct refusal {
	const char *text;    /* appended to MINIMAL, or alone where it begins with '!' */
	const char *message; /* part of it */
};

static const struct refusal refusals[] = {
    /* not a cluster file at all */
    {"!", "test.yaml:1:1: found an empty file"},
    {"!# nothing\n", "test.yaml:1:1: found an empty file"},
    {"!- 1\n- 2\n", "test.yaml:1:1: found a list of 2, wanted keys and values"},
    {"!hello", "test.yaml:1:1: found \"hello\", wanted keys and values"},
    {"!{", "found malformed YAML"},
    {"!a: b: c\n", "test.yaml:1:5: found malformed YAML"},
    {"!\x01\x02", "test.yaml:1:1: found bytes that are not text"},
    {"!\xff\xfe\xff", "found bytes that are not text"},
    {"!a: \"\\0\"\n", "test.yaml:1:4: found a NUL character, wanted text"},
    {"!nodes: 3\n", "test.yaml:1:1: found no key \"mpisim_cluster\", wanted it"},
    {"!mpisim_cluster: 2\n", "test.yaml:1:17: mpisim_cluster: '2' is out of range, wanted 1 to 1"},
    {"!mpisim_cluster: 1\n", "found no key \"nodes\", wanted it"},
    {"!mpisim_cluster: 1\nnodes: 1\n", "found no key \"network.latency\", wanted it"},
    {"!mpisim_cluster: 1\nnodes: 1\nnetwork: {latency: 0}\n", "found no key \"network.bandwidth\""},
    /* structure */
    {"---\n" MINIMAL, "test.yaml:4:1: found a second document, wanted only one"},
    {"nodes: 3\n", "test.yaml:4:1: found key \"nodes\" twice, wanted it once"},
    {"cores: &x 1\n", "test.yaml:4:8: found an anchor or a tag"},
    {"cores: *x\n", "test.yaml:4:8: found an alias, wanted the value itself"},
    {"cores: !!int 3\n", "test.yaml:4:8: found an anchor or a tag"},
    {"cpu: &x {speed: 1}\n", "test.yaml:4:6: found an anchor or a tag"},
    {"? [a]\n: b\n", "test.yaml:4:3: found a list or mapping as a key"},
    {"name: [[[[[[[[[[[[[[[[[[[[x]]]]]]]]]]]]]]]]]]]]\n", "nested too deeply"},
    {"name: {a: 1}\n", "test.yaml:4:7: name: found a mapping, wanted a single value"},
    {"name:\n", "name: found nothing, wanted a single value"},
    {"cpu: 3\n", "test.yaml:4:6: cpu: found \"3\", wanted a mapping"},
    /* unknown keys */
    {"core: 3\n",
     "test.yaml:4:1: found unknown key \"core\", wanted a known one: did you mean \"cores\"?"},
    {"latency: 3us\n", "did you mean \"network.latency\"?"},
    {"protocol: {overheads: 1us}\n", "test.yaml:4:12: found unknown key \"protocol.overheads\", "
				     "wanted a known one: did you mean \"protocol.overhead\"?"},
    {"protocol.overhead: 1us\n", "test.yaml:4:1: found unknown key \"protocol.overhead\""},
    {"colour: blue\n", "found unknown key \"colour\", wanted one of docs/cluster-file.md"},
    {"a_key_that_is_much_longer_than_any_that_there_is_or_will_ever_be_in_this_file: 1\n",
     "found unknown key"},
    {"<<: {cores: 2}\n", "found unknown key \"<<\""},
    {"cpu: {speed_changes: [{node: 0, att: 1s, speed: 1}]}\n",
     "test.yaml:4:33: speed_changes: found unknown key \"att\", wanted node, at, speed"},
    /* values */
    {"cores: 0\n", "test.yaml:4:8: cores: '0' is out of range, wanted 1 to 1000000"},
    {"cores: 1.5\n", "cores: found '1.5', wanted a whole number"},
    {"cores: 99999999999999999999999\n", "test.yaml:4:8: cores: "},
    {"protocol: {overhead: 1}\n", "test.yaml:4:22: protocol.overhead: '1' has no unit"},
    {"protocol: {overhead: -1us}\n", "protocol.overhead: "},
    {"protocol: {overhead: .nan}\n", "protocol.overhead: "},
    {"protocol: {overhead: nan}\n", "protocol.overhead: "},
    {"protocol: {overhead: 1e300s}\n", "protocol.overhead: "},
    {"protocol: {overhead: 12 days}\n", "protocol.overhead: "},
    {"protocol: {overhead: 2000000s}\n",
     "protocol.overhead: found \"2000000s\", wanted 0 to 1e+06 s"},
    {"protocol: {eager_threshold: on}\n", ", or off"},
    {"protocol: {eager_threshold: 64Kib/s}\n", "protocol.eager_threshold: "},
    {"protocol: {control_message: 64}\n",
     "test.yaml:4:12: found the old key \"protocol.control_message\", wanted none"},
    {"placement: block\n", "test.yaml:4:1: found the old key \"placement\", wanted run.placement"},
    {"protocol: {library: intel}\n",
     "protocol.library: found \"intel\", wanted one of plain|openmpi-tcp|mpich-tcp|rdma"},
    {"cpu: {host_to_target: 0}\n", "cpu.host_to_target: found \"0\", wanted 1e-06 to 1e+06"},
    {"cpu: {host_to_target: inf}\n", "cpu.host_to_target: "},
    {"cpu: {contention: 1}\n", "cpu.contention: found \"1\", wanted a list of 1 to 1 values"},
    {"cpu: {contention: [1, 0.5]}\n", "cpu.contention: found "},
    {"cpu: {contention: [0.9]}\n", "cpu.contention: "},
    {"cores: 2\ncpu: {contention: [1, 0]}\n", "cpu.contention: "},
    {"cores: 2\ncpu: {contention: [1, 1.1]}\n", "cpu.contention: "},
    /* levels of a node */
    {"cores: {sockets: 2}\n", "test.yaml:4:8: cores: found no per_domain, wanted the cores of a domain"},
    {"cores: {per_domain: 0}\n", "cores.per_domain: "},
    {"cores: {per_domain: 2, bind: node}\n", "cores.bind: found \"node\", wanted one of cores|domains|sockets"},
    {"cores: {per_domain: 2, memory: 5}\n", "cores.memory: "},
    {"cores: {per_domain: 2, memory: []}\n", "cores.memory: found 0 bandwidths, wanted 1 to"},
    {"cores: {per_domain: 2, computation: 1 MB/s}\n", "cores: found computation without memory"},
    {"cores: {per_domain: 2, cores: 2}\n", "found unknown key \"cores.cores\""},
    {"cores: {per_domain: 2, memory: 1 MB/s, computation: 1 MB/s}\ncpu: {contention: [1, 0.9]}\n",
     "cpu.contention: found it beside cores.computation"},
    {"cores: {domains: 2, per_domain: 2, memory: 1 MB/s}\ncpu: {contention: [1, 0.9, 0.8]}\n",
     "cpu.contention: found it beside cores.computation, or for more cores than a domain has"},
    {"cores: {per_domain: 2, memory: 1 MB/s}\ncpu: {speed_changes: [{node: 0, at: 1s, speed: 1}]}\n",
     "found cpu.speed_changes beside cores.memory"},
    {"cpu: {communication_cost: {scale: -1}}\n", "cpu.communication_cost.scale: "},
    {"run: {placement: round}\n",
     "test.yaml:4:18: run.placement: found \"round\", wanted block, spread, cyclic, random"},
    {"run: {placement: 0-4}\n", "run.placement: found \"0-4\", wanted nodes 0 to 3"},
    {"run: {placement: [0, 1]}\n", "run.placement: found a list of 2"},
    /* speeds */
    {"cpu: {speed: 0}\n", "cpu.speed: found \"0\", wanted 1e-06 to 1e+06"},
    {"cpu: {speed_changes: 2}\n", "cpu.speed_changes: found \"2\", wanted a list"},
    {"cpu: {speed_changes: [{node: 0, at: 1s}]}\n", "test.yaml:4:23"},
    {"cpu: {speed_changes: [{node: 4, at: 1s, speed: 1}]}\n",
     "cpu.speed_changes: found node 4, wanted one of the cluster's 4, from 0 on"},
    {"cpu: {speed_changes: [{node: 0, at: 1s, speed: 0}]}\n", "found \"0\", wanted 1e-06 to"},
    {"cpu: {speed_changes: [{node: 0, at: 1s, speed: 1}, {node: 0, at: 1s, speed: 2}]}\n",
     "found node 0 twice at 1 s, wanted one speed at a time"},
    {"cpu: {speed: {}}\n", "cpu.speed: found a mapping, wanted a number"},
    {"cpu: {speed: [1, 2]}\n", "cpu.speed: found 2 speeds, wanted one for each of 4 nodes"},
    {"cpu: {speed: [1, 2, 3, x]}\n", "test.yaml:4:24: cpu.speed: found 'x'"},
    {"cpu: {speed: []}\n", "cpu.speed: found 0 speeds"},
    {"cpu: {speed: [{nodes: 0-1, speed: 1}, {nodes: 1, speed: 1}]}\n",
     "cpu.speed: found node 1 twice"},
    {"cpu: {speed: [{nodes: 0*2, speed: 1}]}\n", "cpu.speed: found node 0 twice"},
    {"cpu: {speed: [{nodes: 0-4, speed: 1}]}\n", "cpu.speed: found \"0-4\", wanted nodes 0 to 3"},
    {"cpu: {speed: [{nodes: , speed: 1}]}\n", "cpu.speed: found \"\""},
    {"cpu: {speed: [{node: 0, speed: 1}]}\n",
     "cpu.speed: found a mapping, wanted {nodes: \"0-3\", speed: 0.5}"},
    {"cpu: {speed: [{nodes: 0, speed: 1, x: 1}]}\n", "cpu.speed: found a mapping, wanted {nodes"},
    {"cpu: {speed: [{nodes: 0, speed: 1}, 2]}\n", "cpu.speed: found \"2\", wanted {nodes"},
    /* CPU cost */
    {"cpu: {communication_cost: 0.1}\n", "cpu.communication_cost: found \"0.1\", wanted a mapping"},
    {"cpu: {communication_cost: {table: []}}\n",
     "found a list of 0, wanted a list of 1 to 257 rows"},
    {"cpu: {communication_cost: {table: 3}}\n",
     "cpu.communication_cost.table: found \"3\", wanted a list"},
    {"cpu: {communication_cost: {table: [[0, 0], [0]]}}\n",
     "test.yaml:4:44: cpu.communication_cost.table: found 1 values in row 1, wanted 2"},
    {"cpu: {communication_cost: {table: [[0, 0], [0, 1.5]]}}\n", "found \"1.5\", wanted 0 to 1"},
    {"cpu: {communication_cost: {table: [[0.1]]}}\n", "found \"0.1\", wanted 0 to 0"},
    {"cpu: {communication_cost: {table: [[0]], maximum: 1}}\n",
     "test.yaml:4:42: found \"maximum\" beside a table, wanted cpu.communication_cost either"},
    {"cpu: {communication_cost: {maximum: 2}}\n",
     "cpu.communication_cost.maximum: found 2, wanted at most cores (1)"},
    {"cpu: {communication_cost: {transfers: 0}}\n",
     "found the old key \"cpu.communication_cost.transfers\", wanted none"},
};

static void wrong_files_are_refused_with_their_place(void **state)
{
	for (size_t k = 0; k < sizeof(refusals) / sizeof(refusals[0]); k++) {
		const char *text = refusals[k].text;
		struct cluster *cluster = NULL;
		struct util_error err = {0};
		char whole[1024];

		snprintf(whole, sizeof(whole), "%s%s", *text == '!' ? "" : MINIMAL,
			 *text == '!' ? text + 1 : text);
		assert_int_equal(cluster_parse("test.yaml", whole, strlen(whole), &cluster, &err),
				 UTIL_EINPUT);
		assert_null(cluster);
		if (!strstr(err.text, refusals[k].message) ||
		    strncmp(err.text, "test.yaml:", 10) != 0)
			fail_msg("%s\ngives: %s\nnot:   %s", whole, err.text, refusals[k].message);
	}
}

static int parse_with(const char *override, struct cluster **out, struct util_error *err)
{
	return cluster_parse_with("test.yaml", MINIMAL, strlen(MINIMAL), 1, &override, out, err);
}

static void overrides_replace_and_add_keys(void **state)
{
	static const char *const overrides[] = {"network.latency=2us",
						"cpu.communication_cost.outgoing=0.5",
						"nodes=2",
						"cpu.communication_cost.scale=0.25",
						"nodes=3",
						"cpu.speed=[1, 2, 4]",
						"protocol={overhead: 1us}",
						"name=\"a b\""};
	struct cluster *c = NULL;

	assert_int_equal(
	    cluster_parse_with("test.yaml", MINIMAL, strlen(MINIMAL), 8, overrides, &c, NULL), 0);
	assert_near(c->network.latency_s, 2e-6, 1e-20);
	assert_near(cluster_cpu_cost(c, 1, 0), 0.125, 1e-15);
	assert_int_equal(c->n_nodes, 3); /* the last one holds */
	assert_true(c->cpu.speed[2] == 4);
	assert_near(c->protocol.recv_overhead_s, 1e-6, 1e-20);
	assert_string_equal(c->name, "a b");
	cluster_destroy(c);
}

static void an_override_can_mend_a_value_that_the_file_has_wrong(void **state)
{
	static const char text[] = "mpisim_cluster: 1\nnodes: many\nnetwork:\ncpu:\n";
	static const char *const overrides[] = {"nodes=2", "network.latency=0",
						"network.bandwidth=inf"};
	struct cluster *c = NULL;

	assert_int_equal(
	    cluster_parse_with("test.yaml", text, strlen(text), 3, overrides, &c, NULL), 0);
	assert_int_equal(c->n_nodes, 2);
	cluster_destroy(c);
}

static void wrong_overrides_are_named(void **state)
{
	static const struct refusal cases[] = {
	    {"nodes", "override \"nodes\": found no '=', wanted key=value"},
	    {"nodes=", "override \"nodes=\": found no value"},
	    {"=3", "override \"=3\": found an empty key"},
	    {"network..latency=3", "found an empty key"},
	    {"network.=3", "found an empty key"},
	    {"network.latency.x=3", "found a value above \"x\", wanted a section"},
	    {"network.latncy=2us", "did you mean \"network.latency\"?"},
	    {"x.y.z=1", "override \"x.y.z=1\": found unknown key \"x\""},
	    {"nodes=0", "override \"nodes=0\": nodes: '0' is out of range"},
	    {"nodes=[", "override \"nodes=[\": found malformed YAML"},
	    {"nodes=[1]", "override \"nodes=[1]\": nodes: found a list of 1"},
	    {"nodes=&a 3", "found an anchor or a tag"},
	    {"cpu.speed=[1, 2]", "override \"cpu.speed=[1, 2]\": cpu.speed: found 2 speeds"},
	    {"network=5", "override \"network=5\": network: found \"5\", wanted a mapping"},
	};

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct cluster *cluster = NULL;
		struct util_error err = {0};

		assert_int_equal(parse_with(cases[k].text, &cluster, &err), UTIL_EINPUT);
		if (!strstr(err.text, cases[k].message) || strncmp(err.text, "override ", 9) != 0)
			fail_msg("%s\ngives: %s\nnot:   %s", cases[k].text, err.text,
				 cases[k].message);
	}
}

static void files_that_cannot_be_read_are_named(void **state)
{
	struct cluster *cluster = NULL;
	struct util_error err = {0};

	assert_int_equal(cluster_load("/nonexistent/cluster.yaml", &cluster, &err), UTIL_EINPUT);
	assert_non_null(strstr(err.text, "/nonexistent/cluster.yaml: No such file"));
	assert_int_equal(cluster_load("/", &cluster, &err), UTIL_EINPUT);
	assert_int_equal(cluster_load("/dev/zero", &cluster, &err), UTIL_EINPUT);
	assert_non_null(strstr(err.text, "found more than 1048576 bytes"));
	cluster_destroy(NULL);
}

static void huge_texts_end_soon(void **state)
{
	struct cluster *cluster = NULL;
	struct util_error err = {0};
	size_t length = 1 << 20;
	char *text = malloc(length + 1); /* snprintf ends with a NUL */

	assert_non_null(text);
	memset(text, '[', length);
	assert_int_equal(cluster_parse("deep", text, length, &cluster, &err), UTIL_EINPUT);
	assert_non_null(strstr(err.text, "deep:1:17: found lists or mappings nested too deeply"));
	for (size_t k = 0; k + 4 <= length; k += 4)
		memcpy(text + k, "a: \n", 4);
	assert_int_equal(cluster_parse("twice", text, length, &cluster, &err), UTIL_EINPUT);
	for (size_t k = 0; k + 8 <= length; k += 8)
		snprintf(text + k, 9, "%05zx: \n", (k / 8) & 0xfffff);
	assert_int_equal(cluster_parse("many", text, length, &cluster, &err), UTIL_EINPUT);
	assert_non_null(strstr(err.text, "found more than 100 keys"));
	memset(text, 'x', length);
	assert_int_equal(cluster_parse("long", text, length, &cluster, &err), UTIL_EINPUT);
	free(text);
}

/* A row of its own, or one of a section that it is in, which names it. */
static bool is_documented(const char *text, const char *path)
{
	const char *last = strrchr(path, '.'), *row, *end;
	char quoted[80], section[80];

	snprintf(quoted, sizeof(quoted), "| `%s` |", path);
	if (strstr(text, quoted))
		return true;
	snprintf(section, sizeof(section), "%s", path);
	for (char *dot = strrchr(section, '.'); dot; dot = strrchr(section, '.')) {
		*dot = '\0';
		snprintf(quoted, sizeof(quoted), "| `%s` |", section);
		row = strstr(text, quoted);
		if (!row)
			continue;
		end = strchr(row, '\n');
		snprintf(quoted, sizeof(quoted), "`%s`", last + 1);
		row = strstr(row, quoted);
		return row && row < end;
	}
	return false;
}

static void the_documentation_has_every_key(void **state)
{
	const char *page = getenv("CLUSTER_FILE_MD");
	static char text[1 << 16];
	FILE *file = page ? fopen(page, "r") : NULL;

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	for (int k = 0; k < cluster_n_keys; k++) {
		const char *path = cluster_keys[k].path;

		if (strcmp(path, "protocol") != 0 && !is_documented(text, path))
			fail_msg("docs/cluster-file.md lacks a row for %s", path);
	}
}

static void the_clusters_that_come_with_mpisim_load(void **state)
{
	static const char *const names[] = {"ultrasparc-fast-ethernet", "example-gigabit"};
	const char *folder = getenv("CLUSTERS");

	assert_non_null(folder);
	for (int k = 0; k < 2; k++) {
		struct cluster *cluster = NULL;
		struct util_error err = {0};
		char path[1024];

		snprintf(path, sizeof(path), "%s/%s.yaml", folder, names[k]);
		if (cluster_load(path, &cluster, &err))
			fail_msg("%s", err.text);
		if (k == 0) { /* what the thesis states of its cluster */
			assert_int_equal(cluster->n_nodes, 8);
			assert_near(cluster->network.latency_s, 1350e-6, 1e-18);
			assert_near(cluster->network.bandwidth_Bps, 11.85e6, 1e-6);
			assert_int_equal(cluster->network.model, CLUSTER_NETWORK_THESIS);
			/* as the thesis says of transfers to eight nodes at once */
			assert_true(cluster_cpu_cost(cluster, 8, 0) > 0.5);
		}
		cluster_destroy(cluster);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_minimal_file_gets_the_documented_defaults),
	    cmocka_unit_test(every_key_is_read),
	    cmocka_unit_test(speeds_by_ranges_leave_the_rest_at_one),
	    cmocka_unit_test(a_law_of_cpu_cost_holds_for_any_number_of_transfers),
	    cmocka_unit_test(scaled_cost_never_exceeds_the_cores),
	    cmocka_unit_test(wrong_files_are_refused_with_their_place),
	    cmocka_unit_test(overrides_replace_and_add_keys),
	    cmocka_unit_test(an_override_can_mend_a_value_that_the_file_has_wrong),
	    cmocka_unit_test(wrong_overrides_are_named),
	    cmocka_unit_test(files_that_cannot_be_read_are_named),
	    cmocka_unit_test(huge_texts_end_soon),
	    cmocka_unit_test(the_documentation_has_every_key),
	    cmocka_unit_test(the_clusters_that_come_with_mpisim_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
