/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Comm_dup, _create, _split and their relatives. */
#include <string.h>
#include <strings.h>

#include "cluster/levels.h"
#include "mpi/abi/mpi-calls.h"
#include "mpi/create/create.h"
#include "mpi/comm/group_recall.h"
#include "mpi/info/info.h"
#include "mpi/p2p/request.h"

/* MPI_SUCCESS and *comm, or the error. */
/* The copy of the parent with its attributes; on failure what was made is released. */
static int duplicate(struct mpi_rank *me, struct mpi_comm *parent, const struct mpi_info *info,
		     bool is_blocking, MPI_Comm *newcomm)
{
	struct mpi_comm *comm = NULL;
	int code = mpi_comm_duplicate(me, parent, is_blocking, &comm);

	if (code == MPI_SUCCESS && info && mpi_info_duplicate(info, &comm->info) < 0)
		code = MPI_ERR_NO_MEM;
	if (code == MPI_SUCCESS) {
		code = mpi_attributes_copy(me, KIND_COMM, (uintptr_t)parent->handle,
					   parent->attributes, &comm->attributes);
		if (code != MPI_SUCCESS) {
			mpi_comm_release(me, comm);
			*newcomm = MPI_COMM_NULL;
			return mpi_raise(me, parent, code,
					 "the copy function of an attribute failed");
		}
	}
	if (code != MPI_SUCCESS)
		mpi_comm_release(me, comm);
	return mpi_comm_publish(me, parent, code, comm, newcomm);
}

int mpi_comm_dup(struct mpi_rank *me, struct mpi_comm *parent, MPI_Comm *newcomm)
{
	return duplicate(me, parent, NULL, true, newcomm);
}

int mpi_comm_dup_with_info(struct mpi_rank *me, struct mpi_comm *parent, struct mpi_info *info,
			   MPI_Comm *newcomm)
{
	return duplicate(me, parent, info, true, newcomm);
}

int mpi_comm_idup_with_info(struct mpi_rank *me, struct mpi_comm *parent, struct mpi_info *info,
			    MPI_Comm *newcomm, MPI_Request *request)
{
	struct mpi_request *agreed = mpi_comm_iagree(me, parent);
	int code = duplicate(me, parent, info, false, newcomm);

	if (code == MPI_SUCCESS) {
		*request = mpi_request_publish(me, agreed);
	} else { /* the others want their messages */
		mpi_requests_wait(me, 1, &agreed, false);
		mpi_request_destroy(me, agreed);
	}
	return code;
}

int mpi_comm_idup(struct mpi_rank *me, struct mpi_comm *parent, MPI_Comm *newcomm,
		  MPI_Request *request)
{
	return mpi_comm_idup_with_info(me, parent, NULL, newcomm, request);
}

/* MPI_SUCCESS when all members of the group are in the communicator. */
static int check_subgroup(struct mpi_rank *me, struct mpi_comm *comm, struct mpi_group *group)
{
	struct mpi_group_recipe within;
	struct mpi_group *known;

	if (group == comm->group)
		return MPI_SUCCESS;
	within = (struct mpi_group_recipe){GROUP_WITHIN, group, comm->group, 0, NULL};
	known = mpi_group_recall(me, &within);
	mpi_group_release(me, known);
	if (known)
		return MPI_SUCCESS;
	for (int i = 0; i < group->size; i++)
		if (mpi_group_index(comm->group, mpi_group_world_rank(group, i)) == MPI_UNDEFINED)
			return mpi_raise(me, comm, MPI_ERR_GROUP,
					 "member %d of group is not in the group of comm", i);
	mpi_group_remember(me, &within, group);
	return MPI_SUCCESS;
}

int mpi_comm_give_created(struct mpi_rank *me, struct mpi_comm *parent, struct mpi_group *members,
			  MPI_Comm *newcomm)
{
	struct mpi_comm *made = NULL;
	int code = check_subgroup(me, parent, members);

	if (code != MPI_SUCCESS)
		return code;
	code = mpi_comm_create(me, parent, members, &made);
	return mpi_comm_publish(me, parent, code, made, newcomm);
}

