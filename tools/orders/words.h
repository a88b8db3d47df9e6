/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_ORDERS_WORDS_H
#define TOOLS_ORDERS_WORDS_H

#include "tools/orders/explore.h"

/* One order, in words. */
struct orders_words {
	char **lines; /* [n] as orders_print_decision wrote them */
	uint32_t n;
};

/* Follows the decisions of the outcome once more. */
struct orders_words orders_tell(struct orders_view_run *view, const struct orders_outcome *outcome);
void orders_words_finish(struct orders_words *words);
/* What is for people of a line: within it. */
char *orders_words_text(char *line);
/* The call that is decided about, then the send, if it is known; NULL: none. */
json_t *orders_words_calls(const char *line);

#endif
