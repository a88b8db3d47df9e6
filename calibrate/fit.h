/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_FIT_H
#define CALIBRATE_FIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "check.h"
#include "samples.h"
#include "util/error.h"

/*
 * From samples to the values of a cluster file. Uses GSL: what links it is under the GPL
 * (README.md). docs/calibration-reference.md has the formulas.
 */
struct value {
	bool is_known;
	double value, low, high; /* 95 % interval */
	int n, n_outliers;	 /* samples */
};

enum { FIT_SEGMENTS = 8 };
#define FIT_MOST_BPS 1e15 /* clocks tell nothing of faster links */
#define FIT_MOST_B 1e9	  /* of a burst, a queue: what a cluster file allows */

struct segment { /* time = latency_s + per_byte_s × size, for sizes from_B … to_B */
	int64_t from_B, to_B;
	double latency_s, per_byte_s;
	double latency_error_s, per_byte_error_s; /* standard errors */
	double worst; /* largest relative distance of a measured point */
	int n_points;
};

struct curve { /* time by size */
	int n_points, n_segments, n_outliers, n_samples;
	struct point {
		int64_t size_B;
		struct summary time;
		bool is_rested; /* links had saved up all that they can */
	} * points;		/* [n_points], by size */
	struct segment segments[FIT_SEGMENTS];
};

struct sharing {		   /* flows at once */
	char name[SAMPLES_NAME_B]; /* of the probe */
	int n_flows;
	double efficiency; /* 1: fair and nothing lost */
};

enum { FIT_SHARING = 64, FIT_SINCE = 24 };

struct entry { /* of a cluster file's network.segments */
	int64_t from_B;
	double latency_s, per_byte_s;
};

struct since { /* of a cluster file's lists of sizes */
	int64_t from_B;
	double size_B;
};

/* What is tried where the rules found nothing that reproduces the samples (tune.c). */
struct fit_choice {
	bool has_segments;     /* between nodes, whatever the rules for them say */
	bool has_packets;      /* though their jumps are not certain, */
	double overhead_B;     /* with headers of that size; 0: as the jumps say */
	bool is_acknowledged;  /* the end of a rendezvous, though nobody waits for it */
	bool copies_meanwhile; /* what has arrived, while the rest of the message does */
	bool shares_latency;   /* latencies take links */
	double burst_s;	       /* 0: none */
};

struct fit {
	const struct samples *samples; /* borrowed */
	int n_nodes, n_ranks, cores;
	bool cores_are_certain;
	int subject;		   /* enum where: what the network's values come from */
	struct curve curves[2];	   /* of messages */
	struct curve eager[2];	   /* of transfers: of eager messages alone */
	struct curve transfers[2]; /* of transfers */
	struct value empty[2], send_overhead[2], recv_overhead[2], latency[2], bandwidth_Bps[2];
	int64_t threshold_B[2];		   /* INT64_MAX: none; -1: nothing is eager */
	double send_per_B_s, recv_per_B_s; /* overhead */
	double copied_per_B_s; /* of what had arrived, where what arrives is copied meanwhile */
	double burst_s;	       /* work that passes at once after a rest */
	double payload_B, overhead_B; /* of packets; 0: there are none */
	double overhead_error_B;      /* half of the 95 % interval */
	bool has_doubtful_packets;    /* times jump, but not for certain because of packets */
	bool is_ordered;	      /* a short message does not pass a long one */
	bool is_latency_shared;	      /* latencies take links */
	double send_wait, recv_wait;  /* of a message's time, still waited for after computing
					 longer; -1: unknown */
	double buffered_B;	      /* when a large send returns; -1: unknown */
	double unattended_B;   /* leave after a look, while the sender computes; -1: unknown, or all
				 do */
	bool is_acknowledged;  /* a rendezvous ends with two control messages more */
	double request_data_B; /* that travel with its request; -1: unknown */
	bool is_synchronous_acknowledged;
	bool is_late_probe, is_late_test; /* say no at first */
	int n_used, n_send_buffers;
	struct since used[FIT_SINCE], /* [n_used] what leaves unattended on a connection that has
					 carried so much */
	    send_buffers[FIT_SINCE];  /* [n_send_buffers] what a send of that size leaves behind */
	int64_t least_telling_B;   /* smaller messages were left behind as a whole; 0: none was */
	double queue_B;		   /* of a large message in its node's queue; -1: unknown */
	bool holds_all;		   /* all that was left of it */
	bool looks_if_complete;	   /* a call whose requests are complete makes progress, too */
	int n_sharing;
	struct sharing sharing[FIT_SHARING];
	struct fit_choice choice;
	const char *profile; /* of collective operations */
	int table_n;	       /* -1: no table */
	struct value *table;   /* [(n + 1)²], fraction of one CPU */
	bool table_is_partial; /* fewer loops than cores: only what they saw is in the table */
};

