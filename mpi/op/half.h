/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_OP_HALF_H
#define MPI_OP_HALF_H

#include <stdint.h>
#include <string.h>

/*
 * IEEE binary16 in integers, because not every compiler has _Float16. Adding or multiplying two of
 * them in float and rounding the result gives what the operation on halves would: 24 bits of
 * precision are at least twice 11 plus 2, so rounding twice is harmless.
 */
static inline float mpi_half_to_float(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31,
		 fraction = half & 0x3ff, bits;
	float value;

	if (exponent == 0) { /* zero or subnormal: fraction * 2^-24, exactly */
		value = (float)fraction * 0x1p-24f;
		return sign ? -value : value;
	}
	bits = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Rounds to nearest, ties to even. */
static inline uint16_t mpi_half_from_float(float value)
{
	uint32_t bits, magnitude, sign, shift, low;

	memcpy(&bits, &value, sizeof bits);
	sign = bits >> 16 & 0x8000;
	magnitude = bits & 0x7fffffff;
	if (magnitude > 0x7f800000) /* NaN */
		return (uint16_t)(sign | 0x7e00);
	if (magnitude >= 0x477ff000) /* 65520 and more round to infinity */
		return (uint16_t)(sign | 0x7c00);
	if (magnitude >= 0x38800000) { /* 2^-14 and more: normal */
		magnitude += 0xfff + (magnitude >> 13 & 1);
		return (uint16_t)(sign | (magnitude - 0x38000000) >> 13);
	}
	shift = 126 - (magnitude >> 23); /* to multiples of 2^-24 */
	if (shift > 24)
		return (uint16_t)sign;
	magnitude = (magnitude & 0x7fffff) | 0x800000;
	low = magnitude & ((1u << shift) - 1);
	magnitude >>= shift;
	if (low > 1u << (shift - 1) || (low == 1u << (shift - 1) && (magnitude & 1)))
		magnitude++;
	return (uint16_t)(sign | magnitude);
}

#endif
