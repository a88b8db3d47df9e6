/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/blas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pdexec/annotate.h"
#include "pdexec/compute.h"

#define LIST_SIZE_B 400

struct pd_blas {
	int n_bound;	       /* symbols that a stand-in was bound to */
	char **uncovered;      /* [n_uncovered] */
	size_t n_uncovered;
	void *real[];	       /* [pd_n_blas_routines]; NULL: the program does not call it */
};

int pd_blas_create(struct pd_blas **out, struct util_error *err)
{
	struct pd_blas *blas =
	    calloc(1, sizeof(*blas) + (size_t)pd_n_blas_routines * sizeof(blas->real[0]));

	if (!blas)
		return util_error_set(err, UTIL_ENOMEM, "no memory for the table of BLAS routines");
	*out = blas;
	return 0;
}

void pd_blas_destroy(struct pd_blas *blas)
{
	if (!blas)
		return;
	for (size_t i = 0; i < blas->n_uncovered; i++)
		free(blas->uncovered[i]);
	free(blas->uncovered);
	free(blas);
}

/* --- linking --- */

static bool begins_with_any(const char *text, const char *const beginnings[], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!strncmp(text, beginnings[i], strlen(beginnings[i])))
			return true;
	}
	return false;
}

#define BEGINS_WITH_ANY(text, list) begins_with_any(text, list, sizeof(list) / sizeof((list)[0]))

/* Debian, Fedora, Intel, AMD, and those that users build. */
static bool is_blas_library(const void *address)
{
	static const char *const names[] = {"libopenblas", "libblas",	 "libcblas", "liblapack",
					    "libatlas",	   "libblis",	 "libmkl_",  "libflexiblas",
					    "libflame",	   "libsatlas",	 "libtatlas"};
	Dl_info info;
	const char *base;

	if (!dladdr(address, &info) || !info.dli_fname)
		return false;
	base = strrchr(info.dli_fname, '/');
	return BEGINS_WITH_ANY(base ? base + 1 : info.dli_fname, names);
}

/* Settings and helpers of the libraries: nothing that takes time. */
static bool is_service(const char *name)
{
	static const char *const names[] = {"openblas_", "goto_",   "bli_",    "mkl_",	 "MKL_",
					    "cblas_xe",	 "xerbla",  "lsame_",  "ilaenv", "dlamch",
					    "slamch",	 "LAPACKE_xe", "LAPACKE_get", "LAPACKE_set"};

	return BEGINS_WITH_ANY(name, names);
}

static int note_uncovered(struct pd_blas *blas, const char *name, struct util_error *err)
{
	char **grown;

	for (size_t i = 0; i < blas->n_uncovered; i++) {
		if (!strcmp(blas->uncovered[i], name))
			return 0;
	}
	grown = realloc(blas->uncovered, (blas->n_uncovered + 1) * sizeof(*grown));
	if (grown)
		blas->uncovered = grown;
	if (!grown || !(grown[blas->n_uncovered] = strdup(name)))
		return util_error_set(err, UTIL_ENOMEM, "no memory for the table of BLAS routines");
	blas->n_uncovered++;
	return 0;
}

int pd_blas_bind(struct pd_blas *blas, const char *name, void *real, void **out,
		 struct util_error *err)
{
	*out = real;
	if (!blas || !real)
		return 0;
	for (int i = 0; i < pd_n_blas_routines; i++) {
		if (strcmp(pd_blas_routines[i].symbol, name))
			continue;
		blas->n_bound += !blas->real[i];
		blas->real[i] = real;
		*out = pd_blas_routines[i].replacement;
		return 0;
	}
	return is_blas_library(real) && !is_service(name) ? note_uncovered(blas, name, err) : 0;
}

void pd_blas_warn(const struct pd_blas *blas, enum pd_compute_mode mode, pd_warning_fn warn,
		  void *context)
{
	char list[LIST_SIZE_B] = "", text[LIST_SIZE_B + 200];
	size_t length = 0;

	if (!blas)
		return;
	if (!blas->n_bound)
		warn(context, "the program takes no routine that --blas-model replaces from a shared "
			      "library: the model changed nothing (is BLAS linked statically?)");
	for (size_t i = 0; i < blas->n_uncovered && length < sizeof(list); i++)
		length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%s",
					   i ? ", " : "", blas->uncovered[i]);
	if (!blas->n_uncovered)
		return;
	snprintf(text, sizeof(text), "--blas-model does not replace %s: where the program calls %s, %s",
		 list, blas->n_uncovered > 1 ? "them" : "it",
		 mode == PD_COMPUTE_MODELLED
		     ? "the library computes, which this mode does not charge"
		     : "the library computes, and the time that this takes here is charged");
	warn(context, text);
}

/* --- calls --- */

static void refuse_absent(struct pd_rank *rank, int index, int n_read, const void *const read[],
			  const void *site)
{
	const char *symbol = pd_blas_routines[index].symbol;

	for (int i = 0; i < n_read; i++) {
		if (!pd_memory_is_absent(read[i]))
			continue;
		rank->function = symbol;
		rank->site = site;
		pd_fail(rank, PD_FAILURE_ANNOTATION,
			"%s reads a buffer that is not there (--no-alloc): its result decides what the "
			"program does, so it is executed",
			symbol);
	}
}

bool pd_blas_begin(struct pd_blas_call *call, int index, int n_params, const double params[],
		   int n_read, const void *const read[], const void *site)
{
	const struct pd_blas_routine *routine = &pd_blas_routines[index];
	struct pd_rank *rank = pd_rank_here();
	bool is_empty = false;

	*call = (struct pd_blas_call){PD_BLAS_OUTSIDE, rank};
	if (!rank || pd_annotation_in_kernel(rank))
		return true;
	for (int i = 0; i < n_params; i++) {
		if (params[i] < 0)
			return true;
		is_empty |= params[i] == 0;
	}
	if (is_empty)
		return n_read > 0;
	refuse_absent(rank, index, n_read, read, site);
	if (pd_annotation_begin_kernel(rank, routine->symbol, site, routine->kernel, n_params,
				       params, -1)) {
		call->kind = PD_BLAS_MEASURED;
		return true;
	}
	pd_annotation_end_kernel(rank, routine->symbol, site);
	if (n_read == 0)
		return false;
	pd_compute_pause(rank); /* it runs, but its time is charged already */
	call->kind = PD_BLAS_CHARGED;
	return true;
}

void pd_blas_end(const struct pd_blas_call *call)
{
	if (call->kind == PD_BLAS_MEASURED)
		pd_annotation_end_kernel(call->rank, "BLAS", NULL);
	else if (call->kind == PD_BLAS_CHARGED)
		pd_compute_begin(call->rank);
}

void *pd_blas_real(int index)
{
	struct pd_rank *rank = pd_rank_here();

	/* A thread that the program started belongs to no world. */
	return rank ? rank->world->blas->real[index]
		    : dlsym(RTLD_DEFAULT, pd_blas_routines[index].symbol);
}

void pd_blas_identity(int pivots[], int n)
{
	for (int i = 0; i < n; i++)
		pivots[i] = i + 1;
}
