// Breaking a protocol ends the offender with a message that names the space, the address, the region and the
// rule; its parent learns of it, and nobody else is disturbed.
#include "job.hpp"

using namespace spmc_test;

namespace {

constexpr size_t kRegion = 4 * kPage;

struct Setting {
  std::byte* mine;    // region 0.0: space 1 is its producer
  std::byte* others;  // region 0.1: space 0 is its producer, spaces 1 and 2 consume; page 0 is fixed
};

// Space 1 does `deed` and must be ended for it; space 2, a bystander, and the parent go on. Returns what was
// printed.
template <typename Deed>
std::string offence(const char* mode, Deed&& deed) {
  const auto runs = test_support::run_twice([&] {
    Job job(mode);
    Setting at{static_cast<std::byte*>(spmcR_alloc(kRegion)), static_cast<std::byte*>(spmcR_alloc(kRegion))};
    NEED(spmcR_transown(1, at.mine, at.mine, kRegion) == 0);
    NEED(spmcR_copycons(1, at.others, at.others, kRegion) == 0);
    NEED(spmcR_copycons(2, at.others, at.others, kRegion) == 0);
    NEED(spmcR_write(at.others, "fixed", 5) == 0);
    NEED(spmcR_setfix(at.others, kPage) == 0);
    job.start(1, [&] {
      NEED(spmcR_setfix(at.mine, kPage) == 0);
      NEED(spmcR_publish(at.mine + kPage, 100) == 0);
      deed(at);
      return 0;
    });
    job.start(2, [&] {
      char text[8] = {};
      NEED(spmcR_read(at.others + kPage, text, 5) == 0);
      NEED(std::strcmp(text, "later") == 0);
      return 0;
    });
    NEED(job.join(1).exit_code == spmc::base::kViolationExit);
    NEED(spmcR_write(at.others + kPage, "later", 5) == 0);
    NEED(spmcR_setfix(at.others + kPage, kPage) == 0);
    job.join_well(2);
    char c;
    NEED_ERRNO(spmcR_read(at.mine + 3 * kPage, &c, 1), EPIPE);
    NEED(spmcR_clear(at.mine, kRegion) == 0);
    NEED(spmcR_clear(at.others, kRegion) == 0);
    Job::check(0);
    return 0;
  });
  CHECK(runs.first.exit_code == 0);
  CHECK(runs.first == runs.second);
  CHECK(runs.first.err == runs.second.err);
  return runs.first.err;
}

template <typename Deed>
void offence_in_every_mode(const std::string& message, Deed&& deed) {
  for (const std::string& mode : all_modes()) {
    INFO(mode);
    CHECK(offence(mode.c_str(), deed) == "DLinux: space 1: " + message + "\n");
  }
}

// In the order written: a compiler may move plain accesses.
void load(std::byte* from) { (void)*static_cast<volatile std::byte*>(from); }
void store(std::byte* to, int value) { *static_cast<volatile std::byte*>(to) = static_cast<std::byte>(value); }

}  // namespace

TEST_CASE("a consumer writes an unfixed page", "[violation]") {
  offence_in_every_mode(
      "writes at address 0x300000005123, page 1 of region 0.1: a region has a single producer, and this "
      "space is not it",
      [](Setting at) { store(at.others + kPage + 0x123, 1); });
}

TEST_CASE("a consumer writes a page that it has read", "[violation]") {
  offence_in_every_mode(
      "writes at address 0x300000004001, page 0 of region 0.1: a region has a single producer, and this "
      "space is not it",
      [](Setting at) {
        load(at.others);
        store(at.others + 1, 1);
      });
}

TEST_CASE("a producer writes a page that it has fixed", "[violation]") {
  offence_in_every_mode(
      "writes at address 0x300000000000, page 0 of region 0.0: what has been fixed or published is read-only "
      "for good",
      [](Setting at) { store(at.mine, 1); });
}

TEST_CASE("a producer touches, fixes and writes a page", "[violation]") {
  offence_in_every_mode(
      "writes at address 0x300000002008, page 2 of region 0.0: what has been fixed or published is read-only "
      "for good",
      [](Setting at) {
        store(at.mine + 2 * kPage, 1);
        NEED(spmcR_setfix(at.mine + 2 * kPage, kPage) == 0);
        store(at.mine + 2 * kPage + 8, 1);
      });
}

TEST_CASE("a producer calls spmcR_write on a fixed page", "[violation]") {
  offence_in_every_mode(
      "writes at address 0x300000000007, page 0 of region 0.0: what has been fixed or published is read-only "
      "for good",
      [](Setting at) { spmcR_write(at.mine + 7, "x", 1); });
}

TEST_CASE("a producer calls spmcR_write below the watermark", "[violation]") {
  offence_in_every_mode(
      "writes at address 0x300000001063, page 1 of region 0.0: what has been fixed or published is read-only "
      "for good",
      [](Setting at) {
        NEED(spmcR_write(at.mine + kPage + 100, "x", 1) == 0);  // right behind it: allowed
        spmcR_write(at.mine + kPage + 99, "xy", 2);
      });
}

TEST_CASE("a producer fixes a page twice", "[violation]") {
  offence_in_every_mode(
      "fixes a page again at address 0x300000000000, page 0 of region 0.0: a page is fixed at most once",
      [](Setting at) { spmcR_setfix(at.mine, 2 * kPage); });
}

TEST_CASE("a space touches SPMC memory where no region is", "[violation]") {
  offence_in_every_mode(
      "reads at address 0x300000009000: no region of SPMC memory is mapped there (never handed over, or "
      "cleared)",
      [](Setting at) { load(at.mine + 9 * kPage); });
}

TEST_CASE("a space touches a region after clearing it", "[violation]") {
  offence_in_every_mode(
      "writes at address 0x300000000000: no region of SPMC memory is mapped there (never handed over, or "
      "cleared)",
      [](Setting at) {
        store(at.mine + 2 * kPage, 1);
        NEED(spmcR_clear(at.mine, kRegion) == 0);
        store(at.mine, 1);
      });
}

TEST_CASE("the former producer writes", "[violation]") {
  for (const std::string& mode : all_modes()) {
    INFO(mode);
    const auto run = test_support::run_same([&] {
      Job job(mode.c_str());
      auto* region = static_cast<std::byte*>(spmcR_alloc(kRegion));
      job.start(1, [] { return 0; });
      store(region, 1);  // its own page is writable now
      NEED(spmcR_transown(2, region, region, kRegion) == 0);
      store(region, 2);
      return 0;
    });
    CHECK(run.exit_code == spmc::base::kViolationExit);
    CHECK(run.err ==
          "DLinux: space 0: writes at address 0x300000000000, page 0 of region 0.0: a region has a single "
          "producer, and "
          "this space is not it\n");
  }
}
