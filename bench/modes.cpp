// The modes of SPMC memory compared, as in the evaluation of paper 004: ping-pong of messages between two
// spaces over two channels. Per mode and size: time per message, SPMC page faults per message, share of the
// time in suspension.
//
// As in the paper, a blocking mode is suspended at once when it has to wait. The last line of each size is
// what programs get by default: b.wr2 with the project's wait policy, which spins and yields before it sleeps
// (base/wait.hpp).
//
// Each measurement is a job of its own in a forked process. The modes take turns, so that a slow moment of
// the machine hits all of them; medians over the rounds are shown.
#include <getopt.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <chan/chan.h>
#include <space/space.h>
#include <spmc/spmc.h>
#include <base/sys.hpp>
#include <base/wait.hpp>

namespace {

struct Mode {
  const char* name;
  int mode;
  bool suspend_at_once;
};
constexpr Mode kModes[] = {{"b.nwr", SPMC_NWR, true},
                           {"b.wr", SPMC_WR, true},
                           {"b.wr2", SPMC_WR2, true},
                           {"nb.nwr", SPMC_NWR | SPMC_NONBLOCKING, false},
                           {"nb.wr", SPMC_WR | SPMC_NONBLOCKING, false},
                           {"nb.wr2", SPMC_WR2 | SPMC_NONBLOCKING, false},
                           {"default", SPMC_WR2, false}};

struct Size {
  size_t bytes;
  int messages;  // there and back, per measurement
};
constexpr Size kSizes[] = {{64, 4000}, {4096, 4000}, {65536, 800}, {1 << 20, 80}};

struct Measurement {
  double us = 0;         // per message, one way
  double faults = 0;     // per message, both spaces
  double suspended = 0;  // share of the time, mean of both spaces
};

struct Options {
  int rounds = 5;
  bool quick = false;
  std::string out;
};

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "modes: %s: %s %s %s\n", what, chan_last_error(), space_last_error(), spmc_last_error());
  _exit(1);
}
void require(bool condition, const char* what) {
  if (!condition) give_up(what);
}

void enter(const Mode& mode) {
  require(spmc_set_mode(mode.mode) == 0, "spmc_set_mode");
  if (mode.suspend_at_once) spmc::base::g_wait_policy = {.spins = 0, .yields = 0};
}

struct Ends {
  chan_id there, back, result;
};

int echo(const Ends& ends, const Mode& mode, size_t bytes, int messages) {
  enter(mode);
  std::vector<char> buffer(bytes);
  for (int i = 0; i < messages; ++i) {
    require(chan_recv(ends.there, buffer.data(), bytes) == static_cast<ssize_t>(bytes), "receiving");
    require(chan_send(ends.back, buffer.data(), bytes) == 0, "sending back");
  }
  struct spmc_counters counters;
  spmc_get_counters(&counters);
  return chan_send(ends.result, &counters, sizeof(counters));
}

Ends set_up(int child) {
  const Ends ends{chan_alloc(), chan_alloc(), chan_alloc()};
  require(chan_setcons(ends.there, child) == 0 && chan_setprod(ends.back, child, 1) == 0 &&
              chan_setprod(ends.result, child, 1) == 0,
          "setting up");
  return ends;
}

// The root space's part of one measurement.
Measurement measure(const Mode& mode, size_t bytes, int messages) {
  require(space_init(4) == 0, "space_init");
  enter(mode);
  struct Echo {
    Ends ends;
    Mode mode;
    size_t bytes;
    int messages;
  };
  const int child = space_alloc(1);
  Echo task{set_up(child), mode, bytes, messages};
  const auto run = [](void* arg) {
    const auto& echo_task = *static_cast<Echo*>(arg);
    return echo(echo_task.ends, echo_task.mode, echo_task.bytes, echo_task.messages);
  };
  require(space_start(child, run, &task) == 0, "space_start");

  std::vector<char> buffer(bytes, 'x');
  const int warm_up = std::max(1, messages / 10);
  uint64_t begin = 0;
  for (int i = 0; i < messages; ++i) {
    if (i == warm_up) begin = spmc::base::monotonic_ns();
    require(chan_send(task.ends.there, buffer.data(), bytes) == 0, "sending");
    require(chan_recv(task.ends.back, buffer.data(), bytes) == static_cast<ssize_t>(bytes), "receiving back");
  }
  const double ns = static_cast<double>(spmc::base::monotonic_ns() - begin);
  struct spmc_counters mine, other;
  spmc_get_counters(&mine);
  require(chan_recv(task.ends.result, &other, sizeof(other)) == sizeof(other), "receiving the counters");
  require(space_join(child) == 0, "space_join");
  const double timed = messages - warm_up;
  Measurement result;
  result.us = ns / 1000 / (2 * timed);
  result.faults = static_cast<double>(mine.faults + other.faults) / (2.0 * messages);
  result.suspended = static_cast<double>(mine.suspended_ns + other.suspended_ns) / (2 * ns * messages / timed);
  return result;
}

