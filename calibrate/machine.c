/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine.h"

#include <math.h>
#include <string.h>

const struct parameter PARAMETER[PARAMETERS] = {
    [LATENCY] = {"network", NULL, "latency", TIME, 1e-9, 10, false},
    [BANDWIDTH] = {"network", NULL, "bandwidth", RATE, 1e3, 1e13, false},
    [BURST] = {"network", NULL, "burst", SIZE, 16, 1e8, false},
    [PAYLOAD] = {"network", "packets", "payload", SIZE, 256, 65536, true},
    [HEADER] = {"network", "packets", "overhead", SIZE, 1, 1000, false},
    [QUEUE] = {"network", "packets", "queue", SIZE, 1000, 1e8, false},
    [DUPLEX] = {"network", "losses", "duplex", NUMBER, 0.005, 0.95, false},
    [SHARING] = {"network", "losses", "sharing", NUMBER, 0.005, 0.95, false},
    [SEGMENT... SEGMENT_STEP - 1] = {"network", NULL, "segments", OF_SEGMENT, 1, 1e9, true},
    [SEGMENT_STEP... SEGMENT_RATE - 1] = {"network", NULL, "segments", OF_SEGMENT, 0.2, 5, false},
    [SEGMENT_RATE... SEND_OVERHEAD - 1] = {"network", NULL, "segments", OF_SEGMENT, 1e3, 1e13,
					   false},
    [SEND_OVERHEAD] = {"protocol", "overhead", "send", TIME, 1e-9, 1, false},
    [RECV_OVERHEAD] = {"protocol", "overhead", "recv", TIME, 1e-9, 1, false},
    [PER_BYTE] = {"protocol", "overhead", "per_byte", TIME, 1e-14, 1e-5, false},
    [THRESHOLD] = {"protocol", NULL, "eager_threshold", SIZE, 0, 1e9, true},
    [REQUEST_DATA] = {"protocol", NULL, "request_data", SIZE, 0, 1e9, true},
    [DEPTH] = {"rma", NULL, "queue_depth", SIZE, 1, 1e6, true},
    [MEMORY] = {"cores", NULL, "memory", RATE, 1e6, 1e14, false},
    [MESSAGE_RATE] = {"network", NULL, "message_rate", NUMBER, 1, 1e12, false},
    [TAPER] = {"network", "topology", "taper", NUMBER, 1, 1e6, true},
    [UPLINK] = {"network", "topology", "bandwidth", RATE, 1e3, 1e14, false},
    [COPIES] = {"network", "intra_node", "copies", SIZE, 1, 2, true},
    [LEVEL_LATENCY... LEVEL_RATE - 1] = {"network", "intra_node", "levels", OF_LEVEL, 1e-10, 1,
					 false},
    [LEVEL_RATE... PARAMETERS - 1] = {"network", "intra_node", "levels", OF_LEVEL, 1e3, 1e14,
				      false},
};

static const char *const SECTIONS[] = {"network", "protocol", "rma", "cores"};
enum { N_SECTIONS = sizeof(SECTIONS) / sizeof(SECTIONS[0]) };

static const struct library_line {
	enum library library;
	const char *section, *line;
} LIBRARY[] = {
    {RDMA, "protocol", "library: rdma"},
    {OPENMPI, "protocol", "collectives: openmpi"},
    {MPICH, "protocol", "collectives: mpich"},
    {OPENMPI_TCP, "protocol", "library: openmpi-tcp"},
    {MPICH_TCP, "protocol", "library: mpich-tcp"},
};
enum { N_LINES = sizeof(LIBRARY) / sizeof(LIBRARY[0]) };

const char *library_name(enum library library)
{
	static const char *const names[LIBRARIES] = {"plain", "rdma",	     "openmpi",
						     "mpich", "openmpi-tcp", "mpich-tcp"};

	return names[library];
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
	case TIME:
		fprintf(file, value < 1e-8 ? "%.6gns" : "%.6gus",
			value * (value < 1e-8 ? 1e9 : 1e6));
		break;
	case RATE:
		fprintf(file, "%.9g MB/s", value / 1e6);
		break;
	case SIZE:
		fprintf(file, "%.0f", value);
		break;
	case NUMBER:
		fprintf(file, "%.5g", value);
		break;
	case OF_SEGMENT:
		fprintf(file, "%.5g", value);
		break;
	case OF_LEVEL:
		fprintf(file, id < LEVEL_RATE ? "%.5gns" : "%.6g MB/s",
			id < LEVEL_RATE ? value * 1e9 : value / 1e6);
	}
}

