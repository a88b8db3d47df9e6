/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that spawn others: this program again, whose first argument says what to do. What the
 * spawned ones find they tell their parents, who check it.
 */
#include "check.h"

#include <limits.h>
#include <unistd.h>

static char *self; /* this program */

static int error_class(int code)
{
	int class = -1;

	MPI_Error_class(code, &class);
	return class;
}

/* --- what is spawned --- */

enum { RANK, SIZE, APPNUM, N_ARGUMENTS, UNIVERSE, N_FACTS };

static void gather_facts(int argc, int facts[N_FACTS])
{
	int *value, flag;

	MPI_Comm_rank(MPI_COMM_WORLD, &facts[RANK]);
	MPI_Comm_size(MPI_COMM_WORLD, &facts[SIZE]);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag);
	facts[APPNUM] = flag ? *value : -1;
	facts[N_ARGUMENTS] = argc - 1;
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag);
	facts[UNIVERSE] = flag ? *value : -1;
}

static void tell_facts(MPI_Comm parent, int argc)
{
	int facts[N_FACTS];

	gather_facts(argc, facts);
	MPI_Send(facts, N_FACTS, MPI_INT, 0, 1, parent);
}

static void tell_text(MPI_Comm parent, const char *text)
{
	MPI_Send(text, (int)strlen(text) + 1, MPI_CHAR, 0, 2, parent);
}

static void tell_arguments(MPI_Comm parent, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		tell_text(parent, argv[i]);
}

static void tell_place(MPI_Comm parent)
{
	char text[PATH_MAX];
	int length;

	MPI_Get_processor_name(text, &length);
	tell_text(parent, text);
	if (getcwd(text, sizeof text))
		tell_text(parent, text);
}

static void merge_as_high(MPI_Comm parent)
{
	MPI_Comm all;
	int rank, sum = 0;

	MPI_Intercomm_merge(parent, 1, &all);
	MPI_Comm_rank(all, &rank);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
	MPI_Send(&sum, 1, MPI_INT, 0, 3, parent);
	MPI_Comm_free(&all);
}

/* Spawns a grandchild, and passes on what it says. */
static void spawn_another(MPI_Comm parent, char **argv)
{
	char *arguments[] = {"facts", NULL};
	int facts[N_FACTS];
	MPI_Comm child;

	MPI_Comm_spawn(argv[0], arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child,
		       MPI_ERRCODES_IGNORE);
	MPI_Recv(facts, N_FACTS, MPI_INT, 0, 1, child, MPI_STATUS_IGNORE);
	MPI_Send(facts, N_FACTS, MPI_INT, 0, 1, parent);
	MPI_Comm_disconnect(&child);
}

static void tell_of_parent(MPI_Comm *parent)
{
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Comm again = MPI_COMM_NULL, copy;
	int facts[3], length, inter, result;

	MPI_Comm_get_name(*parent, name, &length);
	MPI_Comm_get_parent(&again);
	MPI_Comm_compare(*parent, again, &result);
	MPI_Comm_test_inter(*parent, &inter);
	MPI_Comm_dup(*parent, &copy);
	MPI_Comm_disconnect(parent);
	MPI_Comm_get_parent(&again);
	facts[0] = strcmp(name, "MPI_COMM_PARENT") == 0;
	facts[1] = result == MPI_IDENT && inter;
	facts[2] = again == MPI_COMM_NULL;
	MPI_Send(facts, 3, MPI_INT, 0, 4, copy);
	MPI_Comm_disconnect(&copy);
}

static void return_errors(MPI_Comm parent)
{
	int class = error_class(MPI_Send(NULL, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));

	MPI_Send(&class, 1, MPI_INT, 0, 1, parent);
}

static int child(MPI_Comm parent, int argc, char **argv)
{
	const char *task = argc > 1 ? argv[1] : "nothing";

	if (strcmp(task, "facts") == 0)
		tell_facts(parent, argc);
	else if (strcmp(task, "arguments") == 0)
		tell_arguments(parent, argc, argv);
	else if (strcmp(task, "place") == 0)
		tell_place(parent);
	else if (strcmp(task, "merge") == 0)
		merge_as_high(parent);
	else if (strcmp(task, "spawn") == 0)
		spawn_another(parent, argv);
	else if (strcmp(task, "parent") == 0)
		tell_of_parent(&parent);
	else if (strcmp(task, "errors") == 0)
		return_errors(parent);
	if (parent != MPI_COMM_NULL)
		MPI_Comm_disconnect(&parent);
	MPI_Finalize();
	return 0;
}

/* --- who spawns --- */

