// The transitions of a slot, in particular those that late or dead processes must not make.
#include "slots.hpp"

#include <spmc/segment.hpp>

#include "space_test.hpp"

using namespace space;

namespace {

int with_table(const std::function<int()>& body) {
  const auto run = test_support::run_same([&] {
    spmc::SegmentConfig config;
    config.max_spaces = 4;
    if (!spmc::segment::try_create(config)) return 99;
    claim_root(1);
    return body();
  });
  return run.exit_code;
}

}  // namespace

TEST_CASE("a life packs and unpacks at its limits") {
  const Life most{.state = LifeState::kEnded,
                  .parent = Life::kMaxParent - 1,
                  .pid = Life::kMaxPid - 1,
                  .generation = Life::kGenerations - 1};
  const Life again = Life::unpack(most.pack());
  CHECK(again.state == most.state);
  CHECK(again.parent == most.parent);
  CHECK(again.pid == most.pid);
  CHECK(again.generation == most.generation);
  CHECK(Life::unpack(0).state == LifeState::kFree);
}

TEST_CASE("a space goes through its states in order") {
  CHECK(with_table([] {
          const SpaceId id = try_reserve(SpaceId{0}).value();
          if (id.value != 1 || load_life(id).parent != 0) return 1;
          if (step(id, LifeState::kRunning, LifeState::kReturned)) return 2;
          if (!step(id, LifeState::kReserved, LifeState::kStarting)) return 3;
          if (!claim(id, 77) || load_life(id).pid != 77) return 4;
          if (!step(id, LifeState::kRunning, LifeState::kReturned)) return 5;
          mark_ended(id, nullptr);
          if (alive(id)) return 6;
          release(id);
          return load_life(id).state == LifeState::kFree && slots_in_use() == 1 ? 0 : 7;
        }) == 0);
}

TEST_CASE("a process that comes too late does not claim its slot") {
  CHECK(with_table([] {
          const SpaceId id = try_reserve(SpaceId{0}).value();
          step(id, LifeState::kReserved, LifeState::kStarting);
          const Life before = load_life(id);
          if (!mark_ended_from(id, before)) return 1;
          if (claim(id, 77)) return 2;
          release(id);
          if (claim(id, 77)) return 3;
          // Somebody else has the slot now and starts a space in it.
          try_reserve(SpaceId{0}).value();
          step(id, LifeState::kReserved, LifeState::kStarting);
          note_process(id, 88);
          if (claim(id, 77)) return 4;
          return claim(id, 88) ? 0 : 5;
        }) == 0);
}

TEST_CASE("a step from an old view of a slot fails after the slot was used again") {
  CHECK(with_table([] {
          const SpaceId id = try_reserve(SpaceId{0}).value();
          const Life old = load_life(id);
          release(id);
          try_reserve(SpaceId{0}).value();
          return mark_ended_from(id, old) ? 1 : 0;
        }) == 0);
}

TEST_CASE("a claimed process is not overwritten by its parent's note") {
  CHECK(with_table([] {
          const SpaceId id = try_reserve(SpaceId{0}).value();
          step(id, LifeState::kReserved, LifeState::kStarting);
          claim(id, 77);
          note_process(id, 77);
          return load_life(id).state == LifeState::kRunning ? 0 : 1;
        }) == 0);
}

TEST_CASE("alive looks at all ancestors") {
  CHECK(with_table([] {
          const SpaceId child = try_reserve(SpaceId{0}).value();
          const SpaceId grandchild = try_reserve(child).value();
          if (!alive(SpaceId{0}) || !alive(child) || !alive(grandchild)) return 1;
          mark_ended(child, nullptr);
          if (alive(child) || alive(grandchild)) return 2;
          return alive(SpaceId{3}) ? 3 : 0;  // free
        }) == 0);
}
