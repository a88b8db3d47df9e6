/* SPDX-License-Identifier: BSD-3-Clause */
/* From MPI_Init to MPI_Finalize: what every recorded call does first and last. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "real/tap.h"
#include "real/trace/trace.h"
#include "util/outpath.h"

struct mpi_record mpi_trace;
static _Thread_local bool is_main; /* the thread that called MPI_Init */

void mpi_trace_refuse(const char *format, ...)
{
	va_list arguments;

	if (mpi_trace.refused[0])
		return;
	va_start(arguments, format);
	vsnprintf(mpi_trace.refused, sizeof mpi_trace.refused, format, arguments);
	va_end(arguments);
}

/* --- calls --- */

_Static_assert(sizeof(struct mpi_record_call) <= MPI_WATCH_ROOM_B, "a call has too little room");

static void note_site(struct mpi_record *r, uint32_t number, const void *site)
{
	if (number >= r->site_capacity) {
		uint32_t capacity = 2 * number + 64;
		const void **sites = realloc(r->sites, capacity * sizeof *sites);

		if (!sites) {
			mpi_trace_refuse("out of memory");
			return;
		}
		r->sites = sites;
		r->site_capacity = capacity;
	}
	r->sites[number] = site;
	r->n_sites = number + 1;
}

/* False: the call is not recorded. */
static bool begin(struct mpi_record_call *call, const struct mpi_call_info *function,
		  const void *site)
{
	struct mpi_record *r = &mpi_trace;
	bool is_new;

	if (!r->is_on)
		return false;
	if (!is_main) {
		mpi_trace_refuse("called %s in another thread than MPI_Init", function->name);
		return false;
	}
	if (r->depth > 0 || mpi_trace_is_inner(function->name, site))
		return false;
	r->depth++;
	mpi_trace_charge();
	site = mpi_trace_caller(site);
	r->begin_ns = mpi_trace_now_ns();
	*call = (struct mpi_record_call){.record = r, .stream = r->stream, .function = function};
	call->site = mtrace_writer_site(r->writer, (uint64_t)(uintptr_t)site, &is_new);
	if (is_new)
		note_site(r, call->site, site);
	return true;
}

bool mpi_watch_enter(struct mpi_watch_call *watched, const struct mpi_call_info *function,
		     union mpi_value values[], const void *site)
{
	struct mpi_record_call *call = (struct mpi_record_call *)watched->room;

	if (function->is_simulated) {
		if (mpi_trace.is_on && mpi_trace.depth == 0)
			mpi_trace_refuse("called %s, which has no description in a trace",
					 function->name);
		return false;
	}
	if (!begin(call, function, site))
		return false;
	call->values = values;
	if (function->record == RECORD_EFFECTS)
		mpi_record_open(call);
	else
		mpi_record_before(call);
	return true;
}

static uint32_t number_of(const struct mpi_call_info *function)
{
	uint32_t *number = &mpi_trace.numbers[function - mpi_call_infos];

	if (*number == UINT32_MAX)
		*number = mtrace_writer_function(
		    mpi_trace.writer, function->name,
		    function->record == RECORD_EFFECTS ? "" : function->signature);
	return *number;
}

void mpi_record_open(struct mpi_record_call *call)
{
	mtrace_put_uint(call->stream, MTRACE_CALL + number_of(call->function));
	mtrace_put_uint(call->stream, call->site);
}

void mpi_record_end(struct mpi_record_call *call, int code)
{
	if (code != MPI_SUCCESS)
		mpi_trace_refuse("got error %d from %s", code, call->function->name);
	mtrace_record_end(call->stream);
	mpi_trace_put_times(mpi_trace.begin_ns, mpi_trace_now_ns());
	mpi_trace.depth--;
	mpi_trace.mark_ns = mpi_trace_compute_ns();
}

/* Ends a call of which no more is known than how long it took: that becomes a computation with the
 * function's name. */
