/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_VERIFY_PRICE_H
#define TOOLS_VERIFY_PRICE_H

#include "tools/run/run.h"

/*
 * What bytes that are received for nothing cost: the run is predicted again without them, by a
 * process that stands aside from before the run on, for each call that receives any.
 */
struct verify_price; /* NULL: nothing is priced */

/* Before anything of the run is prepared. Where there is no process to be had nothing is priced. */
struct verify_price *verify_price_start(struct run *run);
/* The run is over, and ended well: prices what it received for nothing. */
void verify_price_ask(struct verify_price *price, struct run *run);
void verify_price_end(struct verify_price *price); /* NULL is fine */

#endif
