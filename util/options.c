/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/options.h"

#include <stdio.h>

int util_option_refuse(int option, char **argv, const char *see, struct util_error *err)
{
	const char *word = argv[optind - 1];

	if (option == ':')
		return util_error_set(err, UTIL_EINPUT, "%s needs a value; %s", word, see);
	if (optopt > 0 && optopt < 0x100 && word[1] != '-')
		return util_error_set(err, UTIL_EINPUT, "unknown option -%c; %s", optopt, see);
	if (optopt)
		return util_error_set(err, UTIL_EINPUT, "%s takes no value; %s", word, see);
	return util_error_set(err, UTIL_EINPUT, "unknown or ambiguous option %s; %s", word, see);
}

int util_option_check(int option, const char *value, const struct option *longs, uint64_t *given,
		      struct util_error *err)
{
	enum { SHORT = 63 };
	char name[64];
	int k = 0;

	while (longs[k].name && longs[k].val != option)
		k++;
	if (longs[k].name)
		snprintf(name, sizeof name, "--%s", longs[k].name);
	else
		snprintf(name, sizeof name, "-%c", option);
	if (!longs[k].name || k > SHORT)
		k = SHORT;
	if (value && !*value)
		return util_error_set(err, UTIL_EINPUT, "%s: found an empty value", name);
	if (given && (*given >> k & 1))
		return util_error_set(err, UTIL_EINPUT, "%s: found it twice, wanted it once", name);
	if (given)
		*given |= (uint64_t)1 << k;
	return 0;
}
