/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine as a cluster file. */
#include "machine.h"

#include <math.h>
#include <string.h>

static const char *const SECTIONS[] = {"network", "protocol", "rma"};
enum { N_SECTIONS = sizeof(SECTIONS) / sizeof(SECTIONS[0]) };

static const struct library_line {
	enum library library;
	const char *section, *line;
} LIBRARY[] = {
    {LIBRARY_RDMA, "protocol", "library: rdma"},
    {LIBRARY_OPENMPI, "protocol", "collectives: openmpi"},
    {LIBRARY_MPICH, "protocol", "collectives: mpich"},
    {LIBRARY_OPENMPI_TCP, "protocol", "library: openmpi-tcp"},
    {LIBRARY_MPICH_TCP, "protocol", "library: mpich-tcp"},
};
enum { N_LINES = sizeof(LIBRARY) / sizeof(LIBRARY[0]) };

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
	case NUMBER:
	case LISTED:
		fprintf(file, "%.5g", value);
		break;
	case WORD:
		fputs(PARAMETER[id].words[(int)value], file);
	}
}

/* --- where values are from --- */

static bool is_named(const char *names, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = names; (at = strstr(at, name)); at += length)
		if ((at == names || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

void machine_write_probes(const struct samples *samples, const char *names, FILE *file)
{
	long n = 0;

	for (size_t i = 0; i < samples->n; i++)
		n += is_named(names, samples->list[i].key.name);
	fprintf(file, "%s %s, %ld sample%s", strchr(names, ' ') ? "probes" : "probe", names, n,
		n == 1 ? "" : "s");
}

/* Of a value, half of its interval: more makes it doubtful. */
static const double WIDE = 0.1;

static void write_source(const struct machine *machine, enum parameter_id id,
			 const struct machine_file *how, FILE *file)
{
	double low = machine->low[id], high = machine->high[id];

	if (!how->says || (!(low > 0) && !how->samples))
		return;
	fputs("   # ", file);
	if (low > 0) {
		parameter_write(id, low, file);
		fputs(" to ", file);
		parameter_write(id, high, file);
	}
	if (!how->samples)
		return;
	fputs(low > 0 ? "; " : "", file);
	machine_write_probes(how->samples, PARAMETER[id].probes, file);
	if (low > 0 && high - low > 2 * WIDE * machine->value[id])
		fprintf(file, "; DOUBTFUL: known to +- %.0f %% only",
			50 * (high - low) / machine->value[id]);
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

/* Times of segments are lines: each begins at a part of what the one before it has there. */
static void write_segments(const struct machine *machine, int first, int indent,
			   const struct machine_file *how, FILE *file)
{
	int plain = first == SEGMENT ? LATENCY : INNER_LATENCY;
	double latency_s = machine->value[plain], rate_Bps = machine->value[plain + 1];

	if (!machine->has[first])
		return;
	fprintf(file, "%*ssegments:", indent, "");
	write_source(machine, (enum parameter_id)first, how, file);
	fputc('\n', file);
	for (int k = 0; k < MACHINE_SEGMENTS && machine->has[first + k]; k++) {
		double from_B = machine->value[first + k],
		       time_s = (latency_s + from_B / rate_Bps) *
				machine->value[first + MACHINE_SEGMENTS + k];

		rate_Bps = machine->value[first + 2 * MACHINE_SEGMENTS + k];
		latency_s = time_s - from_B / rate_Bps;
		fprintf(file, "%*s  - {from: %.0f, latency: %.9gns, bandwidth: %.9g MB/s}\n",
			indent, "", from_B, latency_s * 1e9, rate_Bps / 1e6);
	}
}

/* Lost by one flow, two, …: as few as were measured before, where nothing was. */
static void write_sharing(const struct machine *machine, int indent, const struct machine_file *how,
			  FILE *file)
{
	double lost = 0;
	int n = MACHINE_FLOWS;

	while (n > 0 && !machine->has[SHARING + n - 1])
		n--;
	if (n == 0)
		return;
	fprintf(file, "%*ssharing: [0", indent, "");
	for (int k = 0; k < n; k++) {
		if (machine->has[SHARING + k])
			lost = machine->value[SHARING + k];
		fprintf(file, ", %.5g", lost);
	}
	fputc(']', file);
	write_source(machine, SHARING, how, file);
	fputc('\n', file);
}

static void write_buffers(const struct machine *machine, int indent, const struct machine_file *how,
			  FILE *file)
{
	if (!machine->has[BUFFER])
		return;
	fprintf(file, "%*ssend_buffer:", indent, "");
	if (!machine->has[BUFFER + 1])
		fprintf(file, " %.0f", machine->value[BUFFER]);
	write_source(machine, BUFFER, how, file);
	fputc('\n', file);
	for (int k = 0; k < MACHINE_BUFFERS && machine->has[BUFFER + 1] && machine->has[BUFFER + k];
	     k++)
		fprintf(file, "%*s- {from: %.0f, size: %.0f}\n", 2 * indent, "",
			k ? machine->value[BUFFER_FROM + k] : 0, machine->value[BUFFER + k]);
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
	fputc('\n', file);
}

static bool is_same_group(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The values of one section, each on a line behind so many blanks. */
static void write_section(const struct machine *machine, const char *section, int indent,
			  const struct machine_file *how, FILE *file)
{
	const char *group = NULL;

	for (int k = 0; k < PARAMETERS; k++) {
		const struct parameter *p = &PARAMETER[k];
		int here = p->group ? 2 * indent : indent;

		if (!machine->has[k] || strcmp(p->section, section))
			continue;
		if (p->group && !is_same_group(p->group, group))
			fprintf(file, "%*s%s:\n", indent, "", p->group);
		group = p->group;
		if (k == SEGMENT || k == INNER_SEGMENT)
			write_segments(machine, k, here, how, file);
		else if (k >= SHARING && k < SEGMENT)
			write_sharing(machine, here, how, file);
		else if (k == BUFFER)
			write_buffers(machine, indent, how, file);
		else if (p->unit != LISTED) {
			fprintf(file, "%*s", here, "");
			write_value(machine, (enum parameter_id)k, how, file);
		}
		if (k >= SHARING && k < SEGMENT)
			k = SEGMENT - 1;
	}
	for (int k = 0; k < N_LINES; k++)
		if (LIBRARY[k].library == machine->library && !strcmp(LIBRARY[k].section, section))
			fprintf(file, "%*s%s%s\n", indent, "", LIBRARY[k].line,
				how->says ? "   # by the library's name" : "");
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
	return id == LATENCY || id == BANDWIDTH || id == INNER_LATENCY || id == INNER_BANDWIDTH ||
	       id == SEND_OVERHEAD || id == RECV_OVERHEAD;
}

/* Those that can be drawn from (docs/cluster-file.md). */
static void write_uncertainty(const struct machine *machine, const char *others, FILE *file)
{
	bool is_first = !others || !*others;
	char name[64];

	if (!is_first)
		fprintf(
		    file,
		    "uncertainty:   # 95 %% intervals of the values above, for --vary-cluster\n%s",
		    others);
	for (int k = 0; k < PARAMETERS; k++) {
		if (!machine->has[k] || !(machine->low[k] > 0) || !is_drawn((enum parameter_id)k))
			continue;
		if (is_first)
			fputs("uncertainty:   # 95 % intervals of the values above, for "
			      "--vary-cluster\n",
			      file);
		is_first = false;
		fprintf(file, "  %s: [", parameter_name((enum parameter_id)k, name));
		parameter_write((enum parameter_id)k, machine->low[k], file);
		fputs(", ", file);
		parameter_write((enum parameter_id)k, machine->high[k], file);
		fputs("]\n", file);
	}
}

void machine_write(const struct machine *machine, const struct machine_file *how, FILE *file)
{
	bool is_written[N_SECTIONS] = {false};

	for (const char *line = how->known, *end; *line; line = end) {
		int section = section_of(line);

		end = line_end(line);
		fwrite(line, 1, (size_t)(end - line), file);
		if (end[-1] != '\n')
			fputc('\n', file);
		if (section < 0)
			continue;
		is_written[section] = true;
		write_section(machine, SECTIONS[section], indent_of(end), how, file);
	}
	for (int k = 0; k < N_SECTIONS; k++) {
		if (is_written[k] || !has_section(machine, SECTIONS[k]))
			continue;
		fprintf(file, "%s:\n", SECTIONS[k]);
		write_section(machine, SECTIONS[k], 2, how, file);
	}
	if (!how->says)
		return;
	write_uncertainty(machine, how->intervals, file);
	if (!how->samples && strncmp(how->known, "variation:", 10) &&
	    !strstr(how->known, "\nvariation:"))
		fputs("variation: {computation: 0.01, messages: 0.01}   # assumed: what is equal "
		      "never takes equally long\n",
		      file);
}

/* --- the part that is known --- */

/* What a fit to times of others may set. */
static bool is_of_times(enum parameter_id id)
{
	return PARAMETER[id].unit != WORD && (id < INNER_LATENCY || id >= SEND_OVERHEAD) &&
	       (id < UNATTENDED || id >= DEPTH);
}

/* Does this line of the section give the key of a parameter, or of a library? */
static bool is_taken(const char *line, const char *section)
{
	size_t n;

	line += strspn(line, " ");
	n = strcspn(line, ":\n");
	for (int k = 0; k < PARAMETERS; k++) {
		const char *key = PARAMETER[k].group ? PARAMETER[k].group : PARAMETER[k].key;

		if (is_of_times((enum parameter_id)k) && !strcmp(PARAMETER[k].section, section) &&
		    strlen(key) == n && !strncmp(line, key, n))
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
