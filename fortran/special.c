/* SPDX-License-Identifier: BSD-3-Clause */
/* Bindings that do not follow from the table: characters of a given length, started programs,
 * functions without an error code. */
#include <stdlib.h>
#include <string.h>

#include "fortran/binding.h"

/* All names of a function; the first is the one that is defined. */
#define NAMES(name)                                      \
	FORTRAN_ALIAS(pmpi_##name##_, mpi_##name##_)     \
	FORTRAN_ALIAS(pmpi_##name##_, mpi_##name##_f08_) \
	FORTRAN_ALIAS(pmpi_##name##_, pmpi_##name##_f08_)

double pmpi_wtime_(void)
{
	FORTRAN_CALL();
	return MPI_Wtime();
}
NAMES(wtime)

double pmpi_wtick_(void)
{
	return MPI_Wtick();
}
NAMES(wtick)

MPI_Aint pmpi_aint_add_(const MPI_Aint *base, const MPI_Aint *disp)
{
	return MPI_Aint_add(*base, *disp);
}
NAMES(aint_add)

MPI_Aint pmpi_aint_diff_(const MPI_Aint *addr1, const MPI_Aint *addr2)
{
	return MPI_Aint_diff(*addr1, *addr2);
}
NAMES(aint_diff)

void pmpi_pcontrol_(const int *level)
{
	MPI_Pcontrol(*level);
}
NAMES(pcontrol)

void pmpi_status_f2f08_(const MPI_Status *f_status, MPI_Status *f08_status, int *ierror)
{
	*f08_status = *f_status;
	fortran_return(ierror, MPI_SUCCESS);
}
NAMES(status_f2f08)

void pmpi_status_f082f_(const MPI_Status *f08_status, MPI_Status *f_status, int *ierror)
{
	*f_status = *f08_status;
	fortran_return(ierror, MPI_SUCCESS);
}
NAMES(status_f082f)

/* --- characters whose length the caller names --- */

void pmpi_info_get_(const int *info, const char *key, const int *valuelen, char *value, int *flag,
		    int *ierror, size_t key_len, size_t value_len)
{
	MPI_Info info_c = fortran_handle(INFO, *info);
	char value_c[MPI_MAX_INFO_VAL + 1];
	struct fortran_string key_c;
	int flag_c = 0, code, most = *valuelen;

	if (most > MPI_MAX_INFO_VAL)
		most = MPI_MAX_INFO_VAL;
	fortran_string_begin(&key_c, key, key_len, true);
	FORTRAN_CALL();
	code = MPI_Info_get(info_c, key_c.text, most, value_c, &flag_c);
	fortran_string_end(&key_c);
	*flag = flag_c != 0;
	if (code == MPI_SUCCESS && flag_c)
		fortran_text(value, value_len, value_c);
	fortran_return(ierror, code);
}
NAMES(info_get)

/* C counts its NUL in `buflen`, Fortran does not. */
void pmpi_info_get_string_(const int *info, const char *key, int *buflen, char *value, int *flag,
			   int *ierror, size_t key_len, size_t value_len)
{
	MPI_Info info_c = fortran_handle(INFO, *info);
	char value_c[MPI_MAX_INFO_VAL + 1] = "";
	struct fortran_string key_c;
	int flag_c = 0, buflen_c = *buflen > 0 ? *buflen + 1 : 0, code;

	if (buflen_c > (int)sizeof value_c)
		buflen_c = sizeof value_c;
	fortran_string_begin(&key_c, key, key_len, true);
	FORTRAN_CALL();
	code = MPI_Info_get_string(info_c, key_c.text, &buflen_c, value_c, &flag_c);
	fortran_string_end(&key_c);
	*flag = flag_c != 0;
	if (code == MPI_SUCCESS && flag_c) {
		if (*buflen > 0)
			fortran_text(value, value_len, value_c);
		*buflen = buflen_c - 1;
	}
	fortran_return(ierror, code);
}
NAMES(info_get_string)

void pmpi_session_get_nth_pset_(const int *session, const int *info, const int *n, int *pset_len,
				char *pset_name, int *ierror, size_t pset_name_len)
{
	MPI_Session session_c = fortran_handle(SESSION, *session);
	MPI_Info info_c = fortran_handle(INFO, *info);
	char name[MPI_MAX_PSET_NAME_LEN] = "";
	int length = *pset_len > 0 ? *pset_len + 1 : 0, code;

	if (length > (int)sizeof name)
		length = sizeof name;
	FORTRAN_CALL();
	code = MPI_Session_get_nth_pset(session_c, info_c, *n, &length, name);
	if (code == MPI_SUCCESS) {
		if (*pset_len > 0)
			fortran_text(pset_name, pset_name_len, name);
		*pset_len = length - 1;
	}
	fortran_return(ierror, code);
}
NAMES(session_get_nth_pset)

/* --- programs to be started --- */

/* Words of `length` characters, `stride` from each other, until one is blank; with C's NULL at the
 * end. To be freed by free_words. */
static char **words_of(const char *function, const char *chars, size_t length, size_t stride)
{
	struct fortran_string word;
	char **words;
	int n = 0;

	for (;; n++) {
		size_t used = length;

		while (used > 0 && chars[(size_t)n * stride + used - 1] == ' ')
			used--;
		if (used == 0)
			break;
	}
	words = fortran_memory(function, (size_t)(n + 1) * sizeof *words);
	for (int i = 0; i < n; i++) {
		fortran_string_begin(&word, chars + (size_t)i * stride, length, true);
		words[i] = fortran_memory(function, strlen(word.text) + 1);
		strcpy(words[i], word.text);
		fortran_string_end(&word);
	}
	words[n] = NULL;
	return words;
}

static void free_words(char **words)
{
	for (int i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

static int *error_codes(int *array)
{
	return array == mpisim_f_errcodes_ ? MPI_ERRCODES_IGNORE : array;
}

void pmpi_comm_spawn_(const char *command, const char *argv, const int *maxprocs, const int *info,
		      const int *root, const int *comm, int *intercomm, int *array_of_errcodes,
		      int *ierror, size_t command_len, size_t argv_len)
{
	MPI_Info info_c = fortran_handle(INFO, *info);
	MPI_Comm comm_c = fortran_handle(COMM, *comm), intercomm_c = NULL;
	struct fortran_string command_c;
	char **argv_c = MPI_ARGV_NULL;
	int code;

	fortran_string_begin(&command_c, command, command_len, true);
	if (argv != mpisim_f_argv_ && mpisim_foreign_is_root(comm_c, *root))
		argv_c = words_of("MPI_Comm_spawn", argv, argv_len, argv_len);
	FORTRAN_CALL();
	code = MPI_Comm_spawn(command_c.text, argv_c, *maxprocs, info_c, *root, comm_c,
			      &intercomm_c, error_codes(array_of_errcodes));
	free_words(argv_c);
	fortran_string_end(&command_c);
	fortran_number(intercomm, intercomm_c);
	fortran_return(ierror, code);
}
NAMES(comm_spawn)

/* What count commands and their arguments are in C; the arguments of one command stand in a row of
 * the array, so `count` words from each other. */
struct commands {
	struct fortran_string *texts;
	char **names, ***argvs;
};

static void commands_begin(struct commands *commands, int count, const char *names, size_t name_len,
			   const char *argv, size_t argv_len)
{
	const char *function = "MPI_Comm_spawn_multiple";
	size_t n = (size_t)count;

	commands->texts = fortran_memory(function, n * sizeof *commands->texts);
	commands->names = fortran_memory(function, n * sizeof *commands->names);
	commands->argvs = MPI_ARGVS_NULL;
	if (argv != mpisim_f_argvs_)
		commands->argvs = fortran_memory(function, n * sizeof *commands->argvs);
	for (size_t i = 0; i < n; i++) {
		fortran_string_begin(&commands->texts[i], names + i * name_len, name_len, true);
		commands->names[i] = commands->texts[i].text;
		if (commands->argvs)
			commands->argvs[i] =
			    words_of(function, argv + i * argv_len, argv_len, n * argv_len);
	}
}

static void commands_end(struct commands *commands, int count)
{
	for (int i = 0; i < count; i++) {
		fortran_string_end(&commands->texts[i]);
		if (commands->argvs)
			free_words(commands->argvs[i]);
	}
	free(commands->texts);
	free(commands->names);
	free(commands->argvs);
}

void pmpi_comm_spawn_multiple_(const int *count, const char *array_of_commands,
			       const char *array_of_argv, const int *array_of_maxprocs,
			       const int *array_of_info, const int *root, const int *comm,
			       int *intercomm, int *array_of_errcodes, int *ierror,
			       size_t command_len, size_t argv_len)
{
	MPI_Comm comm_c = fortran_handle(COMM, *comm), intercomm_c = NULL;
	int n = *count > 0 && mpisim_foreign_is_root(comm_c, *root) ? *count : 0, code;
	struct fortran_list infos;
	struct commands commands;

	commands_begin(&commands, n, array_of_commands, command_len, array_of_argv, argv_len);
	fortran_list_begin(&infos, FOREIGN_INFO, n, array_of_info);
	FORTRAN_CALL();
	code = MPI_Comm_spawn_multiple(*count, commands.names, commands.argvs, array_of_maxprocs,
				       (MPI_Info *)infos.handles, *root, comm_c, &intercomm_c,
				       error_codes(array_of_errcodes));
	commands_end(&commands, n);
	fortran_list_end(&infos, NULL);
	fortran_number(intercomm, intercomm_c);
	fortran_return(ierror, code);
}
NAMES(comm_spawn_multiple)