static void end_taken(struct mpi_record_call *call)
{
	struct mpi_record *r = &mpi_trace;
	const char *name = call->function->name;

	mpi_record_doubt(call, MTRACE_DOUBT_TAKEN);
	mtrace_record_end(call->stream);
	mpi_trace_put_times(r->begin_ns, r->begin_ns);
	mpi_trace_put_charge(name, 0, NULL, (double)(mpi_trace_now_ns() - r->begin_ns) * 1e-9,
			     MTRACE_MEASURED);
	r->depth--;
	r->mark_ns = mpi_trace_compute_ns();
}

int mpi_watch_leave(struct mpi_watch_call *watched, int code)
{
	struct mpi_record_call *call = (struct mpi_record_call *)watched->room;

	if (call->function->record == RECORD_EFFECTS) {
		end_taken(call);
		return code;
	}
	mpi_record_after(call, code);
	mpi_record_end(call, call->function->record == RECORD_LOCAL ? MPI_SUCCESS : code);
	return code;
}

void mpi_record_doubt(struct mpi_record_call *call, enum mtrace_doubt kind)
{
	mtrace_writer_doubt(mpi_trace.writer, kind, number_of(call->function), call->site, 0, 1);
}

/* --- what libmpisim-real tells --- */

static bool is_told(void)
{
	return mpi_trace.is_on && is_main && mpi_trace.depth == 0;
}

static void tap_phase(const char *name)
{
	struct mtrace_stream *s = mpi_trace.stream;
	int64_t now_ns;

	if (!is_told() || (!name && mpi_trace.n_phases == 0))
		return;
	mpi_trace_charge();
	now_ns = mpi_trace_now_ns();
	mtrace_put_uint(s, name ? MTRACE_PHASE_BEGIN : MTRACE_PHASE_END);
	if (name)
		mtrace_put_uint(s, mtrace_writer_string(mpi_trace.writer, name));
	mtrace_record_end(s);
	mpi_trace_put_times(now_ns, now_ns);
	mpi_trace.n_phases += name ? 1 : -1;
	mpi_trace.mark_ns = mpi_trace_compute_ns();
}

static void tap_kernel_begin(void)
{
	if (!is_told())
		return;
	mpi_trace_charge();
	mpi_trace.mark_ns = mpi_trace_compute_ns();
}

static void tap_kernel_end(const char *name, int n_params, const double params[])
{
	int64_t elapsed_ns = mpi_trace_compute_ns() - mpi_trace.mark_ns;

	if (!is_told())
		return;
	mpi_trace_put_charge(name, n_params, params, (double)elapsed_ns * 1e-9, MTRACE_MEASURED);
	mpi_trace.mark_ns = mpi_trace_compute_ns();
}

static void tap_slept(const char *name, int n_params, const double params[], double seconds)
{
	if (!is_told())
		return;
	mpi_trace_put_charge(name, n_params, params, seconds, name ? MTRACE_SKIPPED : 0);
	mpi_trace.mark_ns = mpi_trace_compute_ns();
}

__attribute__((visibility("default"))) extern const struct mpisim_real_tap MPISIM_REAL_TAP;
const struct mpisim_real_tap MPISIM_REAL_TAP = {
    .phase = tap_phase,
    .kernel_begin = tap_kernel_begin,
    .kernel_end = tap_kernel_end,
    .slept = tap_slept,
};

/* --- life --- */

/* A run that ends without MPI_Finalize leaves nothing behind. */
static void remove_part(void)
{
	if (mpi_trace.is_on)
		mtrace_writer_destroy(mpi_trace.writer);
	mpi_trace.is_on = false;
}

static bool open_part(void)
{
	struct mpi_record *r = &mpi_trace;
	const char *folder = getenv("TMPDIR");
	struct util_error err;

	if (asprintf(&r->part, "%s/mpisim-trace-%d.mtrace", folder && *folder ? folder : "/tmp",
		     (int)getpid()) < 0)
		r->part = NULL;
	r->numbers = malloc((size_t)mpi_n_functions * sizeof *r->numbers);
	if (!r->part || !r->numbers) {
		mpi_trace_refuse("out of memory");
		return false;
	}
	memset(r->numbers, 0xff, (size_t)mpi_n_functions * sizeof *r->numbers);
	if (mtrace_writer_create(r->part, 1, "{}", &r->writer, &err)) {
		mpi_trace_refuse("%.200s", err.text);
		return false;
	}
	r->stream = mtrace_writer_stream(r->writer, 0);
	return true;
}

