/* SPDX-License-Identifier: BSD-3-Clause */
/* 100 MB of static arrays, of which little is touched. */
#include <stdio.h>
#include <unistd.h>

static double zeros[12500000];
static int touched[4];

int main(void)
{
	for (int i = 0; i < 3; i++) {
		zeros[0] += 1;
		zeros[6000000] += 2;
		zeros[12499999] += 3;
		touched[i]++;
		usleep(1);
	}
	printf("%.0f %.0f %.0f %d\n", zeros[0], zeros[6000000], zeros[12499999],
	       touched[0] + touched[1] + touched[2]);
	return 0;
}
