/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine.h"

#include <math.h>
#include <string.h>

#define WORDS(...)                \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}
#define LINES "one_way rested train"

const struct parameter PARAMETER[PARAMETERS] = {
    [LATENCY] = {"network", NULL, "latency", TIME_S, 1e-10, 10, false, LINES},
    [BANDWIDTH] = {"network", NULL, "bandwidth", RATE, 1e3, 1e15, false, LINES},
    [MODEL] = {"network", NULL, "model", WORD, 0, 1, true,
	       "two_at_once train many_to_one one_to_many one_way", WORDS("fluid", "thesis")},
    [BURST] = {"network", NULL, "burst", SIZE, 16, 1e8, false, LINES},
    [PAYLOAD] = {"network", "packets", "payload", SIZE, 256, 65536, true, "packet_stream packets"},
    [HEADER] = {"network", "packets", "overhead", SIZE, 1, 1000, false, "packet_stream"},
    [QUEUE] = {"network", "packets", "queue", SIZE, 1000, 1e8, false,
	       "beside_bulk beside_half beside_nothing"},
    [DUPLEX] = {"network", "losses", "duplex", NUMBER, 0.002, 0.95, false,
		"both_ways sendrecv ring"},
    [SHARING... SEGMENT - 1] = {"network", "losses", "sharing", LISTED, 1e-4, 0.95, false,
				"many_to_one one_to_many"},
    [SEGMENT... SEGMENT_STEP - 1] = {"network", NULL, "segments", LISTED, 1, 1e9, true, "one_way"},
    [SEGMENT_STEP... SEGMENT_RATE - 1] = {"network", NULL, "segments", LISTED, 0.2, 5, false,
					  "one_way"},
    [SEGMENT_RATE... LINK_RATE - 1] = {"network", NULL, "segments", LISTED, 1e3, 1e15, false,
				       "one_way"},
    [LINK_RATE] = {"network", NULL, "segments", LISTED, 1e3, 1e15, false, "one_way"},
    [INNER_LATENCY] = {"network", "intra_node", "latency", TIME_S, 1e-10, 10, false, "one_way"},
    [INNER_BANDWIDTH] = {"network", "intra_node", "bandwidth", RATE, 1e3, 1e15, false, "one_way"},
    [INNER_SEGMENT... INNER_STEP - 1] = {"network", "intra_node", "segments", LISTED, 1, 1e9, true,
					 "one_way"},
    [INNER_STEP... INNER_RATE - 1] = {"network", "intra_node", "segments", LISTED, 0.2, 5, false,
				      "one_way"},
    [INNER_RATE... SEND_OVERHEAD - 1] = {"network", "intra_node", "segments", LISTED, 1e3, 1e15,
					 false, "one_way"},
    [SEND_OVERHEAD] = {"protocol", "overhead", "send", TIME_S, 1e-10, 1, false, "send_overhead"},
    [RECV_OVERHEAD] = {"protocol", "overhead", "recv", TIME_S, 1e-10, 1, false, "recv_overhead"},
    [PER_BYTE] = {"protocol", "overhead", "per_byte", TIME_S, 1e-14, 1e-5, false,
		  "recv_overhead one_way late_bulk"},
    [THRESHOLD] = {"protocol", NULL, "eager_threshold", SIZE, 0, 1e9, true, "late_receiver"},
    [REQUEST_DATA] = {"protocol", NULL, "request_data", SIZE, 1, 1e9, false, "late_bulk one_way"},
    [PROGRESS] = {"protocol", NULL, "progress", WORD, 0, 2, true,
		  "send_progress recv_progress send_look send_complete_look used",
		  WORDS("async", "in_mpi", "in_waiting")},
    [LATE_ANSWERS] = {"protocol", NULL, "late_answers", WORD, 0, 2, true, "late_probe late_tests",
		      WORDS("none", "probes", "tests")},
    [ORDER] = {"protocol", NULL, "order", WORD, 0, 1, true, "behind_large",
	       WORDS("free", "per_pair")},
    [SYNCHRONOUS] = {"protocol", NULL, "synchronous_send", WORD, 0, 1, true, "synchronous",
		     WORDS("matched", "acknowledged")},
    [END] = {"protocol", NULL, "rendezvous_end", WORD, 0, 1, true,
	     "receiver_away receiver_back one_way", WORDS("arrived", "acknowledged")},
    [UNATTENDED] = {"protocol", NULL, "unattended_send", SIZE, 1000, 1e9, false,
		    "used used_eager send_look send_progress"},
    [USED] = {"protocol", NULL, "unattended_send", LISTED, 1000, 1e9, false, "used used_eager"},
    [BUFFER_WORD] = {"protocol", NULL, "send_buffer", WORD, 0, 1, true,
		     "send_return send_buffer send_buffer_used", WORDS("off", "unattended")},
    [BUFFER... BUFFER_FROM - 1] = {"protocol", NULL, "send_buffer", LISTED, 1000, 1e9, false,
				   "send_return send_buffer send_buffer_used"},
    [BUFFER_FROM... DEPTH - 1] = {"protocol", NULL, "send_buffer", LISTED, 0, 1e9, true,
				  "send_buffer"},
    [DEPTH] = {"rma", NULL, "queue_depth", SIZE, 1, 1e6, true, "gets_at_once"},
    [MEMORY] = {"cores", NULL, "memory", RATE, 1e6, 1e14, false, ""},
    [MESSAGE_RATE] = {"network", NULL, "message_rate", NUMBER, 1, 1e12, false, ""},
    [TAPER] = {"network", "topology", "taper", NUMBER, 1, 1e6, true, ""},
    [UPLINK] = {"network", "topology", "bandwidth", RATE, 1e3, 1e14, false, ""},
    [COPIES] = {"network", "intra_node", "copies", SIZE, 1, 2, true, ""},
    [LEVEL_LATENCY... LEVEL_RATE - 1] = {"network", "intra_node", "levels", LISTED, 1e-10, 1, false,
					 ""},
    [LEVEL_RATE... PARAMETERS - 1] = {"network", "intra_node", "levels", LISTED, 1e3, 1e14, false,
				      ""},
};

