/* SPDX-License-Identifier: BSD-3-Clause */
/* The portable external32 form of data. */
#include "check.h"

static void external32_is_big_endian(void)
{
	unsigned char buffer[32];
	const int value[2] = {0x01020304, -2};
	const double one = 1.0;
	int back[2] = {0};
	double back_one = 0;
	MPI_Aint position = 0, size;

	memset(buffer, 0xaa, sizeof(buffer));
	MPI_Pack_external_size("external32", 2, MPI_INT, &size);
	CHECK_INT(size, 8);
	MPI_Pack_external("external32", value, 2, MPI_INT, buffer, sizeof(buffer), &position);
	CHECK_INT(position, 8);
	CHECK(buffer[0] == 1 && buffer[1] == 2 && buffer[2] == 3 && buffer[3] == 4);
	CHECK(buffer[4] == 0xff && buffer[7] == 0xfe);
	MPI_Pack_external("external32", &one, 1, MPI_DOUBLE, buffer, sizeof(buffer), &position);
	CHECK_INT(position, 16);
	CHECK(buffer[8] == 0x3f && buffer[9] == 0xf0 && buffer[15] == 0);
	position = 0;
	MPI_Unpack_external("external32", buffer, sizeof(buffer), &position, back, 2, MPI_INT);
	MPI_Unpack_external("external32", buffer, sizeof(buffer), &position, &back_one, 1, MPI_DOUBLE);
	CHECK_INT(back[0], 0x01020304);
	CHECK_INT(back[1], -2);
	CHECK(back_one == 1.0);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	external32_is_big_endian();
	section_end("external32");
	return check_finish();
}
