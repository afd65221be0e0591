// The heaps of spaces: address ranges, blocks, copies.
#include <cstring>
#include <memory_resource>
#include <random>
#include <vector>

#include <space/heap.hpp>
#include <space/heap_range.hpp>
#include "space_test.hpp"

using namespace space_test;
using space::HeapRange;
using space::RangeGiver;

TEST_CASE("shares lie inside the parent's range, are disjoint, and come from the top") {
  RangeGiver giver({space::kHeapsAddress, space::kHeapsBytes}, 300);
  std::vector<HeapRange> given;
  for (int i = 0; i < 300; ++i) given.push_back(giver.give_share(space::kHeapsAddress));
  uint64_t below = space::kHeapsAddress + space::kHeapsBytes;
  for (const HeapRange& range : given) {
    REQUIRE(range.bytes == uint64_t{32} << 30);
    REQUIRE(range.base % range.bytes == 0);
    REQUIRE(range.end() <= below);
    below = range.base;
  }
  CHECK(giver.lowest_given() == below);
}

TEST_CASE("a range given back is given again, the highest first") {
  RangeGiver giver({space::kHeapsAddress, 1u << 30}, 16);
  std::vector<HeapRange> given;
  for (int i = 0; i < 8; ++i) given.push_back(giver.give_share(space::kHeapsAddress));
  giver.take_back(given[5]);
  giver.take_back(given[2]);
  CHECK(giver.give_share(space::kHeapsAddress).base == given[2].base);
  CHECK(giver.give_share(space::kHeapsAddress).base == given[5].base);
}

TEST_CASE("when little is left shares shrink, and are empty in the end; the own quarter stays") {
  const HeapRange all{space::kHeapsAddress, 64u << 20};
  RangeGiver giver(all, 8);
  uint64_t previous = ~uint64_t{0}, sum = 0;
  for (int i = 0; i < 100; ++i) {
    const HeapRange range = giver.give_share(all.base);
    REQUIRE(range.bytes <= previous);
    previous = range.bytes;
    sum += range.bytes;
  }
  CHECK(previous == 0);
  CHECK(sum == all.bytes / 4 * 3);
}

TEST_CASE("nothing is given below what the own heap uses") {
  const HeapRange all{space::kHeapsAddress, 64u << 20};
  RangeGiver giver(all, 1);
  const uint64_t used = all.base + (60u << 20);
  CHECK(giver.give_share(used).bytes == 4u << 20);
  CHECK(giver.give_share(used).bytes == 0);
}

TEST_CASE("pages come from the bottom, and merge when they come back") {
  RangeGiver giver({space::kHeapsAddress, 16u << 20}, 1);
  space::PageResource pages(giver);
  void *a = pages.allocate(5000), *b = pages.allocate(4096), *c = pages.allocate(3 * 4096);
  CHECK(reinterpret_cast<uint64_t>(a) == space::kHeapsAddress);
  CHECK(b == static_cast<char*>(a) + 2 * 4096);
  pages.deallocate(a, 5000);
  pages.deallocate(b, 4096);
  CHECK(pages.allocate(3 * 4096) == a);
  pages.deallocate(a, 3 * 4096);
  pages.deallocate(c, 3 * 4096);
  CHECK(pages.allocate(12u << 20) == a);
  CHECK_THROWS_AS(pages.allocate(5u << 20), std::bad_alloc);
}

TEST_CASE("a heap survives random use with its contents whole") {
  RangeGiver giver({space::kHeapsAddress, uint64_t{1} << 30}, 1);
  space::Heap heap({space::kHeapsAddress, uint64_t{1} << 30}, 1);
  std::mt19937 random(1);
  struct Block {
    unsigned char* at;
    size_t size;
    unsigned char fill;
  };
  std::vector<Block> blocks;
  const auto whole = [](const Block& b) {
    return std::all_of(b.at, b.at + b.size, [&](unsigned char c) { return c == b.fill; });
  };
  for (int i = 0; i < 20'000; ++i) {
    if (blocks.size() < 200 && random() % 2 == 0) {
      const size_t size = random() % 50 == 0 ? random() % 3'000'000 : random() % 2000;
      Block b{static_cast<unsigned char*>(heap.allocate(size)), size, static_cast<unsigned char>(random())};
      REQUIRE(b.at != nullptr);
      REQUIRE(reinterpret_cast<uint64_t>(b.at) % 16 == 0);
      REQUIRE(heap.contains(b.at));
      std::memset(b.at, b.fill, size);
      blocks.push_back(b);
    } else if (!blocks.empty()) {
      const size_t n = random() % blocks.size();
      REQUIRE(whole(blocks[n]));
      heap.free(blocks[n].at);
      blocks[n] = blocks.back();
      blocks.pop_back();
    }
  }
  for (const Block& b : blocks) REQUIRE(whole(b));
  CHECK(heap.mapped_end() - space::kHeapsAddress < 512u << 20);
}

