/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_PRIVATE_H
#define PDEXEC_PRIVATE_H

#include <stdbool.h>

#include "pdexec/image.h"
#include "util/error.h"

/*
 * Libraries whose variables each rank has for itself (docs/decisions/0042-private-libraries.md):
 * those that programs bring along, and those that the user names. The system's loader loads a
 * library once; its variables are exchanged when another rank is resumed, as pdexec/swap.h does.
 */
struct pd_private; /* of a world */

/* `names`: [n] of libraries that are private wherever they lie; borrowed. `substitute`: as in struct
 * pd_config, for their calls. What is loaded by now belongs to the simulator. Errors: UTIL_ENOMEM. */
int pd_private_create(int n, const char *const names[], void *(*substitute)(const char *name),
		      struct pd_private **out, struct util_error *err);
void pd_private_destroy(struct pd_private *private); /* NULL is fine */

/*
 * Looks for libraries that were loaded since the last time, and makes the variables of all private
 * ones those of the image's ranks, of which `rank` runs (-1: none). O(libraries). Errors:
 * UTIL_ENOMEM.
 */
int pd_private_take(struct pd_private *private, struct pd_image *image, int rank,
		    struct util_error *err);
/* The first of `names` that no library had so far; NULL: there is none. */
const char *pd_private_unused(const struct pd_private *private);

/*
 * Whether all ranks share the variables of the library at `path` although it may keep what belongs
 * to one process: it lies with the system's, and is no runtime of a compiler.
 */
bool pd_private_is_doubtful(const char *path);
/* Whether it is Python's interpreter or one of its modules, which are private wherever they lie: all
 * that they keep belongs to one process. */
bool pd_private_is_python(const char *path);
/* The path of the first such library that programs brought along; NULL: there is none. O(libraries). */
const char *pd_private_first_doubtful(const struct pd_private *private);

#endif