void machine_set(struct machine *machine, enum parameter_id id, double value)
{
	machine->has[id] = true;
	machine->value[id] = fmin(fmax(value, PARAMETER[id].low), PARAMETER[id].high);
}

void machine_set_library(struct machine *machine, enum library library)
{
	machine->library = library;
	if (library != OPENMPI_TCP && library != MPICH_TCP)
		return;
	machine_set(machine, PAYLOAD, 1448); /* frames of 1500 B */
	machine_set(machine, HEADER, 90);
	machine_set(machine, BURST, 2800);
	machine_set(machine, QUEUE, 120e3);
	machine_set(machine, THRESHOLD, library == OPENMPI_TCP ? 65480 : 19521);
	/* excluded beside packets */
	machine->has[DUPLEX] = machine->has[SHARING] = false;
	memset(&machine->has[SEGMENT], 0, 3 * MACHINE_SEGMENTS * sizeof(bool));
}

/* --- the file --- */

static bool has_section(const struct machine *machine, const char *section)
{
	for (int k = 0; k < PARAMETERS; k++)
		if (machine->has[k] && !strcmp(PARAMETER[k].section, section))
			return true;
	for (int k = 0; k < N_LINES; k++)
		if (LIBRARY[k].library == machine->library && !strcmp(LIBRARY[k].section, section))
			return true;
	return false;
}

static void write_interval(const struct machine *machine, enum parameter_id id, FILE *file)
{
	fputs("   # ", file);
	parameter_write(id, machine->low[id], file);
	fputs(" to ", file);
	parameter_write(id, machine->high[id], file);
}

static void write_value(const struct machine *machine, enum parameter_id id, bool says, FILE *file)
{
	fprintf(file, "%s: ", PARAMETER[id].key);
	parameter_write(id, machine->value[id], file);
	if (says && machine->low[id] > 0)
		write_interval(machine, id, file);
}

/* In one line. */
static void write_levels(const struct machine *machine, FILE *file)
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
}

static void write_level_intervals(const struct machine *machine, FILE *file)
{
	for (int k = LEVEL_LATENCY; k < PARAMETERS; k++)
		if (machine->has[k] && machine->low[k] > 0)
			write_interval(machine, (enum parameter_id)k, file);
}

/* Times of segments are lines: each begins at a part of what the one before it has there. */
static void write_segments(const struct machine *machine, int indent, FILE *file)
{
	double latency_s = machine->value[LATENCY], rate_Bps = machine->value[BANDWIDTH];

	if (machine->has[SEGMENT])
		fprintf(file, "%*ssegments:\n", indent, "");
	for (int k = 0; k < MACHINE_SEGMENTS && machine->has[SEGMENT + k]; k++) {
		double from_B = machine->value[SEGMENT + k],
		       time_s = (latency_s + from_B / rate_Bps) * machine->value[SEGMENT_STEP + k];

		rate_Bps = machine->value[SEGMENT_RATE + k];
		latency_s = time_s - from_B / rate_Bps;
		fprintf(file, "%*s- {from: %.0f, latency: %.6gns, bandwidth: %.9g MB/s}\n",
			2 * indent, "", from_B, latency_s * 1e9, rate_Bps / 1e6);
	}
}

/* The section that a line begins, if it is one of ours; -1: none. */
static int section_of(const char *line)
{
	for (int k = 0; k < N_SECTIONS; k++) {
		size_t n = strlen(SECTIONS[k]);

		if (!strncmp(line, SECTIONS[k], n) && line[n] == ':')
			return k;
	}
	return -1;
}

