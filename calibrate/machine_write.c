/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine as a cluster file. */
#include "machine_known.h"

#include <math.h>
#include <string.h>

static const struct library_line {
	enum library library;
	const char *section, *line;
	const char *name, *version; /* as it calls itself; of which the rules are */
} LIBRARY[] = {
    {LIBRARY_RDMA, "protocol", "library: rdma", NULL, NULL},
    {LIBRARY_OPENMPI, "protocol", "collectives: openmpi", "Open MPI", "4.1"},
    {LIBRARY_MPICH, "protocol", "collectives: mpich", "MPICH", "4.0"},
    {LIBRARY_OPENMPI_TCP, "protocol", "library: openmpi-tcp", "Open MPI", "4.1"},
    {LIBRARY_MPICH_TCP, "protocol", "library: mpich-tcp", "MPICH", "4.0"},
};
enum { N_LINES = sizeof(LIBRARY) / sizeof(LIBRARY[0]) };

/* NULL: it has none. */
static const struct library_line *find_library(enum library library)
{
	for (int k = 0; k < N_LINES; k++)
		if (LIBRARY[k].library == library)
			return &LIBRARY[k];
	return NULL;
}

const char *library_line(enum library library, const char *section)
{
	const struct library_line *found = find_library(library);

	return found && !strcmp(found->section, section) ? found->line : NULL;
}

bool library_is_called(enum library library, const char *name)
{
	const struct library_line *found = find_library(library);

	return name && found && found->name && strstr(name, found->name);
}

const char *parameter_name(enum parameter_id id, char buf[64])
{
	const struct parameter *p = &PARAMETER[id];

	snprintf(buf, 64, "%s.%s%s%s", p->section, p->group ? p->group : "", p->group ? "." : "",
		 p->key);
	return buf;
}

void parameter_write(enum parameter_id id, double value, FILE *file)
{
	switch (PARAMETER[id].unit) {
	case TIME_S:
		fprintf(file, value < 1e-8 ? "%.6gns" : "%.6gus",
			value * (value < 1e-8 ? 1e9 : 1e6));
		break;
	case RATE:
		fprintf(file, "%.9g MB/s", value / 1e6);
		break;
	case SIZE:
		if (id == THRESHOLD && value >= PARAMETER[id].high)
			fputs("off", file);
		else
			fprintf(file, "%.0f", value);
		break;
	case LISTED:
		if (id >= LEVEL_LATENCY) {
			fprintf(file, id < LEVEL_RATE ? "%.5gns" : "%.6g MB/s",
				id < LEVEL_RATE ? value * 1e9 : value / 1e6);
			break;
		} /* fall through */
	case NUMBER:
		fprintf(file, "%.5g", value);
		break;
	case WORD:
		fputs(PARAMETER[id].words[(int)value], file);
	}
}

/* --- where values are from --- */

/* Of a value, half of its interval: more makes it doubtful; as outliers do, of the samples. */
static const double WIDE = 0.1, MANY = 0.1;

static const char *plural(int n)
{
	return n == 1 ? "" : "s";
}

/* How many samples tell it: within a node or, if there are any, between nodes. */
static struct summary samples_of(enum parameter_id id, const struct samples *samples)
{
	const char *group = PARAMETER[id].group;
	struct summary within, between;

	within = samples_probes(samples, PARAMETER[id].probes, WITHIN_NODE);
	between = samples_probes(samples, PARAMETER[id].probes, BETWEEN_NODES);
	return between.n > 0 && !(group && !strcmp(group, "intra_node")) ? between : within;
}

static bool has_interval(const struct machine *machine, enum parameter_id id,
			 const struct machine_file *how)
{
	return machine->low[id] > 0 &&
	       (!how->samples || samples_of(id, how->samples).n >= SAMPLES_FEW);
}

static bool has_no_end(const struct machine *machine, enum parameter_id id)
{
	return machine->high[id] >= PARAMETER[id].high;
}

static bool is_drawn(enum parameter_id id)
{
	return id == LATENCY || id == BANDWIDTH || id == INNER_LATENCY || id == INNER_BANDWIDTH ||
	       id == SEND_OVERHEAD || id == RECV_OVERHEAD;
}

