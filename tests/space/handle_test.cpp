// The C++ handles.
#include "space_test.hpp"

using namespace space_test;
using space::Space;

TEST_CASE("a handle joins at the end of its scope") {
  const auto run = run_as_root([] {
    {
      auto child = Space::try_alloc(3);
      if (!child || !child.value().start([] { std::printf("in %s\n", space_path()); })) return 1;
    }
    std::printf("after\n");
    return status(1).state == SPACE_ENDED ? 0 : 2;
  });
  CHECK(run.exit_code == 0);
  CHECK(run.out == "in /1\nafter\n");
}

TEST_CASE("a lambda's captures and result go through") {
  const auto run = run_as_root([] {
    std::string word = "captured";
    Space child = Space::try_alloc(0).value();
    if (!child.start([&word] { return static_cast<int>(word.size()); })) return 1;
    return child.join().value().exit_code == 8 ? 0 : 2;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("handles stop, resume, kill and move") {
  const auto run = run_as_root([] {
    Space a = Space::try_alloc(0).value(), b = Space::try_alloc(1).value();
    const auto body = [] {
      space_ret();
      space_ret();
      return 3;
    };
    if (!a.start(body) || !b.start(body)) return 1;
    if (a.wait().value() != Space::Rest::kStopped || a.resume().value() != Space::Rest::kStopped) return 2;
    if (a.resume().value() != Space::Rest::kStopped || a.resume().value() != Space::Rest::kEnded) return 3;
    if (a.status().value().exit_code != 3) return 4;
    if (b.kill().value().signal != SIGKILL) return 5;
    const int number = a.sid();
    Space c = std::move(a);
    b = std::move(c);
    return b.sid() == number ? 0 : 6;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("errors of handles are values") {
  const auto run = run_as_root([] {
    auto bad = Space::try_alloc(-1);
    if (bad || bad.error().code != EINVAL) return 1;
    auto confined = Space::try_alloc(0, {.heap_bytes = 0, .confined = true});
    if (confined || confined.error().code != ENOTSUP) return 2;
    Space child = Space::try_alloc(0).value();
    auto early = child.wait();
    if (early || early.error().code != EINVAL) return 3;
    if (!child.start([] {})) return 4;
    auto again = child.start([] {});
    return !again && again.error().code == EINVAL ? 0 : 5;
  });
  CHECK(run.exit_code == 0);
}
