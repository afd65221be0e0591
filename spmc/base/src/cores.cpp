#include <base/cores.hpp>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>

#include <base/unique_fd.hpp>

namespace spmc::base {
namespace {

// The start of a small file of the kernel, empty if there is none; a view of `room`.
std::string_view read_small(const char* path, std::array<char, 256>& room) {
  const UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC));
  const ssize_t bytes = file.valid() ? ::read(file.get(), room.data(), room.size()) : 0;
  return {room.data(), bytes > 0 ? static_cast<size_t>(bytes) : 0};
}

// The hardware threads of this machine by number, each with its place in its core; all 0 where cores have one thread.
struct Places {
  std::array<uint8_t, CPU_SETSIZE> of{};
  unsigned most = 0;
};

Places read_places() {
  Places places;
  std::array<char, 256> text;
  const long threads = std::min<long>(::sysconf(_SC_NPROCESSORS_CONF), CPU_SETSIZE);
  if (!read_small("/sys/devices/system/cpu/smt/active", text).starts_with('1')) return places;
  for (unsigned core = 0; core < threads; ++core) {
    char path[96];
    std::snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", core);
    const unsigned place = std::min(place_in_core(read_small(path, text), core), 255u);
    places.of[core] = static_cast<uint8_t>(place);
    places.most = std::max(places.most, place);
  }
  return places;
}

bool usable(cpu_set_t& set) { return ::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0; }

}  // namespace

unsigned place_in_core(std::string_view siblings, unsigned core) {
  unsigned before = 0;
  const char* at = siblings.data();
  const char* const end = at + siblings.size();
  while (at < end) {
    unsigned first = 0;
    auto [rest, error] = std::from_chars(at, end, first);
    if (error != std::errc{}) break;
    unsigned last = first;
    if (rest < end && *rest == '-') {
      const auto range = std::from_chars(rest + 1, end, last);
      if (range.ec != std::errc{}) break;
      rest = range.ptr;
    }
    if (first < core && first <= last) before += std::min(last, core - 1) - first + 1;
    at = rest < end && *rest == ',' ? rest + 1 : end;
  }
  return before;
}

unsigned usable_cores() {
  cpu_set_t set;
  return usable(set) ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
}

int current_core() { return ::sched_getcpu(); }

int nth_usable_core(unsigned nth) {
  static const Places places = read_places();
  cpu_set_t set;
  if (!usable(set)) return -1;
  unsigned skip = nth % static_cast<unsigned>(CPU_COUNT(&set));
  for (unsigned place = 0; place <= places.most; ++place) {
    for (unsigned core = 0; core < CPU_SETSIZE; ++core) {
      if (places.of[core] == place && CPU_ISSET(core, &set) && skip-- == 0) return static_cast<int>(core);
    }
  }
  return -1;
}

Status pin_to_core(unsigned nth) {
  const int core = nth_usable_core(nth);
  if (core < 0) return Error{EINVAL, "pinning to a core"};
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  if (::sched_setaffinity(0, sizeof one, &one) != 0) return Error{errno, "sched_setaffinity"};
  return {};
}

void move_to_core(unsigned nth) {
  cpu_set_t set;
  if (!usable(set)) return;
  if (pin_to_core(nth)) ::sched_setaffinity(0, sizeof set, &set);
}

}  // namespace spmc::base
