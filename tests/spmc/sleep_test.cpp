// Sleeping in a process to which signals come.
#include <base/sys.hpp>
#include <catch2/catch.hpp>

#include <signal.h>
#include <sys/time.h>

using namespace spmc::base;

namespace {

constexpr uint64_t kMillisecond = 1'000'000;

volatile sig_atomic_t g_signals = 0;

// Sends SIGALRM every 10 ms as long as it lives: one that comes before the sleep is followed by others.
class SignalsEvery10Ms {
 public:
  SignalsEvery10Ms() {
    struct sigaction action {};
    action.sa_handler = [](int) { g_signals = g_signals + 1; };
    REQUIRE(::sigaction(SIGALRM, &action, &before_) == 0);
    set_timer({0, 10'000});
  }
  ~SignalsEvery10Ms() {
    set_timer({0, 0});
    ::sigaction(SIGALRM, &before_, nullptr);
  }
  SignalsEvery10Ms(const SignalsEvery10Ms&) = delete;
  SignalsEvery10Ms& operator=(const SignalsEvery10Ms&) = delete;

 private:
  static void set_timer(timeval period) {
    const itimerval timer{period, period};
    ::setitimer(ITIMER_REAL, &timer, nullptr);
  }
  struct sigaction before_ {};
};

}  // namespace

TEST_CASE("a nap ends at a signal", "[sleep]") {
  const SignalsEvery10Ms signals;
  const uint64_t begin = monotonic_ns();
  nap_ns(60'000 * kMillisecond);
  CHECK(monotonic_ns() - begin < 30'000 * kMillisecond);
}

TEST_CASE("a nap ends without a signal", "[sleep]") {
  const uint64_t begin = monotonic_ns();
  nap_ns(20 * kMillisecond);
  CHECK(monotonic_ns() - begin >= 20 * kMillisecond);
}

TEST_CASE("a sleep does not end at a signal", "[sleep]") {
  const SignalsEvery10Ms signals;
  g_signals = 0;
  const uint64_t begin = monotonic_ns();
  sleep_ns(100 * kMillisecond);
  CHECK(monotonic_ns() - begin >= 100 * kMillisecond);
  CHECK(g_signals > 0);
}
