/* SPDX-License-Identifier: BSD-3-Clause */
/* The storage that the files of MPI-IO lie on. Nodes reach for one server, or for several, together
 * or alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mpisim.h>

#include "calibrate.h"
#include "storage.h"

enum {
	PIECE_B = 32768, /* in one stripe */
	UNIT_B = 65536,	 /* stripes are multiples of it */
	MOST_PIECES = STORAGE_ACCESS_B / PIECE_B / 2,
	FEWEST = 4,
	MOST_STRIPES = 128
};

static const int64_t LONGEST_STRIPE_B = 64 << 20;
static const int64_t LONGEST_CHUNK_B = 1 << 20;
/* Nodes together take longer than one alone: something that they share is busy. */
static const double SHARED = 1.02;
/* Two places are on different servers if reaching for both takes less of the time of one server. */
static const double APART = 0.985;

struct access {
	const struct storage_file *file;
	bool is_write;
	int first_node, n_nodes; /* those that take part */
	int n;			 /* accesses of each, to each of the bases */
	int64_t piece_B;
	int64_t bases[2];
	int n_bases;
	int64_t node_step_B, step_B; /* from node to node, from access to access */
	double same_s;		     /* of all nodes at one place */
	bool *has_failed;
	char *buf; /* [STORAGE_ACCESS_B] */
};

/* All accesses of this node: whether one failed, or had less than all of its bytes. */
static bool access_all(const struct access *access, int node)
{
	static MPI_Request requests[2 * MOST_PIECES];
	MPI_File handle = access->file->handle;
	int n = 0, length = (int)access->piece_B, code = MPI_SUCCESS, found;
	MPI_Status status;

	for (int k = 0; k < access->n * access->n_bases && code == MPI_SUCCESS; k++) {
		char *data = access->buf + (size_t)k * (size_t)length;
		MPI_Offset place = access->bases[k % access->n_bases] + node * access->node_step_B +
				   k / access->n_bases * access->step_B;

		code = access->is_write
			   ? MPI_File_iwrite_at(handle, place, data, length, MPI_BYTE, &requests[n])
			   : MPI_File_iread_at(handle, place, data, length, MPI_BYTE, &requests[n]);
		n += code == MPI_SUCCESS;
	}
	for (int k = 0; k < n; k++)
		if (MPI_Wait(&requests[k], &status) != MPI_SUCCESS ||
		    MPI_Get_count(&status, MPI_BYTE, &found) != MPI_SUCCESS || found < length)
			code = MPI_ERR_OTHER;
	if (access->is_write && MPI_File_sync(handle) != MPI_SUCCESS)
		code = MPI_ERR_OTHER;
	return code != MPI_SUCCESS;
}

/* Until the last of the nodes has all of its bytes; what is written is there by then, too. */
static double measure_access(struct cal *cal, void *context)
{
	const struct access *access = context;
	int node = cal->node[cal->rank] - access->first_node;
	double mine[2] = {0, 0}, all[2] = {0, 0}, begin; /* time, whether it failed */

	if (!access->is_write)
		storage_drop_cache(access->file);
	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	if (cal->place[cal->rank] == 0 && node >= 0 && node < access->n_nodes)
		/* read what another node has written */
		mine[1] =
		    access_all(access, access->is_write ? node : (node + 1) % access->n_nodes);
	mine[0] = MPI_Wtime() - begin;
	MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	*access->has_failed |= all[1] > 0;
	return all[1] > 0 ? NAN : all[0];
}

/* Rank 0 opens and closes a file that is there. */
static double measure_open(struct cal *cal, void *context)
{
	const struct access *access = context;
	double begin = MPI_Wtime();
	MPI_File handle;

	if (cal->rank != 0)
		return 0;
	if (MPI_File_open(MPI_COMM_SELF, storage_path(), MPI_MODE_RDWR, MPI_INFO_NULL, &handle) !=
	    MPI_SUCCESS) {
		*access->has_failed = true;
		return NAN;
	}
	MPI_File_close(&handle);
	return MPI_Wtime() - begin;
}

