/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_VERIFY_IMPACT_H
#define TOOLS_VERIFY_IMPACT_H

#include "tools/verify/aside.h"

/* Whether results differ where the buffers of a finding are read or filled at another time
 * (mpi/verify/impact.h): the findings say it. The run is over. NULL: nothing is repeated. */
void verify_impact_ask(struct verify_aside *aside, struct run *run);

#endif
