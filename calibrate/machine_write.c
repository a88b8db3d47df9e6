/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine as a cluster file. */
#include "machine_known.h"
#include "yaml.h"

#include <math.h>
#include <string.h>

struct output {
	const struct machine *machine;
	struct machine_file how;
	FILE *file;
};

/* --- where values are from --- */

/* How many samples tell it: within a node or, if there are any, between nodes. */
static struct summary samples_of(enum parameter_id id, const struct samples *samples)
{
	return yaml_samples(samples, PARAMETER[id].probes,
			    PARAMETER[id].block == INNER ? WITHIN_NODE : BETWEEN_NODES);
}

static bool has_interval(const struct output *out, enum parameter_id id)
{
	if (!out->how.samples)
		return machine_is_told(out->machine, id);
	return out->machine->low[id] > 0 && samples_of(id, out->how.samples).n >= SAMPLES_FEW;
}

static bool has_end(const struct output *out, enum parameter_id id)
{
	return out->machine->high[id] < PARAMETER[id].high;
}

static bool is_drawn(enum parameter_id id)
{
	return id == LATENCY || id == BANDWIDTH || id == INNER_LATENCY || id == INNER_BANDWIDTH ||
	       id == SEND_OVERHEAD || id == RECV_OVERHEAD;
}

static void write_interval(const struct output *out, enum parameter_id id, const char *separator)
{
	parameter_write(id, out->machine->low[id], out->file);
	fputs(separator, out->file);
	parameter_write(id, out->machine->high[id], out->file);
}

static void write_source(const struct output *out, enum parameter_id id)
{
	const struct machine *machine = out->machine;
	struct value v = {true, machine->value[id], machine->low[id], machine->high[id], 0, 0};
	bool is_told = out->how.says && has_interval(out, id);
	struct summary of;

	if (!out->how.says || (!out->how.samples && machine->low[id] <= 0))
		return;
	fputs("   # ", out->file);
	if (is_told)
		write_interval(out, id, " to ");
	if (!out->how.samples) {
		fputs(is_told ? "" : "not told by the times", out->file);
		return;
	}
	of = samples_of(id, out->how.samples);
	fputs(is_told ? "; " : "", out->file);
	yaml_probes(out->file, PARAMETER[id].probes, of.n);
	fprintf(out->file, ", %d outlier%s", of.n_outliers, yaml_plural(of.n_outliers));
	if (PARAMETER[id].is_stepped)
		return;
	if (v.low <= 0)
		v.low = v.high = v.value;
	v.n = of.n;
	v.n_outliers = of.n_outliers;
	yaml_doubts(out->file, &v, is_drawn(id) && !is_told, has_end(out, id));
}

/* --- values --- */

static void write_line(const struct output *out, double from_B, double latency_s, double rate_Bps,
		       double link_Bps, int indent)
{
	fprintf(out->file, "\n%*s  - {from: %.0f, latency: %.9gns, bandwidth: %.9g MB/s", indent,
		"", from_B, latency_s * 1e9, fmax(rate_Bps, link_Bps) / 1e6);
	if (link_Bps > rate_Bps)
		fprintf(out->file, ", stream: %.9g MB/s", rate_Bps / 1e6);
	fputs("}", out->file);
}

/* Times of segments are lines: each begins at a part of what the one before it has there. */
static void write_segments(const struct output *out, int first, int indent)
{
	const struct machine *machine = out->machine;
	int plain = first == SEGMENT ? LATENCY : INNER_LATENCY;
	double latency_s = machine->value[plain], rate_Bps = machine->value[plain + 1],
	       link_Bps =
		   first == SEGMENT && machine->has[LINK_RATE] ? machine->value[LINK_RATE] : 0;

	fputs("segments:", out->file);
	write_source(out, (enum parameter_id)first);
	if (link_Bps > 0)
		write_line(out, 0, latency_s, rate_Bps, link_Bps, indent);
	for (int k = first; k < first + MACHINE_SEGMENTS && machine->has[k]; k++) {
		double from_B = machine->value[k], time_s = (latency_s + from_B / rate_Bps) *
							    machine->value[k + MACHINE_SEGMENTS];

		rate_Bps = machine->value[k + 2 * MACHINE_SEGMENTS];
		latency_s = time_s - from_B / rate_Bps;
		write_line(out, from_B, latency_s, rate_Bps, link_Bps, indent);
	}
}

/* Lost by one flow, two, …: as few as were measured before, where nothing was. */
static void write_sharing(const struct output *out, int first, int indent)
{
	int n = MACHINE_FLOWS;
	double lost = 0;

	while (!out->machine->has[first + n - 1])
		n--;
	fputs("sharing: [0", out->file);
	for (int k = first; k < first + n; k++) {
		if (out->machine->has[k])
			lost = out->machine->value[k];
		fprintf(out->file, ", %.5g", lost);
	}
	fputc(']', out->file);
	write_source(out, (enum parameter_id)first);
}