Measurement measure_in_a_job(const Mode& mode, size_t bytes, int messages) {
  int ends[2];
  require(pipe(ends) == 0, "pipe");
  auto child = spmc::base::fork_tied();
  require(child.ok(), "fork");
  if (child.value() == 0) {
    const Measurement result = measure(mode, bytes, messages);
    _exit(write(ends[1], &result, sizeof(result)) == sizeof(result) ? 0 : 1);
  }
  close(ends[1]);
  Measurement result;
  const bool complete = read(ends[0], &result, sizeof(result)) == sizeof(result);
  close(ends[0]);
  const auto report = spmc::base::wait_child(child.value(), spmc::base::WaitMode::kBlock);
  require(complete && report.ok(), "a measurement failed");
  return result;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Measurement medians(const std::vector<Measurement>& rounds) {
  const auto of = [&](double Measurement::*member) {
    std::vector<double> values;
    for (const Measurement& round : rounds) values.push_back(round.*member);
    return median(values);
  };
  return {of(&Measurement::us), of(&Measurement::faults), of(&Measurement::suspended)};
}

using Key = std::pair<size_t, size_t>;  // bytes, and index into kModes
using Table = std::map<Key, Measurement>;

Table measure_all(const Options& options) {
  std::map<Key, std::vector<Measurement>> rounds;
  for (int round = 0; round < options.rounds; ++round) {
    for (const Size& size : kSizes) {
      for (size_t mode = 0; mode < std::size(kModes); ++mode) {
        const int messages = options.quick ? std::max(20, size.messages / 10) : size.messages;
        rounds[{size.bytes, mode}].push_back(measure_in_a_job(kModes[mode], size.bytes, messages));
      }
    }
    std::fprintf(stderr, "round %d of %d\n", round + 1, options.rounds);
  }
  Table table;
  for (const auto& [key, all] : rounds) table[key] = medians(all);
  return table;
}

void print_markdown(const Table& table) {
  std::printf("| bytes | mode | us per message | relative to b.nwr | faults per message | in suspension |\n");
  std::printf("|---|---|---|---|---|---|\n");
  for (const Size& size : kSizes) {
    const double reference = table.at({size.bytes, 0}).us;
    for (size_t mode = 0; mode < std::size(kModes); ++mode) {
      const Measurement& m = table.at({size.bytes, mode});
      std::printf("| %zu | %s | %.2f | %.2f | %.2f | %.0f %% |\n", size.bytes, kModes[mode].name, m.us,
                  m.us / reference, m.faults, 100 * m.suspended);
    }
  }
}

void write_json(const Table& table, const Options& options) {
  std::FILE* file = std::fopen(options.out.c_str(), "w");
  if (file == nullptr) {
    std::fprintf(stderr, "modes: cannot write %s: %s\n", options.out.c_str(), std::strerror(errno));
    std::exit(1);
  }
  for (const auto& [key, m] : table) {
    std::fprintf(file,
                 "{\"bench\":\"modes\",\"bytes\":%zu,\"mode\":\"%s\",\"us\":%.3f,\"faults\":%.3f,"
                 "\"suspended\":%.4f,\"rounds\":%d}\n",
                 key.first, kModes[key.second].name, m.us, m.faults, m.suspended, options.rounds);
  }
  std::fclose(file);
}

constexpr char kHelp[] =
    "usage: modes [--rounds=N] [--quick] [--out=FILE]\n"
    "Compares the modes of SPMC memory by ping-pong between two spaces; prints a Markdown table.\n"
    "  --rounds=N  measurements per mode and size (default 5); medians are shown\n"
    "  --quick     a tenth of the messages\n"
    "  --out=FILE  also writes one JSON object per line and result\n";

Options parse(int argc, char** argv) {
  const option known[] = {{"rounds", required_argument, nullptr, 'r'},
                          {"quick", no_argument, nullptr, 'q'},
                          {"out", required_argument, nullptr, 'o'},
                          {"help", no_argument, nullptr, 'h'},
                          {}};
  Options options;
  for (int c; (c = getopt_long(argc, argv, "", known, nullptr)) != -1;) {
    switch (c) {
      case 'r': options.rounds = std::atoi(optarg); break;
      case 'q': options.quick = true; break;
      case 'o': options.out = optarg; break;
      case 'h': std::fputs(kHelp, stdout); std::exit(0);
      default: std::fputs(kHelp, stderr); std::exit(2);
    }
  }
  if (options.rounds < 1 || optind != argc) {
    std::fputs(kHelp, stderr);
    std::exit(2);
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  setenv("DLINUX_NO_REEXEC", "1", 1);  // a measurement must not start the whole program again
  const Table table = measure_all(options);
  print_markdown(table);
  if (!options.out.empty()) write_json(table, options);
}
