/* SPDX-License-Identifier: BSD-3-Clause */
/* A renderer: the master makes a scene for each frame, workers render its rows (README.md). */
#include <mpi.h>
#include <mpisim.h>
#include <string.h>

#include "../common/options.h"

struct settings {
	int frames, size, workers, is_spawned;
};

/* The workers of a frame: ranks first … first + n - 1 of comm. */
struct crew {
	MPI_Comm comm;
	int first, n;
};

enum { TAG_SCENE, TAG_ROWS };
enum { N_BALLS = 3 };

struct scene {
	double balls[N_BALLS][4]; /* x, y, z, radius */
};

static const char help[] =
    "usage: renderer [options]\n"
    "Rank 0 makes scenes, workers render their rows.\n"
    "  --frames N         frames (4)\n"
    "  --size N           rows and columns of a frame (64)\n"
    "  --workers N        workers that are spawned (2); else all other ranks are\n"
    "  --variant V        static: the other ranks are the workers of all frames;\n"
    "                     spawned: those of a frame are spawned for it (static)\n";

static void prepare(const struct settings *s, int frame, struct scene *scene)
{
	memset(scene, 0, sizeof *scene);
	if (mpisim_kernel_begin("prepare", 1, (const double[]){s->size}))
		for (int i = 0; i < N_BALLS; i++) {
			scene->balls[i][0] = 0.25 * (i + 1);
			scene->balls[i][1] = 0.5 + 0.125 * ((frame + i) % 3);
			scene->balls[i][2] = 2 + i;
			scene->balls[i][3] = 0.125 * (i + 1);
		}
	mpisim_kernel_end();
}

/* How bright the nearest ball is there. */
static int trace(const struct scene *scene, double x, double y)
{
	int light = 0;

	for (int i = N_BALLS - 1; i >= 0; i--) {
		const double *ball = scene->balls[i];
		double dx = x - ball[0], dy = y - ball[1],
		       rest = ball[3] * ball[3] - dx * dx - dy * dy;

		if (rest > 0)
			light = 1 + (int)(200 * rest / (ball[3] * ball[3]));
	}
	return light;
}

/* Rows number, number + n, … */
static long long render(const struct settings *s, const struct scene *scene, int number, int n)
{
	int n_rows = (s->size - number + n - 1) / n;
	long long sum = 0;

	if (mpisim_kernel_begin("render", 1, (const double[]){(double)n_rows * s->size}))
		for (int row = number; row < s->size; row += n)
			for (int column = 0; column < s->size; column++)
				sum +=
				    trace(scene, (double)column / s->size, (double)row / s->size);
	mpisim_kernel_end();
	return sum;
}

static void work(const struct settings *s, MPI_Comm comm, int number, int n)
{
	struct scene scene;
	long long sum;

	MPI_Recv(&scene, sizeof scene, MPI_BYTE, 0, TAG_SCENE, comm, MPI_STATUS_IGNORE);
	sum = render(s, &scene, number, n);
	MPI_Send(&sum, 1, MPI_LONG_LONG, 0, TAG_ROWS, comm);
}

static long long lead(const struct settings *s, int frame, const struct crew *crew)
{
	struct scene scene;
	long long all = 0;

	prepare(s, frame, &scene);
	for (int i = 0; i < crew->n; i++)
		MPI_Send(&scene, sizeof scene, MPI_BYTE, crew->first + i, TAG_SCENE, crew->comm);
	for (int i = 0; i < crew->n; i++) {
		long long sum;

		MPI_Recv(&sum, 1, MPI_LONG_LONG, crew->first + i, TAG_ROWS, crew->comm,
			 MPI_STATUS_IGNORE);
		if (mpisim_kernel_begin("collect", 1, (const double[]){s->size}))
			all += sum;
		mpisim_kernel_end();
	}
	return all;
}

static long long frame_spawned(const struct settings *s, int frame, char **argv)
{
	struct crew crew = {.first = 0, .n = s->workers};
	long long sum;

	MPI_Comm_spawn(argv[0], argv + 1, s->workers, MPI_INFO_NULL, 0, MPI_COMM_SELF, &crew.comm,
		       MPI_ERRCODES_IGNORE);
	sum = lead(s, frame, &crew);
	MPI_Comm_disconnect(&crew.comm);
	return sum;
}

static void direct(const struct settings *s, int n_ranks, char **argv)
{
	struct crew crew = {.comm = MPI_COMM_WORLD, .first = 1, .n = n_ranks - 1};
	double begin_s = MPI_Wtime();
	long long sum = 0;

	for (int frame = 0; frame < s->frames; frame++)
		sum += s->is_spawned ? frame_spawned(s, frame, argv) : lead(s, frame, &crew);
	printf("frames %d\nworkers %d\nvariant %s\n", s->frames,
	       s->is_spawned ? s->workers : crew.n, s->is_spawned ? "spawned" : "static");
	printf("wall_s %.9e\nsum %lld\n", MPI_Wtime() - begin_s, sum);
}

static enum options_verdict parse(int argc, char **argv, int rank, int n_ranks, struct settings *s)
{
	static const char *const variants[] = {"static", "spawned", NULL};
	const struct options_entry entries[] = {
	    {"frames", OPTIONS_INTEGER, .out = &s->frames, .min = 1, .max = 1 << 20},
	    {"size", OPTIONS_INTEGER, .out = &s->size, .min = 1, .max = 1 << 14},
	    {"workers", OPTIONS_INTEGER, .out = &s->workers, .min = 1, .max = 1 << 16},
	    {"variant", OPTIONS_WORD, .out = &s->is_spawned, .words = variants},
	    {0},
	};
	enum options_verdict verdict;

	*s = (struct settings){.frames = 4, .size = 64, .workers = 2};
	verdict = options_parse("renderer", help, argc, argv, rank, entries);
	if (verdict == OPTIONS_OK && s->is_spawned && n_ranks > 1)
		return options_wrong("renderer", rank,
				     "found %d ranks, wanted 1 that spawns the others", n_ranks);
	if (verdict == OPTIONS_OK && !s->is_spawned && n_ranks < 2)
		return options_wrong("renderer", rank, "found 1 rank, wanted 2 or more");
	return verdict;
}

/* A process that was spawned: one frame. */
static void serve(const struct settings *s, MPI_Comm parent)
{
	int rank, n;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	work(s, parent, rank, n);
	MPI_Comm_disconnect(&parent);
}

int main(int argc, char **argv)
{
	struct settings settings;
	enum options_verdict verdict;
	MPI_Comm parent;
	int rank, n_ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	MPI_Comm_get_parent(&parent);
	verdict = parse(argc, argv, rank, parent == MPI_COMM_NULL ? n_ranks : 1, &settings);
	if (verdict == OPTIONS_OK && parent != MPI_COMM_NULL)
		serve(&settings, parent);
	else if (verdict == OPTIONS_OK && rank == 0)
		direct(&settings, n_ranks, argv);
	else if (verdict == OPTIONS_OK)
		for (int frame = 0; frame < settings.frames; frame++)
			work(&settings, MPI_COMM_WORLD, rank - 1, n_ranks - 1);
	MPI_Finalize();
	return options_status(verdict);
}
