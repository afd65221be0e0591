// The program of a benchmark over channels is its own launcher:
//
//   cg.channels -n RANKS --mode=MODE -- ARGUMENTS
//
// Every rank is a space that runs the program's main function, which is compiled under another name. Rank 0 is the root
// space: it makes the channels, and hands their ends to the others before it starts them.
#include <chan/chan.h>
#include <getopt.h>
#include <mpi.h>
#include <space/space.h>
#include <spmc/spmc.h>
#include <base/wait.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "comm.hpp"

#undef main
int rank_main(int argc, char** argv);

namespace {

using channels::fail;
using channels::g_messages;

constexpr int kMostRanks = 64;
constexpr int kUsageExit = 2;
constexpr size_t kWindowPages = 129;                   // of a channel: 512 KiB, and the extension page
constexpr uint64_t kWindowBytes = uint64_t{32} << 20;  // how far a sender may be ahead

constexpr char kHelp[] =
    "Usage: %s -n RANKS [--mode=MODE] -- [ARGUMENT...]\n"
    "Runs the benchmark with that many ranks, which send their messages over channels of SPMC memory.\n\n"
    "  -n RANKS     from 1 to 64\n"
    "  --mode=MODE  b.nwr, b.wr, b.wr2, nb.nwr, nb.wr, nb.wr2 (default nb.wr2)\n"
    "  --help       print this text\n"
    "  ARGUMENT...  of the benchmark; --help among them tells which there are\n";

struct Options {
  int ranks = 0;
  int mode = SPMC_WR2 | SPMC_NONBLOCKING;
};

[[noreturn]] void usage_error(const char* program, const char* what, const char* text) {
  std::fprintf(stderr, "%s: %s '%s'; try --help\n", program, what, text);
  std::exit(kUsageExit);
}

int parse_ranks(const char* program, const char* text) {
  int ranks = 0;
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, ranks);
  if (error != std::errc() || rest != end || ranks < 1 || ranks > kMostRanks) {
    usage_error(program, "the number of ranks must be from 1 to 64, not", text);
  }
  return ranks;
}

Options parse(int argc, char** argv) {
  enum { kMode = 256, kHelpOption };
  const option names[] = {{"mode", required_argument, nullptr, kMode},
                          {"help", no_argument, nullptr, kHelpOption},
                          {nullptr, 0, nullptr, 0}};
  Options options;
  for (int letter; (letter = getopt_long(argc, argv, "+n:", names, nullptr)) != -1;) {
    switch (letter) {
      case 'n': options.ranks = parse_ranks(argv[0], optarg); break;
      case kMode:
        options.mode = spmc_parse_mode(optarg);
        if (options.mode < 0) usage_error(argv[0], "there is no mode", optarg);
        break;
      case kHelpOption: std::printf(kHelp, argv[0]); std::exit(0);
      default: std::exit(kUsageExit);
    }
  }
  if (options.ranks == 0) usage_error(argv[0], "the number of ranks is missing:", "-n RANKS");
  return options;
}

struct Job {
  Options options;
  int argc;  // of the benchmark
  char** argv;
  std::vector<chan_id> channels;
};

// In the paper a space that has to wait in a blocking mode is suspended at once.
void enter_mode(int mode) {
  if (spmc_set_mode(mode) != 0) fail("%s", spmc_last_error());
  if ((mode & SPMC_NONBLOCKING) == 0) spmc::base::set_wait_policy({.spins = 0, .yields = 0});
}

int run_rank(const Job& job, int rank) {
  enter_mode(job.options.mode);
  g_messages.start(rank, job.options.ranks, job.channels);
  optind = 1;  // the benchmark parses its own options
  return rank_main(job.argc, job.argv);
}

void prepare_memory(const Options& options) {
  const auto ranks = static_cast<uint32_t>(options.ranks);
  const uint32_t channels = ranks * (ranks - 1);
  spmc_config config = {};
  config.spaces = ranks;
  config.regions = std::max(channels, 1u);
  config.pages = (channels + 1) * static_cast<uint32_t>(kWindowPages);
  config.window_bytes = kWindowBytes;
  config.mode = options.mode;
  if (spmc_init_with(&config) != 0) fail("%s", spmc_last_error());
  if (space_init(options.ranks) != 0) fail("%s", space_last_error());
}

