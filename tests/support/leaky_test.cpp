// Must fail: a test case that passes every assertion but leaves a process behind fails all the same.
#include <unistd.h>

#include <catch2/catch.hpp>

TEST_CASE("leaves a zombie behind") {
  if (fork() == 0) _exit(0);
  SUCCEED();
}
