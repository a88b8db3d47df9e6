// SPDX-License-Identifier: BSD-3-Clause
// What C++ needs of a process: constructors and destructors of globals and thread-locals, exceptions, run-time types, streams.
#include <chrono>
#include <exception>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

static int n_live;

struct counted {
	const char *name;
	explicit counted(const char *text) : name(text)
	{
		n_live++;
		std::cout << "+" << name << n_live << " ";
	}
	~counted()
	{
		n_live--;
		std::cout << "-" << name << n_live << " " << std::flush;
	}
};

static counted global("global");
static thread_local counted local("local");
static std::map<std::string, int> table = {{"a", 1}, {"b", 2}};
static std::once_flag once;
static int n_once;

struct base {
	virtual ~base() = default;
	virtual int value() const { return 1; }
};
struct derived : base {
	int value() const override { return 2; }
};

static void fail(int depth)
{
	counted here("frame");
	if (depth == 0)
		throw std::runtime_error("deep");
	usleep(1);
	fail(depth - 1);
}

static counted &singleton()
{
	static counted single("single");
	return single;
}

// The exception that is handled after a wait is the one that was caught before it: each rank's is another one.
static bool keeps_its_exception()
{
	int *mine = new int(1), *thrown = nullptr;
	try {
		throw mine;
	} catch (...) {
		usleep(1);
		try {
			throw;
		} catch (int *again) {
			thrown = again;
			usleep(1);
		}
	}
	usleep(1); // everyone's is still there
	bool same = thrown == mine && !std::current_exception();
	delete mine;
	return same;
}

int main()
{
	std::cout << keeps_its_exception() << " ";
	for (int i = 0; i < 3; i++) {
		try {
			fail(3);
		} catch (const std::exception &error) {
			usleep(1); // another rank throws while this one holds an exception
			std::cout << error.what() << " ";
		}
		table["a"] += i;
		local.name = "changed";
		std::call_once(once, [] { n_once++; });
		singleton();
	}
	base *object = n_once == 1 ? new derived : new base;
	std::cout << object->value() << (dynamic_cast<derived *>(object) != nullptr) << n_once << table["a"] << " ";
	delete object;
	try {
		usleep(1);
		std::vector<int>().at(3);
	} catch (const std::out_of_range &) {
		std::cout << "range ";
	}
	std::ostringstream text;
	text << 1.5 << std::hex << 255;
	auto begin = std::chrono::steady_clock::now();
	std::this_thread::sleep_for(std::chrono::milliseconds(2));
	bool passed = std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(2);
	std::cout << text.str() << passed << std::endl;
	return n_once == 1 ? 0 : 3;
}
