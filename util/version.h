/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_VERSION_H
#define UTIL_VERSION_H

/* The release of mpisim, "0.1.0". */
const char *util_version(void);

#endif