/* The facts of `n` processes, which the first one who spawned gets. */
static void check_facts(MPI_Comm inter, int n, int n_arguments)
{
	int facts[N_FACTS], rank;

	MPI_Comm_rank(inter, &rank);
	for (int i = 0; i < n && rank == 0; i++) {
		MPI_Recv(facts, N_FACTS, MPI_INT, i, 1, inter, MPI_STATUS_IGNORE);
		CHECK_INT(facts[RANK], i);
		CHECK_INT(facts[SIZE], n);
		CHECK_INT(facts[N_ARGUMENTS], n_arguments);
		CHECK_INT(facts[APPNUM], 0);
		CHECK(facts[UNIVERSE] >= n);
	}
}

static void all_spawn_together(void)
{
	char *arguments[] = {"facts", "2", NULL};
	int codes[3] = {-1, -1, -1}, size = 0;
	MPI_Comm inter = MPI_COMM_NULL;

	CHECK_INT(MPI_Comm_spawn(self, arguments, 3, MPI_INFO_NULL, n_ranks - 1, MPI_COMM_WORLD,
				 &inter, codes),
		  MPI_SUCCESS);
	for (int i = 0; i < 3; i++)
		CHECK_INT(codes[i], MPI_SUCCESS);
	MPI_Comm_remote_size(inter, &size);
	CHECK_INT(size, 3);
	MPI_Comm_size(inter, &size);
	CHECK_INT(size, n_ranks);
	check_facts(inter, 3, 2);
	MPI_Comm_disconnect(&inter);
	CHECK(inter == MPI_COMM_NULL);
}

static void each_spawns_its_own(void)
{
	char *arguments[] = {"facts", NULL};
	MPI_Comm inter, nobody;

	MPI_Comm_get_parent(&nobody);
	CHECK(nobody == MPI_COMM_NULL);
	CHECK_INT(MPI_Comm_spawn(self, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter,
				 MPI_ERRCODES_IGNORE),
		  MPI_SUCCESS);
	check_facts(inter, 1, 1);
	MPI_Comm_disconnect(&inter);
}

static void check_text(MPI_Comm inter, int from, const char *want)
{
	char text[PATH_MAX] = "";

	MPI_Recv(text, sizeof text, MPI_CHAR, from, 2, inter, MPI_STATUS_IGNORE);
	CHECK(strcmp(text, want) == 0);
}

static void arguments_are_passed_on(void)
{
	char *arguments[] = {"arguments", "", "two words", "-x=\"1\"", NULL};
	MPI_Comm inter;

	MPI_Comm_spawn(self, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
		       MPI_ERRCODES_IGNORE);
	for (int i = 0; i < 2 && me == 0; i++)
		for (char **word = arguments; *word; word++)
			check_text(inter, i, *word);
	MPI_Comm_disconnect(&inter);
	CHECK_INT(MPI_Comm_spawn(self, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
				 MPI_ERRCODES_IGNORE),
		  MPI_SUCCESS);
	MPI_Comm_disconnect(&inter);
}

/* Significant at the root only. */
static void several_programs_share_a_world(void)
{
	char *commands[] = {self, self}, *first[] = {"facts", NULL},
	     *second[] = {"facts", "2", "3", NULL}, **arguments[] = {first, second};
	int numbers[] = {1, 2}, codes[] = {-1, -1, -1}, facts[N_FACTS], size;
	MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
	int root = n_ranks > 1;
	MPI_Comm inter;

	CHECK_INT(MPI_Comm_spawn_multiple(me == root ? 2 : -1, me == root ? commands : NULL,
					  me == root ? arguments : NULL,
					  me == root ? numbers : NULL, me == root ? infos : NULL,
					  root, MPI_COMM_WORLD, &inter, codes),
		  MPI_SUCCESS);
	MPI_Comm_remote_size(inter, &size);
	CHECK_INT(size, 3);
	for (int i = 0; i < 3; i++)
		CHECK_INT(codes[i], MPI_SUCCESS);
	for (int i = 0; i < 3 && me == 0; i++) {
		MPI_Recv(facts, N_FACTS, MPI_INT, i, 1, inter, MPI_STATUS_IGNORE);
		CHECK_INT(facts[SIZE], 3);
		CHECK_INT(facts[APPNUM], i > 0);
		CHECK_INT(facts[N_ARGUMENTS], i > 0 ? 3 : 1);
	}
	MPI_Comm_disconnect(&inter);
	CHECK_INT(MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, numbers, infos, 0,
					  MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE),
		  MPI_SUCCESS);
	MPI_Comm_disconnect(&inter);
}