/* Who reads the value reads this, too: a warning further up is easily lost. */
static void write_doubts(const struct machine *machine, enum parameter_id id,
			 const struct machine_file *how, FILE *file)
{
	struct summary of = samples_of(id, how->samples);
	double low = machine->low[id], high = machine->high[id];
	bool has_few = is_drawn(id) && !has_interval(machine, id, how),
	     is_wide = low > 0 && high - low > 2 * WIDE * machine->value[id],
	     has_outliers = of.n_outliers > MANY * of.n;

	if (PARAMETER[id].is_stepped || !(has_few || is_wide || has_outliers))
		return;
	fputs("; DOUBTFUL: ", file);
	if (has_few)
		fputs("too few samples for an interval", file);
	else if (is_wide && has_no_end(machine, id))
		fputs("the interval has no end", file);
	else if (is_wide)
		fprintf(file, "known to +- %.0f %% only", 50 * (high - low) / machine->value[id]);
	if (has_outliers)
		fprintf(file, "%s%.0f %% of the samples are outliers",
			has_few || is_wide ? ", " : "", 100.0 * of.n_outliers / of.n);
}

static void write_source(const struct machine *machine, enum parameter_id id,
			 const struct machine_file *how, FILE *file)
{
	const char *probes = PARAMETER[id].probes;
	struct summary of;
	bool is_told = how->says && has_interval(machine, id, how);

	if (!how->says || (!is_told && !how->samples))
		return;
	fputs("   # ", file);
	if (is_told) {
		parameter_write(id, machine->low[id], file);
		fputs(" to ", file);
		parameter_write(id, machine->high[id], file);
	}
	if (!how->samples)
		return;
	of = samples_of(id, how->samples);
	fprintf(file, "%s%s %s, %d sample%s, %d outlier%s", is_told ? "; " : "",
		strchr(probes, ' ') ? "probes" : "probe", probes, of.n, plural(of.n), of.n_outliers,
		plural(of.n_outliers));
	write_doubts(machine, id, how, file);
}

/* --- the file --- */

static bool has_section(const struct machine *machine, const char *section)
{
	for (int k = 0; k < PARAMETERS; k++)
		if (machine->has[k] && !strcmp(PARAMETER[k].section, section))
			return true;
	return library_line(machine->library, section) != NULL;
}

static void write_line(double from_B, double latency_s, double rate_Bps, double link_Bps,
		       int indent, FILE *file)
{
	fprintf(file, "\n%*s  - {from: %.0f, latency: %.9gns, bandwidth: %.9g MB/s", indent, "",
		from_B, latency_s * 1e9, fmax(rate_Bps, link_Bps) / 1e6);
	if (link_Bps > rate_Bps)
		fprintf(file, ", stream: %.9g MB/s", rate_Bps / 1e6);
	fputs("}", file);
}

/* Times of segments are lines: each begins at a part of what the one before it has there. */
static void write_segments(const struct machine *machine, int first, int indent,
			   const struct machine_file *how, FILE *file)
{
	int plain = first == SEGMENT ? LATENCY : INNER_LATENCY;
	double latency_s = machine->value[plain], rate_Bps = machine->value[plain + 1],
	       link_Bps =
		   first == SEGMENT && machine->has[LINK_RATE] ? machine->value[LINK_RATE] : 0;

	fputs("segments:", file);
	write_source(machine, (enum parameter_id)first, how, file);
	if (link_Bps > 0)
		write_line(0, latency_s, rate_Bps, link_Bps, indent, file);
	for (int k = 0; k < MACHINE_SEGMENTS && machine->has[first + k]; k++) {
		double from_B = machine->value[first + k],
		       time_s = (latency_s + from_B / rate_Bps) *
				machine->value[first + MACHINE_SEGMENTS + k];

		rate_Bps = machine->value[first + 2 * MACHINE_SEGMENTS + k];
		latency_s = time_s - from_B / rate_Bps;
		write_line(from_B, latency_s, rate_Bps, link_Bps, indent, file);
	}
}

/* Lost by one flow, two, …: as few as were measured before, where nothing was. */
static void write_sharing(const struct machine *machine, const struct machine_file *how, FILE *file)
{
	double lost = 0;
	int n = MACHINE_FLOWS;

	while (n > 0 && !machine->has[SHARING + n - 1])
		n--;
	if (n == 0)
		return;
	fputs("sharing: [0", file);
	for (int k = 0; k < n; k++) {
		if (machine->has[SHARING + k])
			lost = machine->value[SHARING + k];
		fprintf(file, ", %.5g", lost);
	}
	fputc(']', file);
	write_source(machine, SHARING, how, file);
}

