/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_MACHINE_H
#define CALIBRATE_MACHINE_H

#include <stdbool.h>
#include <stdio.h>

#include "samples.h"
#include "util/error.h"

/*
 * A cluster file whose values are being looked for: the part that is known, as text, what a library
 * brings with it, and the values of the parameters below. This is the one place that knows which
 * keys of the file they are. No MPI, no GSL.
 */
enum { TCP_HEADER_B = 90 }; /* of a packet on Ethernet: its own, of IP and of TCP */
enum { MACHINE_SEGMENTS = 5, MACHINE_FLOWS = 32, MACHINE_BUFFERS = 3, MACHINE_LEVELS = 3 };

enum parameter_id {
	LATENCY,
	BANDWIDTH,
	MODEL,
	BURST,
	PAYLOAD,
	HEADER,
	QUEUE,
	DUPLEX,
	SHARING,			   /* of two flows, of three, … */
	SEGMENT = SHARING + MACHINE_FLOWS, /* of each of the segments: where it begins, */
	SEGMENT_STEP =
	    SEGMENT + MACHINE_SEGMENTS, /* its time there over that of the line before, */
	SEGMENT_RATE = SEGMENT_STEP + MACHINE_SEGMENTS, /* and its bandwidth, */
	LINK_RATE =
	    SEGMENT_RATE + MACHINE_SEGMENTS, /* which one transfer gets of a link that has this */
	INNER_LATENCY,			     /* within a node */
	INNER_BANDWIDTH,
	INNER_SEGMENT,
	INNER_STEP = INNER_SEGMENT + MACHINE_SEGMENTS,
	INNER_RATE = INNER_STEP + MACHINE_SEGMENTS,
	SEND_OVERHEAD = INNER_RATE + MACHINE_SEGMENTS,
	RECV_OVERHEAD,
	PER_BYTE,
	THRESHOLD,
	REQUEST_DATA,
	PROGRESS,
	LATE_ANSWERS,
	ORDER,
	SYNCHRONOUS,
	END,
	UNATTENDED, /* what leaves on a connection that is new, */
	USED,	    /* and on one that has carried much, if that is more */
	BUFFER_WORD,
	BUFFER,					/* that a send leaves behind: of each size on, */
	BUFFER_FROM = BUFFER + MACHINE_BUFFERS, /* which begins here */
	DEPTH = BUFFER_FROM + MACHINE_BUFFERS,
	MEMORY,
	MESSAGE_RATE,
	TAPER,
	UPLINK, /* of links between switches */
	COPIES,
	LEVEL_LATENCY, /* of each level of a node */
	LEVEL_RATE = LEVEL_LATENCY + MACHINE_LEVELS,
	PARAMETERS = LEVEL_RATE + MACHINE_LEVELS
};

/* Sections of the file, each with the groups that stand in it. */
enum block { NETWORK, PACKETS, LOSSES, INNER, TOPOLOGY, PROTOCOL, OVERHEAD, RMA, CORES, BLOCKS };

extern const struct block_name {
	const char *name;
	enum block section; /* of a section: itself */
} BLOCK[BLOCKS];

enum unit { TIME_S, RATE, SIZE, NUMBER, WORD, ROUND_TIME, ROUND_RATE };

extern const struct parameter {
	enum block block;
	const char *key;
	enum unit unit;
	double low, high;
	bool is_stepped;	  /* times do not follow small changes of it: tried, not fitted */
	const char *probes;	  /* of a calibration, that tell it */
	const char *const *words; /* the first one: as without the key */
} PARAMETER[PARAMETERS];

enum library {
	LIBRARY_PLAIN,
	LIBRARY_RDMA,
	LIBRARY_OPENMPI,
	LIBRARY_MPICH,
	LIBRARY_OPENMPI_TCP,
	LIBRARY_MPICH_TCP,
	LIBRARIES
};

extern const struct library_rules {
	const char *name, *key;	      /* its value of that key of `protocol`; NULL: it needs none */
	const char *called, *version; /* as it calls itself; of which the rules are */
} LIBRARY[LIBRARIES];

struct machine {
	enum library library;
	bool has[PARAMETERS]; /* else the key is not in the file */
	double value[PARAMETERS];
	/* what the fit says of them; 0: nothing */
	double low[PARAMETERS], high[PARAMETERS];
};

/* What stands in the file beside the values. */
struct machine_file {
	const char *known;	       /* other keys, as text */
	const char *intervals;	       /* lines of its section `uncertainty`; NULL: none */
	const struct samples *samples; /* that values are from; NULL: times of others */
	bool says;		       /* intervals, and where values are from */
};

/* Whether that is what it calls itself; name may be NULL. */
bool library_is_called(enum library library, const char *name);
/* Another library's, and over TCP packets with the values that they begin with. */
void machine_set_library(struct machine *machine, enum library library);
/* Its dotted key. */
const char *parameter_name(enum parameter_id id, char buf[64]);
void parameter_write(enum parameter_id id, double value, FILE *file);
/* Sets it, within its range. */
void machine_set(struct machine *machine, enum parameter_id id, double value);
/* Takes it away, with what is nothing without it. */
void machine_drop(struct machine *machine, enum parameter_id id);
/* Whether what was measured tells it: its interval is not as wide as what is thought of it before. */
bool machine_is_told(const struct machine *machine, enum parameter_id id);
/* Values that are not words of the library's set. */
int machine_numbers(const struct machine *machine);
/*
 * Writes the known part with the values in their sections. `known` is what machine_check has
 * accepted, or a calibration's: it has none of these keys, and sections as blocks. Cores and groups
 * of a section may be there, in braces, too.
 */
void machine_write(const struct machine *machine, const struct machine_file *how, FILE *file);
int machine_check(const char *known, const char *name, struct util_error *err);

#endif
