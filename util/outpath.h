/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_OUTPATH_H
#define UTIL_OUTPATH_H

#include "util/error.h"

/* Where a symbolic link leads, be there a file or not yet; else the path itself. malloc'd; NULL: no
 * memory. */
char *util_output_target(const char *path);
/*
 * Where a file of results that appears by rename is to appear: `path` through symbolic links,
 * malloc'd. A rename would replace a device or a pipe instead of writing to it. Errors: UTIL_EINPUT
 * for what exists and is no regular file, or may not be written; UTIL_ENOMEM.
 */
int util_output_path(const char *path, char **out, struct util_error *err);
/*
 * Whether it can be written, before what takes long is begun: makes a file beside it and removes it
 * again. Errors: UTIL_EINPUT, UTIL_ENOMEM.
 */
int util_output_check(const char *path, struct util_error *err);
/* The same of a folder that is there, or will be made. */
int util_output_check_folder(const char *path, struct util_error *err);
/*
 * The name of the file that is written until it is whole: "PATH.PID.part", malloc'd; NULL: no
 * memory. Removes those of the same path that killed runs left behind: nobody holds them, and no
 * other process of this machine has their number.
 */
char *util_output_part(const char *path);
/*
 * Until util_output_release, an interrupt (SIGINT, SIGTERM, SIGHUP) that ends the process removes `path`,
 * too: a file, or a folder with files and folders of files. As far as there is room for a few such names;
 * not while a run catches interrupts itself.
 */
void util_output_guard(const char *path);
void util_output_release(const char *path);
/* Removes a folder of files, as far as that is possible. */
void util_output_remove_folder(const char *path);
/* Holds the open part: other machines may share its folder. Without locks it is not held. It gets the
 * mode of the file that it will replace, if there is one. */
void util_output_hold(int file, const char *path);

#endif
