/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings: kept once per class and calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/verify/internal.h"
#include "mpi/verify/memory.h"
#include "mpi/verify/shadow.h"
#include "pdexec/image.h"
#include "util/map.h"

bool mpi_verify_wants(const struct mpi_world *world, enum mpi_verify_part part)
{
	return world->verify && (world->verify->parts & part);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
	return hash * UINT64_C(0xff51afd7ed558ccd);
}

/* A place in the program, the same in every rank's copy of it. */
static uint64_t place_of(const struct mpi_world *world, const struct mpi_finding_call *call)
{
	const struct pd_rank *rank = call->rank >= 0 ? &world->pd->ranks[call->rank] : NULL;
	uint64_t place = (uint64_t)(uintptr_t)call->site;

	if (rank && call->site && !world->pd->is_builtin)
		pd_image_locate(rank->program->image, call->site, &place);
	return place;
}

/* Names are in several tables: one name has several addresses. */
static uint64_t key_of_name(const char *name)
{
	return name ? util_hash(name, strlen(name), 0) : 0;
}

/* Which ranks it was does not matter, nor in which order they are listed. */
static uint64_t key_of(const struct mpi_world *world, const struct mpi_finding *finding)
{
	uint64_t key = mix(0, key_of_name(finding->class_name)), calls = 0;

	for (int i = 0; i < finding->n_calls; i++)
		calls += mix(mix(1, place_of(world, &finding->calls[i])),
			     key_of_name(finding->calls[i].function));
	return mix(key, calls);
}

static bool reserve(struct mpi_verify *verify)
{
	int capacity = verify->capacity ? 2 * verify->capacity : 16;
	struct mpi_finding *findings;
	uint64_t *keys;

	if (verify->n_findings < verify->capacity)
		return true;
	findings = realloc(verify->findings, (size_t)capacity * sizeof *findings);
	if (findings)
		verify->findings = findings;
	keys = realloc(verify->keys, (size_t)capacity * sizeof *keys);
	if (keys)
		verify->keys = keys;
	if (findings && keys)
		verify->capacity = capacity;
	return findings && keys;
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* NULL: it is new. */
static struct mpi_finding *find_key(const struct mpi_verify *verify, uint64_t key)
{
	for (int i = 0; i < verify->n_findings; i++)
		if (verify->keys[i] == key)
			return &verify->findings[i];
	return NULL;
}

bool mpi_verify_is_told_as(const struct mpi_world *world, const char *class_name,
			   const struct mpi_finding *finding)
{
	struct mpi_finding as = *finding;

	as.class_name = class_name;
	return world->verify && find_key(world->verify, key_of(world, &as));
}

int mpi_verify_report(struct mpi_world *world, const struct mpi_finding *finding)
{
	struct mpi_verify *verify = world->verify;
	uint64_t key;
	struct mpi_finding *new;

	if (!verify)
		return -1;
	key = key_of(world, finding);
	new = find_key(verify, key);
	if (new) {
		new->count += finding->count ? finding->count : 1;
		return (int)(new - verify->findings);
	}
	if (!reserve(verify)) {
		verify->is_out_of_memory = true;
		return -1;
	}
	verify->keys[verify->n_findings] = key;
	new = &verify->findings[verify->n_findings++];
	*new = *finding;
	new->found = copy(finding->found);
	new->wanted = copy(finding->wanted);
	new->decisions = copy(finding->decisions);
	new->time = finding->time ? finding->time : world->pd->engine.now;
	new->count = finding->count ? finding->count : 1;
	return verify->n_findings - 1;
}

void mpi_verify_add(struct mpi_world *world, int finding, const char *more)
{
	struct mpi_finding *one = &world->verify->findings[finding];
	char *both;

	if (asprintf(&both, "%s; %s", one->found, more) < 0)
		return;
	free((void *)(uintptr_t)one->found);
	one->found = both;
}

void mpi_verify_report_here(struct mpi_rank *me, const char *class_name,
			    enum mpi_finding_severity severity, const char *wanted, const char *why,
			    const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	mpi_verify_report(me->world, &(struct mpi_finding){
					 .class_name = class_name,
					 .severity = severity,
					 .calls = {{me->rank, me->pd->function, me->pd->site}},
					 .n_calls = 1,
					 .found = text,
					 .wanted = wanted,
					 .why = why,
				     });
}

int mpi_verify_n_findings(const struct mpi_world *world)
{
	return world->verify ? world->verify->n_findings : 0;
}

const struct mpi_finding *mpi_verify_finding(const struct mpi_world *world, int i)
{
	return &world->verify->findings[i];
}

int mpi_verify_create(struct mpi_world *world, unsigned parts)
{
	struct mpi_verify *verify = calloc(1, sizeof *verify);

	if (!verify)
		return UTIL_ENOMEM;
	verify->world = world;
	verify->parts = parts;
	mpi_verify_direct_init(verify);
	if (parts & (MPI_VERIFY_MATCHING | MPI_VERIFY_DEADLOCK) &&
	    mpi_shadow_create(world, &verify->shadow)) {
		free(verify);
		return UTIL_ENOMEM;
	}
	if (verify->shadow)
		verify->shadow->looks_at_buffers =
		    (parts & (MPI_VERIFY_MATCHING | MPI_VERIFY_MEMORY)) == MPI_VERIFY_MATCHING;
	if (parts & MPI_VERIFY_ORDERS)
		verify->senders = calloc(1, sizeof *verify->senders);
	world->verify = verify;
	if (mpi_verify_watch(verify))
		return UTIL_ENOMEM;
	return parts & MPI_VERIFY_MEMORY ? mpi_memory_create(world, &verify->memory) : 0;
}

void mpi_verify_add_rank(struct mpi_rank *me)
{
	const struct mpi_verify *verify = me->world->verify;

	if (verify->shadow && !verify->is_blind)
		mpi_shadow_add(verify->shadow, me);
}

void mpi_verify_destroy(struct mpi_verify *verify)
{
	if (!verify)
		return;
	mpi_memory_destroy(verify->memory);
	for (int i = 0; i < verify->n_findings; i++) {
		free((void *)(uintptr_t)verify->findings[i].found);
		free((void *)(uintptr_t)verify->findings[i].wanted);
		free((void *)(uintptr_t)verify->findings[i].decisions);
	}
	mpi_shadow_destroy(verify->shadow);
	if (verify->senders)
		util_map_finish(verify->senders);
	free(verify->senders);
	free(verify->findings);
	free(verify->keys);
	free(verify);
}

const char *mpi_verify_sender_at(const struct mpi_world *world, const void *site)
{
	const struct mpi_verify *verify = world->verify;
	struct util_map_slot *slot = verify && verify->senders && site
					 ? util_map_find(verify->senders, (uintptr_t)site)
					 : NULL;
	const char *name = slot ? slot->item : NULL;

	if (!name && verify && verify->shadow && site)
		name = mpi_shadow_sender_at(verify->shadow, site);
	return name ? name : "a send";
}