// `children[rank]`; rank 0 is the caller.
chan_id make_channel(int from, int to, const std::vector<int>& children) {
  const chan_id channel = chan_alloc();
  bool well = channel >= 0 && chan_set_policy(channel, CHAN_LAZY) == 0;
  if (well && to != 0) well = chan_setcons(channel, children[static_cast<size_t>(to)]) == 0;
  if (well && from != 0) well = chan_setprod(channel, children[static_cast<size_t>(from)], to == 0) == 0;
  if (!well) fail("%s", chan_last_error());
  return channel;
}

struct Task {
  const Job* job;
  int rank;
};

int run_task(void* argument) {
  const auto& task = *static_cast<Task*>(argument);
  return run_rank(*task.job, task.rank);
}

int exit_code_of(int child) {
  space_exit_info info = {};
  if (space_join(child) != 0 || space_status(child, &info) != 0) fail("%s", space_last_error());
  return info.exit_code >= 0 ? info.exit_code : 128 + info.signal;
}

int run(Job& job) {
  const int ranks = job.options.ranks;
  std::vector<int> children = {0};
  for (int rank = 1; rank < ranks; ++rank) children.push_back(space_alloc(rank));
  if (std::ranges::find(children, -1) != children.end()) fail("%s", space_last_error());
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) job.channels.push_back(from == to ? -1 : make_channel(from, to, children));
  }
  for (int rank = 1; rank < ranks; ++rank) {
    Task task{&job, rank};
    if (space_start(children[static_cast<size_t>(rank)], run_task, &task) != 0) fail("%s", space_last_error());
  }
  int code = run_rank(job, 0);
  for (int rank = 1; rank < ranks; ++rank) code = std::max(code, exit_code_of(children[static_cast<size_t>(rank)]));
  return code;
}

// Sums over all ranks, in the order in which they are written.
struct Counter {
  const char* name;  // at the same place in every rank
  uint64_t value;
};

std::vector<Counter> own_counters() {
  spmc_counters memory = {};
  spmc_get_counters(&memory);
  const channels::Counts& counts = g_messages.counts();
  return {{"messages", counts.messages},
          {"bytes", counts.bytes},
          {"sends", counts.sends},
          {"data_pages", memory.data_pages},
          {"system_pages", memory.system_pages},
          {"faults", memory.faults},
          {"waits", memory.waits},
          {"sleeps", memory.sleeps},
          {"suspended_ns", memory.suspended_ns}};
}

// As runner/counters.c does for MPI libraries.
void write_counters(const std::vector<Counter>& sums) {
  const char* const path = std::getenv("NPB_COUNTERS");
  std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "a");
  if (file == nullptr) return;
  const char* before = "{";
  for (const Counter& counter : sums) {
    std::fprintf(file, "%s\"%s\": %llu", before, counter.name, static_cast<unsigned long long>(counter.value));
    before = ", ";
  }
  std::fprintf(file, "}\n");
  std::fclose(file);
}

}  // namespace

int MPI_Init(int*, char***) { return MPI_SUCCESS; }

int MPI_Finalize() {
  const channels::Comm& world = channels::comm_of(MPI_COMM_WORLD);
  std::vector<Counter> sums = own_counters();
  const size_t bytes = sums.size() * sizeof(Counter);
  if (world.rank > 0) {
    send_part(world, 0, sums.data(), bytes);
    return MPI_SUCCESS;
  }
  std::vector<Counter> theirs(sums.size());
  for (int rank = 1; rank < world.size(); ++rank) {
    receive_part(world, rank, theirs.data(), bytes);
    for (size_t i = 0; i < sums.size(); ++i) sums[i].value += theirs[i].value;
  }
  write_counters(sums);
  return MPI_SUCCESS;
}

double MPI_Wtime() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) {
  Job job{parse(argc, argv), 0, nullptr, {}};
  prepare_memory(job.options);
  // Its arguments follow the name of the program, in place of what was before them.
  argv[optind - 1] = argv[0];
  job.argc = argc - (optind - 1);
  job.argv = argv + (optind - 1);
  return run(job);
}
