/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_NETMODEL_FUZZ_H
#define TESTS_NETMODEL_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Parses one input and aborts where a promise of cluster.h is broken. 1: the input was accepted. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