/* Places hold bytes before they are read. */
static void fill(struct cal *cal, struct access access, int64_t place)
{
	access.is_write = true;
	access.first_node = 0;
	access.n_nodes = access.n = access.n_bases = 1;
	access.bases[0] = place;
	access.node_step_B = access.step_B = 0;
	measure_access(cal, &access);
}

/* All nodes, or one, at two places. */
static double reach(struct cal *cal, struct access access, int n_nodes, int64_t place)
{
	static const char *const names[2][2] = {{"read_places", "write_places"},
						{"wide_read_places", "wide_write_places"}};

	access.n_nodes = n_nodes;
	access.bases[1] = place;
	return cal_repeat(cal, names[access.file->is_wide][access.is_write], BETWEEN_NODES, place,
			  n_nodes, measure_access, &access);
}

static int are_apart(struct cal *cal, int64_t place, void *context)
{
	const struct access *access = context;

	fill(cal, *access, place);
	return reach(cal, *access, access->n_nodes, place) < APART * access->same_s;
}

/* So many accesses that nearly all of the time is that of their bytes; false: no server is busy when
 * all nodes reach for it, and nothing tells one from another. */
static bool is_one_busy(struct cal *cal, struct access *access)
{
	double time_s, before_s;

	access->n = FEWEST;
	time_s = cal_share(measure_access(cal, access));
	do {
		before_s = time_s;
		access->n *= 2;
		time_s = cal_share(measure_access(cal, access));
	} while (access->n < MOST_PIECES && time_s < 1.9 * before_s);
	access->same_s = reach(cal, *access, access->n_nodes, 0);
	return access->n_nodes == 1 || access->same_s > SHARED * reach(cal, *access, 1, 0);
}

/* What of the file is on which server, by reading, or else by writing: the first place that is not on
 * the server of the file's beginning, and how many stripes until its turn comes again. */
static bool find_stripes(struct cal *cal, struct storage_file *file, struct access access)
{
	access.file = file;
	fill(cal, access, 0);
	if (!is_one_busy(cal, &access)) {
		access.is_write = true;
		if (!is_one_busy(cal, &access))
			return false;
	}
	if (!file->stripe_B)
		file->stripe_B =
		    cal_find(cal, 0, UNIT_B, LONGEST_STRIPE_B, UNIT_B, are_apart, &access);
	if (file->stripe_B < 0)
		file->stripe_B = 0;
	file->n_stripes = 1;
	while (file->stripe_B && file->n_stripes < MOST_STRIPES &&
	       are_apart(cal, file->n_stripes * file->stripe_B, &access))
		file->n_stripes++;
	return true;
}

/* Each node writes to stripes of its own, and reads; every step-th. */
static void measure_rates(struct cal *cal, const char *writes, const char *reads,
			  struct access access, int step)
{
	const struct storage_file *file = access.file;
	int64_t stripe_B = file->stripe_B ? file->stripe_B : LONGEST_CHUNK_B;
	int round = file->n_stripes, n = round * ((FEWEST + round - 1) / round);

	access.n_bases = 1;
	access.bases[0] = 0;
	access.piece_B = smaller(smaller(stripe_B, LONGEST_CHUNK_B), STORAGE_ACCESS_B / (2 * n));
	access.step_B = step * stripe_B;
	access.node_step_B = 2 * n * access.step_B;
	for (int k = 0; k < 4; k++) {
		access.is_write = k < 2;
		access.n = n * (1 + k % 2);
		cal_repeat(cal, access.is_write ? writes : reads, BETWEEN_NODES,
			   access.n * access.piece_B, access.n_nodes, measure_access, &access);
	}
}

/* All nodes write to one server, then read from it, then one node does; then one to all servers. */
static void measure_bandwidths(struct cal *cal, const struct storage_file *narrow,
			       const struct storage_file *wide, struct access access)
{
	access.file = narrow;
	measure_rates(cal, "write_one_server", "read_one_server", access, narrow->n_stripes);
	access.n_nodes = 1;
	if (cal->n_nodes > 1)
		measure_rates(cal, "write_one_server", "read_one_server", access,
			      narrow->n_stripes);
	access.file = wide;
	measure_rates(cal, "write_all_servers", "read_all_servers", access, 1);
}