static void both_become_one(void)
{
	char *arguments[] = {"merge", NULL};
	MPI_Comm inter, all;
	int rank, size, sum = 0, n = n_ranks + 2;

	MPI_Comm_spawn(self, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
		       MPI_ERRCODES_IGNORE);
	CHECK_INT(MPI_Intercomm_merge(inter, 0, &all), MPI_SUCCESS);
	MPI_Comm_rank(all, &rank);
	MPI_Comm_size(all, &size);
	CHECK_INT(rank, me); /* who says 0 comes first */
	CHECK_INT(size, n);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
	CHECK_INT(sum, n * (n - 1) / 2);
	for (int i = 0; i < 2 && me == 0; i++) {
		MPI_Recv(&sum, 1, MPI_INT, i, 3, inter, MPI_STATUS_IGNORE);
		CHECK_INT(sum, n * (n - 1) / 2);
	}
	MPI_Comm_free(&all);
	MPI_Comm_disconnect(&inter);
}

static void the_spawned_spawn(void)
{
	char *arguments[] = {"spawn", NULL};
	MPI_Comm inter;

	MPI_Comm_spawn(self, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
		       MPI_ERRCODES_IGNORE);
	check_facts(inter, 1, 1);
	MPI_Comm_disconnect(&inter);
}

static void the_parent_has_a_name_until_it_is_freed(void)
{
	char *arguments[] = {"parent", NULL};
	int facts[3];
	MPI_Comm inter, copy;

	MPI_Comm_spawn(self, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
		       MPI_ERRCODES_IGNORE);
	MPI_Comm_dup(inter, &copy);
	MPI_Comm_disconnect(&inter);
	if (me == 0) {
		MPI_Recv(facts, 3, MPI_INT, 0, 4, copy, MPI_STATUS_IGNORE);
		CHECK(facts[0]);
		CHECK(facts[1]);
		CHECK(facts[2]);
	}
	MPI_Comm_disconnect(&copy);
}

/* --- hints --- */

/* This program in a directory of the path, started elsewhere. */
static void info_says_where(void)
{
	char folder[PATH_MAX], here[PATH_MAX], *slash, *arguments[] = {"place", NULL};
	MPI_Info info;
	MPI_Comm inter;

	if (!realpath(self, folder) || !getcwd(here, sizeof here))
		return;
	slash = strrchr(folder, '/');
	*slash = '\0';
	MPI_Info_create(&info);
	MPI_Info_set(info, "path", folder);
	MPI_Info_set(info, "wdir", "/");
	MPI_Info_set(info, "host", "node2");
	MPI_Info_set(info, "arch", "x86_64");
	CHECK_INT(MPI_Comm_spawn(slash + 1, arguments, 1, info, 0, MPI_COMM_WORLD, &inter,
				 MPI_ERRCODES_IGNORE),
		  MPI_SUCCESS);
	if (me == 0) {
		char name[MPI_MAX_PROCESSOR_NAME];

		MPI_Recv(name, sizeof name, MPI_CHAR, 0, 2, inter, MPI_STATUS_IGNORE);
		CHECK(strcmp(name, "node2") == 0);
		check_text(inter, 0, "/");
	}
	CHECK(getcwd(folder, sizeof folder) && strcmp(folder, here) == 0);
	MPI_Comm_disconnect(&inter);
	MPI_Info_free(&info);
}

/* How many are started for what the info says. */
static int spawn_softly(const char *soft, int n_max, int codes[])
{
	MPI_Comm inter;
	MPI_Info info;
	int size;

	MPI_Info_create(&info);
	MPI_Info_set(info, "soft", soft);
	CHECK_INT(
	    MPI_Comm_spawn(self, MPI_ARGV_NULL, n_max, info, 0, MPI_COMM_WORLD, &inter, codes),
	    MPI_SUCCESS);
	MPI_Comm_remote_size(inter, &size);
	MPI_Comm_disconnect(&inter);
	MPI_Info_free(&info);
	return size;
}

static void fewer_may_do(void)
{
	int codes[5] = {-1, -1, -1, -1, -1};

	CHECK_INT(spawn_softly("1:2", 5, codes), 2);
	for (int i = 0; i < 5; i++)
		CHECK_INT(error_class(codes[i]), i < 2 ? MPI_SUCCESS : MPI_ERR_SPAWN);
	CHECK_INT(spawn_softly("1,3,9", 5, MPI_ERRCODES_IGNORE), 3);
	CHECK_INT(spawn_softly("7:1:-3", 5, MPI_ERRCODES_IGNORE), 4);
	CHECK_INT(spawn_softly("0:5", 4, MPI_ERRCODES_IGNORE), 4);
	CHECK_INT(spawn_softly("2:9:5", 4, MPI_ERRCODES_IGNORE), 2);
}

static void errors_may_be_returned_from_the_start(void)
{
	char *arguments[] = {"errors", NULL};
	int class = 0;
	MPI_Comm inter;
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, "mpi_initial_errhandler", "mpi_errors_return");
	MPI_Comm_spawn(self, arguments, 1, info, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
	if (me == 0) {
		MPI_Recv(&class, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
		CHECK_INT(class, MPI_ERR_COUNT);
	}
	MPI_Comm_disconnect(&inter);
	MPI_Info_free(&info);
}

static void info_fails(const char *key, const char *value, int class)
{
	MPI_Comm inter = MPI_COMM_SELF;
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, key, value);
	CHECK_INT(error_class(MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, info, 0, MPI_COMM_WORLD,
					     &inter, MPI_ERRCODES_IGNORE)),
		  class);
	CHECK(inter == MPI_COMM_NULL);
	MPI_Info_free(&info);
}

