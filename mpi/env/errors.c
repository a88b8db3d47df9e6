/* SPDX-License-Identifier: BSD-3-Clause */
/* Error classes, codes and strings, those that the program adds included. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/core/errhandler.h"
#include "util/array.h"

static const struct {
	const char *name, *text;
} predefined_class[] = {
    [MPI_SUCCESS] = {"MPI_SUCCESS", "no error"},
    [MPI_ERR_BUFFER] = {"MPI_ERR_BUFFER", "invalid buffer pointer"},
    [MPI_ERR_COUNT] = {"MPI_ERR_COUNT", "invalid count argument"},
    [MPI_ERR_TYPE] = {"MPI_ERR_TYPE", "invalid datatype argument"},
    [MPI_ERR_TAG] = {"MPI_ERR_TAG", "invalid tag argument"},
    [MPI_ERR_COMM] = {"MPI_ERR_COMM", "invalid communicator"},
    [MPI_ERR_RANK] = {"MPI_ERR_RANK", "invalid rank"},
    [MPI_ERR_REQUEST] = {"MPI_ERR_REQUEST", "invalid request"},
    [MPI_ERR_ROOT] = {"MPI_ERR_ROOT", "invalid root"},
    [MPI_ERR_GROUP] = {"MPI_ERR_GROUP", "invalid group"},
    [MPI_ERR_OP] = {"MPI_ERR_OP", "invalid operation"},
    [MPI_ERR_TOPOLOGY] = {"MPI_ERR_TOPOLOGY", "invalid topology"},
    [MPI_ERR_DIMS] = {"MPI_ERR_DIMS", "invalid dimension argument"},
    [MPI_ERR_ARG] = {"MPI_ERR_ARG", "invalid argument of some other kind"},
    [MPI_ERR_UNKNOWN] = {"MPI_ERR_UNKNOWN", "unknown error"},
    [MPI_ERR_TRUNCATE] = {"MPI_ERR_TRUNCATE", "message truncated on receive"},
    [MPI_ERR_OTHER] = {"MPI_ERR_OTHER", "known error not in this list"},
    [MPI_ERR_INTERN] = {"MPI_ERR_INTERN", "internal error of the library"},
    [MPI_ERR_PENDING] = {"MPI_ERR_PENDING", "pending request"},
    [MPI_ERR_IN_STATUS] = {"MPI_ERR_IN_STATUS", "the error code is in the status"},
    [MPI_ERR_ACCESS] = {"MPI_ERR_ACCESS", "permission denied"},
    [MPI_ERR_AMODE] = {"MPI_ERR_AMODE", "invalid access mode"},
    [MPI_ERR_ASSERT] = {"MPI_ERR_ASSERT", "invalid assertion argument"},
    [MPI_ERR_BAD_FILE] = {"MPI_ERR_BAD_FILE", "invalid file name"},
    [MPI_ERR_BASE] = {"MPI_ERR_BASE", "invalid base address"},
    [MPI_ERR_CONVERSION] = {"MPI_ERR_CONVERSION", "error in a data conversion function"},
    [MPI_ERR_DISP] = {"MPI_ERR_DISP", "invalid displacement"},
    [MPI_ERR_DUP_DATAREP] = {"MPI_ERR_DUP_DATAREP", "data representation is defined already"},
    [MPI_ERR_FILE_EXISTS] = {"MPI_ERR_FILE_EXISTS", "file exists"},
    [MPI_ERR_FILE_IN_USE] = {"MPI_ERR_FILE_IN_USE", "file is in use"},
    [MPI_ERR_FILE] = {"MPI_ERR_FILE", "invalid file handle"},
    [MPI_ERR_INFO_KEY] = {"MPI_ERR_INFO_KEY", "invalid info key"},
    [MPI_ERR_INFO_NOKEY] = {"MPI_ERR_INFO_NOKEY", "no such info key"},
    [MPI_ERR_INFO_VALUE] = {"MPI_ERR_INFO_VALUE", "invalid info value"},
    [MPI_ERR_INFO] = {"MPI_ERR_INFO", "invalid info object"},
    [MPI_ERR_IO] = {"MPI_ERR_IO", "input or output error"},
    [MPI_ERR_KEYVAL] = {"MPI_ERR_KEYVAL", "invalid keyval"},
    [MPI_ERR_LOCKTYPE] = {"MPI_ERR_LOCKTYPE", "invalid lock type"},
    [MPI_ERR_NAME] = {"MPI_ERR_NAME", "service name is not published"},
    [MPI_ERR_NO_MEM] = {"MPI_ERR_NO_MEM", "out of memory"},
    [MPI_ERR_NOT_SAME] = {"MPI_ERR_NOT_SAME",
			  "collective argument is not the same on all processes"},
    [MPI_ERR_NO_SPACE] = {"MPI_ERR_NO_SPACE", "not enough space"},
    [MPI_ERR_NO_SUCH_FILE] = {"MPI_ERR_NO_SUCH_FILE", "no such file"},
    [MPI_ERR_PORT] = {"MPI_ERR_PORT", "invalid port name"},
    [MPI_ERR_QUOTA] = {"MPI_ERR_QUOTA", "quota exceeded"},
    [MPI_ERR_READ_ONLY] = {"MPI_ERR_READ_ONLY", "read-only file or file system"},
    [MPI_ERR_RMA_ATTACH] = {"MPI_ERR_RMA_ATTACH", "memory cannot be attached"},
    [MPI_ERR_RMA_CONFLICT] = {"MPI_ERR_RMA_CONFLICT", "conflicting accesses to a window"},
    [MPI_ERR_RMA_RANGE] = {"MPI_ERR_RMA_RANGE", "target memory is not part of the window"},
    [MPI_ERR_RMA_SHARED] = {"MPI_ERR_RMA_SHARED", "memory cannot be shared"},
    [MPI_ERR_RMA_SYNC] = {"MPI_ERR_RMA_SYNC", "wrong synchronization of one-sided calls"},
    [MPI_ERR_SERVICE] = {"MPI_ERR_SERVICE", "invalid service name"},
    [MPI_ERR_SIZE] = {"MPI_ERR_SIZE", "invalid size"},
    [MPI_ERR_SPAWN] = {"MPI_ERR_SPAWN", "processes could not be spawned"},
    [MPI_ERR_UNSUPPORTED_DATAREP] = {"MPI_ERR_UNSUPPORTED_DATAREP",
				     "unsupported data representation"},
    [MPI_ERR_UNSUPPORTED_OPERATION] = {"MPI_ERR_UNSUPPORTED_OPERATION", "unsupported operation"},
    [MPI_ERR_WIN] = {"MPI_ERR_WIN", "invalid window"},
    [MPI_ERR_RMA_FLAVOR] = {"MPI_ERR_RMA_FLAVOR", "wrong flavor of window"},
    [MPI_ERR_PROC_ABORTED] = {"MPI_ERR_PROC_ABORTED", "a peer process has aborted"},
    [MPI_ERR_VALUE_TOO_LARGE] = {"MPI_ERR_VALUE_TOO_LARGE", "value does not fit the argument"},
    [MPI_ERR_SESSION] = {"MPI_ERR_SESSION", "invalid session"},
    [MPI_ERR_ERRHANDLER] = {"MPI_ERR_ERRHANDLER", "invalid error handler"},
    [MPI_ERR_ABI] = {"MPI_ERR_ABI", "ABI mismatch"},
};

/* Of MPI_T_* functions, which return them and raise nothing. */
#define FIRST_TOOL MPI_T_ERR_CANNOT_INIT
#define TOOL(code) [MPI_T_ERR_##code - FIRST_TOOL]
static const char *const tool_text[] = {
    TOOL(CANNOT_INIT) = "interface not in a state to be initialized",
    TOOL(NOT_ACCESSIBLE) = "the requested functionality is not accessible",
    TOOL(NOT_INITIALIZED) = "interface not initialized",
    TOOL(NOT_SUPPORTED) = "the requested functionality is not supported",
    TOOL(MEMORY) = "out of memory",
    TOOL(INVALID) = "invalid use of the interface, or bad parameter values",
    TOOL(INVALID_INDEX) = "invalid index",
    TOOL(INVALID_ITEM) = "item index out of range",
    TOOL(INVALID_SESSION) = "invalid session",
    TOOL(INVALID_HANDLE) = "invalid handle",
    TOOL(INVALID_NAME) = "no variable or category of that name",
    TOOL(OUT_OF_HANDLES) = "no more handles available",
    TOOL(OUT_OF_SESSIONS) = "no more sessions available",
    TOOL(CVAR_SET_NOT_NOW) = "control variable cannot be set at this time",
    TOOL(CVAR_SET_NEVER) = "control variable cannot be set",
    TOOL(PVAR_NO_WRITE) = "performance variable cannot be written or reset",
    TOOL(PVAR_NO_STARTSTOP) = "performance variable cannot be started or stopped",
    TOOL(PVAR_NO_ATOMIC) = "performance variable cannot be read and reset at once",
};
#define N_TOOL ((int)(sizeof tool_text / sizeof tool_text[0]))