/* 0, or -1 with a sentence in `error`. */
int fit_make(struct fit *fit, const struct samples *samples, char error[256]);
int fit_make_with(struct fit *fit, const struct samples *samples, struct fit_choice choice,
		  char error[256]);
void fit_finish(struct fit *fit);
/* Of transfers, where they are known, else of messages. */
void fit_bandwidth(struct fit *fit, int where);
/* The bandwidth that times of messages say, without overheads per byte, which they have all where
 * all are eager. */
double fit_plain_rate(const struct fit *fit);
/* More than a tenth of the samples are outliers, the time of an empty message is known to 10 %
 * only, or times are a tenth off their lines by size. */
bool fit_is_noisy(const struct fit *fit);
#define FIT_NOISY                                                                                \
	"noisy machine: many outliers, or times scatter; do not rely on values that are marked " \
	"DOUBTFUL, run again on an idle machine"
/* Time of a message according to the curve's segments. */
double fit_curve_time(const struct curve *curve, int64_t size_B);

/* curve.c: points of one kind, and the segments that they fall into; no break is missed at
 * threshold_B. */
int curve_make(struct curve *curve, const struct samples *samples, int where, int64_t threshold_B);
/* The segments alone, of points that are there. */
int curve_fit(struct curve *curve, int64_t threshold_B);

/* sharing.c: after fit_transfers, or before, where latencies share */
void fit_sharing(struct fit *fit);
double fit_duplex_penalty(const struct fit *fit);
double fit_sharing_efficiency(const struct fit *fit, int n_flows);
int fit_most_flows(const struct fit *fit); /* of one link that were measured */

/* ends.c */
/* is_acknowledged, as far as ranks that wait for each other show it. */
void fit_end(struct fit *fit);
/* How long a large message goes on after its send has returned. */
double fit_after_return_s(const struct fit *fit);
/* What the receiver spends on a large message once it is there. */
double fit_taking_s(const struct fit *fit);
/* Of the time from the return of a send until the receiver has all: what buffers hold. */
double fit_in_buffer_s(const struct fit *fit, double left_s);
/* Control messages of one rendezvous. */
static inline int fit_n_control(const struct fit *fit)
{
	return fit->is_acknowledged ? 4 : 2;
}
/* How long what leaves unattended takes of links, if that and what stalled took so much less than
 * all of a message: what had stalled finds links that have rested, and passes at once as far as a
 * call takes it. */
double fit_unattended_s(const struct fit *fit, double spared_s);
void fit_queue(struct fit *fit); /* after fit_sharing */
void fit_synchronous(struct fit *fit);
void fit_late(struct fit *fit);
void fit_used(struct fit *fit); /* after the others */

/* rest.c: after latencies and bandwidths */
void fit_rest(struct fit *fit);
/* Half of the 95 % interval of an overhead per byte, from the probe of that name. */
double fit_per_byte_half_s(const struct fit *fit, const char *name);

/* packets.c: after fit_rest, of which it mends what packets make different */
void fit_packets(struct fit *fit);
/* With packets: how long so many bytes occupy a link, */
double fit_wire_s(const struct fit *fit, double size_B);
/* and both links of a transfer when each has saved up so much. */
double fit_packets_s(const struct fit *fit, double size_B, double credit_s);
/* How much less than its bytes at the bandwidth a large transfer takes after a rest. */
double fit_rested_s(const struct fit *fit);
/* A transfer of nothing, after a rest: the latency, and with packets what its headers take. */
double fit_nothing_s(const struct fit *fit);

