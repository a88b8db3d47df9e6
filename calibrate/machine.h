/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_MACHINE_H
#define CALIBRATE_MACHINE_H

#include <stdbool.h>
#include <stdio.h>

#include "util/error.h"

/*
 * A cluster file whose values are being looked for: the part that is known, as text, what a library
 * brings with it, and the values of the parameters below. This is the one place that knows which
 * keys of the file they are. No MPI, no GSL.
 */
enum { MACHINE_SEGMENTS = 5, MACHINE_LEVELS = 3 };

enum parameter_id {
	LATENCY,
	BANDWIDTH,
	BURST,
	PAYLOAD,
	HEADER,
	QUEUE,
	DUPLEX,
	SHARING,
	SEGMENT, /* of each of the segments: where it begins, */
	SEGMENT_STEP =
	    SEGMENT + MACHINE_SEGMENTS, /* its time there over that of the line before, */
	SEGMENT_RATE = SEGMENT_STEP + MACHINE_SEGMENTS, /* and its bandwidth */
	SEND_OVERHEAD = SEGMENT_RATE + MACHINE_SEGMENTS,
	RECV_OVERHEAD,
	PER_BYTE,
	THRESHOLD,
	REQUEST_DATA,
	DEPTH,
	MEMORY,
	MESSAGE_RATE,
	TAPER,
	UPLINK, /* of links between switches */
	COPIES,
	LEVEL_LATENCY, /* of each level of a node */
	LEVEL_RATE = LEVEL_LATENCY + MACHINE_LEVELS,
	PARAMETERS = LEVEL_RATE + MACHINE_LEVELS
};

enum unit { TIME, RATE, SIZE, NUMBER, OF_SEGMENT, OF_LEVEL };

struct parameter {
	const char *section, *group, *key; /* group: the level between them; NULL: none */
	enum unit unit;
	double low, high;
	bool is_stepped; /* times do not follow small changes of it: tried, not fitted */
};

extern const struct parameter PARAMETER[PARAMETERS];

enum library { PLAIN, RDMA, OPENMPI, MPICH, OPENMPI_TCP, MPICH_TCP, LIBRARIES };

struct machine {
	enum library library;
	bool has[PARAMETERS]; /* else the key is not in the file */
	double value[PARAMETERS];
	/* what the fit says of them; 0: nothing */
	double low[PARAMETERS], high[PARAMETERS];
};

const char *library_name(enum library library);
/* Another library's, and over TCP packets with the values that they begin with. */
void machine_set_library(struct machine *machine, enum library library);
/* Its dotted key. */
const char *parameter_name(enum parameter_id id, char buf[64]);
void parameter_write(enum parameter_id id, double value, FILE *file);
/* Sets it, within its range. */
void machine_set(struct machine *machine, enum parameter_id id, double value);
/*
 * Writes the known part with the values in their sections; with `says`, intervals, too. `known` is
 * what machine_check has accepted: it has none of these keys, and sections as blocks. Cores and
 * groups of a section may be there, in braces, too.
 */
void machine_write(const struct machine *machine, const char *known, bool says, FILE *file);
int machine_check(const char *known, const char *name, struct util_error *err);

#endif