static void note_stripes(struct cal *cal, const struct storage_file *narrow,
			 const struct storage_file *wide)
{
	cal_fact(cal, "storage_stripe_B", "%lld", (long long)narrow->stripe_B);
	cal_fact(cal, "storage_stripe_count", "%d", narrow->n_stripes);
	cal_fact(cal, "storage_servers", "%d", wide->n_stripes);
	if (narrow->said_factor > 0)
		cal_fact(cal, "storage_said", "striping_factor %lld, striping_unit %lld",
			 narrow->said_factor, narrow->said_unit_B);
}

static bool open_file(struct cal *cal, struct storage_file *file)
{
	return storage_open(file, cal->rank, cal->place[cal->rank] == 0, !cal->is_simulated);
}

/* A file on more servers than usual, where the library takes the hint for it. */
static bool open_wide(struct cal *cal, struct storage_file *file, const struct storage_file *narrow)
{
	if (!storage_create(file, cal->rank, true) || !open_file(cal, file))
		return false;
	file->stripe_B = UNIT_B;
	return file->said_factor > narrow->n_stripes && file->said_unit_B == UNIT_B;
}

/* A group that may take until that of the part. */
static void begin(struct cal *cal, double until, const char *name, int n_points)
{
	cal->until = cal->from + until * (cal->to - cal->from);
	cal_group(cal, name, n_points);
}

static void probe_file(struct cal *cal, struct storage_file *narrow, struct access access)
{
	struct storage_file wide = {.handle = MPI_FILE_NULL, .info = MPI_INFO_NULL, .fd = -1};
	const struct storage_file *widest = narrow;

	fill(cal, access, 0);
	access.n = access.n_bases = 1;
	access.piece_B = 1;
	access.first_node = cal->n_nodes > 1;
	access.n_nodes = 1;
	cal_repeat(cal, "storage_latency", BETWEEN_NODES, 1, 0, measure_access, &access);
	access.first_node = 0;
	access.n_nodes = cal->n_nodes;
	access.n_bases = 2;
	access.piece_B = PIECE_B;
	narrow->n_stripes = 1;
	begin(cal, 0.6, "servers and stripes", 100);
	if (find_stripes(cal, narrow, access) && narrow->stripe_B &&
	    open_wide(cal, &wide, narrow) && find_stripes(cal, &wide, access) &&
	    wide.n_stripes > narrow->n_stripes)
		widest = &wide;
	note_stripes(cal, narrow, widest);
	begin(cal, 1, "bandwidths of the storage", 12);
	measure_bandwidths(cal, narrow, widest, access);
	storage_close(&wide);
}

void probe_storage(struct cal *cal, int where)
{
	bool has_failed = false, can;
	struct storage_file file;
	struct access access = {.file = &file, .piece_B = PIECE_B, .has_failed = &has_failed};

	if (!cal->settings.storage)
		return;
	access.buf = mpisim_alloc(STORAGE_ACCESS_B);
	if (!access.buf)
		MPI_Abort(MPI_COMM_WORLD, 1);
	if (!cal->is_simulated)
		memset(access.buf, 3, STORAGE_ACCESS_B);
	begin(cal, 0.1, "storage", 2);
	can = storage_create(&file, cal->rank, false);
	if (can)
		cal_repeat(cal, "storage_metadata", BETWEEN_NODES, 0, 0, measure_open, &access);
	can = can && open_file(cal, &file);
	if (can)
		probe_file(cal, &file, access);
	if (!can || has_failed)
		cal_fact(cal, "warning",
			 "storage: an access to a file in '%s' failed; its values are not "
			 "what they should be",
			 cal->settings.storage);
	storage_close(&file);
	mpisim_free(access.buf);
}
