// Work between calls, as instrumented code reports it (detmpi/object/work.hpp): it advances the clock and is published.
#include <mpi.h>

#include <catch2/catch.hpp>

#include <csignal>
#include <ctime>
#include <thread>

#include "object/call.hpp"
#include "object/work_unit.hpp"
#include "stubs.hpp"

using namespace detmpi;

extern "C" {
int detmpi_work_nanosleep(const timespec* time, timespec* left);
int detmpi_work_usleep(unsigned microseconds);
using SignalHandler = void (*)(int);
SignalHandler detmpi_work_signal(int number, SignalHandler handler);
}

namespace {

// What the compiler inserts.
void work(int64_t units) {
  if ((detmpi_work_left -= units) < 0) detmpi_work();
}

void call() {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

struct Working : World {
  explicit Working(bool alone = true) { work_begin(alone); }
  uint64_t passed() const { return g_clock - began_; }
  static uint64_t published() { return g_published_clock->load(); }

 private:
  uint64_t began_ = g_clock;
};

}  // namespace

TEST_CASE_METHOD(Working, "Work shows in the clock at the next call, before the call's own tick") {
  work(3 * kUnitsPerTick);
  REQUIRE(passed() == 0);
  call();
  REQUIRE(passed() == 3 + 1);
  REQUIRE(published() == g_clock - 1);
}

TEST_CASE_METHOD(Working, "Less than a tick is kept") {
  for (int i = 0; i < 8; ++i) {
    work(kUnitsPerTick / 8);
    call();
  }
  REQUIRE(passed() == 1 + 8);
}

TEST_CASE_METHOD(Working, "Much work is published before the next call") {
  const uint64_t before = g_clock;
  work(100 * kUnitsPerTick + 1);
  REQUIRE(published() == before + 100);
  REQUIRE(g_clock == published());
}

TEST_CASE_METHOD(Working, "How work is cut makes no difference") {
  const int64_t total = 1000 * kUnitsPerTick + 17;
  for (const int64_t part : {int64_t{1}, int64_t{999}, kUnitsPerTick + 5, 70 * kUnitsPerTick}) {
    work_begin(true);
    const uint64_t before = g_clock;
    int64_t left = total;
    for (; left > part; left -= part) work(part);
    work(left);
    call();
    REQUIRE(g_clock - before == 1000 + 1);
  }
}

TEST_CASE_METHOD(Working, "Nothing is published beyond what a waiting send allows") {
  g_clock_limit = g_clock + 5;
  work(100 * kUnitsPerTick);
  REQUIRE(published() == g_clock_limit);
  g_clock_limit = ~uint64_t{0};
}

TEST_CASE_METHOD(Working, "Work inside a call counts at the next one") {
  {
    const CallScope scope(CallId::kNone, Outside{});
    g_call.id = CallId{1};
    work(100 * kUnitsPerTick);
    REQUIRE(passed() == 0);
  }
  call();
  REQUIRE(passed() == 100 + 1);
}

TEST_CASE("Where several threads may call, work counts at the calls alone") {
  Working working(false);
  work(100 * kUnitsPerTick);
  REQUIRE(working.passed() == 0);
  call();
  REQUIRE(working.passed() == 100 + 1);
}

TEST_CASE_METHOD(Working, "Another thread's work does not count") {
  std::thread([] { work(100 * kUnitsPerTick); }).join();
  call();
  REQUIRE(passed() == 1);
}

TEST_CASE("Work before MPI_Init is forgotten") {
  work(100 * kUnitsPerTick);
  Working working;
  call();
  REQUIRE(working.passed() == 1);
}

TEST_CASE_METHOD(Working, "Sleeping counts in microseconds") {
  const timespec time = {1, 500'000};
  detmpi_work_nanosleep(&time, nullptr);
  detmpi_work_usleep(7);
  detmpi_work_nanosleep(nullptr, nullptr);
  call();
  REQUIRE(passed() == 1'000'500 + 7 + 1);
}

TEST_CASE_METHOD(Working, "A signal handler does not count, and calls in it see a clock that stands") {
  const SignalHandler before = detmpi_work_signal(SIGUSR1, [](int) { work(100 * kUnitsPerTick); });
  work(kUnitsPerTick);
  std::raise(SIGUSR1);
  call();
  REQUIRE(passed() == 1 + 1);
  detmpi_work_signal(SIGUSR1, before);
}
