// By which way messages of medium length go.
#include "engine/medium_way.hpp"

#include <catch2/catch.hpp>

using detmpi::MediumWay;

namespace {

// A program that sends one message after the other, which take so many ns by either way. The first one after a change
// takes ten times as long.
class Program {
 public:
  // How many of so many messages go from buffer to buffer.
  int send(int messages, uint64_t direct, uint64_t window) {
    int sum = 0;
    for (int i = 0; i < messages; ++i) {
      const bool is_direct = way_.is_direct([this] { return ++asked_, now_; });
      const uint64_t ns = is_direct ? direct : window;
      now_ += is_direct == last_ ? ns : 10 * ns;
      last_ = is_direct;
      sum += is_direct;
    }
    return sum;
  }
  void pass(uint64_t ns) { now_ += ns; }
  int asked() const { return asked_; }

 private:
  MediumWay way_;
  uint64_t now_ = 1'000'000;
  bool last_ = true;
  int asked_ = 0;
};

}  // namespace

TEST_CASE("messages go by the way that is faster") {
  CHECK(Program().send(20'000, 1'000, 1'100) > 19'000);
  CHECK(Program().send(20'000, 1'100, 1'000) < 1'000);
  CHECK(Program().send(20'000, 1'000, 1'000) > 19'000);
}

TEST_CASE("a program may change") {
  Program program;
  program.send(20'000, 2'000, 1'000);
  program.send(16'000, 1'000, 2'000);
  CHECK(program.send(8'000, 1'000, 2'000) > 7'500);
  program.send(16'000, 2'000, 1'000);
  CHECK(program.send(8'000, 2'000, 1'000) < 500);
}

TEST_CASE("what has taken long by chance does not count") {
  Program program;
  for (int i = 0; i < 60; ++i) {  // once in each phase by turns, and in pauses
    program.send(i % 2 == 0 ? 13 : 21, 1'000, 2'000);
    if (i % 2 == 0) program.pass(10'000'000);
  }
  CHECK(program.send(10'000, 1'000, 2'000) > 9'500);
}

TEST_CASE("the time is asked for rarely") {
  Program program;
  program.send(100'000, 1'000, 2'000);
  CHECK(program.asked() < 1'000);
}

TEST_CASE("a few messages are tried both ways") {
  const int direct = Program().send(32, 1'000, 1'000);
  CHECK(direct == 16);
}