static int spawn_wrongly(const char *command, int n_max, int root, MPI_Comm comm)
{
	MPI_Comm inter = MPI_COMM_NULL;
	int class = error_class(MPI_Comm_spawn(command, MPI_ARGV_NULL, n_max, MPI_INFO_NULL, root,
					       comm, &inter, MPI_ERRCODES_IGNORE));

	CHECK(inter == MPI_COMM_NULL);
	return class;
}

static void wrong_arguments_are_errors_of_their_classes(void)
{
	char *commands[] = {self, "/no/such/program"};
	int numbers[] = {1, 1}, codes[] = {0, 0};
	MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
	MPI_Comm inter = MPI_COMM_SELF;

	CHECK_INT(spawn_wrongly(self, -1, 0, MPI_COMM_WORLD), MPI_ERR_ARG);
	CHECK_INT(spawn_wrongly(self, 0, 0, MPI_COMM_WORLD), MPI_ERR_SPAWN);
	CHECK_INT(spawn_wrongly(NULL, 1, 0, MPI_COMM_WORLD), MPI_ERR_ARG);
	CHECK_INT(spawn_wrongly(self, 1, n_ranks, MPI_COMM_WORLD), MPI_ERR_ROOT);
	CHECK_INT(spawn_wrongly(self, 1, 0, MPI_COMM_NULL), MPI_ERR_COMM);
	CHECK_INT(spawn_wrongly(self, 1000000, 0, MPI_COMM_WORLD), MPI_ERR_SPAWN);
	CHECK_INT(error_class(MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, (MPI_Info)MPI_COMM_WORLD, 0,
					     MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE)),
		  MPI_ERR_INFO);
	CHECK_INT(error_class(MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0,
					     MPI_COMM_WORLD, NULL, MPI_ERRCODES_IGNORE)),
		  MPI_ERR_ARG);
	info_fails("soft", "some", MPI_ERR_INFO_VALUE);
	info_fails("soft", "9", MPI_ERR_SPAWN);
	info_fails("host", "node4", MPI_ERR_SPAWN);
	info_fails("arch", "pdp11", MPI_ERR_SPAWN);
	info_fails("wdir", "/no/such/directory", MPI_ERR_SPAWN);
	info_fails("file", "details", MPI_ERR_SPAWN);
	info_fails("mpi_initial_errhandler", "none", MPI_ERR_INFO_VALUE);
	CHECK_INT(error_class(MPI_Comm_spawn_multiple(0, commands, MPI_ARGVS_NULL, numbers, infos,
						      0, MPI_COMM_WORLD, &inter, codes)),
		  MPI_ERR_COUNT);
	CHECK_INT(error_class(MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, numbers, infos,
						      0, MPI_COMM_WORLD, &inter, codes)),
		  MPI_ERR_SPAWN); /* all of them or none */
	CHECK_INT(codes[0], MPI_ERR_SPAWN);
	CHECK_INT(codes[1], MPI_ERR_SPAWN);
}

static void what_is_no_program_cannot_be_spawned(void)
{
	int codes[2] = {0, 0};
	MPI_Comm inter = MPI_COMM_SELF;

	CHECK_INT(error_class(MPI_Comm_spawn("/no/such/program", MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0,
					     MPI_COMM_WORLD, &inter, codes)),
		  MPI_ERR_SPAWN);
	CHECK(inter == MPI_COMM_NULL);
	CHECK_INT(error_class(codes[0]), MPI_ERR_SPAWN);
	CHECK_INT(error_class(codes[1]), MPI_ERR_SPAWN);
}

int main(int argc, char **argv)
{
	MPI_Comm parent;

	self = argv[0];
	check_init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL || argc > 1) {
		MPI_Comm_free(&check_comm);
		return child(parent, argc, argv);
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	all_spawn_together();
	section_end("spawn");
	each_spawns_its_own();
	section_end("spawn of each");
	arguments_are_passed_on();
	section_end("arguments");
	several_programs_share_a_world();
	section_end("spawn_multiple");
	both_become_one();
	section_end("merge");
	the_spawned_spawn();
	section_end("spawn of the spawned");
	the_parent_has_a_name_until_it_is_freed();
	section_end("parent");
	info_says_where();
	section_end("places");
	what_is_no_program_cannot_be_spawned();
	fewer_may_do();
	errors_may_be_returned_from_the_start();
	wrong_arguments_are_errors_of_their_classes();
	section_end("errors");
	return check_finish();
}