static const char *line_end(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

/* The brace that ends "key: {…}", be it on a later line; NULL: the line begins nothing in braces. */
static const char *closing_brace(const char *line)
{
	int depth = 0;

	for (const char *at = line; *at && (depth > 0 || *at != '\n'); at++) {
		if (*at == '#' && at > line && strchr(" \n", at[-1]))
			at += strcspn(at, "\n") - 1;
		else if (*at == '{')
			depth++;
		else if (*at == '}' && --depth == 0)
			return at;
	}
	return NULL;
}

/* Blanks before the first key of the section that begins before this line. */
static int indent_of(const char *line)
{
	while (*line) {
		int n = (int)strspn(line, " ");

		if (line[n] != '#' && line[n] != '\n')
			return n > 0 ? n : 2;
		line = line_end(line);
	}
	return 2;
}

/* The group that a line of a section begins; NULL: none of ours. */
static const char *group_of(const char *line, const char *section)
{
	line += strspn(line, " ");
	for (int k = 0; k < PARAMETERS; k++) {
		const char *group = PARAMETER[k].group;

		if (group && !strcmp(PARAMETER[k].section, section) &&
		    !strncmp(line, group, strlen(group)) && line[strlen(group)] == ':')
			return group;
	}
	return NULL;
}

static bool has_group(const char *known, const char *section, const char *group)
{
	int here = -1;

	for (const char *line = known; *line; line = line_end(line)) {
		if (*line != ' ' && *line != '#' && *line != '\n')
			here = section_of(line);
		else if (here >= 0 && !strcmp(SECTIONS[here], section) && *line == ' ' &&
			 group_of(line, section) && !strcmp(group_of(line, section), group))
			return true;
	}
	return false;
}

static bool is_of(const struct machine *machine, int id, const char *section, const char *group)
{
	const struct parameter *p = &PARAMETER[id];

	return machine->has[id] && !strcmp(p->section, section) && p->unit != OF_SEGMENT &&
	       (p->unit != OF_LEVEL || id == LEVEL_LATENCY) &&
	       (p->group && group ? !strcmp(p->group, group) : p->group == group);
}

/* The values of a group, or of no group of the section, each on a line behind so many blanks; or, if
 * there are none (-1), behind commas. How many there were. */
static int write_group(const struct machine *machine, const char *section, const char *group,
		       int indent, bool says, FILE *file)
{
	bool is_block = indent >= 0;
	int n = 0;

	for (int k = 0; k < PARAMETERS; k++) {
		if (!is_of(machine, k, section, group))
			continue;
		n++;
		fprintf(file, "%*s", is_block ? indent : 2, is_block ? "" : ", ");
		if (k == LEVEL_LATENCY)
			write_levels(machine, file);
		else
			write_value(machine, (enum parameter_id)k, says && is_block, file);
		if (k == LEVEL_LATENCY && says && is_block)
			write_level_intervals(machine, file);
		if (is_block)
			fputc('\n', file);
	}
	return n;
}

/* A section's values, but those of groups that stand in it. */
static void write_section(const struct machine *machine, const char *section, const char *known,
			  int indent, bool says, FILE *file)
{
	write_group(machine, section, NULL, indent, says, file);
	for (int k = 0; k < PARAMETERS; k++) {
		const char *group = PARAMETER[k].group;
		bool is_first = true;

		if (!group || !is_of(machine, k, section, group) ||
		    has_group(known, section, group))
			continue;
		for (int j = 0; j < k; j++)
			is_first &= !is_of(machine, j, section, group);
		if (!is_first)
			continue;
		fprintf(file, "%*s%s:\n", indent, "", group);
		write_group(machine, section, group, 2 * indent, says, file);
	}
	if (!strcmp(section, "network"))
		write_segments(machine, indent, file);
	for (int k = 0; k < N_LINES; k++)
		if (LIBRARY[k].library == machine->library && !strcmp(LIBRARY[k].section, section))
			fprintf(file, "%*s%s%s\n", indent, "", LIBRARY[k].line,
				says ? "   # the library's" : "");
}

static bool is_drawn(enum parameter_id id)
{
	return id == LATENCY || id == BANDWIDTH || id == SEND_OVERHEAD || id == RECV_OVERHEAD;
}

/* Those that can be drawn from (docs/cluster-file.md). */
static void write_uncertainty(const struct machine *machine, FILE *file)
{
	bool is_first = true;
	char name[64];

	for (int k = 0; k < PARAMETERS; k++) {
		if (!machine->has[k] || !(machine->low[k] > 0) || !is_drawn((enum parameter_id)k))
			continue;
		if (is_first)
			fputs("uncertainty:   # 95 % intervals, for --vary-cluster\n", file);
		is_first = false;
		fprintf(file, "  %s: [", parameter_name((enum parameter_id)k, name));
		parameter_write((enum parameter_id)k, machine->low[k], file);
		fputs(", ", file);
		parameter_write((enum parameter_id)k, machine->high[k], file);
		fputs("]\n", file);
	}
}

void machine_write(const struct machine *machine, const char *known, bool says, FILE *file)
{
	bool is_written[N_SECTIONS] = {false};
	const char *section = NULL;

	for (const char *line = known, *end; *line; line = end) {
		bool begins = *line != ' ' && *line != '#' && *line != '\n';
		int found = begins ? section_of(line) : -1;
		const char *group, *brace;

		if (begins)
			section = found >= 0 ? SECTIONS[found] : NULL;
		group = section && *line == ' ' ? group_of(line, section) : NULL;
		brace = found >= 0 || group ? closing_brace(line) : NULL;
		end = line_end(brace ? brace : line);
		fwrite(line, 1, (size_t)((brace ? brace : end) - line), file);
		if (brace) { /* values go before it, else behind the line */
			write_group(machine, section, group, -1, false, file);
			fwrite(brace, 1, (size_t)(end - brace), file);
		}
		if (end[-1] != '\n')
			fputc('\n', file);
		if (found >= 0)
			is_written[found] = true;
		if (found >= 0 && !brace)
			write_section(machine, section, known, indent_of(end), says, file);
		if (group && !brace)
			write_group(machine, section, group, indent_of(end), says, file);
	}
	for (int k = 0; k < N_SECTIONS; k++) {
		if (is_written[k] || !has_section(machine, SECTIONS[k]))
			continue;
		fprintf(file, "%s:\n", SECTIONS[k]);
		write_section(machine, SECTIONS[k], known, 2, says, file);
	}
	if (!says)
		return;
	write_uncertainty(machine, file);
	if (strncmp(known, "variation:", 10) && !strstr(known, "\nvariation:"))
		fputs("variation: {computation: 0.01, messages: 0.01}   # assumed: what is equal "
		      "never takes equally long\n",
		      file);
}

/* --- the part that is known --- */

/* Does this line of the section give the key of a parameter, or of a library? */
static bool is_taken(const char *line, const char *section)
{
	size_t n;

	line += strspn(line, " ");
	n = strcspn(line, ":\n");
	for (int k = 0; k < MEMORY; k++) { /* of the others a known one is left alone */
		const char *key = PARAMETER[k].group ? PARAMETER[k].group : PARAMETER[k].key;

		if (!strcmp(PARAMETER[k].section, section) && strlen(key) == n &&
		    !strncmp(line, key, n))
			return true;
	}
	for (int k = 0; k < N_LINES; k++)
		if (!strcmp(LIBRARY[k].section, section) && !strncmp(line, LIBRARY[k].line, n) &&
		    LIBRARY[k].line[n] == ':')
			return true;
	return false;
}

int machine_check(const char *known, const char *name, struct util_error *err)
{
	int section = -1, indent = 0, number = 1;

	for (const char *line = known; *line; line = line_end(line), number++) {
		int length = (int)strcspn(line, "\n");

		if (*line != ' ' && *line != '#' && *line != '\n') {
			section = section_of(line);
			indent = indent_of(line_end(line));
			if (section >= 0 && strcmp(SECTIONS[section], "cores") &&
			    closing_brace(line))
				return util_error_set(
				    err, UTIL_EINPUT,
				    "%s:%d: found \"%.*s\", wanted a key on each line, "
				    "as the fit adds some",
				    name, number, length, line);
		} else if (section >= 0 && (int)strspn(line, " ") == indent &&
			   is_taken(line, SECTIONS[section])) {
			return util_error_set(err, UTIL_EINPUT,
					      "%s:%d: found \"%.*s\", wanted a file without this "
					      "key, which is fitted",
					      name, number, length, line);
		}
	}
	return 0;
}