#define SAY_AFTER_S \
	10 /* a rank's start may take long, where programs lie on a slow file system \
			*/
#define END_AFTER_S 60

/* A communicator of the recorder's own. Ranks that have no recorder, or no MPISIM_TRACE, never
 * join: mpirun may set what it was started with for the processes of its own node only. */
static void meet(struct mpi_record *r)
{
	static const char text[] =
	    "wait in MPI_Init for recorders of other ranks: LD_PRELOAD and MPISIM_TRACE have to be "
	    "set for all (mpirun -n N env NAME=VALUE ... PROGRAM)";
	const struct timespec pause = {.tv_nsec = 20000};
	int64_t begin_ns = mpi_trace_now_ns();
	bool is_said = false;
	MPI_Request request;
	int is_done = 0, rank;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_idup(MPI_COMM_WORLD, &r->comm, &request);
	for (;;) {
		int64_t waited_s = (mpi_trace_now_ns() - begin_ns) / 1000000000;

		PMPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
		if (is_done)
			return;
		if (waited_s >= SAY_AFTER_S && !is_said)
			fprintf(stderr, "mpisim-trace: rank %d and maybe others %s\n", rank, text);
		is_said = waited_s >= SAY_AFTER_S;
		if (waited_s >= END_AFTER_S)
			PMPI_Abort(MPI_COMM_WORLD, 1);
		nanosleep(&pause, NULL);
	}
}

/* The program may change its directory: the trace is written at its end. Stays until then. */
static const char *absolute(const char *path)
{
	char *folder = path[0] == '/' ? NULL : getcwd(NULL, 0), *out = NULL;

	if (folder && asprintf(&out, "%s/%s", folder, path) < 0)
		out = NULL;
	free(folder);
	return out ? out : path;
}

/* What can be known before the run is said before it, not after hours: nothing is lost yet. Each
 * rank says its own, then one ends all: Open MPI 4.1.4's mpirun may crash when two do. It waits
 * first: MPICH's launcher may lose what was said just before. */
static void check_start(void)
{
	const struct timespec heard = {.tv_nsec = 300000000};
	struct mpi_record *r = &mpi_trace;
	struct util_error err;
	int first;

	if (r->rank == 0 && util_output_check(r->path, &err))
		mpi_trace_refuse("%.200s", err.text);
	if (r->refused[0])
		fprintf(stderr, "mpisim-trace: no trace in '%.200s': rank %d %s\n", r->path,
			r->rank, r->refused);
	first = r->refused[0] ? r->rank : r->n_ranks;
	PMPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, r->comm);
	if (first == r->rank) {
		nanosleep(&heard, NULL);
		PMPI_Abort(MPI_COMM_WORLD, 1);
	}
	if (first < r->n_ranks)
		for (;;)
			pause();
}

static void start(void)
{
	struct mpi_record *r = &mpi_trace;
	const char *clock = getenv("MPISIM_TRACE_CLOCK");

	r->path = getenv("MPISIM_TRACE");
	if (!r->path || !*r->path)
		return;
	r->clock = clock && strcmp(clock, "wall") == 0 ? MPI_TRACE_WALL : MPI_TRACE_CPU;
	if (clock && strcmp(clock, "wall") != 0 && strcmp(clock, "cpu") != 0)
		mpi_trace_refuse("found MPISIM_TRACE_CLOCK=%.100s, wanted cpu or wall", clock);
	r->is_wanted = true;
	r->path = absolute(r->path);
	meet(r);
	PMPI_Comm_rank(r->comm, &r->rank);
	PMPI_Comm_size(r->comm, &r->n_ranks);
	PMPI_Comm_group(r->comm, &r->world);
	mpi_trace_predefined(&r->types, &r->ops);
	is_main = true;
	r->is_on = open_part();
	if (r->is_on)
		atexit(remove_part);
	check_start();
}

#ifdef OPEN_MPI
#define LIBRARY "Open MPI"
#define LIBRARY_NAME "openmpi"
#else
#define LIBRARY "MPICH"
#define LIBRARY_NAME "mpich"
#endif
#define LONGEST_VERSION 16384 /* each library has another limit, and it may be another's */

