/* SPDX-License-Identifier: BSD-3-Clause */
/* Categories: MPI_T_category_*. One holds all the other ones. */
#include <string.h>

#include "mpi/tool/tool.h"

static const struct {
	const char *name, *description;
} categories[N_TOOL_CATEGORIES] = {
    [TOOL_ALL] = {"mpisim", "everything that the simulator tells of itself"},
    [TOOL_RUN] = {"run", "how this run is made"},
    [TOOL_CLUSTER] = {"cluster", "the cluster that is simulated"},
    [TOOL_NETWORK] = {"network", "its network"},
    [TOOL_PROTOCOL] = {"protocol", "how its MPI library sends messages"},
    [TOOL_COLLECTIVES] = {"collectives", "which algorithms do its collectives"},
    [TOOL_MESSAGES] = {"messages", "messages sent and waiting"},
    [TOOL_TIME] = {"time", "simulated time"},
};

/* MPI_SUCCESS when the category is one; for lists also when there is room for them. */
static int check(struct mpi_rank **me, int cat_index, const char *function, const void *site)
{
	int code = tool_enter(me, function, site);

	if (code == MPI_SUCCESS && (cat_index < 0 || cat_index >= N_TOOL_CATEGORIES))
		code = MPI_T_ERR_INVALID_INDEX;
	return code;
}
#define CHECK(me, cat_index) check(me, cat_index, __func__, __builtin_return_address(0))

/* Each returns how many there are, and writes the first `len` of them. */
static int list_cvars(int category, int len, int indices[])
{
	int n = 0;

	for (int i = 0; i < tool_n_cvars; i++) {
		if ((int)tool_cvars[i].category != category)
			continue;
		if (n < len)
			indices[n] = i;
		n++;
	}
	return n;
}

static int list_pvars(int category, int len, int indices[])
{
	int n = 0;

	for (int i = 0; i < tool_n_pvars; i++) {
		if ((int)tool_pvars[i].category != category)
			continue;
		if (n < len)
			indices[n] = i;
		n++;
	}
	return n;
}

static int list_categories(int category, int len, int indices[])
{
	if (category != TOOL_ALL)
		return 0;
	for (int i = 0; i < len && i < N_TOOL_CATEGORIES - 1; i++)
		indices[i] = i + 1;
	return N_TOOL_CATEGORIES - 1;
}

static int give_list(struct mpi_rank *me, int code, int (*list)(int, int, int[]), int category,
		     int len, int indices[])
{
	if (code == MPI_SUCCESS && (len < 0 || (len > 0 && !indices)))
		code = MPI_T_ERR_INVALID;
	if (code == MPI_SUCCESS)
		list(category, len, indices);
	return mpi_leave(me, code);
}

int MPI_T_category_get_num(int *num_cat)
{
	struct mpi_rank *me;
	int code = CHECK(&me, 0);

	if (code == MPI_SUCCESS && !num_cat)
		code = MPI_T_ERR_INVALID;
	if (code == MPI_SUCCESS)
		*num_cat = N_TOOL_CATEGORIES;
	return mpi_leave(me, code);
}

int MPI_T_category_get_index(const char *name, int *cat_index)
{
	struct mpi_rank *me;
	int code = CHECK(&me, 0), i = 0;

	if (code == MPI_SUCCESS && (!name || !cat_index))
		code = MPI_T_ERR_INVALID;
	while (code == MPI_SUCCESS && i < N_TOOL_CATEGORIES &&
	       strcmp(categories[i].name, name) != 0)
		i++;
	if (code == MPI_SUCCESS && i == N_TOOL_CATEGORIES)
		code = MPI_T_ERR_INVALID_NAME;
	if (code == MPI_SUCCESS)
		*cat_index = i;
	return mpi_leave(me, code);
}

int MPI_T_category_get_info(int cat_index, char *name, int *name_len, char *desc, int *desc_len,
			    int *num_cvars, int *num_pvars, int *num_categories)
{
	struct mpi_rank *me;
	int code = CHECK(&me, cat_index);

	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	tool_give_text(categories[cat_index].name, name, name_len);
	tool_give_text(categories[cat_index].description, desc, desc_len);
	tool_give_int(list_cvars(cat_index, 0, NULL), num_cvars);
	tool_give_int(list_pvars(cat_index, 0, NULL), num_pvars);
	tool_give_int(list_categories(cat_index, 0, NULL), num_categories);
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_T_category_get_cvars(int cat_index, int len, int indices[])
{
	struct mpi_rank *me;
	int code = CHECK(&me, cat_index);

	return give_list(me, code, list_cvars, cat_index, len, indices);
}

int MPI_T_category_get_pvars(int cat_index, int len, int indices[])
{
	struct mpi_rank *me;
	int code = CHECK(&me, cat_index);

	return give_list(me, code, list_pvars, cat_index, len, indices);
}

int MPI_T_category_get_categories(int cat_index, int len, int indices[])
{
	struct mpi_rank *me;
	int code = CHECK(&me, cat_index);

	return give_list(me, code, list_categories, cat_index, len, indices);
}

/* There are no events. */
static int list_events(int category, int len, int indices[])
{
	return 0;
}

int MPI_T_category_get_events(int cat_index, int len, int indices[])
{
	struct mpi_rank *me;
	int code = CHECK(&me, cat_index);

	return give_list(me, code, list_events, cat_index, len, indices);
}

int MPI_T_category_get_num_events(int cat_index, int *num_events)
{
	struct mpi_rank *me;
	int code = CHECK(&me, cat_index);

	if (code == MPI_SUCCESS && !num_events)
		code = MPI_T_ERR_INVALID;
	if (code == MPI_SUCCESS)
		*num_events = 0;
	return mpi_leave(me, code);
}

/* They never change. */
int MPI_T_category_changed(int *update_number)
{
	struct mpi_rank *me;
	int code = CHECK(&me, 0);

	if (code == MPI_SUCCESS && !update_number)
		code = MPI_T_ERR_INVALID;
	if (code == MPI_SUCCESS)
		*update_number = 0;
	return mpi_leave(me, code);
}