static bool is_tool(int code)
{
	return code >= FIRST_TOOL && code - FIRST_TOOL < N_TOOL;
}

#define N_PREDEFINED ((int)(sizeof predefined_class / sizeof predefined_class[0]))
#define FIRST_ADDED (MPI_ERR_LASTCODE + 1)

/* Classes and codes share one sequence of numbers from FIRST_ADDED; a class is its own class. */
struct added_code {
	int error_class; /* 0: removed */
	char *text;	 /* NULL: none yet */
};

struct error_space {
	struct added_code *codes; /* [n] */
	int n;
};

static struct added_code *find_added(const struct mpi_rank *me, int code)
{
	const struct error_space *space = me->error_space;
	int index = code - FIRST_ADDED;

	if (!space || index < 0 || index >= space->n || !space->codes[index].error_class)
		return NULL;
	return &space->codes[index];
}

static bool is_predefined(int code)
{
	return code >= 0 && code < N_PREDEFINED && predefined_class[code].name;
}

int mpi_error_class_of(const struct mpi_rank *me, int code)
{
	const struct added_code *added = find_added(me, code);

	if (added)
		return added->error_class;
	return is_predefined(code) || is_tool(code) ? code : MPI_ERR_UNKNOWN;
}

const char *mpi_error_class_name(int error_class)
{
	return is_predefined(error_class) ? predefined_class[error_class].name
					  : "an error class of the program";
}

