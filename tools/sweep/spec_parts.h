/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_SPEC_PARTS_H
#define TOOLS_SWEEP_SPEC_PARTS_H

#include "util/yaml.h"
#include "tools/sweep/spec.h"

/* What the files that read a sweep file share. */

/* The values of one parameter: a single one, a list, or a range. */
int sweep_values_read(const struct util_yaml_tree *tree, const struct util_yaml *node,
		      struct sweep_parameter *out, struct util_error *err);
/* A scalar that is not empty, or an error at its place that names `what`. */
int sweep_scalar_check(const struct util_yaml_tree *tree, const struct util_yaml *node,
		       const char *what, struct util_error *err);
int sweep_int_read(const struct util_yaml_tree *tree, const struct util_yaml *node,
		   const char *what, int64_t min, int64_t max, int64_t *out,
		   struct util_error *err);
/* Only the keys of `known` (its end: NULL) may stand in `map`, which must be a mapping. */
int sweep_keys_check(const struct util_yaml_tree *tree, const struct util_yaml *map,
		     const char *what, const char *const known[], struct util_error *err);

/* The keys parameters, repeat, first_seed, vary and base; then only and except. */
int sweep_parameters_read(struct sweep_spec *spec, const struct util_yaml_tree *tree,
			  struct util_error *err);
int sweep_conditions_read(struct sweep_spec *spec, const struct util_yaml_tree *tree,
			  struct util_error *err);

/* The keys set, scale, run and options. */
int sweep_options_read(struct sweep_spec *spec, const struct util_yaml_tree *tree,
		       struct util_error *err);
int sweep_text_read(const struct sweep_spec *spec, const struct util_yaml_tree *tree,
		    const struct util_yaml *node, const char *what, struct sweep_text **out,
		    struct util_error *err);
/* One text or a list of them. */
int sweep_texts_read(const struct sweep_spec *spec, const struct util_yaml_tree *tree,
		     const struct util_yaml *node, const char *what, struct sweep_text ***out,
		     int *out_n, struct util_error *err);

#endif