int mpi_comm_create_group(struct mpi_rank *me, struct mpi_comm *parent, struct mpi_group *members,
			  int tag, MPI_Comm *newcomm)
{
	struct mpi_comm *made = NULL;
	int code = check_subgroup(me, parent, members);

	if (code == MPI_SUCCESS && tag < 0)
		code =
		    mpi_raise(me, parent, MPI_ERR_TAG, "tag is %d, it must not be negative", tag);
	if (code == MPI_SUCCESS && members->size > 0 &&
	    mpi_group_index(members, me->rank) == MPI_UNDEFINED)
		code = mpi_raise(me, parent, MPI_ERR_GROUP, "the calling process is not in group");
	if (code != MPI_SUCCESS)
		return code;
	if (members->size > 0)
		code = mpi_comm_create_from_members(me, parent, members, tag, &made);
	return mpi_comm_publish(me, parent, code, made, newcomm);
}

int mpi_comm_give_split(struct mpi_rank *me, struct mpi_comm *parent, int color, int key,
			MPI_Comm *newcomm)
{
	struct mpi_comm *made;
	int code;

	if (color < 0 && color != MPI_UNDEFINED)
		return mpi_raise(me, parent, MPI_ERR_ARG,
				 "color is %d, it must be MPI_UNDEFINED or not negative", color);
	code = mpi_comm_split(me, parent, color, key, &made);
	return mpi_comm_publish(me, parent, code, made, newcomm);
}

/* The two process sets that there always are. */
static int color_of_set(const struct mpi_rank *me, const char *name)
{
	if (strcasecmp(name, "mpi://WORLD") == 0)
		return 0;
	return strcasecmp(name, "mpi://SELF") == 0 ? me->rank : MPI_UNDEFINED;
}

/* Sockets and memory domains of all nodes. */
static int color_of_resource(const struct pd_rank *pd, const char *resource)
{
	const struct cluster *cluster = pd->world->cluster;
	int n_domains = cluster_n_domains(cluster), of_socket = cluster->levels.domains,
	    domain = pd->node * n_domains + cluster_domain_of(cluster, pd->core);

	if (!strcmp(resource, "mpi_shared_memory") || !strcmp(resource, MPI_RESOURCE_NODE))
		return pd->node;
	if (!strcmp(resource, MPI_RESOURCE_DOMAIN))
		return domain;
	return strcmp(resource, MPI_RESOURCE_SOCKET) ? MPI_UNDEFINED : domain / of_socket;
}

static int color_of_type(const struct mpi_rank *me, int split_type, const struct mpi_info *info)
{
	const char *resource = info ? mpi_info_value(info, "mpi_hw_resource_type") : NULL;
	const char *set = info ? mpi_info_value(info, "mpi_pset_name") : NULL;

	if (split_type == MPI_UNDEFINED)
		return MPI_UNDEFINED;
	if (split_type == MPI_COMM_TYPE_SHARED || split_type == MPI_COMM_TYPE_HW_UNGUIDED)
		return me->pd->node;
	if (resource && color_of_resource(me->pd, resource) != MPI_UNDEFINED)
		return color_of_resource(me->pd, resource);
	return set && split_type == MPI_COMM_TYPE_RESOURCE_GUIDED ? color_of_set(me, set)
								  : MPI_UNDEFINED;
}

int mpi_comm_split_type(struct mpi_rank *me, struct mpi_comm *parent, int split_type, int key,
			struct mpi_info *info, MPI_Comm *newcomm)
{
	int color = color_of_type(me, split_type, info), code;
	struct mpi_comm *made;

	if (split_type != MPI_UNDEFINED &&
	    (split_type < MPI_COMM_TYPE_SHARED || split_type > MPI_COMM_TYPE_RESOURCE_GUIDED))
		return mpi_raise(me, parent, MPI_ERR_ARG,
				 "split_type is %d, no MPI_COMM_TYPE_ constant", split_type);
	code = mpi_comm_split(me, parent, color, key, &made);
	/* unguided: only a communicator smaller than the parent */
	if (made && split_type == MPI_COMM_TYPE_HW_UNGUIDED && made->size == parent->size) {
		mpi_comm_release(me, made);
		made = NULL;
	}
	/* the standard has the hint say what it came to */
	if (made && info && split_type == MPI_COMM_TYPE_HW_UNGUIDED &&
	    mpi_info_set(info, "mpi_hw_resource_type", "mpi_shared_memory") < 0)
		code = MPI_ERR_NO_MEM;
	return mpi_comm_publish(me, parent, code, made, newcomm);
}