int mpi_error_last_code(const struct mpi_rank *me)
{
	const struct error_space *space = me->error_space;

	return space && space->n ? FIRST_ADDED + space->n - 1 : MPI_ERR_LASTCODE;
}

void mpi_errors_finish(struct mpi_rank *me)
{
	struct error_space *space = me->error_space;

	if (!space)
		return;
	for (int i = 0; i < space->n; i++)
		free(space->codes[i].text);
	free(space->codes);
	free(space);
	me->error_space = NULL;
}

static struct error_space *grown_space(struct mpi_rank *me)
{
	struct error_space *space = me->error_space;

	if (!space)
		space = me->error_space = calloc(1, sizeof *space);
	return space && util_array_room(&space->codes, (size_t)space->n, sizeof *space->codes)
		   ? space
		   : NULL;
}

/* Adds a class (error_class 0) or a code of a class. */
static int add(struct mpi_rank *me, int error_class, int *out)
{
	struct error_space *space;
	int code;

	space = grown_space(me);
	if (!space)
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory");
	code = FIRST_ADDED + space->n;
	space->codes[space->n++] =
	    (struct added_code){.error_class = error_class ? error_class : code};
	*out = code;
	return MPI_SUCCESS;
}

int mpi_add_error_class(struct mpi_rank *me, int *errorclass)
{
	return add(me, 0, errorclass);
}

int mpi_add_error_code(struct mpi_rank *me, int errorclass, int *errorcode)
{
	if (mpi_error_class_of(me, errorclass) != errorclass)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "%d is not an error class", errorclass);
	return add(me, errorclass, errorcode);
}

int mpi_add_error_string(struct mpi_rank *me, int errorcode, const char *string)
{
	struct added_code *added = find_added(me, errorcode);
	char *copy;

	if (!added)
		return mpi_raise(me, NULL, MPI_ERR_ARG,
				 "%d is not an error code that the program added", errorcode);
	if (strlen(string) >= MPI_MAX_ERROR_STRING)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "the string has %d characters or more",
				 MPI_MAX_ERROR_STRING);
	copy = strdup(string);
	if (!copy)
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory");
	free(added->text);
	added->text = copy;
	return MPI_SUCCESS;
}

/* Whether a code that is not a class refers to the class. */
static bool class_is_used(const struct error_space *space, int error_class)
{
	for (int i = 0; i < space->n; i++)
		if (space->codes[i].error_class == error_class && FIRST_ADDED + i != error_class)
			return true;
	return false;
}

int mpi_remove_error(struct mpi_rank *me, int is_class, int code)
{
	struct added_code *added = find_added(me, code);

	if (!added || (added->error_class == code) != is_class)
		return mpi_raise(me, NULL, MPI_ERR_ARG,
				 "%d is not an error %s that the program added", code,
				 is_class ? "class" : "code");
	if (added->text)
		return mpi_raise(me, NULL, MPI_ERR_OTHER, "error %s %d still has a string",
				 is_class ? "class" : "code", code);
	if (is_class && class_is_used(me->error_space, code))
		return mpi_raise(me, NULL, MPI_ERR_OTHER, "error class %d still has codes", code);
	added->error_class = 0;
	return MPI_SUCCESS;
}

int mpi_remove_error_string(struct mpi_rank *me, int errorcode)
{
	struct added_code *added = find_added(me, errorcode);

	if (!added || !added->text)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "%d has no string that the program added",
				 errorcode);
	free(added->text);
	added->text = NULL;
	return MPI_SUCCESS;
}

int mpi_error_class(struct mpi_rank *me, int errorcode, int *errorclass)
{
	if (!is_predefined(errorcode) && !is_tool(errorcode) && !find_added(me, errorcode))
		return mpi_raise(me, NULL, MPI_ERR_ARG, "%d is not an error code", errorcode);
	*errorclass = mpi_error_class_of(me, errorcode);
	return MPI_SUCCESS;
}

int mpi_error_string(struct mpi_rank *me, int errorcode, char *string, int *resultlen)
{
	const struct added_code *added = find_added(me, errorcode);

	if (!is_predefined(errorcode) && !is_tool(errorcode) && !added)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "%d is not an error code", errorcode);
	if (added)
		*resultlen =
		    snprintf(string, MPI_MAX_ERROR_STRING, "%s", added->text ? added->text : "");
	else if (is_tool(errorcode))
		*resultlen = snprintf(string, MPI_MAX_ERROR_STRING, "MPI_T: %s",
				      tool_text[errorcode - FIRST_TOOL]);
	else
		*resultlen =
		    snprintf(string, MPI_MAX_ERROR_STRING, "%s: %s",
			     predefined_class[errorcode].name, predefined_class[errorcode].text);
	return MPI_SUCCESS;
}
