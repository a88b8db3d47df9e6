/* SPDX-License-Identifier: BSD-3-Clause */
/* Categories: MPI_T_category_*. One holds all the other ones. */
#include <string.h>

#include "mpi/abi/mpi-calls.h"
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

static int check(int index)
{
	return index >= 0 && index < N_TOOL_CATEGORIES ? MPI_SUCCESS : MPI_T_ERR_INVALID_INDEX;
}

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

static int give_list(int (*list)(int, int, int[]), int category, int len, int indices[])
{
	int code = check(category);

	if (code == MPI_SUCCESS && (len < 0 || (len > 0 && !indices)))
		code = MPI_T_ERR_INVALID;
	if (code == MPI_SUCCESS)
		list(category, len, indices);
	return code;
}

int mpi_t_category_get_num(struct mpi_rank *me, int *num_cat)
{
	*num_cat = N_TOOL_CATEGORIES;
	return MPI_SUCCESS;
}

int mpi_t_category_get_index(struct mpi_rank *me, const char *name, int *cat_index)
{
	for (int i = 0; i < N_TOOL_CATEGORIES; i++)
		if (strcmp(categories[i].name, name) == 0) {
			*cat_index = i;
			return MPI_SUCCESS;
		}
	return MPI_T_ERR_INVALID_NAME;
}

int mpi_t_category_get_info(struct mpi_rank *me, int cat_index, char *name, int *name_len,
			    char *desc, int *desc_len, int *num_cvars, int *num_pvars,
			    int *num_categories)
{
	int code = check(cat_index);

	if (code != MPI_SUCCESS)
		return code;
	tool_give_text(categories[cat_index].name, name, name_len);
	tool_give_text(categories[cat_index].description, desc, desc_len);
	tool_give_int(list_cvars(cat_index, 0, NULL), num_cvars);
	tool_give_int(list_pvars(cat_index, 0, NULL), num_pvars);
	tool_give_int(list_categories(cat_index, 0, NULL), num_categories);
	return MPI_SUCCESS;
}

int mpi_t_category_get_cvars(struct mpi_rank *me, int cat_index, int len, int indices[])
{
	return give_list(list_cvars, cat_index, len, indices);
}

int mpi_t_category_get_pvars(struct mpi_rank *me, int cat_index, int len, int indices[])
{
	return give_list(list_pvars, cat_index, len, indices);
}

int mpi_t_category_get_categories(struct mpi_rank *me, int cat_index, int len, int indices[])
{
	return give_list(list_categories, cat_index, len, indices);
}

/* There are no events. */
static int list_events(int category, int len, int indices[])
{
	return 0;
}

int mpi_t_category_get_events(struct mpi_rank *me, int cat_index, int len, int indices[])
{
	return give_list(list_events, cat_index, len, indices);
}

int mpi_t_category_get_num_events(struct mpi_rank *me, int cat_index, int *num_events)
{
	*num_events = 0;
	return check(cat_index);
}

/* They never change. */
int mpi_t_category_changed(struct mpi_rank *me, int *update_number)
{
	*update_number = 0;
	return MPI_SUCCESS;
}
