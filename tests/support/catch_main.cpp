// The main of every Catch2 test program. Catch2's own signal handlers stay out: they would hide the faults
// that the tests are about. The exit code is 0 or 1, never 77 failures, which Meson would take for a skip.
// The last line counts test cases for tools/tally.py.
#define CATCH_CONFIG_RUNNER
#define CATCH_CONFIG_NO_POSIX_SIGNALS
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>

#include "support/leak_check.hpp"

namespace test_support {
namespace {

struct Tally {
  int passed = 0, failed = 0, skipped = 0;
  bool keeps = false, skips = false;  // of the test case that runs
  Snapshot before;
};
Tally g_tally;

// Takes a snapshot before every test case and compares after it.
class LeakListener : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  void testCaseStarting(const Catch::TestCaseInfo&) override {
    g_tally.keeps = g_tally.skips = false;
    g_tally.before = take_snapshot();
  }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    bool failed = !stats.totals.assertions.allOk() && !stats.testInfo.okToFail();
    const std::string leaks = g_tally.keeps ? std::string() : leaks_since(g_tally.before);
    if (!leaks.empty()) {
      failed = true;
      std::printf("LEFT BEHIND by \"%s\":\n%s", stats.testInfo.name.c_str(), leaks.c_str());
    }
    ++(failed ? g_tally.failed : g_tally.skips ? g_tally.skipped : g_tally.passed);
    std::fflush(stdout);
  }
};
CATCH_REGISTER_LISTENER(LeakListener)

}  // namespace

void keep_resources() { g_tally.keeps = true; }

void skip_test(const std::string& why) {
  g_tally.skips = true;
  std::printf("skipped: %s\n", why.c_str());
}

}  // namespace test_support

int main(int argc, char** argv) {
  const int main_process = getpid();
  // Under nohup, and in the background of a script, some are ignored, and programs that are to end by them would not.
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) std::signal(signal, SIG_DFL);
  const int result = Catch::Session().run(argc, argv);
  if (getpid() != main_process) {
    std::fprintf(stderr, "a forked child returned into the test runner: it must end in _exit\n");
    _exit(1);
  }
  const auto& tally = test_support::g_tally;
  std::printf("tally: %d passed, %d failed, %d skipped\n", tally.passed, tally.failed, tally.skipped);
  return result != 0 || tally.failed != 0 ? 1 : 0;
}