const char *library_name(enum library library)
{
	static const char *const names[LIBRARIES] = {"plain", "rdma",	     "openmpi",
						     "mpich", "openmpi-tcp", "mpich-tcp"};

	return names[library];
}

void machine_set(struct machine *machine, enum parameter_id id, double value)
{
	machine->has[id] = true;
	machine->value[id] = fmin(fmax(value, PARAMETER[id].low), PARAMETER[id].high);
}

static void drop_all(struct machine *machine, int first, int end)
{
	memset(&machine->has[first], 0, (size_t)(end - first) * sizeof(bool));
}

/* What the file would refuse beside the others, or what counts for nothing without them. */
static void keep_possible(struct machine *machine)
{
	bool is_packets = machine->has[PAYLOAD];

	if (is_packets) {
		machine->has[MODEL] = machine->has[DUPLEX] = false;
		drop_all(machine, SHARING, INNER_LATENCY);
	} else {
		machine->has[HEADER] = machine->has[QUEUE] = false;
	}
	if (!machine->has[UNATTENDED])
		machine->has[USED] = false;
	if (!machine->has[SEGMENT])
		machine->has[LINK_RATE] = false;
	if (!machine->has[MEMORY])
		machine->has[COPIES] = false;
}

/* Lines follow each other: the last one goes first. */
static void drop_line(struct machine *machine, int first)
{
	int last = MACHINE_SEGMENTS - 1;

	while (last > 0 && !machine->has[first + last])
		last--;
	for (int k = 0; k < 3; k++)
		machine->has[first + last + k * MACHINE_SEGMENTS] = false;
}

void machine_drop(struct machine *machine, enum parameter_id id)
{
	if (id == SEGMENT || id == INNER_SEGMENT)
		drop_line(machine, id);
	else if (id == BUFFER)
		drop_all(machine, BUFFER, DEPTH);
	else
		machine->has[id] = false;
	keep_possible(machine);
}

/* What a value is set for that needs others. */
void machine_set_library(struct machine *machine, enum library library)
{
	machine->library = library;
	if (library != LIBRARY_OPENMPI_TCP && library != LIBRARY_MPICH_TCP)
		return;
	machine_set(machine, PAYLOAD, 1448); /* frames of 1500 B */
	machine_set(machine, HEADER, TCP_HEADER_B);
	machine_set(machine, BURST, 2800);
	machine_set(machine, QUEUE, 120e3);
	machine_set(machine, THRESHOLD, library == LIBRARY_OPENMPI_TCP ? 65480 : 19521);
	keep_possible(machine);
}

int machine_numbers(const struct machine *machine)
{
	int n = 0;

	for (int k = 0; k < PARAMETERS; k++)
		n += machine->has[k];
	return n;
}
