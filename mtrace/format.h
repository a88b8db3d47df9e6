/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MTRACE_FORMAT_H
#define MTRACE_FORMAT_H

#include <stdint.h>

/*
 * The file `run.mtrace`: what the ranks of a program did, without the times at which they did it
 * (docs/trace-format.md has the layout byte by byte). This folder writes and reads it; it knows
 * neither the simulator nor mpi.h, so that a recorder under a real MPI writes the same files.
 *
 * Every rank has a stream of records. A record starts with a varint: one of enum mtrace_op, or
 * MTRACE_CALL + f for a call of function f of the file's table. Integers are varints of 7 bits,
 * lowest first, signed ones zigzag; doubles are 8 bytes, little-endian.
 */
#define MTRACE_MAGIC "\x89MTRACE\n"
#define MTRACE_END_MAGIC "MTREND\r\n"
#define MTRACE_VERSION 1
#define MTRACE_BLOCK_MAGIC 0x4b42544du /* "MTBK" */
#define MTRACE_MAX_RANKS (1 << 24)

enum mtrace_op {
	/* varint exit code: the rank has ended; the last record of every stream */
	MTRACE_END = 0,
	/*
	 * Computation of the step that the next record ends, unless that is another charge: varint
	 * kernel (string + 1, 0: not annotated), byte flags (enum mtrace_charge), double seconds on
	 * the reference CPU, byte n_params, n_params doubles
	 */
	MTRACE_CHARGE = 1,
	MTRACE_PHASE_BEGIN = 2, /* varint string */
	MTRACE_PHASE_END = 3,
	MTRACE_NODE_RELEASE = 4,
	MTRACE_CLOCK = 5, /* varint site: the program read a clock */
	MTRACE_SLEEP = 6, /* varint picoseconds, varint site */
	/*
	 * A datatype that the program made: varint id (from 0), signed size, lower bound, extent,
	 * true lower bound, true extent in bytes, byte flags (enum mtrace_type). An id may be
	 * defined anew.
	 */
	MTRACE_TYPE = 7,
	/*
	 * Real time of the record before this one: varint nanoseconds from
	 * the end of the rank's last such record (the first: from the file's common zero) to its
	 * begin, varint its duration
	 */
	MTRACE_TIMES = 8,
	MTRACE_NODE_ACQUIRE = 9,
	/*
	 * Memory that the next call uses, or that computation accesses (mpisim_touch): byte flags (enum
	 * mtrace_memory); of computation varint site and double fraction; varint n, n times varints address,
	 * bytes, how many of them, from one to the next
	 */
	MTRACE_MEMORY = 10,
	/*
	 * Before a call: varint polls that found nothing and that are no records; varint 1: the computation that was
	 * charged before is theirs, and the rank waited for as long, unless something happened that concerned it
	 */
	MTRACE_POLLS = 11,
	MTRACE_CALL = 32,
};

enum mtrace_charge {
	MTRACE_MEASURED = 1, /* seconds were measured while the program ran; else they came from a
				model or the program */
	MTRACE_SKIPPED =
	    2, /* a kernel that was not executed: another model may replace its seconds */
	MTRACE_TRAFFIC = 4, /* no seconds, one parameter: bytes of memory that a kernel which was charged
			       reads and writes (mpisim_kernel_memory); without a kernel CPU seconds of
			       threads beyond what the step takes, which draw on memory, too */
};

enum mtrace_memory {
	MTRACE_READ = 1,
	MTRACE_WRITTEN = 2,
	MTRACE_STATUS = 4,   /* of the call */
	MTRACE_COMPUTED = 8, /* by computation: `fraction` of all until the next record that ends a step */
	MTRACE_KERNEL = 16,  /* …: of the kernel that is charged next */
};

enum mtrace_type { MTRACE_CONTIGUOUS = 1 };