static void write_buffers(const struct output *out, int first, int indent)
{
	const double *sizes_B = &out->machine->value[first], *from_B = sizes_B + MACHINE_BUFFERS;
	bool are_several = out->machine->has[first + 1];

	fputs("send_buffer:", out->file);
	if (!are_several)
		fprintf(out->file, " %.0f", sizes_B[0]);
	write_source(out, (enum parameter_id)first);
	for (int k = 0; are_several && k < MACHINE_BUFFERS && out->machine->has[first + k]; k++)
		fprintf(out->file, "\n%*s- {from: %.0f, size: %.0f}", indent + 2, "",
			k ? from_B[k] : 0, sizes_B[k]);
}

static void write_levels(const struct output *out, int first, int indent)
{
	const struct machine *machine = out->machine;

	for (int k = LEVEL_LATENCY; k < LEVEL_RATE && machine->has[k]; k++) {
		int rate = k + MACHINE_LEVELS;

		fputs(k > first ? ", {latency: " : "levels: [{latency: ", out->file);
		parameter_write((enum parameter_id)k, machine->value[k], out->file);
		fputs(", bandwidth: ", out->file);
		parameter_write((enum parameter_id)rate, machine->value[rate], out->file);
		fputc('}', out->file);
	}
	fputs(out->how.says ? "]   # " : "]", out->file);
	for (int k = first; k < LEVEL_RATE && machine->has[k] && out->how.says; k++)
		for (int id = k; id <= k + MACHINE_LEVELS; id += MACHINE_LEVELS) {
			fputs(id == first ? "" : "; ", out->file);
			if (has_interval(out, (enum parameter_id)id))
				write_interval(out, (enum parameter_id)id, " to ");
			else
				fputs("not told by the times", out->file);
		}
}

static void write_unattended(const struct output *out, int first, int indent)
{
	double fresh_B = out->machine->value[UNATTENDED], used_B = out->machine->value[USED];

	fputs("unattended_send: ", out->file);
	if (out->machine->has[USED])
		fprintf(out->file, "{new: %.0f, used: %.0f}", fresh_B, fmax(used_B, fresh_B));
	else
		parameter_write(UNATTENDED, fresh_B, out->file);
	write_source(out, UNATTENDED);
}

/* What several parameters are one key of. */
static const struct list {
	int first, end;
	void (*write)(const struct output *out, int first, int indent);
} LISTS[] = {
    {SHARING, SEGMENT, write_sharing},
    {SEGMENT, INNER_LATENCY, write_segments},
    {INNER_SEGMENT, SEND_OVERHEAD, write_segments},
    {UNATTENDED, BUFFER_WORD, write_unattended},
    {BUFFER, DEPTH, write_buffers},
    {LEVEL_LATENCY, PARAMETERS, write_levels},
};

static const struct list *list_of(int id)
{
	for (size_t k = 0; k < sizeof(LISTS) / sizeof(LISTS[0]); k++)
		if (id >= LISTS[k].first && id < LISTS[k].end)
			return &LISTS[k];
	return NULL;
}

/* Does it stand in the block, for itself or, as the first that is there, for all of its list? */
static bool is_entry(const struct machine *machine, int id, enum block block)
{
	const struct list *list = list_of(id);

	for (int k = list ? list->first : id; k < id; k++)
		if (machine->has[k])
			return false;
	return machine->has[id] && PARAMETER[id].block == block;
}

static void write_entry(const struct output *out, int id, int indent)
{
	const struct list *list = list_of(id);

	if (list) {
		list->write(out, list->first, indent);
		return;
	}
	fprintf(out->file, "%s: ", PARAMETER[id].key);
	parameter_write((enum parameter_id)id, out->machine->value[id], out->file);
	write_source(out, (enum parameter_id)id);
}

/* --- the file --- */

/* Each on a line behind so many blanks. */
static void write_entries(const struct output *out, enum block block, int indent)
{
	for (int k = 0; k < PARAMETERS; k++) {
		if (!is_entry(out->machine, k, block))
			continue;
		fprintf(out->file, "%*s", indent, "");
		write_entry(out, k, indent);
		fputc('\n', out->file);
	}
}

/* Before the brace that ends the line, behind commas, unless nothing is there; nothing is said of
 * them. */