static void write_buffers(const struct machine *machine, int indent, const struct machine_file *how,
			  FILE *file)
{
	fputs("send_buffer:", file);
	if (!machine->has[BUFFER + 1])
		fprintf(file, " %.0f", machine->value[BUFFER]);
	write_source(machine, BUFFER, how, file);
	for (int k = 0; k < MACHINE_BUFFERS && machine->has[BUFFER + 1] && machine->has[BUFFER + k];
	     k++)
		fprintf(file, "\n%*s- {from: %.0f, size: %.0f}", indent + 2, "",
			k ? machine->value[BUFFER_FROM + k] : 0, machine->value[BUFFER + k]);
}

static void write_levels(const struct machine *machine, const struct machine_file *how, FILE *file)
{
	for (int k = 0; k < MACHINE_LEVELS && machine->has[LEVEL_RATE + k]; k++) {
		fputs(k ? ", {latency: " : "levels: [{latency: ", file);
		parameter_write((enum parameter_id)(LEVEL_LATENCY + k),
				machine->value[LEVEL_LATENCY + k], file);
		fputs(", bandwidth: ", file);
		parameter_write((enum parameter_id)(LEVEL_RATE + k), machine->value[LEVEL_RATE + k],
				file);
		fputs("}", file);
	}
	fputs("]", file);
	for (int k = LEVEL_LATENCY; k < PARAMETERS; k++)
		if (machine->has[k])
			write_source(machine, (enum parameter_id)k, how, file);
}

static void write_value(const struct machine *machine, enum parameter_id id,
			const struct machine_file *how, FILE *file)
{
	fprintf(file, "%s: ", PARAMETER[id].key);
	if (id == UNATTENDED && machine->has[USED])
		fprintf(file, "{new: %.0f, used: %.0f}", machine->value[UNATTENDED],
			fmax(machine->value[USED], machine->value[UNATTENDED]));
	else
		parameter_write(id, machine->value[id], file);
	write_source(machine, id, how, file);
}

/* What is to stand between braces is behind a comma, unless it is the first. */
enum { IN_BRACES = -1, IN_EMPTY_BRACES = -2 };

static int braces_of(const char *line, const char *end)
{
	const char *at = end - 1;

	while (at > line && strchr(" \n", *at))
		at--;
	return *at == '{' ? IN_EMPTY_BRACES : IN_BRACES;
}

/* What stands for itself, or for all of a list: the first one that is there. */
static bool is_entry(const struct machine *machine, int id)
{
	if (!machine->has[id] || PARAMETER[id].unit != LISTED)
		return machine->has[id];
	for (int k = SHARING; k < id && id < SEGMENT; k++)
		if (machine->has[k])
			return false;
	return id < SEGMENT || id == SEGMENT || id == INNER_SEGMENT || id == BUFFER ||
	       id == LEVEL_LATENCY;
}

static bool is_of(const struct machine *machine, int id, const char *section, const char *group)
{
	const struct parameter *p = &PARAMETER[id];

	return is_entry(machine, id) && !strcmp(p->section, section) &&
	       (p->group && group ? !strcmp(p->group, group) : p->group == group);
}

static void write_entry(const struct machine *machine, int id, int indent,
			const struct machine_file *how, FILE *file)
{
	if (id == SEGMENT || id == INNER_SEGMENT)
		write_segments(machine, id, indent, how, file);
	else if (id >= SHARING && id < SEGMENT)
		write_sharing(machine, how, file);
	else if (id == BUFFER)
		write_buffers(machine, indent, how, file);
	else if (id == LEVEL_LATENCY)
		write_levels(machine, how, file);
	else
		write_value(machine, (enum parameter_id)id, how, file);
}

/* The values of a group, or of no group of the section, each on a line behind so many blanks; or, if
 * there are none (-1), behind commas. */
static void write_group(const struct machine *machine, const char *section, const char *group,
			int indent, const struct machine_file *how, FILE *file)
{
	struct machine_file bare = {.known = how->known};
	bool is_first = indent == IN_EMPTY_BRACES;

	for (int k = 0; k < PARAMETERS; k++) {
		if (!is_of(machine, k, section, group))
			continue;
		if (indent < 0) {
			fputs(is_first ? "" : ", ", file);
			is_first = false;
			write_entry(machine, k, 0, &bare, file);
			continue;
		}
		fprintf(file, "%*s", indent, "");
		write_entry(machine, k, indent, how, file);
		fputc('\n', file);
	}
}

