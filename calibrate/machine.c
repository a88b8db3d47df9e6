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

const struct block_name BLOCK[BLOCKS] = {
    [NETWORK] = {"network", NETWORK},	 [PACKETS] = {"packets", NETWORK},
    [LOSSES] = {"losses", NETWORK},	 [INNER] = {"intra_node", NETWORK},
    [TOPOLOGY] = {"topology", NETWORK},	 [PROTOCOL] = {"protocol", PROTOCOL},
    [OVERHEAD] = {"overhead", PROTOCOL}, [RMA] = {"rma", RMA},
    [CORES] = {"cores", CORES},
};

const struct parameter PARAMETER[PARAMETERS] = {
    [LATENCY] = {NETWORK, "latency", TIME_S, 1e-10, 10, false, LINES},
    [BANDWIDTH] = {NETWORK, "bandwidth", RATE, 1e3, 1e15, false, LINES},
    [MODEL] = {NETWORK, "model", WORD, 0, 1, true,
	       "two_at_once train many_to_one one_to_many one_way", WORDS("fluid", "thesis")},
    [BURST] = {NETWORK, "burst", SIZE, 16, 1e8, false, LINES},
    [PAYLOAD] = {PACKETS, "payload", SIZE, 256, 65536, true, "packet_stream packets"},
    [HEADER] = {PACKETS, "overhead", SIZE, 1, 1000, false, "packet_stream"},
    [QUEUE] = {PACKETS, "queue", SIZE, 1000, 1e8, false, "beside_bulk beside_half beside_nothing"},
    [DUPLEX] = {LOSSES, "duplex", NUMBER, 0.002, 0.95, false, "both_ways sendrecv ring"},
    [SHARING... SEGMENT - 1] = {LOSSES, "sharing", NUMBER, 1e-4, 0.95, false,
				"many_to_one one_to_many"},
    [SEGMENT... SEGMENT_STEP - 1] = {NETWORK, "segments", NUMBER, 1, 1e9, true, "one_way"},
    [SEGMENT_STEP... SEGMENT_RATE - 1] = {NETWORK, "segments", NUMBER, 0.2, 5, false, "one_way"},
    [SEGMENT_RATE... LINK_RATE - 1] = {NETWORK, "segments", NUMBER, 1e3, 1e15, false, "one_way"},
    [LINK_RATE] = {NETWORK, "segments", NUMBER, 1e3, 1e15, false, "one_way"},
    [INNER_LATENCY] = {INNER, "latency", TIME_S, 1e-10, 10, false, "one_way"},
    [INNER_BANDWIDTH] = {INNER, "bandwidth", RATE, 1e3, 1e15, false, "one_way"},
    [INNER_SEGMENT... INNER_STEP - 1] = {INNER, "segments", NUMBER, 1, 1e9, true, "one_way"},
    [INNER_STEP... INNER_RATE - 1] = {INNER, "segments", NUMBER, 0.2, 5, false, "one_way"},
    [INNER_RATE... SEND_OVERHEAD - 1] = {INNER, "segments", NUMBER, 1e3, 1e15, false, "one_way"},
    [SEND_OVERHEAD] = {OVERHEAD, "send", TIME_S, 1e-10, 1, false, "send_overhead"},
    [RECV_OVERHEAD] = {OVERHEAD, "recv", TIME_S, 1e-10, 1, false, "recv_overhead"},
    [PER_BYTE] = {OVERHEAD, "per_byte", TIME_S, 1e-14, 1e-5, false,
		  "recv_overhead one_way late_bulk"},
    [THRESHOLD] = {PROTOCOL, "eager_threshold", SIZE, 0, 1e9, true, "late_receiver"},
    [REQUEST_DATA] = {PROTOCOL, "request_data", SIZE, 1, 1e9, false, "late_bulk one_way"},
    [PROGRESS] = {PROTOCOL, "progress", WORD, 0, 2, true,
		  "send_progress recv_progress send_look send_complete_look used",
		  WORDS("async", "in_mpi", "in_waiting")},
    [LATE_ANSWERS] = {PROTOCOL, "late_answers", WORD, 0, 2, true, "late_probe late_tests",
		      WORDS("none", "probes", "tests")},
    [ORDER] = {PROTOCOL, "order", WORD, 0, 1, true, "behind_large", WORDS("free", "per_pair")},
    [SYNCHRONOUS] = {PROTOCOL, "synchronous_send", WORD, 0, 1, true, "synchronous",
		     WORDS("matched", "acknowledged")},
    [END] = {PROTOCOL, "rendezvous_end", WORD, 0, 1, true, "receiver_away receiver_back one_way",
	     WORDS("arrived", "acknowledged")},
    [UNATTENDED] = {PROTOCOL, "unattended_send", SIZE, 1000, 1e9, false,
		    "used used_eager send_look send_progress"},
    [USED] = {PROTOCOL, "unattended_send", NUMBER, 1000, 1e9, false, "used used_eager"},
    [BUFFER_WORD] = {PROTOCOL, "send_buffer", WORD, 0, 1, true,
		     "send_return send_buffer send_buffer_used", WORDS("off", "unattended")},
    [BUFFER... BUFFER_FROM - 1] = {PROTOCOL, "send_buffer", NUMBER, 1000, 1e9, false,
				   "send_return send_buffer send_buffer_used"},
    [BUFFER_FROM... DEPTH - 1] = {PROTOCOL, "send_buffer", NUMBER, 0, 1e9, true, "send_buffer"},
    [DEPTH] = {RMA, "queue_depth", SIZE, 1, 1e6, true, "gets_at_once"},
    [MEMORY] = {CORES, "memory", RATE, 1e6, 1e14, false, ""},
    [MESSAGE_RATE] = {NETWORK, "message_rate", NUMBER, 1, 1e12, false, ""},
    [TAPER] = {TOPOLOGY, "taper", NUMBER, 1, 1e6, true, ""},
    [UPLINK] = {TOPOLOGY, "bandwidth", RATE, 1e3, 1e14, false, ""},
    [COPIES] = {INNER, "copies", SIZE, 1, 2, true, ""},
    [LEVEL_LATENCY... LEVEL_RATE - 1] = {INNER, "levels", ROUND_TIME, 1e-10, 1, false, ""},
    [LEVEL_RATE... PARAMETERS - 1] = {INNER, "levels", ROUND_RATE, 1e3, 1e14, false, ""},
};

