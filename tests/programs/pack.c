/* SPDX-License-Identifier: BSD-3-Clause */
/* Packing, and what a datatype tells about itself. */
#include "check.h"

static int left, right;

static void mixed_data_travels_packed(void)
{
	char buffer[200];
	int position = 0, size, i = me, got_i = -1;
	double d[3] = {me + 0.25, -1.5, 1e300}, got_d[3] = {0};
	char text[6] = "hello", got_text[6] = "";
	MPI_Status status;

	MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, &size);
	CHECK(size >= 4);
	MPI_Pack(&i, 1, MPI_INT, buffer, sizeof(buffer), &position, MPI_COMM_WORLD);
	MPI_Pack(d, 3, MPI_DOUBLE, buffer, sizeof(buffer), &position, MPI_COMM_WORLD);
	MPI_Pack(text, 6, MPI_CHAR, buffer, sizeof(buffer), &position, MPI_COMM_WORLD);
	CHECK(position >= 34 && position < 200);
	MPI_Sendrecv_replace(buffer, position, MPI_PACKED, right, 1, left, 1, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_PACKED, &size);
	CHECK_INT(size, position);
	position = 0;
	MPI_Unpack(buffer, size, &position, &got_i, 1, MPI_INT, MPI_COMM_WORLD);
	MPI_Unpack(buffer, size, &position, got_d, 3, MPI_DOUBLE, MPI_COMM_WORLD);
	MPI_Unpack(buffer, size, &position, got_text, 6, MPI_CHAR, MPI_COMM_WORLD);
	CHECK_INT(position, size);
	CHECK_INT(got_i, left);
	CHECK(got_d[0] == left + 0.25 && got_d[1] == -1.5 && got_d[2] == 1e300);
	CHECK(!strcmp(got_text, "hello"));
}