static void write_library_source(enum library library, const struct samples *samples, FILE *file)
{
	static const char probes[] = "coll_bcast coll_allreduce coll_alltoall";
	const char *name = samples ? samples_get_fact(samples, "library", 0) : NULL, *version;

	if (samples && !library_is_called(library, name)) {
		fprintf(file, "   # no other rules predict better; probes %s, %d samples", probes,
			samples_probes(samples, probes, BETWEEN_NODES).n);
		return;
	}
	fputs("   # by the library's name", file);
	version = name ? strpbrk(name, "0123456789") : NULL;
	if (version && strncmp(version, find_library(library)->version,
			       strlen(find_library(library)->version)) != 0)
		fputs("; DOUBTFUL: the rules are of another version", file);
}

/* A section's values, but those of groups that stand in it. */
static void write_section(const struct machine *machine, const char *section, int indent,
			  const struct machine_file *how, FILE *file)
{
	const char *line = library_line(machine->library, section);

	write_group(machine, section, NULL, indent, how, file);
	for (int k = 0; k < PARAMETERS; k++) {
		const char *group = PARAMETER[k].group;
		bool is_first = true;

		if (!group || !is_of(machine, k, section, group) ||
		    known_has_group(how->known, section, group))
			continue;
		for (int j = 0; j < k; j++)
			is_first &= !is_of(machine, j, section, group);
		if (!is_first)
			continue;
		fprintf(file, "%*s%s:\n", indent, "", group);
		write_group(machine, section, group, 2 * indent, how, file);
	}
	if (!line)
		return;
	fprintf(file, "%*s%s", indent, "", line);
	if (how->says)
		write_library_source(machine->library, how->samples, file);
	fputc('\n', file);
}

/* Those that can be drawn from (docs/cluster-file.md), and why others cannot. */
static void write_uncertainty(const struct machine *machine, const struct machine_file *how,
			      FILE *file)
{
	static const char begin[] = "uncertainty:   # 95 % intervals of the values above, for "
				    "--vary-cluster\n";
	bool has_begun = how->intervals && *how->intervals;
	char name[64];

	if (has_begun)
		fprintf(file, "%s%s", begin, how->intervals);
	for (int k = 0; k < PARAMETERS; k++) {
		enum parameter_id id = (enum parameter_id)k;

		if (!machine->has[k] || !is_drawn(id))
			continue;
		parameter_name(id, name);
		if (has_interval(machine, id, how) && !has_no_end(machine, id)) {
			fprintf(file, "%s  %s: [", has_begun ? "" : begin, name);
			parameter_write(id, machine->low[k], file);
			fputs(", ", file);
			parameter_write(id, machine->high[k], file);
			fputs("]\n", file);
			has_begun = true;
		} else if (how->samples) {
			fprintf(file, "  # %s: not varied, %s\n", name,
				has_interval(machine, id, how) ? "its interval has no end"
							       : "too few samples for an interval");
		}
	}
}

void machine_write(const struct machine *machine, const struct machine_file *how, FILE *file)
{
	bool is_written[KNOWN_SECTIONS] = {false};
	const char *section = NULL;

	for (const char *line = how->known, *end; *line; line = end) {
		bool begins = *line != ' ' && *line != '#' && *line != '\n';
		int found = begins ? known_section(line) : -1;
		const char *group, *brace;

		if (begins)
			section = found >= 0 ? KNOWN_SECTION[found] : NULL;
		group = section && *line == ' ' ? known_group(line, section) : NULL;
		brace = found >= 0 || group ? known_brace(line) : NULL;
		end = known_line_end(brace ? brace : line);
		fwrite(line, 1, (size_t)((brace ? brace : end) - line), file);
		if (brace) { /* values go before it, else behind the line */
			write_group(machine, section, group, braces_of(line, brace), how, file);
			fwrite(brace, 1, (size_t)(end - brace), file);
		}
		if (end[-1] != '\n')
			fputc('\n', file);
		if (found >= 0)
			is_written[found] = true;
		if (found >= 0 && !brace)
			write_section(machine, section, known_indent(end), how, file);
		if (group && !brace)
			write_group(machine, section, group, known_indent(end), how, file);
	}
	for (int k = 0; k < KNOWN_SECTIONS; k++) {
		if (is_written[k] || !has_section(machine, KNOWN_SECTION[k]))
			continue;
		fprintf(file, "%s:\n", KNOWN_SECTION[k]);
		write_section(machine, KNOWN_SECTION[k], 2, how, file);
	}
	if (!how->says)
		return;
	write_uncertainty(machine, how, file);
	if (!how->samples && strncmp(how->known, "variation:", 10) &&
	    !strstr(how->known, "\nvariation:"))
		fputs("variation: {computation: 0.01, messages: 0.01}   # assumed: what is equal "
		      "never takes equally long\n",
		      file);
}