static void write_in_braces(const struct output *out, const struct known_line *line)
{
	struct output bare = {.machine = out->machine, .file = out->file};
	const char *last = line->brace - 1;

	while (strchr(" \n", *last))
		last--;
	for (int k = 0; k < PARAMETERS; k++) {
		if (!is_entry(out->machine, k, (enum block)line->begins))
			continue;
		fputs(*last == '{' ? "" : ", ", out->file);
		last = ",";
		write_entry(&bare, k, 0);
	}
}

static void write_library(const struct output *out, int indent)
{
	static const char probes[] = "coll_bcast coll_allreduce coll_alltoall";
	const struct library_rules *library = &LIBRARY[out->machine->library];
	const struct samples *samples = out->how.samples;
	const char *name = samples ? samples_get_fact(samples, "library", 0) : NULL, *version;

	if (!library->key)
		return;
	fprintf(out->file, "%*s%s: %s", indent, "", library->key, library->name);
	if (out->how.says && samples && !library_is_called(out->machine->library, name)) {
		fputs("   # no other rules predict better; ", out->file);
		yaml_probes(out->file, probes, yaml_samples(samples, probes, BETWEEN_NODES).n);
	} else if (out->how.says) {
		fputs("   # by the library's name", out->file);
		version = name ? strpbrk(name, "0123456789") : NULL;
		if (version && strncmp(version, library->version, strlen(library->version)) != 0)
			fputs("; DOUBTFUL: the rules are of another version", out->file);
	}
	fputc('\n', out->file);
}

/* Is there anything for it to hold, be it in its groups? */
static bool is_needed(const struct machine *machine, enum block block)
{
	for (int k = 0; k < PARAMETERS; k++) {
		enum block of = PARAMETER[k].block;

		if (machine->has[k] && (of == block || BLOCK[of].section == block))
			return true;
	}
	return block == PROTOCOL && LIBRARY[machine->library].key;
}

/* Its values and, of a section, the groups that the known part lacks. */
static void write_block(const struct output *out, enum block block, int indent)
{
	write_entries(out, block, indent);
	for (enum block group = 0; group < BLOCKS; group++) {
		if (group == block || BLOCK[group].section != block ||
		    !is_needed(out->machine, group) || known_has(out->how.known, group))
			continue;
		fprintf(out->file, "%*s%s:\n", indent, "", BLOCK[group].name);
		write_entries(out, group, 2 * indent);
	}
	if (block == PROTOCOL)
		write_library(out, indent);
}

/* Those that can be drawn from (docs/cluster-file.md), and why others cannot. */
static void write_uncertainty(const struct output *out)
{
	static const char begin[] = "uncertainty:   # 95 % intervals of the values above, for "
				    "--vary-cluster\n";
	const char *intervals = out->how.intervals;
	bool has_begun = intervals && *intervals;
	char name[64];

	if (has_begun)
		fprintf(out->file, "%s%s", begin, intervals);
	for (enum parameter_id id = 0; id < PARAMETERS; id++) {
		bool is_told = has_interval(out, id);

		if (!out->machine->has[id] || !is_drawn(id))
			continue;
		parameter_name(id, name);
		if (is_told && has_end(out, id)) {
			fprintf(out->file, "%s  %s: [", has_begun ? "" : begin, name);
			write_interval(out, id, ", ");
			fputs("]\n", out->file);
			has_begun = true;
		} else if (out->how.samples) {
			yaml_unvaried(out->file, name, !is_told);
		}
	}
}

/* The known part, with values behind the lines that begin their sections and groups. */
static void write_known(const struct output *out)
{
	for (struct known_line line = {.end = out->how.known, .section = -1}; known_next(&line);) {
		const char *until = line.brace ? line.brace : line.end;

		fwrite(line.text, 1, (size_t)(until - line.text), out->file);
		if (line.brace)
			write_in_braces(out, &line);
		fwrite(until, 1, (size_t)(line.end - until), out->file);
		if (line.end[-1] != '\n')
			fputc('\n', out->file);
		if (line.begins >= 0 && !line.brace)
			write_block(out, (enum block)line.begins, known_indent(line.end));
	}
}

void machine_write(const struct machine *machine, const struct machine_file *how, FILE *file)
{
	const struct output out = {machine, *how, file};
	const char *known = how->known;

	write_known(&out);
	for (enum block section = 0; section < BLOCKS; section++) {
		if (BLOCK[section].section != section || known_has(known, section) ||
		    !is_needed(machine, section))
			continue;
		fprintf(file, "%s:\n", BLOCK[section].name);
		write_block(&out, section, 2);
	}
	if (!how->says)
		return;
	write_uncertainty(&out);
	if (!how->samples && strncmp(known, "variation:", 10) && !strstr(known, "\nvariation:"))
		fputs("variation: {computation: 0.01, messages: 0.01}   # assumed: what is equal "
		      "never takes equally long\n",
		      file);
}