/* transfers.c */
/* What travels with a request, times of transfers; after fit_rest and fit_end. 0 or -1. */
int fit_transfers(struct fit *fit);
void fit_free_transfers(struct fit *fit);
/* Of a message, by one latency and one bandwidth for all sizes. */
double fit_plain_time(const struct fit *fit, int where, int64_t size_B);
double fit_control_s(const struct fit *fit); /* a control message, after a rest */
/* Largest relative distance of a measured time from one latency and one bandwidth for all sizes. */
double fit_plain_error(const struct fit *fit, int where);
/* Whether messages of that size tell something of the bytes' time: those that pass at once take
 * their latency, and those of many bursts what their bytes take more. Others find links that have
 * rested for a part of a burst only. */
bool fit_finds_burst(const struct fit *fit, int where, const struct point *message);
/* Whether the cluster file has segments there. */
bool fit_needs_segments(const struct fit *fit, int where);

/* scatter.c: after fit_transfers */
/* Mean distance of measured times from their lines by size, of the larger one: at most 1. */
double fit_scatter(const struct fit *fit, int where);
/* An F test: what one latency and one bandwidth are off, and lines by size are not, is more than
 * the times' scatter would give to lines by chance. */
bool fit_stands_out(const struct fit *fit, int where);
/* connections.c: after fit_transfers and fit_queue */
void fit_send_buffer(struct fit *fit);
/* An entry of its own, where it differs by more than a measurement's error from the one before. */
void fit_add_since(struct since *list, int *n, int64_t from_B, double size_B);

/* entries.c */
/* Within a node, such that the file's one overhead and this give the time of an empty message. */
double fit_intra_latency(const struct fit *fit);
/* The transfers' curve as the file's segments; returns how many. */
int fit_entries(const struct fit *fit, int where, struct entry entries[FIT_SEGMENTS]);
/* Of a transfer of that size: bytes per second once it has its links, and how long before. */
double fit_rate_at(const struct fit *fit, double size_B);
double fit_delay_at(const struct fit *fit, double size_B);

/* variation.c: how much equal computations and transfers differ, either way, as a part of them;
 * false: it was not measured, or nothing differs, as in the simulator. */
struct fit_varies {
	double computation, messages;
};
bool fit_variation(const struct fit *fit, struct fit_varies *out);
/* The same computation on each node: its median, and by how much it differs; how many nodes. */
int fit_node_speeds(const struct fit *fit, double *times_s, double *varies, int most);

/* collectives.c */
const char *fit_profile_by_name(const struct samples *samples);
/* The rules are those of another version of the library. */
bool fit_profile_is_other(const struct samples *samples, const char *profile);
/* Timed collective operations: the most that one is off; -1: there are none. */
double fit_collective_off(const struct check *check, double *mean);
/* Another profile, if it predicts them much better; *check is that of the result. */
void fit_collectives(struct fit *fit, struct candidates *candidates, struct check *check);

/* tune.c: what the probes take in the simulator decides. */
/* Replaces the fit by the reading of its samples that predicts them best, its values by least
 * squares where it does not do so yet; *check is that of the result. */
void fit_choose(struct fit *fit, struct check *check);

/* yaml.c: the cluster file, with what its check says; NULL: it has not been checked yet. */
void fit_write_yaml(const struct fit *fit, const struct check *check, FILE *file);
/* plot.c: data, a gnuplot script and PNG pictures in the directory, with what the cluster file's
 * probes take in the simulator (NULL: without). 0; 1: no pictures, since there is no gnuplot;
 * negative. */
int fit_plot(const struct fit *fit, const char *cluster, const char *directory,
	     struct util_error *err);
/* report.c */
/* All of it: file `output` appears complete or not at all, after it was compared with the samples
 * if `checks`; warnings go to stderr, after the name `who`, a summary to stdout. 0 or -1, with a
 * message on stderr. */
int fit_report(const char *who, const struct samples *samples, const char *output, const char *plot,
	       bool checks);
/* How well that cluster file reproduces the samples, on stdout. 0, 1: something is more than 10 %
 * off, 2: it could not be told, and stderr says why. */
int fit_check(const char *who, const struct samples *samples, const char *cluster);

#endif
