// Random schedules of producing, publishing, fixing, extending, handing over and consuming, in random modes,
// against a model; under stops and priorities. What the spaces read must be what the model says, and twice
// the same.
//
// 8 rounds; SPMC_STRESS_ROUNDS for more, SPMC_STRESS_SEED to start elsewhere.
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <random>

#include "../spmc/job.hpp"

using namespace spmc_test;

namespace {

constexpr uint32_t kChildren = 3;  // spaces 1 .. 3; each starts one of its own, space + 10
constexpr uint32_t kRegions = 5;

using Random = std::minstd_rand;

Random random_for(uint32_t seed, uint32_t region, uint32_t generation) {
  std::seed_seq mix{seed, region, generation};
  uint32_t start;
  mix.generate(&start, &start + 1);
  return Random(start);
}

// What happens to one page in one generation.
struct PagePlan {
  enum Kind { kWhole, kByTouch, kPieces, kEmpty, kLeftBehind } kind;
  std::vector<std::byte> content;  // that consumers may see
};

// One generation of a region, known to everybody who knows the seed.
struct Plan {
  std::vector<PagePlan> pages;
};

struct Shape {
  uint32_t producer;                // space
  std::vector<uint32_t> consumers;  // spaces
  uint32_t data_pages;
  uint32_t by_parent;    // generations that the first space produces before it hands over
  uint32_t by_child;     // and then the child, before the grandchild goes on
  uint32_t generations;  // in all
};

Shape shape_of(uint32_t seed, uint32_t region) {
  Random random = random_for(seed, region, ~0u);
  Shape shape;
  shape.producer = 1 + random() % kChildren;
  for (uint32_t space = 1; space <= kChildren; ++space) {
    if (space != shape.producer && random() % 4 != 0) shape.consumers.push_back(space);
  }
  shape.data_pages = 1 + random() % 20;
  shape.by_parent = random() % 2;
  shape.by_child = shape.by_parent + random() % 8;
  shape.generations = shape.by_child + 10 + random() % 60;
  return shape;
}

Plan plan_of(uint32_t seed, uint32_t region, uint32_t generation, uint32_t data_pages) {
  Random random = random_for(seed, region, generation);
  Plan plan;
  for (uint32_t page = 0; page < data_pages; ++page) {
    PagePlan one{static_cast<PagePlan::Kind>(random() % 5), {}};
    if (one.kind == PagePlan::kWhole || one.kind == PagePlan::kByTouch) one.content = pattern(kPage, random());
    if (one.kind == PagePlan::kPieces) one.content = pattern(1 + random() % kPage, random());
    if (one.kind == PagePlan::kEmpty) one.content.resize(kPage);
    plan.pages.push_back(std::move(one));
  }
  return plan;
}

struct End {
  std::byte* va;
  Shape shape;
  uint32_t id;
  uint32_t generation = 0;

