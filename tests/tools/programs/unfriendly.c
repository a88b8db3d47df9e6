/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unfriendly WHAT: what programs do that were not written for being one of many in a process. Each
 * rank says at its end what it found.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_LARGE 4000000

int library_next(void); /* of unfriendly_library.c */
int library_next_of_thread(void);
int library_get(void);
int library_load(void);
extern int library_variable;

static int rank, n_ranks;
static double large[N_LARGE];
static jmp_buf place;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long sum;

/* The others go on, and do the same. */
static void let_others_run(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

static void read_input(void)
{
	char line[80] = "none\n", word[80] = "none";
	int number = -1;

	if (rank == 0 && scanf("%d", &number) != 1)
		number = -2;
	if (rank != 0 && getchar() != EOF)
		number = -3;
	let_others_run();
	if (fgets(line, sizeof line, stdin) && !fgets(line, sizeof line, stdin))
		strcpy(line, "end\n");
	if (rank != 0 && read(0, word, sizeof word) != 0)
		number = -4;
	printf("%d: %d %s", rank, number, line);
}

static void redirect(void)
{
	char name[40], line[40] = "";
	FILE *file;

	snprintf(name, sizeof name, "out.%d", rank);
	if (!freopen(name, "w", stdout))
		MPI_Abort(MPI_COMM_WORLD, 1);
	let_others_run();
	printf("of %d\n", rank);
	let_others_run();
	fclose(stdout);
	file = fopen(name, "r");
	if (!file || !fgets(line, sizeof line, file) || fgetc(file) != EOF)
		strcpy(line, "nothing\n");
	fprintf(stderr, "%d: %s", rank, line);
}

static void move(void)
{
	char name[40], text[40] = "";
	FILE *file;

	snprintf(name, sizeof name, "folder.%d", rank);
	if (chdir(name))
		MPI_Abort(MPI_COMM_WORLD, 1);
	let_others_run();
	file = fopen("same-name", "w"); /* each in its own folder */
	fprintf(file, "%d", rank);
	fclose(file);
	let_others_run();
	file = fopen("same-name", "r");
	if (!fgets(text, sizeof text, file))
		strcpy(text, "nothing");
	fclose(file);
	printf("%d: %s\n", rank, text);
}

static int recurse(int depth)
{
	char frame[200];

	memset(frame, depth, sizeof frame);
	if (depth == 0)
		let_others_run();
	return depth == 0 ? 0 : recurse(depth - 1) + 1 + (frame[7] != (char)depth);
}

static void use_stack(void)
{
	volatile int n_jumps = 0;
	char *block = alloca(100000);
	int n_wrong = 0;

	memset(block, rank, 100000);
	for (int i = 0; i < N_LARGE; i += 1000)
		large[i] = rank;
	if (setjmp(place) < 3) {
		n_jumps++;
		let_others_run();
		longjmp(place, n_jumps);
	}
	for (int i = 0; i < 100000; i++)
		n_wrong += block[i] != rank;
	for (int i = 0; i < N_LARGE; i += 1000)
		n_wrong += large[i] != rank;
	printf("%d: %d jumps, depth %d, %d wrong\n", rank, n_jumps, recurse(20000), n_wrong);
}

static void use_libraries(void)
{
	void *plugin = dlopen("./unfriendly_plugin.so", RTLD_NOW);
	int (*next)(void) = plugin ? (int (*)(void))dlsym(plugin, "plugin_next") : NULL;
	int own = 0, of_thread = 0, of_plugin = 0;

	for (int i = 0; i <= rank; i++) {
		own = library_next();
		of_thread = library_next_of_thread();
		let_others_run();
		of_plugin = next ? next() : -1;
		library_variable++;
		let_others_run();
	}
	for (int i = rank + 1; i < n_ranks; i++) {
		let_others_run();
		let_others_run();
	}
	printf("%d: %d %d %d %d %d\n", rank, own, of_thread, of_plugin, library_variable,
	       library_get());
}

/* What a program that binds itself sees of processors, and what it leaves to the others. */
static void use_cores(void)
{
	cpu_set_t mask;
	int before, own, after;

	sched_getaffinity(0, sizeof mask, &mask);
	before = CPU_COUNT(&mask);
	own = CPU_ISSET(sched_getcpu(), &mask);
	let_others_run();
	if (rank == 1) {
		CPU_ZERO(&mask);
		CPU_SET(700, &mask);
		CPU_SET(701, &mask);
		if (pthread_setaffinity_np(pthread_self(), sizeof mask, &mask))
			printf("%d: cannot be bound\n", rank);
	}
	let_others_run();
	pthread_getaffinity_np(pthread_self(), sizeof mask, &mask);
	after = CPU_COUNT(&mask);
	CPU_ZERO(&mask);
	printf("%d: %d %d %ld %d, %d %d\n", rank, before, own, sysconf(_SC_NPROCESSORS_ONLN),
	       get_nprocs(), after, sched_setaffinity(0, sizeof mask, &mask));
}

/* Closes all files that it did not open, and one that it did. */
static void close_files(void)
{
	int own = open("/dev/null", O_RDONLY), is_closed;

	for (int i = 3; i < 256; i++)
		close(i);
	is_closed = read(own, &own, 0) < 0;
	let_others_run();
	own = open("/dev/null", O_RDONLY);
	close_range(3, ~0U, 0);
	printf("%d: %d %d\n", rank, is_closed, (int)read(own, &own, 0));
}

static void *compute(void *argument)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&mutex);
		sum += *(const int *)argument;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void *call_mpi(void *argument)
{
	MPI_Is_thread_main(argument);
	return *(int *)argument ? NULL : (void *)(long)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void use_threads(int is_calling)
{
	pthread_t threads[4];
	int addends[4] = {1, 2, 3, 4}, is_main = -1;

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, compute, &addends[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	let_others_run();
	printf("%d: %ld\n", rank, sum);
	if (!is_calling || rank != 1)
		return;
	pthread_create(&threads[0], NULL, call_mpi, &is_main);
	pthread_join(threads[0], NULL);
}

/* Rank 0 waits for each of the others in the system; they come when they have computed. */
static void use_sockets(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t size = sizeof address;
	struct pollfd file = {.events = POLLIN};
	int fd = socket(AF_INET, SOCK_STREAM, 0), got = 0, sum_of_ranks = 0;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (rank == 0 && (bind(fd, (struct sockaddr *)&address, size) || listen(fd, 8) ||
			  getsockname(fd, (struct sockaddr *)&address, &size)))
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Bcast(&address, sizeof address, MPI_BYTE, 0, MPI_COMM_WORLD);
	if (rank > 0) {
		usleep(1000 * (unsigned)rank);
		if (connect(fd, (struct sockaddr *)&address, sizeof address))
			MPI_Abort(MPI_COMM_WORLD, 2);
		usleep(1000);
		if (write(fd, &rank, sizeof rank) != sizeof rank ||
		    recv(fd, &sum_of_ranks, sizeof sum_of_ranks, 0) != sizeof sum_of_ranks)
			MPI_Abort(MPI_COMM_WORLD, 3);
	}
	for (int i = 1; rank == 0 && i < n_ranks; i++) {
		file.fd = accept(fd, NULL, NULL);
		if (poll(&file, 1, 0) < 0 || poll(&file, 1, -1) != 1 ||
		    read(file.fd, &got, sizeof got) != sizeof got)
			MPI_Abort(MPI_COMM_WORLD, 4);
		sum_of_ranks += got;
		if (send(file.fd, &sum_of_ranks, sizeof sum_of_ranks, 0) != sizeof sum_of_ranks)
			MPI_Abort(MPI_COMM_WORLD, 5);
		close(file.fd);
	}
	close(fd);
	printf("%d: %d\n", rank, sum_of_ranks);
}

/* Nobody has the lock while another one holds it. */
static void lock_a_file(void)
{
	int fd = open("lock", O_RDWR | O_CREAT, 0600), n = 0;

	flock(fd, LOCK_EX);
	if (pread(fd, &n, sizeof n, 0) < 0)
		n = -100;
	usleep(5000);
	n++;
	if (pwrite(fd, &n, sizeof n, 0) != sizeof n)
		n = -200;
	flock(fd, LOCK_UN);
	let_others_run();
	if (pread(fd, &n, sizeof n, 0) != sizeof n)
		n = -300;
	close(fd);
	printf("%d: %d\n", rank, n);
}

static void name_hosts(void)
{
	char name[64] = "", processor[MPI_MAX_PROCESSOR_NAME], small[3];
	struct utsname system;
	struct addrinfo *found = NULL;
	int length;

	MPI_Get_processor_name(processor, &length);
	uname(&system);
	if (gethostname(name, sizeof name) || strcmp(name, processor) ||
	    strcmp(name, system.nodename) || gethostname(small, sizeof small) == 0)
		strcpy(name, "wrong");
	if (getaddrinfo(processor, NULL, NULL, &found) || !gethostbyname(processor))
		strcpy(name, "unknown");
	if (found)
		freeaddrinfo(found);
	printf("%d: %s\n", rank, name);
}

static void *exit_there(void *code)
{
	exit(*(int *)code);
}

/* What rank 1 does to all of them. */
static void harm(const char *what)
{
	static const int constant[4];
	int data[4] = {0}, code = 7;
	pthread_t thread;

	if (rank != 1) {
		MPI_Send(data, 4, MPI_INT, (rank + 1) % n_ranks, 0, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
		return;
	}
	if (strcmp(what, "exec") == 0)
		execlp("echo", "echo", "replaced", NULL);
	if (strcmp(what, "constant") == 0)
		MPI_Recv((void *)constant, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (strcmp(what, "exit_there") == 0 &&
	    pthread_create(&thread, NULL, exit_there, &code) == 0)
		pthread_join(thread, NULL);
}

static void use_children(void)
{
	int status = -1, pid = fork();

	if (pid == 0)
		execl("/bin/sh", "sh", "-c", "exit 5", NULL);
	waitpid(pid, &status, 0);
	printf("%d: %d\n", rank, WEXITSTATUS(status));
}

static void say_bye(void)
{
	printf("bye\n");
}

/* Children of fork() that end as they like: by returning from main (false), exit() or a call of MPI. */
static int is_child_of_fork(const char *how)
{
	int status = -1, pid;

	printf("%d: before\n", rank);
	atexit(say_bye);
	pid = fork();
	if (pid == 0) {
		printf("%d: child\n", rank);
		if (strcmp(how, "exits") == 0)
			exit(3);
		if (strcmp(how, "calls") == 0)
			MPI_Barrier(MPI_COMM_WORLD);
		return 1;
	}
	waitpid(pid, &status, 0);
	printf("%d: %d\n", rank, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	let_others_run();
	return 0;
}

static void run(const char *what)
{
	if (strcmp(what, "children") == 0)
		use_children();
	if (strcmp(what, "exec") == 0 || strcmp(what, "constant") == 0 ||
	    strcmp(what, "exit_there") == 0)
		harm(what);
	if (strcmp(what, "pthread_exit") == 0 && rank == 1)
		pthread_exit(NULL);
	if (strcmp(what, "sockets") == 0)
		use_sockets();
	if (strcmp(what, "lock") == 0)
		lock_a_file();
	if (strcmp(what, "timer") == 0 && rank == 1)
		printf("%u\n", (alarm(1000), alarm(0)));
	if (strcmp(what, "hosts") == 0)
		name_hosts();
	if (strcmp(what, "input") == 0)
		read_input();
	if (strcmp(what, "redirect") == 0)
		redirect();
	if (strcmp(what, "move") == 0)
		move();
	if (strcmp(what, "stack") == 0)
		use_stack();
	if (strcmp(what, "libraries") == 0)
		use_libraries();
	if (strcmp(what, "loads") == 0)
		printf("%d: %d\n", rank, library_load());
	if (strcmp(what, "cores") == 0)
		use_cores();
	if (strcmp(what, "files") == 0)
		close_files();
	if (strcmp(what, "threads") == 0)
		use_threads(0);
	if (strcmp(what, "thread") == 0)
		use_threads(1);
}

int main(int argc, char **argv)
{
	int provided, got = -1;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	if (provided != MPI_THREAD_FUNNELED) /* the highest that there is */
		MPI_Abort(MPI_COMM_WORLD, 9);
	run(argv[1]);
	if (strcmp(argv[1], "fork") == 0 && is_child_of_fork(argv[2]))
		return 4;
	if (strcmp(argv[1], "exit") == 0)
		exit(rank == 1 ? 3 : 0);
	if (strcmp(argv[1], "return") == 0) {
		MPI_Request request;

		/* what was sent arrives, whether or not the sender is still there */
		MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % n_ranks, 0, MPI_COMM_WORLD, &request);
		if (rank != 1)
			return 0;
		MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		printf("%d: %d\n", rank, got);
	}
	MPI_Finalize();
	return 0;
}
