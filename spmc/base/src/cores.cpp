#include <base/cores.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>

#include <base/files.hpp>

namespace spmc::base {
namespace {

// The hardware threads of this machine by number, each with its place in its core; all 0 where cores have one thread.
struct Places {
  std::array<uint8_t, CPU_SETSIZE> of{};
  unsigned most = 0;
};

Places read_places() {
  Places places;
  char text[256];
  const long threads = std::min<long>(::sysconf(_SC_NPROCESSORS_CONF), CPU_SETSIZE);
  if (!read_start("/sys/devices/system/cpu/smt/active", text).starts_with('1')) return places;
  for (unsigned core = 0; core < threads; ++core) {
    char path[96];
    std::snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", core);
    const unsigned place = std::min(place_in_core(read_start(path, text), core), 255u);
    places.of[core] = static_cast<uint8_t>(place);
    places.most = std::max(places.most, place);
  }
  return places;
}

const Places& places() {
  static const Places known = read_places();
  return known;
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

std::vector<int> usable_core_numbers() {
  cpu_set_t set;
  std::vector<int> cores;
  if (!usable(set)) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

void learn_cores() { (void)places(); }

int nth_usable_core(unsigned nth) {
  const Places& known = places();
  cpu_set_t set;
  if (!usable(set)) return -1;
  unsigned skip = nth % static_cast<unsigned>(CPU_COUNT(&set));
  for (unsigned place = 0; place <= known.most; ++place) {
    for (unsigned core = 0; core < CPU_SETSIZE; ++core) {
      if (known.of[core] == place && CPU_ISSET(core, &set) && skip-- == 0) return static_cast<int>(core);
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
