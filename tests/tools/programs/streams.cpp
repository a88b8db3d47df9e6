// SPDX-License-Identifier: BSD-3-Clause
// C++ that takes a process for its own: what each rank does to its streams, exceptions of error handlers and threads.
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <future>
#include <iomanip>
#include <iostream>
#include <mutex>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

struct counted {
	static int n;
	int number;
	counted() : number(++n) {}
};
int counted::n = 0;
static counted first, second;

struct failure : std::runtime_error {
	int code;
	explicit failure(int value) : std::runtime_error("failure"), code(value) {}
};

static int rank, n_ranks;

static void told(const char *what, bool holds)
{
	std::fprintf(stderr, "%d: %s %s\n", rank, what, holds ? "yes" : "NO");
}

// Rank 0 formats, rank 1 is silent, rank 2 redirects.
static void streams()
{
	std::ostringstream text;
	auto *before = std::cout.rdbuf();

	if (rank == 0)
		std::cout << std::hex << std::setfill('*');
	if (rank == 1)
		std::cout.setstate(std::ios::failbit);
	if (rank == 2)
		std::cout.rdbuf(text.rdbuf());
	MPI_Barrier(MPI_COMM_WORLD);
	std::cout << "rank " << rank << " says " << std::setw(4) << 255 << std::endl;
	MPI_Barrier(MPI_COMM_WORLD);
	told("streams", text.str() == (rank == 2 ? "rank 2 says  255\n" : ""));
	std::cout.rdbuf(before);
}

// A buffer that is written when the program ends, of each rank.
static void ends()
{
	std::ios::sync_with_stdio(false);
	MPI_Barrier(MPI_COMM_WORLD);
	std::cout << "rank " << rank << " ends\n";
}

static void throws(MPI_Comm *, int *code, ...)
{
	throw failure(*code);
}

static bool fails_once()
{
	int value = 0;

	try {
		MPI_Send(&value, 1, MPI_INT, n_ranks, 0, MPI_COMM_WORLD);
	} catch (const failure &error) {
		int error_class;

		MPI_Error_class(error.code, &error_class);
		MPI_Barrier(MPI_COMM_WORLD);
		return error_class == MPI_ERR_RANK && std::uncaught_exceptions() == 0;
	}
	return false;
}

static void exceptions()
{
	MPI_Errhandler handler;

	told("constructors", counted::n == 2 && first.number == 1 && second.number == 2);
	MPI_Comm_create_errhandler(throws, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	MPI_Errhandler_free(&handler);
	told("exceptions", fails_once() && fails_once());
	std::set_new_handler(rank == 0 ? +[] { throw std::bad_alloc(); } : nullptr);
	MPI_Barrier(MPI_COMM_WORLD);
	told("handlers", (std::get_new_handler() != nullptr) == (rank == 0));
}

static void threads()
{
	std::once_flag once;
	int n = 0;
	bool caught = false;

	std::thread([&] {
		std::call_once(once, [&] { n++; });
		try {
			throw failure(7);
		} catch (const failure &error) {
			n += error.code;
		}
	}).join();
	auto result = std::async(std::launch::async, []() -> int { throw failure(1); });
	auto sum = std::async(std::launch::async, [] { return 40 + 2; });
	try {
		result.get();
	} catch (const failure &error) {
		caught = true;
	}
	told("threads", n == 8 && caught && sum.get() == 42);
}

int main(int argc, char **argv)
{
	std::string what = argc > 1 ? argv[1] : "";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	if (what == "streams")
		streams();
	else if (what == "ends")
		ends();
	else if (what == "exceptions")
		exceptions();
	else
		threads();
	MPI_Finalize();
	return 0;
}