/*
 * A call: varint site, then its arguments as the signature of its function lists them, one letter
 * each; what is not listed is not recorded.
 *
 *   b  buffer: byte (enum mtrace_buffer)
 *   i  integer: signed
 *   a  integers: varint n, n signed
 *   t  datatype: varint handle of a predefined one (its constant in the MPI 5.0 ABI), or
 *      MTRACE_DERIVED + id
 *   T  datatypes: varint n, n as t
 *   o  operation: the same; MTRACE_DERIVED: user-defined, not commutative, MTRACE_DERIVED + 1:
 *      commutative
 *   c  communicator: varint, 0: null, 1: MPI_COMM_WORLD, 2: MPI_COMM_SELF, others as created
 *   C  created communicator, 0: none
 *   F  communicator that is freed
 *   g  group: varint n, n varint ranks of MPI_COMM_WORLD
 *   r  request: varint, 0: null
 *   R  created request
 *   q  requests: varint n, n as r
 *   f  request that the call ends if it is not persistent
 *   m  message of a probe: varint, 0: none, 1: MPI_MESSAGE_NO_PROC
 *   M  created one
 *   w  source of a receive or probe: signed; after MTRACE_ANY_SOURCE its match: 4 bytes source in
 *      the communicator, 4 bytes tag; source MTRACE_UNMATCHED: none
 *   x  outcome of a test or probe: signed (flag, index or number)
 *   v  window: varint, 0: null
 *   V  created one
 *   U  one that is freed
 *   d  displacement in a window: signed
 *   X  indices that ended: varint n, n varint
 *   s  session: varint, 0: null
 *   S  created one
 *   n  text: varint string
 *   N  at a root, number of the meeting of two groups, else 0: varint
 *   P  processes that the rank has spawned: varint n, n times: varint words of the command, varint
 *      strings; signed: asked for; signed: started; varint hosts, signed nodes to choose from (0:
 *      all). If n > 0, varint: the rank of the first process in the trace
 *   e  error code that the call returned: signed
 *
 * A call of a function whose signature is "" has no effect on times, but is counted in reports.
 * A reader skips calls that it does not know by their signatures.
 */
enum { MTRACE_DERIVED = 0x400 };
enum mtrace_buffer {
	MTRACE_BUFFER,
	MTRACE_IN_PLACE,
	MTRACE_BOTTOM,
	MTRACE_NULL,
	MTRACE_BUFFER_AUTOMATIC
};
#define MTRACE_ANY_SOURCE (-1)
#define MTRACE_UNMATCHED INT32_MIN
enum { MTRACE_COMM_NULL, MTRACE_COMM_WORLD, MTRACE_COMM_SELF, MTRACE_COMM_FIRST };

/* Why a replay elsewhere may differ from a run there. */
enum mtrace_doubt {
	MTRACE_DOUBT_WILDCARD, /* a receive from any source, with several possible senders */
	MTRACE_DOUBT_TEST,     /* MPI_Test* and MPI_Request_get_status */
	MTRACE_DOUBT_PROBE,    /* MPI_Iprobe, MPI_Improbe */
	MTRACE_DOUBT_ANY,      /* MPI_Waitany, MPI_Waitsome among several */
	MTRACE_DOUBT_CLOCK,    /* the program read a clock */
	MTRACE_DOUBT_FETCH,    /* one-sided calls that read what others may be writing */
	MTRACE_DOUBT_PLACE,    /* the program asked on which node it runs, or who else does */
	MTRACE_DOUBT_POINTER,  /* what came next by a shared file pointer */
	MTRACE_DOUBT_TAKEN,    /* a real run used files: no more is known than how long that took */
	MTRACE_N_DOUBTS,
};

struct mtrace_doubt_entry { /* one kind at one call site, over all ranks */
	uint32_t kind;	    /* enum mtrace_doubt */
	uint32_t function;  /* index of the table; UINT32_MAX: a function of libc */
	uint32_t site;
	uint32_t first_rank;
	uint64_t count;
};

#endif
