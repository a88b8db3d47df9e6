/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fibers, queue and engine once more without any test library, so that it can be linked statically
 * for another architecture and run in an emulator. Names the check that failed.
 */
#include <fenv.h>
#include <stdint.h>
#include <stdio.h>

#include "simcore/engine.h"
#include "util/rng.h"

#define CHECK(condition)                                                        \
	do {                                                                    \
		if (!(condition)) {                                             \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
			return 1;                                               \
		}                                                               \
	} while (0)

enum { N_FIBERS = 50, N_YIELDS = 20, STACK_B = 65536 };

struct job {
	struct sim_fiber *fiber;
	struct sim_task task;
	uint64_t seed;
	uint64_t whole;
	double real;
	int is_right;
};

static struct job jobs[N_FIBERS];

/* More live values over the yield than there are registers that survive a call, of either kind. */
static void mix_registers(struct job *job, int n_yields)
{
	uint64_t a = job->seed, b = a * 3, c = a * 5, d = a * 7, e = a * 11, f = a * 13, g = a * 17,
		 h = a * 19, i = a * 23, j = a * 29, k = a * 31, l = a * 37;
	double p = (double)a, q = p * 2, r = p * 3, s = p * 4, t = p * 5, u = p * 6, v = p * 7,
	       w = p * 8, x = p * 9, y = p * 10;

	for (int n = 0; n < N_YIELDS; n++) {
		if (n < n_yields)
			sim_fiber_yield(job->fiber);
		a += b ^ c, b += c ^ d, c += d ^ e, d += e ^ f, e += f ^ g, f += g ^ h;
		g += h ^ i, h += i ^ j, i += j ^ k, j += k ^ l, k += l ^ a, l += a ^ b;
		p += q * 0.5, q += r * 0.5, r += s * 0.5, s += t * 0.5, t += u * 0.5;
		u += v * 0.5, v += w * 0.5, w += x * 0.5, x += y * 0.5, y += p * 0.5;
	}
	job->whole = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l;
	job->real = p + q + r + s + t + u + v + w + x + y;
}

static void mix_on_fiber(void *arg)
{
	mix_registers(arg, N_YIELDS);
}

/* Interleaved on fibers the numbers are the same as without any switch. */
static int registers_survive_switches(void)
{
	struct sim_fiber_set *set = NULL;

	CHECK(!sim_fiber_set_create(&set, N_FIBERS, STACK_B, NULL));
	for (size_t i = 0; i < N_FIBERS; i++) {
		jobs[i].seed = i + 1;
		CHECK(!sim_fiber_create(set, i, mix_on_fiber, &jobs[i], &jobs[i].fiber, NULL));
	}
	for (int n = 0; n <= N_YIELDS; n++) {
		for (size_t i = 0; i < N_FIBERS; i++)
			sim_fiber_resume(jobs[i].fiber);
	}
	for (size_t i = 0; i < N_FIBERS; i++) {
		struct job alone = {.seed = i + 1};

		CHECK(sim_fiber_has_ended(jobs[i].fiber));
		mix_registers(&alone, 0);
		CHECK(jobs[i].whole == alone.whole && jobs[i].real == alone.real);
	}
	sim_fiber_set_destroy(set);
	return 0;
}

static volatile double one = 1, three = 3;

static void round_down(void *arg)
{
	struct job *job = arg;

	fesetround(FE_DOWNWARD);
	job->real = -one / three;
	sim_fiber_yield(job->fiber);
	job->is_right = fegetround() == FE_DOWNWARD && -one / three == job->real;
	fesetround(FE_TONEAREST);
}

/* -1/3 lies between two doubles: rounded down it is the other one than rounded to nearest, which is
 * -0x1.5555555555555p-2. */
static int each_fiber_has_its_rounding_mode(void)
{
	struct sim_fiber_set *set = NULL;
	struct job job = {0};

	CHECK(!sim_fiber_set_create(&set, 1, STACK_B, NULL));
	CHECK(!sim_fiber_create(set, 0, round_down, &job, &job.fiber, NULL));
	sim_fiber_resume(job.fiber);
	CHECK(job.real == -0x1.5555555555556p-2);
	CHECK(fegetround() == FE_TONEAREST);
	CHECK(-one / three == -0x1.5555555555555p-2);
	sim_fiber_resume(job.fiber);
	CHECK(sim_fiber_has_ended(job.fiber) && job.is_right);
	CHECK(fegetround() == FE_TONEAREST);
	sim_fiber_set_destroy(set);
	return 0;
}

static void sleep_random(void *arg)
{
	struct job *job = arg;
	struct util_rng rng;

	util_rng_init(&rng, job->seed, 1);
	for (int n = 0; n < N_YIELDS; n++) {
		sim_time_ps due = (sim_time_ps)(util_rng_next(&rng) % 100);

		job->whole += (uint64_t)due;
		sim_task_sleep(&job->task, due);
	}
	/* correct when the clock moved by the sum of the sleeps */
	job->is_right = job->task.engine->now == (sim_time_ps)job->whole;
}

static int tasks_sleep_their_time(void)
{
	struct sim_fiber_set *set = NULL;
	struct sim_engine engine;
	enum sim_step step;

	sim_engine_init(&engine);
	CHECK(!sim_fiber_set_create(&set, N_FIBERS, STACK_B, NULL));
	for (size_t i = 0; i < N_FIBERS; i++) {
		jobs[i] = (struct job){.seed = i};
		CHECK(!sim_fiber_create(set, i, sleep_random, &jobs[i], &jobs[i].fiber, NULL));
		sim_task_start(&engine, &jobs[i].task, jobs[i].fiber);
	}
	do {
		step = sim_engine_step(&engine);
		CHECK(step != SIM_STEP_NO_MEMORY && step != SIM_STEP_OVERFLOW);
	} while (step != SIM_STEP_IDLE);
	for (size_t i = 0; i < N_FIBERS; i++)
		CHECK(jobs[i].task.state == SIM_TASK_ENDED && jobs[i].is_right);
	CHECK(engine.n_events == N_FIBERS * N_YIELDS);
	sim_engine_finish(&engine);
	sim_fiber_set_destroy(set);
	return 0;
}

int main(void)
{
	return registers_survive_switches() || each_fiber_has_its_rounding_mode() ||
	       tasks_sleep_their_time();
}
