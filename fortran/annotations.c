/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The annotation API for Fortran (fortran/mpisim.f90). Calls with names end as jumps to the
 * function of C, where the compiler makes them: then errors name the line of the program.
 */
#include "mpisim.h"

#include <string.h>

/* A name with C's end, until the next call: the function that gets it keeps a copy. Of this rank
 * alone, as all that is linked to the program. */
static const char *named(const char *chars, size_t length)
{
	static char text[256];

	while (length > 0 && chars[length - 1] == ' ')
		length--;
	if (length >= sizeof text)
		length = sizeof text - 1;
	memcpy(text, chars, length);
	text[length] = '\0';
	return text;
}

int mpisim_kernel_begin_(const char *name, const int *n_params, const double params[],
			 size_t name_length)
{
	return mpisim_kernel_begin(named(name, name_length), *n_params, params);
}

int mpisim_stream_kernel_begin_(const char *name, const int *n_params, const double params[],
				const int *stream, size_t name_length)
{
	return mpisim_stream_kernel_begin(named(name, name_length), *n_params, params, *stream);
}

double mpisim_kernel_time_(const char *name, const int *n_params, const double params[],
			   size_t name_length)
{
	return mpisim_kernel_time(named(name, name_length), *n_params, params);
}

void mpisim_phase_begin_(const char *name, size_t name_length)
{
	mpisim_phase_begin(named(name, name_length));
}

/* Handles of predefined datatypes are numbers in both languages. */
void mpisim_state_(const char *name, const void *buf, const int *count, const int *datatype,
		   size_t name_length)
{
	mpisim_state_register(named(name, name_length), buf, (size_t)(*count > 0 ? *count : 0),
			      (const void *)(intptr_t)*datatype);
}

void mpisim_touch_(const void *buf, const int *count, const int *datatype, const int *use,
		   const double *fraction)
{
	mpisim_touch_memory(buf, (size_t)(*count > 0 ? *count : 0),
			    (const void *)(intptr_t)*datatype, *use, *fraction);
}

int mpisim_is_simulated_(void)
{
	return mpisim_is_simulated();
}
