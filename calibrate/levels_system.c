/* SPDX-License-Identifier: BSD-3-Clause */
/* Under a real MPI: of the processors that this rank is bound to, as the system says. */
#include <glob.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"

static const char CPU[] = "/sys/devices/system/cpu/cpu";

static int socket_of(int cpu)
{
	char path[128];
	int socket = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s%d/topology/physical_package_id", CPU, cpu);
	file = fopen(path, "r");
	if (file && fscanf(file, "%d", &socket) != 1)
		socket = 0;
	if (file)
		fclose(file);
	return socket;
}

/* The processor's folder has one that is called after its memory domain; a system without has one
 * domain. */
static int domain_of(int cpu)
{
	char pattern[128];
	glob_t found;
	int domain = 0;

	snprintf(pattern, sizeof(pattern), "%s%d/node[0-9]*", CPU, cpu);
	if (glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0)
		domain = atoi(strrchr(found.gl_pathv[0], '/') + strlen("/node"));
	globfree(&found);
	return domain;
}

void levels_find(struct rank_place *place)
{
	cpu_set_t set;

	*place = (struct rank_place){.socket = -1, .domain = -1};
	if (sched_getaffinity(0, sizeof(set), &set))
		return;
	for (int cpu = 0, n = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &set))
			continue;
		if (n++ == 0)
			*place = (struct rank_place){0, socket_of(cpu), domain_of(cpu)};
		else if (place->socket != socket_of(cpu) || place->domain != domain_of(cpu))
			place->socket = place->domain = -1;
	}
}
