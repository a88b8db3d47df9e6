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
};

static const char *const SECTIONS[] = {"network", "protocol", "rma"};
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

static void write_value(const struct machine *machine, enum parameter_id id, bool says, FILE *file)
{
	fprintf(file, "%s: ", PARAMETER[id].key);
	parameter_write(id, machine->value[id], file);
	if (says && machine->low[id] > 0) {
		fputs("   # ", file);
		parameter_write(id, machine->low[id], file);
		fputs(" to ", file);
		parameter_write(id, machine->high[id], file);
	}
	fputc('\n', file);
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

/* The values of one section, each on a line behind so many blanks. */
static void write_section(const struct machine *machine, const char *section, int indent, bool says,
			  FILE *file)
{
	const char *group = NULL;

	for (int k = 0; k < PARAMETERS; k++) {
		const struct parameter *p = &PARAMETER[k];

		if (!machine->has[k] || strcmp(p->section, section) || p->unit == OF_SEGMENT)
			continue;
		if (p->group && p->group != group)
			fprintf(file, "%*s%s:\n", indent, "", p->group);
		group = p->group;
		fprintf(file, "%*s", group ? 2 * indent : indent, "");
		write_value(machine, (enum parameter_id)k, says, file);
	}
	if (!strcmp(section, "network"))
		write_segments(machine, indent, file);
	for (int k = 0; k < N_LINES; k++)
		if (LIBRARY[k].library == machine->library && !strcmp(LIBRARY[k].section, section))
			fprintf(file, "%*s%s%s\n", indent, "", LIBRARY[k].line,
				says ? "   # the library's" : "");
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

	for (const char *line = known, *end; *line; line = end) {
		int section = section_of(line);

		end = line_end(line);
		fwrite(line, 1, (size_t)(end - line), file);
		if (end[-1] != '\n')
			fputc('\n', file);
		if (section < 0)
			continue;
		is_written[section] = true;
		write_section(machine, SECTIONS[section], indent_of(end), says, file);
	}
	for (int k = 0; k < N_SECTIONS; k++) {
		if (is_written[k] || !has_section(machine, SECTIONS[k]))
			continue;
		fprintf(file, "%s:\n", SECTIONS[k]);
		write_section(machine, SECTIONS[k], 2, says, file);
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
	for (int k = 0; k < PARAMETERS; k++) {
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
			if (section >= 0 && strchr(line, '{') && strchr(line, '{') < line + length)
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
