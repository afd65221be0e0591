// pipeline_program REPLICAS [--racing]: a pipeline whose items are uneven work, each printed with its digest. --racing:
// the items also tell how many were begun before them, which depends on timing.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include <dmr/engine.hpp>
#include <dmr/pipeline.hpp>

namespace {

constexpr uint32_t kItems = 1500;

uint64_t mix(uint64_t hash, uint64_t next) { return (hash ^ next) * 0x9e3779b97f4a7c15u >> 3; }

// None, one or two texts of up to some pages.
void expand(const uint32_t& number, dmr::Out<std::string>& out) {
  for (uint32_t i = 0; i < number % 3; ++i) out.emit(std::string(number * 37 % 9000, static_cast<char>('a' + i)));
}

uint64_t digest(const std::string& text) {
  uint64_t hash = text.size();
  for (size_t round = 0; round <= text.size() % 7; ++round) {
    for (const char c : text) hash = mix(hash, static_cast<uint8_t>(c) + round);
  }
  return hash;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  dmr::init();
  const int replicas = std::atoi(argv[1]);
  const bool racing = argc > 2 && std::strcmp(argv[2], "--racing") == 0;
  void* const shared = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  auto& begun = *new (shared) std::atomic<uint64_t>(0);
  const auto shorten = [&](const std::string& text, dmr::Out<uint64_t>& out) {
    const uint64_t before = begun.fetch_add(1);
    out.emit(mix(digest(text), racing ? before : 0));
  };
  const auto failure = dmr::source<uint32_t>("count",
                                             [](dmr::Out<uint32_t>& out) {
                                               for (uint32_t i = 0; i < kItems; ++i) out.emit(i);
                                             })
                           .stage<std::string>("expand", replicas, expand)
                           .stage<uint64_t>("shorten", replicas + 1, shorten)
                           .run([](uint64_t item) { std::printf("%llx\n", static_cast<unsigned long long>(item)); });
  if (!failure) return 0;
  std::fprintf(stderr, "%s\n", failure->message().c_str());
  return 1;
}