TEST_CASE("the C functions behave as those of the C library") {
  const auto run = run_as_root([] {
    char* a = static_cast<char*>(space_malloc(100));
    std::strcpy(a, "kept");
    a = static_cast<char*>(space_realloc(a, 100'000));
    if (std::strcmp(a, "kept") != 0) return 1;
    if (space_realloc(a, 90'000) != a) return 2;
    space_free(a);
    space_free(nullptr);
    const auto* zeros = static_cast<unsigned char*>(space_calloc(1000, 100));
    for (int i = 0; i < 100'000; ++i)
      if (zeros[i] != 0) return 3;
    if (space_calloc(size_t{1} << 40, size_t{1} << 40) != nullptr || errno != ENOMEM) return 4;
    if (space_malloc(size_t{1} << 60) != nullptr || errno != ENOMEM) return 5;
    return space_realloc(nullptr, 8) != nullptr && space_malloc(0) != nullptr ? 0 : 6;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("a wrong or freed block ends the space with a message") {
  setenv("DLINUX_NO_REEXEC", "1", 1);
  const auto run = test_support::run_same([] {
    space_init(4);
    const int foreign = start(0, [] {
      int local = 0;
      space_free(&local);
      return 0;
    });
    const int twice = start(1, [] {
      void* block = space_malloc(10);
      space_free(block);
      space_free(block);
      return 0;
    });
    const int first_byte = start(2, [] {
      auto* const block = static_cast<char*>(space_malloc(10));
      space_free(block - reinterpret_cast<uintptr_t>(block) % space::kLeastShare);
      return 0;
    });
    return join(foreign).exit_code == 119 && join(twice).exit_code == 119 && join(first_byte).exit_code == 119 ? 0 : 1;
  });
  CHECK(run.exit_code == 0);
  CHECK(run.err.find("is not in the heap of this space") != std::string::npos);
  CHECK(run.err.find("was freed before") != std::string::npos);
}

TEST_CASE("a child frees its copy of the parent's blocks, which changes nothing for the parent") {
  const auto run = run_as_root([] {
    auto* text = static_cast<char*>(space_malloc(64));
    std::strcpy(text, "the parent's");
    const int sid = start(0, [text] {
      auto* mine = static_cast<char*>(space_realloc(text, 200'000));
      std::strcat(mine, " copy");
      std::printf("%s\n", mine);
      space_free(mine);
      return 0;
    });
    if (join(sid).exit_code != 0) return 1;
    std::printf("%s\n", text);
    return 0;
  });
  CHECK(run.out == "the parent's copy\nthe parent's\n");
}

TEST_CASE("heaps of all living spaces are disjoint, also deep down, and blocks repeat") {
  const auto run = run_as_root(
      [] {
        const auto tell = [] { std::printf("%s %p\n", space_path(), space_malloc(1000)); };
        tell();
        for (int i = 0; i < 3; ++i)
          join(start(i, [&] {
            tell();
            join(start(0, [&] {
              tell();
              join(start(0, [&] {
                tell();
                return 0;
              }));
              return 0;
            }));
            return 0;
          }));
        std::vector<HeapRange> ranges;
        int sids[10];
        for (int i = 0; i < 10; ++i)
          sids[i] = start(i, [] {
            for (int k = 0; k < 5; ++k) space_alloc(k);
            return space_ret();
          });
        for (const int sid : sids) space_wait(sid);
        for (uint32_t i = 1; i < 64; ++i) {
          const auto& life = space::lines(spmc::SpaceId{i}).life;
          if (space::load_life(spmc::SpaceId{i}).state == space::LifeState::kFree) continue;
          const HeapRange range{life.heap_base, life.heap_bytes};
          const uint32_t parent = space::load_life(spmc::SpaceId{i}).parent;
          for (uint32_t j = 1; j < i; ++j) {
            const auto& other = space::lines(spmc::SpaceId{j}).life;
            const bool related = j == parent || space::load_life(spmc::SpaceId{j}).parent == i;
            const bool apart = range.end() <= other.heap_base || other.heap_base + other.heap_bytes <= range.base;
            if (!apart && !related) return 1;
            if (related && apart) return 2;  // a piece of the parent's range
          }
          ranges.push_back(range);
        }
        for (const int sid : sids) space_join(sid);
        return ranges.size() == 60 ? 0 : 3;
      },
      64);
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("/3/1/1 0x") != std::string::npos);
}

TEST_CASE("a heap used up is an error, in C and as a memory resource") {
  const auto run = run_as_root([] {
    space_options options{sizeof options, 0, 0, 4u << 20};
    const int sid = space_alloc_with(0, &options);
    space_start(
        sid,
        [](void*) {
          size_t got = 0;
          while (space_malloc(100'000) != nullptr) got += 100'000;
          if (errno != ENOMEM || got < 3u << 20 || got > 4u << 20) return 1;
          try {
            std::pmr::vector<char> more(200'000, space::heap());
            return 2;
          } catch (const std::bad_alloc&) {
            return 0;
          }
        },
        nullptr);
    return join(sid).exit_code;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("containers live in the space's heap") {
  const auto run = run_as_root([] {
    std::pmr::vector<int> numbers(space::heap());
    for (int i = 0; i < 100'000; ++i) numbers.push_back(i);
    const auto at = reinterpret_cast<uint64_t>(numbers.data());
    return at >= space::kHeapsAddress && at < space::kHeapsAddress + space::kHeapsBytes ? 0 : 1;
  });
  CHECK(run.exit_code == 0);
}