const struct library_rules LIBRARY[LIBRARIES] = {
    [LIBRARY_PLAIN] = {"plain", NULL, NULL, NULL},
    [LIBRARY_RDMA] = {"rdma", "library", NULL, NULL},
    [LIBRARY_OPENMPI] = {"openmpi", "collectives", "Open MPI", "4.1"},
    [LIBRARY_MPICH] = {"mpich", "collectives", "MPICH", "4.0"},
    [LIBRARY_OPENMPI_TCP] = {"openmpi-tcp", "library", "Open MPI", "4.1"},
    [LIBRARY_MPICH_TCP] = {"mpich-tcp", "library", "MPICH", "4.0"},
};

bool library_is_called(enum library library, const char *name)
{
	const char *called = LIBRARY[library].called;

	return name && called && strstr(name, called);
}

const char *parameter_name(enum parameter_id id, char buf[64])
{
	enum block block = PARAMETER[id].block, section = BLOCK[block].section;

	if (block == section)
		snprintf(buf, 64, "%s.%s", BLOCK[section].name, PARAMETER[id].key);
	else
		snprintf(buf, 64, "%s.%s.%s", BLOCK[section].name, BLOCK[block].name,
			 PARAMETER[id].key);
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
		fprintf(file, "%.5g", value);
		break;
	case WORD:
		fputs(PARAMETER[id].words[(int)value], file);
		break;
	case ROUND_TIME:
		fprintf(file, "%.5gns", value * 1e9);
		break;
	case ROUND_RATE:
		fprintf(file, "%.6g MB/s", value / 1e6);
	}
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

bool machine_is_told(const struct machine *machine, enum parameter_id id)
{
	const double widest = 100; /* from one end to the other, a factor */

	return machine->low[id] > 0 && machine->high[id] <= widest * machine->low[id];
}

int machine_numbers(const struct machine *machine)
{
	int n = 0;

	for (int k = 0; k < PARAMETERS; k++)
		n += machine->has[k];
	return n;
}
