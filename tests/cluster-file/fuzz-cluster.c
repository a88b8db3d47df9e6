/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deterministic fuzzing of the cluster file: fuzz-cluster N SEED FILE… mutates the files N times.
 * The same arguments make the same inputs; on a crash the last line on stderr tells the thousand it
 * was in. `fuzz-cluster 0 0 INPUT` runs one input as it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cluster-file/fuzz.h"
#include "util/rng.h"

#define MAX_SIZE 8192
#define MAX_SEEDS 16

struct text {
	size_t size;
	uint8_t bytes[MAX_SIZE];
};

static struct text seeds[MAX_SEEDS];
static int n_seeds;

/* What matters to YAML or to a value; taken whole, since single bytes rarely make them. */
static const char *const words[] = {
    "[",
    "]",
    "{",
    "}",
    "- ",
    ": ",
    "\n",
    "\n  ",
    "#",
    "&a ",
    "*a",
    "!!int ",
    "? ",
    "| ",
    "> ",
    "---\n",
    "...\n",
    "%YAML 1.1\n",
    "\"",
    "'",
    "\\0",
    "<<: *a",
    "\t",
    "\xef\xbb\xbf",
    "\xff",
    "nan",
    "inf",
    "-inf",
    "-1",
    "0",
    "1e308",
    "1e-320",
    "99999999999999999999",
    "0x10",
    "us",
    "MB/s",
    "GiB",
    "block",
    "cyclic",
    "0-3,0*2",
    "*1000000",
    "off",
    "adaptive",
    "nodes: ",
    "speed: ",
    "table: ",
    "maximum: ",
    "cpu:\n",
    "network: ",
    "\x1e"
    "nodes=3",
    "\x1e"
    "cpu.speed=[1,2]",
    "\x1e"
    "network=",
    "\x1e"
    "cpu.communication_cost.table=[[0]]",
    "\x1e"
    "a.b=",
    "=",
    ".",
    "{}",
    "[]",
    "[[[[[[[[",
    "{a: {b: {c: ",
};

static size_t below(struct util_rng *rng, size_t n)
{
	return n ? (size_t)(util_rng_next(rng) % n) : 0;
}

static void insert(struct text *text, size_t at, const uint8_t *bytes, size_t n)
{
	if (text->size + n > MAX_SIZE)
		return;
	memmove(text->bytes + at + n, text->bytes + at, text->size - at);
	memcpy(text->bytes + at, bytes, n);
	text->size += n;
}

static void erase(struct text *text, size_t at, size_t n)
{
	memmove(text->bytes + at, text->bytes + at + n, text->size - at - n);
	text->size -= n;
}

static void mutate(struct text *text, struct util_rng *rng)
{
	size_t at = below(rng, text->size), n = 1 + below(rng, 40);
	const struct text *other = &seeds[below(rng, (size_t)n_seeds)];
	const char *word = words[below(rng, sizeof(words) / sizeof(words[0]))];
	uint8_t copy[64];

	switch (below(rng, 7)) {
	case 0:
		if (text->size)
			text->bytes[at] ^= (uint8_t)(1 << below(rng, 8));
		break;
	case 1:
		if (text->size)
			text->bytes[at] = (uint8_t)util_rng_next(rng);
		break;
	case 2:
		erase(text, at, n < text->size - at ? n : text->size - at);
		break;
	case 3: /* a part of the same text, elsewhere */
		n = n < text->size - at ? n : text->size - at;
		memcpy(copy, text->bytes + at, n);
		insert(text, below(rng, text->size + 1), copy, n);
		break;
	case 4: /* a part of another */
		at = below(rng, other->size);
		n = n < other->size - at ? n : other->size - at;
		insert(text, below(rng, text->size + 1), other->bytes + at, n);
		break;
	default:
		insert(text, below(rng, text->size + 1), (const uint8_t *)word, strlen(word));
	}
}

static int load_seed(const char *path)
{
	FILE *file = fopen(path, "rb");

	if (!file || n_seeds == MAX_SEEDS) {
		fprintf(stderr, "cannot use %s\n", path);
		return 2;
	}
	seeds[n_seeds].size = fread(seeds[n_seeds].bytes, 1, MAX_SIZE, file);
	n_seeds++;
	fclose(file);
	return 0;
}

int main(int argc, char **argv)
{
	long n_inputs, n_accepted = 0;
	unsigned long long seed;

	if (argc < 4) {
		fprintf(stderr, "usage: fuzz-cluster N SEED FILE...\n");
		return 2;
	}
	n_inputs = strtol(argv[1], NULL, 10);
	seed = strtoull(argv[2], NULL, 10);
	for (int k = 3; k < argc; k++)
		if (load_seed(argv[k]))
			return 2;
	for (int k = 0; k < n_seeds; k++)
		LLVMFuzzerTestOneInput(seeds[k].bytes, seeds[k].size);
	printf("seed %llu, %ld inputs\n", seed, n_inputs);
	for (long k = 0; k < n_inputs; k++) {
		static struct text text;
		struct util_rng rng;

		util_rng_init(&rng, seed, (uint64_t)k);
		text = seeds[below(&rng, (size_t)n_seeds)];
		for (size_t n = 1 + below(&rng, 6); n > 0; n--)
			mutate(&text, &rng);
		if (k % 1000 == 0)
			fprintf(stderr, "from input %ld\n", k);
		n_accepted += LLVMFuzzerTestOneInput(text.bytes, text.size);
	}
	printf("%ld accepted, %ld refused\n", n_accepted, n_inputs - n_accepted);
	return 0;
}