/* The handles of another library have another size: no call could be passed on. */
static void check_library(void)
{
	static char version[LONGEST_VERSION];
	char *end;
	int length;

	if (PMPI_Get_library_version(version, &length) == MPI_SUCCESS && strstr(version, LIBRARY))
		return;
	version[strcspn(version, ",\n\t")] = '\0';
	end = strcasestr(version, " v"); /* "Open MPI v4.1.4", "MPICH Version:" */
	if (end)
		*end = '\0';
	fprintf(stderr,
		"mpisim-trace: libmpisim-trace-" LIBRARY_NAME ".so records programs of " LIBRARY
		", and this one's MPI library is %.60s: preload the recorder for that library\n",
		version);
	exit(1);
}

static bool has_seen_init;

/* Another tool's MPI_Init came before, and called PMPI_Init past this one. */
__attribute__((destructor)) static void tell_unseen(void)
{
	const char *path = getenv("MPISIM_TRACE");
	int is_initialized = 0;

	if (!path || !*path || has_seen_init)
		return;
	PMPI_Initialized(&is_initialized);
	if (is_initialized)
		fprintf(stderr,
			"mpisim-trace: no trace in '%.200s': MPI_Init passed the recorder by; "
			"preload or link it before other "
			"tools that wrap MPI\n",
			path);
}

int mpi_trace_init(const struct mpi_call_info *function, const void *site, int *argc, char ***argv,
		   int required, int *provided)
{
	int64_t begin_ns, end_ns;
	struct mpi_record_call call;
	int code;

	has_seen_init = true;
	check_library();
	begin_ns = mpi_trace_now_ns();
	code =
	    required < 0 ? PMPI_Init(argc, argv) : PMPI_Init_thread(argc, argv, required, provided);
	end_ns = mpi_trace_now_ns();
	if (code != MPI_SUCCESS)
		return code;
	start();
	if (mpi_trace.is_on) {
		mpi_trace.mark_ns = INT64_MAX; /* no computation before */
		begin(&call, function, site);
		mpi_record_open(&call);
		if (required >= 0)
			mtrace_put_int(call.stream, mpi_trace_thread_level(required));
		mtrace_record_end(call.stream);
		mpi_trace_put_times(begin_ns, end_ns);
		mpi_trace.depth--;
	}
	if (mpi_trace.is_wanted) /* of all ranks, whatever became of their files */
		mpi_trace_compare_clocks(&mpi_trace.offsets[0]);
	mpi_trace.mark_ns = mpi_trace_compute_ns();
	return code;
}

/* Ends the rank's own file. */
static void close_part(void)
{
	struct mpi_record *r = &mpi_trace;
	struct util_error err;
	char text[512];

	mtrace_put_uint(r->stream, MTRACE_END);
	mtrace_put_uint(r->stream, 0);
	mtrace_record_end(r->stream);
	for (uint32_t site = 0; site < r->n_sites; site++) {
		mpi_trace_describe(r->sites[site], text, sizeof text);
		mtrace_writer_set_site(r->writer, site, text);
	}
	r->is_on = false;
	if (mtrace_writer_close(r->writer, &err))
		mpi_trace_refuse("%.200s", err.text);
	mtrace_writer_destroy(r->writer);
}

int mpi_trace_finalize(const struct mpi_call_info *function, const void *site)
{
	struct mpi_record_call call;
	bool is_recorded = begin(&call, function, site);

	if (is_recorded)
		mpi_record_open(&call);
	if (mpi_trace.is_wanted)
		PMPI_Barrier(mpi_trace.comm); /* what MPI_Finalize waits for */
	if (is_recorded)
		mpi_record_end(&call, MPI_SUCCESS);
	if (mpi_trace.is_wanted) {
		mpi_trace_compare_clocks(&mpi_trace.offsets[1]);
		if (is_recorded)
			close_part();
		mpi_trace_gather();
		PMPI_Group_free(&mpi_trace.world);
		PMPI_Comm_free(&mpi_trace.comm);
	}
	return PMPI_Finalize();
}