  size_t bytes() const { return (shape.data_pages + 1) * kPage; }
  void extend() {
    NEED(spmcR_extend(va + shape.data_pages * kPage, va, shape.data_pages * kPage) == 0);
    ++generation;
  }
};

void produce_page(std::byte* va, const PagePlan& plan, Random& pace) {
  const std::vector<std::byte>& content = plan.content;
  switch (plan.kind) {
    case PagePlan::kWhole:
      NEED(spmcR_write(va, content.data(), kPage) == 0);
      NEED(spmcR_setfix(va, kPage) == 0);
      return;
    case PagePlan::kByTouch:
      std::memcpy(va, content.data(), kPage);
      NEED(spmcR_setfix(va, kPage) == 0);
      return;
    case PagePlan::kPieces:
      for (size_t done = 0; done < content.size();) {
        const size_t piece = std::min<size_t>(1 + pace() % 1500, content.size() - done);
        NEED(spmcR_write(va + done, content.data() + done, piece) == 0);
        NEED(spmcR_publish(va + done, piece) == 0);
        done += piece;
      }
      return;
    case PagePlan::kEmpty: NEED(spmcR_setfix(va, kPage) == 0); return;
    case PagePlan::kLeftBehind:
      if (pace() % 2 == 0) NEED(spmcR_write(va + 1, "dropped", 7) == 0);
      return;
  }
}

void produce(End& end, uint32_t seed, Random& pace) {
  const Plan plan = plan_of(seed, end.id, end.generation, end.shape.data_pages);
  for (size_t page = 0; page < plan.pages.size(); ++page) produce_page(end.va + page * kPage, plan.pages[page], pace);
  if (pace() % 8 == 0) NEED(spmc_check_invariants() == nullptr);
  end.extend();
}

void consume_page(const std::byte* va, const PagePlan& plan, Random& pace, uint64_t& digest) {
  std::byte got[kPage];
  const size_t size = plan.content.size();
  if (size == kPage && pace() % 3 == 0) {
    std::memcpy(got, va, kPage);
  } else {
    for (size_t done = 0; done < size;) {
      const size_t piece = std::min<size_t>(1 + pace() % 3000, size - done);
      NEED(spmcR_read(va + done, got + done, piece) == 0);
      done += piece;
    }
  }
  NEED(size == 0 || std::memcmp(got, plan.content.data(), size) == 0);
  for (size_t i = 0; i < size; ++i) digest = (digest ^ static_cast<uint64_t>(got[i])) * 0x100000001b3u;
  if (size < kPage && pace() % 4 == 0) NEED_ERRNO(spmcR_wait(va + size), ENODATA);
}

void consume(End& end, uint32_t seed, Random& pace, uint64_t& digest) {
  const Plan plan = plan_of(seed, end.id, end.generation, end.shape.data_pages);
  for (size_t i = plan.pages.size(); i > 0; --i)
    consume_page(end.va + (i - 1) * kPage, plan.pages[i - 1], pace, digest);
  if (pace() % 8 == 0) NEED(spmc_check_invariants() == nullptr);
  end.extend();
}

struct Roles {
  std::vector<End> produces, consumes;
};

Roles roles_of(uint32_t space, const std::vector<End>& ends) {
  Roles roles;
  for (const End& end : ends) {
    if (end.shape.producer == space) roles.produces.push_back(end);
    const auto& consumers = end.shape.consumers;
    if (std::find(consumers.begin(), consumers.end(), space) != consumers.end()) roles.consumes.push_back(end);
  }
  return roles;
}

// One more generation of everything that is not done yet. All spaces go through the generations in the same
// order, so nobody waits in a circle.
void one_generation(Roles& roles, uint32_t generation, uint32_t seed, Random& pace, uint64_t& digest) {
  for (End& end : roles.produces) {
    if (end.generation == generation && generation < end.shape.generations) produce(end, seed, pace);
  }
  for (End& end : roles.consumes) {
    if (end.generation == generation && generation < end.shape.generations) consume(end, seed, pace, digest);
  }
}

// A child: consumes everything it is given, and produces up to by_child; then a child of its own produces the
// rest.
int child_life(Job& job, uint32_t space, uint32_t seed, const std::vector<End>& ends, std::byte* result) {
  Random pace(seed * 31 + space);
  spmc_set_mode(spmc_parse_mode(all_modes()[pace() % all_modes().size()].c_str()));
  setpriority(PRIO_PROCESS, 0, static_cast<int>(pace() % 10));
  Roles roles = roles_of(space, ends);
  uint64_t digest = 0;
  for (End& end : roles.produces) {
    while (end.generation < end.shape.by_child) produce(end, seed, pace);
    NEED(spmcR_transown(static_cast<int>(space) + 10, end.va, end.va, end.bytes()) == 0);
    NEED(spmcR_clear(end.va, end.bytes()) == 0);
  }
  Roles rest{std::move(roles.produces), {}};
  job.start(space + 10, [&] {
    spmc_set_mode(spmc_parse_mode(all_modes()[pace() % all_modes().size()].c_str()));
    for (uint32_t g = 0; g < 100; ++g) one_generation(rest, g, seed, pace, digest);
    // Its parent waits for other regions and does not reap it yet: its end must not be what others wait for.
    for (const End& end : rest.produces) NEED(spmcR_clear(end.va, end.bytes()) == 0);
    return 0;
  });
  for (uint32_t g = 0; g < 100; ++g) one_generation(roles, g, seed, pace, digest);
  for (End& end : roles.consumes) NEED_ERRNO(spmcR_wait(end.va), EPIPE);
  job.join_well(space + 10);
  NEED(spmc_check_invariants() == nullptr);
  NEED(spmcR_write(result, &digest, sizeof digest) == 0);
  NEED(spmcR_setfix(result, kPage) == 0);
  return 0;
}

std::vector<End> set_up(uint32_t seed, Random& pace) {
  std::vector<End> ends;
  for (uint32_t id = 0; id < kRegions; ++id) {
    End end{nullptr, shape_of(seed, id), id};
    end.va = static_cast<std::byte*>(spmcR_alloc(end.bytes()));
    for (const uint32_t consumer : end.shape.consumers) {
      NEED(spmcR_copycons(static_cast<int>(consumer), end.va, end.va, end.bytes()) == 0);
    }
    Roles mine{{end}, {}};
    End& moving = mine.produces.front();
    while (moving.generation < moving.shape.by_parent) produce(moving, seed, pace);
    NEED(spmcR_transown(static_cast<int>(end.shape.producer), end.va, end.va, end.bytes()) == 0);
    ends.push_back(end);
  }
  // Not before: the addresses stay the same in every space.
  for (const End& end : ends) NEED(spmcR_clear(end.va, end.bytes()) == 0);
  return ends;
}

// The producer's end stands where its giver stood; a consumer's where it was made: at the beginning.
std::vector<End> as_seen_by(uint32_t space, std::vector<End> ends) {
  for (End& end : ends) {
    if (end.shape.producer == space) end.generation = end.shape.by_parent;
  }
  return ends;
}

void disturb(Job& job, Random& random) {
  for (int i = 0; i < 10; ++i) {
    const uint32_t victim = 1 + random() % kChildren;
    job.signal(victim, SIGSTOP);
    spmc::base::sleep_ns(random() % 1'000'000);
    job.signal(victim, SIGCONT);
    spmc::base::sleep_ns(random() % 1'000'000);
  }
}

int one_round(uint32_t seed) {
  Job job("b.wr2", 64 << 20);
  Random pace(seed);
  const std::vector<End> ends = set_up(seed, pace);
  std::vector<std::byte*> results, theirs;  // the same regions, at our addresses and at the children's
  for (int space = 1; space <= static_cast<int>(kChildren); ++space) {
    results.push_back(static_cast<std::byte*>(spmcR_alloc(kPage)));
    theirs.push_back(static_cast<std::byte*>(spmcR_place(space, kPage)));
    NEED(spmcR_transown(space, results.back(), theirs.back(), kPage) == 0);
  }
  for (uint32_t space = 1; space <= kChildren; ++space) {
    job.start(space, [&] { return child_life(job, space, seed, as_seen_by(space, ends), theirs[space - 1]); });
  }
  disturb(job, pace);
  for (uint32_t space = 1; space <= kChildren; ++space) {
    uint64_t digest = 0;
    NEED(spmcR_read(results[space - 1], &digest, sizeof digest) == 0);
    std::printf("space %u read %016lx\n", space, digest);
  }
  for (uint32_t space = 1; space <= kChildren; ++space) job.join_well(space);
  NEED(spmc_check_all_invariants() == nullptr);
  for (std::byte* result : results) NEED(spmcR_clear(result, kPage) == 0);
  Job::check(0);
  return 0;
}

uint32_t from_environment(const char* name, uint32_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
}

}  // namespace

TEST_CASE("random schedules agree with the model, twice", "[stress]") {
  const uint32_t first = from_environment("SPMC_STRESS_SEED", 1);
  const uint32_t rounds = from_environment("SPMC_STRESS_ROUNDS", 8);
  for (uint32_t seed = first; seed < first + rounds; ++seed) {
    INFO("SPMC_STRESS_SEED=" << seed);
    const auto runs = test_support::run_twice([&] { return one_round(seed); });
    CHECK(runs.first.err == "");
    CHECK(runs.first.exit_code == 0);
    CHECK(runs.first.out.size() > 20);
    REQUIRE(runs.first == runs.second);
  }
}
