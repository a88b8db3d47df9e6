/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "pdexec/libc-next.h"
#include "pdexec/process.h"
#include "util/list.h"

struct pd_directory {
	struct util_link link;
	struct pd_directories *set;
	dev_t device;
	ino_t number;
	int fd, n_users;
};

struct pd_directories {
	struct util_list used; /* those that ranks are in */
	int start_fd;	       /* the simulator's own; -1: no rank has left it */
};

int pd_directories_create(struct pd_directories **out, struct util_error *err)
{
	struct pd_directories *set = calloc(1, sizeof *set);

	if (!set)
		return util_error_set(err, UTIL_ENOMEM, "no memory for working directories");
	set->start_fd = -1;
	*out = set;
	return 0;
}

void pd_directories_destroy(struct pd_directories *set)
{
	if (set && set->start_fd >= 0)
		close(set->start_fd);
	free(set);
}

static int open_directory(const char *path)
{
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* The way back, before the first rank goes. */
static int remember_start(struct pd_directories *set)
{
	if (set->start_fd < 0)
		set->start_fd = open_directory(".");
	return set->start_fd < 0 ? -1 : 0;
}

static bool is_start(const struct pd_directories *set, const struct stat *status)
{
	struct stat start;

	return fstat(set->start_fd, &start) == 0 && start.st_dev == status->st_dev &&
	       start.st_ino == status->st_ino;
}

/* For one more user; made from `fd`, which is then its own, where there is none. NULL when out of
 * memory. */
static struct pd_directory *find(struct pd_directories *set, const struct stat *status, int fd)
{
	struct pd_directory *directory = set->used.first;

	while (directory &&
	       (directory->device != status->st_dev || directory->number != status->st_ino))
		directory = directory->link.next;
	if (!directory) {
		directory = calloc(1, sizeof *directory);
		if (!directory)
			return NULL;
		*directory = (struct pd_directory){
		    .set = set, .device = status->st_dev, .number = status->st_ino, .fd = fd};
		util_list_prepend(&set->used, directory);
	}
	directory->n_users++;
	return directory;
}

void pd_directory_leave(struct pd_process *process)
{
	struct pd_directory *directory = process->directory;

	process->directory = NULL;
	if (!directory || --directory->n_users > 0)
		return;
	util_list_remove(&directory->set->used, directory);
	close(directory->fd);
	free(directory);
}

/* The process is in the directory `fd` (taken over) from now on. 0, or -1 with errno. */
static int settle(struct pd_directories *set, struct pd_process *process, int fd)
{
	struct pd_directory *directory = NULL;
	struct stat status;
	bool is_lost = fstat(fd, &status) != 0;

	if (!is_lost && !is_start(set, &status)) {
		directory = find(set, &status, fd);
		is_lost = !directory;
	}
	if (!directory || directory->fd != fd)
		close(fd);
	if (is_lost)
		return -1;
	pd_directory_leave(process);
	process->directory = directory;
	return 0;
}

int pd_directory_set(struct pd_directories *set, struct pd_process *process, const char *path,
		     struct util_error *err)
{
	int fd;

	if (remember_start(set))
		return util_error_errno(err, errno, "cannot open the working directory");
	fd = open_directory(path);
	if (fd < 0 || settle(set, process, fd))
		return util_error_errno(err, errno, "cannot use '%s' as a working directory", path);
	return 0;
}

void pd_directory_enter(const struct pd_process *from, const struct pd_process *to)
{
	const struct pd_directory *other = to->directory ? to->directory : from->directory;
	int error = errno;

	/* what was opened as a directory stays one, even when it is removed */
	if (pd_libc_next()->fchdir(to->directory ? to->directory->fd : other->set->start_fd))
		errno = error;
}

/* --- what ranks call --- */

/* `fd` is taken over. */
static int change(struct pd_rank *rank, int fd)
{
	if (fd < 0)
		return -1;
	if (pd_libc_next()->fchdir(fd) == 0)
		return settle(rank->world->directories, rank->process, fd);
	close(fd);
	return -1;
}

PD_INTERPOSE int chdir(const char *path)
{
	struct pd_rank *rank = pd_process_here();

	if (!rank)
		return pd_libc_next()->chdir(path);
	return remember_start(rank->world->directories) ? -1 : change(rank, open_directory(path));
}

PD_INTERPOSE int fchdir(int fd)
{
	struct pd_rank *rank = pd_process_here();
	int copy;

	if (!rank)
		return pd_libc_next()->fchdir(fd);
	if (remember_start(rank->world->directories))
		return -1;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return change(rank, copy);
}
