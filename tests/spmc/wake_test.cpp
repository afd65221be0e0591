// No wake-up is lost, whichever of waker and sleeper has the fence: of two processes that hand a turn to each other the
// one sleeps while it is not its own, and the other gives it back at any moment, mostly while the first is about to
// sleep.
#include <base/cores.hpp>
#include <base/sys.hpp>
#include <base/wait.hpp>
#include <catch2/catch.hpp>

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>

#include "support/sanitized.hpp"

using namespace spmc::base;

namespace {

constexpr uint32_t kTurns = test_support::kAddressSanitizer ? 20'000 : 200'000;
constexpr uint32_t kWaker = 1, kSleeper = 0;  // takes the odd turns; the even ones

struct Shared {
  WaitLine line;
  alignas(64) std::atomic<uint32_t> turn{0};
};

bool is_turn(const Shared& shared, uint32_t turn) { return shared.turn.load(std::memory_order_acquire) == turn; }

void sleep_by_turns(Shared& shared) {
  move_to_core(kSleeper);
  set_wait_policy({});  // neither spins nor yields
  g_wait_counters = {};
  for (uint32_t turn = kSleeper; turn < kTurns; turn += 2) {
    wait_until(shared.line, [&] { return is_turn(shared, turn); });
    shared.turn.store(turn + 1, std::memory_order_release);
  }
}

[[noreturn]] void wake_by_turns(Shared& shared) {
  register_for_fences();
  move_to_core(kWaker);
  uint32_t moment = 1;
  for (uint32_t turn = kWaker; turn < kTurns; turn += 2) {
    while (!is_turn(shared, turn)) {
      for (int i = 0; i < 1000 && !is_turn(shared, turn); ++i) cpu_relax();
      if (!is_turn(shared, turn)) yield_core();
    }
    moment = moment * 1664525 + 1013904223;
    for (uint32_t i = moment >> 22; i > 0; --i) std::atomic_signal_fence(std::memory_order_seq_cst);
    shared.turn.store(turn + 1, std::memory_order_release);
    notify(shared.line);
  }
  ::_exit(0);
}

// In memory that processes share.
class Memory {
 public:
  explicit Memory(Fences fences) {
    void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    shared_ = new (memory) Shared;
    g_fences = fences;
    register_for_fences();
  }
  ~Memory() { ::munmap(shared_, sizeof(Shared)); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  Shared& shared() const { return *shared_; }

 private:
  Shared* shared_;
};

// A process that runs `body`, which does not return, and ends with this one.
template <typename Body>
pid_t start(Body&& body) {
  const pid_t parent = ::getpid(), process = ::fork();
  REQUIRE(process >= 0);
  if (process != 0) return process;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  body();
  ::_exit(1);
}

void expect_well_ended(pid_t process) {
  int status = -1;
  REQUIRE(::waitpid(process, &status, 0) == process);
  CHECK(status == 0);
}

void hand_over(Fences fences) {
  const Memory memory(fences);
  Shared& shared = memory.shared();
  const pid_t waker = start([&] { wake_by_turns(shared); });
  sleep_by_turns(shared);
  expect_well_ended(waker);
  CHECK(g_wait_counters.sleeps > 0);
  CHECK(shared.turn.load() == kTurns);
}

// Another process publishes after `ns`, and wakes the sleeper or does not. How often that one has slept.
uint64_t sleep_until_published(uint64_t ns, bool wake) {
  const Memory memory(Fences::kAsymmetricLater);
  Shared& shared = memory.shared();
  const pid_t other = start([&] {
    register_for_fences();
    sleep_ns(ns);
    shared.turn.store(1, std::memory_order_release);
    if (wake) notify(shared.line);
    ::_exit(0);
  });
  set_wait_policy({});
  g_wait_counters = {};
  wait_until(shared.line, [&] { return is_turn(shared, 1); });
  CHECK(shared.line.sleeping.load() == 0);
  expect_well_ended(other);
  return g_wait_counters.sleeps;
}

}  // namespace

TEST_CASE("both have a full fence", "[wake]") { hand_over(Fences::kFull); }

TEST_CASE("the kernel makes the waker's fence", "[wake]") {
  if (fences_for(1) == Fences::kFull) return;  // it does not offer that
  hand_over(Fences::kAsymmetric);
}

TEST_CASE("the kernel makes it later, and the first sleeps end by themselves", "[wake]") {
  if (fences_for(1) == Fences::kFull) return;
  hand_over(Fences::kAsymmetricLater);
}

TEST_CASE("a waker that was missed makes the sleeper late, no more", "[wake]") {
  if (fences_for(1) == Fences::kFull) return;
  CHECK(sleep_until_published(20'000'000, false) == 1);
}

TEST_CASE("after the first sleeps a waker is needed, and is heard", "[wake]") {
  if (fences_for(1) == Fences::kFull) return;
  CHECK(sleep_until_published(300'000'000, true) == 1);
}