/* Sent packed and received as a type, and the other way round. */
static void packed_and_typed_messages_match(void)
{
	MPI_Datatype column;
	int matrix[9], flat[3] = {-1, -1, -1}, position = 0;
	char buffer[100];

	MPI_Type_vector(3, 1, 3, MPI_INT, &column);
	MPI_Type_commit(&column);
	for (int k = 0; k < 9; k++)
		matrix[k] = 10 * me + k;
	MPI_Pack(matrix + 1, 1, column, buffer, sizeof(buffer), &position, MPI_COMM_WORLD);
	MPI_Sendrecv(buffer, position, MPI_PACKED, right, 2, flat, 3, MPI_INT, left, 2, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	for (int k = 0; k < 3; k++)
		CHECK_INT(flat[k], 10 * left + 1 + 3 * k);
	memset(matrix, 0xff, sizeof(matrix));
	MPI_Sendrecv(flat, 3, MPI_INT, right, 3, buffer, sizeof(buffer), MPI_PACKED, left, 3, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	position = 0;
	MPI_Unpack(buffer, sizeof(buffer), &position, matrix, 1, column, MPI_COMM_WORLD);
	CHECK_INT(matrix[0], 10 * ((left + n_ranks - 1) % n_ranks) + 1);
	CHECK_INT(matrix[1], -1);
	CHECK_INT(matrix[3], matrix[0] + 3);
	CHECK_INT(matrix[6], matrix[0] + 6);
	MPI_Type_free(&column);
}

static void a_type_tells_how_it_was_made(void)
{
	MPI_Datatype vector, inner[1];
	int n_ints, n_addresses, n_types, combiner, ints[3];
	MPI_Aint addresses[1];

	MPI_Type_get_envelope(MPI_INT, &n_ints, &n_addresses, &n_types, &combiner);
	CHECK_INT(combiner, MPI_COMBINER_NAMED);
	MPI_Type_vector(3, 2, 5, MPI_DOUBLE, &vector);
	MPI_Type_get_envelope(vector, &n_ints, &n_addresses, &n_types, &combiner);
	CHECK_INT(combiner, MPI_COMBINER_VECTOR);
	CHECK_INT(n_ints, 3);
	CHECK_INT(n_addresses, 0);
	CHECK_INT(n_types, 1);
	MPI_Type_get_contents(vector, 3, 0, 1, ints, addresses, inner);
	CHECK(ints[0] == 3 && ints[1] == 2 && ints[2] == 5);
	CHECK(inner[0] == MPI_DOUBLE);
	MPI_Type_free(&vector);
}

static void contents_are_handles_of_their_own(void)
{
	const int lengths[2] = {2, 3};
	const MPI_Aint displs[2] = {0, 100};
	MPI_Datatype pair, structure, inner[2];
	int n_ints, n_addresses, n_types, combiner, ints[3], size;
	MPI_Aint addresses[2];

	MPI_Type_contiguous(2, MPI_SHORT, &pair);
	MPI_Type_create_struct(2, lengths, displs, (const MPI_Datatype[]){MPI_CHAR, pair}, &structure);
	MPI_Type_free(&pair);
	MPI_Type_get_envelope(structure, &n_ints, &n_addresses, &n_types, &combiner);
	CHECK_INT(combiner, MPI_COMBINER_STRUCT);
	CHECK_INT(n_ints, 3);
	CHECK_INT(n_addresses, 2);
	CHECK_INT(n_types, 2);
	MPI_Type_get_contents(structure, 3, 2, 2, ints, addresses, inner);
	CHECK(ints[0] == 2 && ints[1] == 2 && ints[2] == 3);
	CHECK(addresses[0] == 0 && addresses[1] == 100);
	CHECK(inner[0] == MPI_CHAR);
	MPI_Type_free(&structure);
	MPI_Type_size(inner[1], &size);
	CHECK_INT(size, 4);
	MPI_Type_get_envelope(inner[1], &n_ints, &n_addresses, &n_types, &combiner);
	CHECK_INT(combiner, MPI_COMBINER_CONTIGUOUS);
	MPI_Type_free(&inner[1]);
}

static void combiners_name_their_constructors(void)
{
	const int one[] = {1, 1}, zero[] = {0, 3};
	const MPI_Aint zero_aint[] = {0, 12};
	const int sizes[] = {4, 4}, sub[] = {2, 2};
	MPI_Datatype types[9];
	const int want[9] = {MPI_COMBINER_DUP, MPI_COMBINER_CONTIGUOUS, MPI_COMBINER_HVECTOR,
			     MPI_COMBINER_INDEXED, MPI_COMBINER_HINDEXED, MPI_COMBINER_INDEXED_BLOCK,
			     MPI_COMBINER_HINDEXED_BLOCK, MPI_COMBINER_SUBARRAY, MPI_COMBINER_RESIZED};

	MPI_Type_dup(MPI_INT, &types[0]);
	MPI_Type_contiguous(2, MPI_INT, &types[1]);
	MPI_Type_create_hvector(2, 1, 20, MPI_INT, &types[2]);
	MPI_Type_indexed(2, one, zero, MPI_INT, &types[3]);
	MPI_Type_create_hindexed(2, one, zero_aint, MPI_INT, &types[4]);
	MPI_Type_create_indexed_block(2, 1, zero, MPI_INT, &types[5]);
	MPI_Type_create_hindexed_block(2, 1, zero_aint, MPI_INT, &types[6]);
	MPI_Type_create_subarray(2, sizes, sub, one, MPI_ORDER_C, MPI_INT, &types[7]);
	MPI_Type_create_resized(MPI_INT, 0, 32, &types[8]);
	for (int k = 0; k < 9; k++) {
		int n_ints, n_addresses, n_types, combiner;

		MPI_Type_get_envelope(types[k], &n_ints, &n_addresses, &n_types, &combiner);
		CHECK_INT(combiner, want[k]);
		CHECK_INT(n_types, 1);
		MPI_Type_free(&types[k]);
	}
}

static void types_have_names(void)
{
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Datatype type;
	int length = -1;

	MPI_Type_get_name(MPI_DOUBLE, name, &length);
	CHECK(!strcmp(name, "MPI_DOUBLE"));
	CHECK_INT(length, 10);
	MPI_Type_contiguous(3, MPI_INT, &type);
	MPI_Type_get_name(type, name, &length);
	CHECK_INT(length, 0);
	MPI_Type_set_name(type, "triple");
	MPI_Type_get_name(type, name, &length);
	CHECK(!strcmp(name, "triple"));
	MPI_Type_free(&type);
}

static int n_copied, n_deleted;

static int copy_type_attr(MPI_Datatype old, int key, void *extra, void *in, void *out, int *flag)
{
	n_copied++;
	*(void **)out = (char *)in + 1;
	*flag = 1;
	return MPI_SUCCESS;
}

static int delete_type_attr(MPI_Datatype type, int key, void *value, void *extra)
{
	n_deleted++;
	return MPI_SUCCESS;
}

static void type_attributes_follow_dup(void)
{
	MPI_Datatype type, copy;
	char anchor[4];
	void *value = NULL;
	int key, flag;

	MPI_Type_create_keyval(copy_type_attr, delete_type_attr, &key, NULL);
	MPI_Type_contiguous(3, MPI_INT, &type);
	MPI_Type_get_attr(type, key, &value, &flag);
	CHECK(!flag);
	MPI_Type_set_attr(type, key, anchor);
	MPI_Type_dup(type, &copy);
	MPI_Type_get_attr(copy, key, &value, &flag);
	CHECK(flag && value == anchor + 1);
	MPI_Type_delete_attr(copy, key);
	CHECK_INT(n_deleted, 1);
	MPI_Type_free(&copy);
	MPI_Type_free_keyval(&key);
	CHECK_INT(key, MPI_KEYVAL_INVALID);
	MPI_Type_free(&type);
	CHECK_INT(n_copied, 1);
	CHECK_INT(n_deleted, 2);
}

static void a_size_has_its_type(void)
{
	MPI_Datatype type;
	int size;

	MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type);
	MPI_Type_size(type, &size);
	CHECK_INT(size, 8);
	MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, &type);
	MPI_Type_size(type, &size);
	CHECK_INT(size, 4);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	left = (me + n_ranks - 1) % n_ranks;
	right = (me + 1) % n_ranks;
	mixed_data_travels_packed();
	packed_and_typed_messages_match();
	section_end("pack and unpack");
	a_type_tells_how_it_was_made();
	contents_are_handles_of_their_own();
	combiners_name_their_constructors();
	section_end("type contents");
	types_have_names();
	type_attributes_follow_dup();
	section_end("type names and attributes");
	a_size_has_its_type();
	section_end("type by size");
	return check_finish();
}
