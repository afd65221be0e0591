// Copies within a process and between two, for all ways in which the two ends can lie to each other within a page.
#include <catch2/catch.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include <base/copy.hpp>
#include <base/sys.hpp>

namespace {

namespace base = spmc::base;

constexpr size_t kPage = 4096;
constexpr size_t kLengths[] = {0, 1, 31, 2047, 2048, 2049, 3072, 4097, 32768, 32769, 100000};
constexpr size_t kRoom = 100000 + 3 * kPage;
constexpr size_t kOffsets[] = {0, 1, 8, 16, 31, 32, 2064, kPage - 16, kPage - 1};

// Memory that begins with a page; pages of a child are at the same addresses.
char* pages() {
  void* memory = mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  return static_cast<char*>(memory);
}

void fill(char* memory, unsigned seed) {
  for (size_t i = 0; i < kRoom; ++i) memory[i] = static_cast<char>((i * 2654435761u + seed) >> 13);
}

// Were `n` bytes of `from` copied to `to` + offset, and nothing else?
bool is_copied(const char* to, const std::vector<char>& before, size_t offset, const char* from, size_t n) {
  return std::memcmp(to, before.data(), offset) == 0 && std::memcmp(to + offset, from, n) == 0 &&
         std::memcmp(to + offset + n, before.data() + offset + n, kRoom - offset - n) == 0;
}

// A process with the memory that this one has now, which does nothing.
class Child {
 public:
  Child() {
    auto forked = base::fork_tied();
    REQUIRE(forked.ok());
    pid_ = forked.value();
    while (pid_ == 0) pause();
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

}  // namespace

TEST_CASE("a copy has the bytes, wherever the ends lie in their pages", "[copy]") {
  char* const from = pages();
  char* const to = pages();
  fill(from, 1);
  for (const size_t offset : kOffsets) {
    for (const size_t n : kLengths) {
      fill(to, 2);
      const std::vector<char> before(to, to + kRoom);
      base::copy_memory(to + offset, from, n);
      CHECK(is_copied(to, before, offset, from, n));
    }
  }
}

TEST_CASE("a short copy has the bytes, of every length", "[copy]") {
  constexpr size_t kMost = 2 * base::kShortCopy;
  char from[kMost];
  for (size_t i = 0; i < kMost; ++i) from[i] = static_cast<char>(i + 1);
  for (size_t n = 0; n <= kMost; ++n) {
    char to[kMost + 2] = {};
    base::copy_memory(to + 1, from, n);
    CHECK(to[0] == 0);
    CHECK(std::memcmp(to + 1, from, n) == 0);
    CHECK(to[n + 1] == 0);
  }
}

TEST_CASE("1 to 31 bytes behind the source within a page is what slows string instructions", "[copy]") {
  for (const uintptr_t from : {uintptr_t{0x10000}, uintptr_t{0x12345}, uintptr_t{0x20ff0}}) {
    for (uintptr_t ahead = 0; ahead < 2 * kPage; ++ahead) {
      const uintptr_t in_page = ahead % kPage;
      CHECK(base::slows_string_copy(from + ahead, from) == (in_page >= 1 && in_page <= 31));
      CHECK(base::slows_string_copy(from - ahead, from) == (in_page >= kPage - 31));
    }
  }
}

TEST_CASE("copies between two processes have the bytes, too", "[copy]") {
  char* const mine = pages();
  char* const theirs = pages();
  fill(theirs, 3);
  const Child child;
  const auto address = reinterpret_cast<uintptr_t>(theirs);
  for (const size_t offset : kOffsets) {
    for (const size_t n : kLengths) {
      fill(mine, 4);
      const std::vector<char> before(mine, mine + kRoom);
      REQUIRE(base::read_memory(child.pid(), address, mine + offset, n).ok());
      CHECK(is_copied(mine, before, offset, theirs, n));
    }
  }
  fill(mine, 5);
  std::vector<char> seen(kRoom);
  for (const size_t offset : kOffsets) {
    for (const size_t n : kLengths) {
      const std::vector<char> before(theirs, theirs + kRoom);
      REQUIRE(base::write_memory(child.pid(), address, before.data(), kRoom).ok());
      REQUIRE(base::write_memory(child.pid(), address + offset, mine, n).ok());
      REQUIRE(base::read_memory(child.pid(), address, seen.data(), kRoom).ok());
      CHECK(is_copied(seen.data(), before, offset, mine, n));
    }
  }
}

TEST_CASE("memory that is not there is an error, also by a detour", "[copy]") {
  char* const mine = pages();
  const Child child;
  const uintptr_t nothing = kPage;  // the system maps nothing there
  const auto read = [&](uintptr_t from) { return base::read_memory(child.pid(), from, mine + 16, kRoom / 2); };
  CHECK(read(reinterpret_cast<uintptr_t>(mine)).ok());
  CHECK(read(nothing).error().code == EFAULT);
  CHECK(base::write_memory(child.pid(), nothing + 16, mine, kRoom / 2).error().code == EFAULT);
}
