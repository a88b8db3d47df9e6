/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_VERIFY_PRICE_H
#define TOOLS_VERIFY_PRICE_H

#include "tools/verify/aside.h"

/* What bytes that are received for nothing cost: the run is predicted again without them, for each call
 * that receives any. The run is over, and ended well. NULL: nothing is priced. */
void verify_price_ask(struct verify_aside *aside, struct run *run);

#endif
