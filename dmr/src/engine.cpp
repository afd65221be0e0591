// The root of a job: starts mappers and reducers, watches them, merges what the reducers send.
#include <dmr/engine.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include <space/space.h>
#include <spmc/spmc.h>
#include <base/signals.hpp>
#include <base/sys.hpp>
#include <dmr/temporary.hpp>

#include "crew.hpp"
#include "merge.hpp"
#include "team.hpp"
#include "worker.hpp"

namespace dmr {

namespace base = spmc::base;

namespace {

constexpr int kSpaces = 2 * kMostWorkers + 64;  // the job's, and others of the program's
constexpr uint32_t kRegions = kMostWorkers * (kMostWorkers + 1) + 1024;
constexpr uint32_t kPages = 1 << 18;  // 1 GiB of addresses
bool g_ready = false;

[[noreturn]] void end_program(const char* why) {
  std::fprintf(stderr, "DMR: %s\n", why);
  std::exit(1);
}

double seconds_since(uint64_t ns) { return static_cast<double>(base::monotonic_ns() - ns) * 1e-9; }

// Of each mapper; invalid ones where none can be made, and nobody has named a folder: they may not be needed.
std::vector<base::UniqueFd> open_spill_files(const std::string& wanted, uint32_t count, std::string& why_none) {
  const std::string folder = temporary_folder(wanted);
  std::vector<base::UniqueFd> files(count);
  try {
    for (base::UniqueFd& file : files) file = temporary_file(folder);
  } catch (const JobError& error) {
    if (!wanted.empty()) throw;
    why_none = error.what();
  }
  return files;
}

// Notices a worker that is in one call of a function of the job's for too long. Counts the time between two looks if
// the worker was there all the while.
class Watch {
 public:
  bool is_too_slow(const WorkerLine& line, double most_seconds) {
    const uint64_t turns = line.turns_now(), now = base::monotonic_ns();
    if (turns >> 32 != turns_ >> 32) spent_ns_ = 0;
    else if (turns == turns_ && turns % 2 != 0) spent_ns_ += now - looked_ns_;
    turns_ = turns;
    looked_ns_ = now;
    return static_cast<double>(spent_ns_) * 1e-9 > most_seconds;
  }

 private:
  uint64_t turns_ = 0, looked_ns_ = 0, spent_ns_ = 0;
};

class Root {
 public:
  Root(const ByteJob& job, const Input& input, const Options& options, const Skips& skips)
      : options_(options),
        n_(workers_of(options)),
        reducers_(reducers_of(options)),
        plan_(make_plan(job, input, skips)) {}

  ~Root() {
    for (const chan_id channel : plan_.shuffle) (void)chan_free(channel);
    for (const chan_id channel : plan_.results) (void)chan_free(channel);
  }
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;

  Statistics run(const ByteSink& each) {
    const uint64_t began = base::monotonic_ns();
    start_all();
    await_mappers();
    const double mapped = seconds_since(began);
    const uint64_t results = merge_results(each);
    Statistics statistics = counts();
    statistics.pairs_out = results;
    statistics.map_seconds = mapped;
    statistics.reduce_seconds = seconds_since(began) - mapped;
    return statistics;
  }

 private:
  Plan make_plan(const ByteJob& job, const Input& input, const Skips& skips) {
    // Mappers and reducers get half each: what a mapper hands out, reducers have before it is gone.
    const uint64_t half = memory_of(options_) / 2;
    std::string why_none;
    auto files = open_spill_files(options_.temporary_folder, n_, why_none);
    Board board(n_, reducers_);
    return {job, input, skips, n_, reducers_, half, std::move(board), std::move(files), std::move(why_none), {}, {}};
  }

  // Mappers are the first n_ of the team, reducers the next. Most mappers may never be started.
  void start_all() {
    team_.alloc(n_ + reducers_);
    const size_t window = plan_.steps() <= 8 ? 256 << 10 : 64 << 10;
    for (uint32_t i = 0; i < n_ * reducers_; ++i) {
      add_channel(plan_.shuffle, window, team_.sid(i / reducers_), team_.sid(n_ + i % reducers_));
    }
    for (uint32_t j = 0; j < reducers_; ++j) add_channel(plan_.results, window, team_.sid(n_ + j), 0);
    crew_.start_first();
    for (uint32_t j = 0; j < reducers_; ++j) team_.start(n_ + j, [this, j] { return run_reducer(plan_, j); });
  }

  // As Crew::Start says: only the first one must be there.
  bool start_mapper(uint32_t i) {
    try {
      team_.start(i, [this, i] { return run_mapper(plan_, i); });
      return true;
    } catch (const JobError&) {
      if (i == 0) throw;
      return false;
    }
  }

  // `to` 0: the root.
  static void add_channel(std::vector<chan_id>& channels, size_t window, int from, int to) {
    const chan_id made = chan_alloc_window(window);
    if (made >= 0) channels.push_back(made);  // to be freed, also if what follows fails
    const bool well = made >= 0 && (to == 0 || chan_setcons(made, to) == 0) && chan_setprod(made, from, to == 0) == 0;
    if (!well) throw JobError(std::string("starting a job: ") + chan_last_error());
  }

  void await_mappers() {
    watch_.resize(n_ + reducers_);
    for (;;) {
      bool busy = false;
      for (uint32_t i = 0; i < plan_.board.mappers(); ++i) {
        const bool runs = look_at_mapper(i);
        if (!runs) plan_.board.close_crew();  // it has failed, or is done
        busy = busy || runs;
      }
      if (!busy) break;
      crew_.look(base::monotonic_ns());
      tell_progress(false);
      base::nap_ns(kLookNs);
    }
    if (mapper_failed_) throw_failed_map();
  }

  // Does it run? One that died is entered as failed with the piece it had.
  bool look_at_mapper(uint32_t i) {
    WorkerLine& line = plan_.board.mapper(i);
    team_.notice_end(i);
    if (team_.alive(i) && !end_if_too_slow(i, line)) return true;
    (void)team_.end(i);
    if (line.has_failed()) {
      mapper_failed_ = true;
      plan_.board.fail_at(line.piece);
    }
    return false;
  }

  bool end_if_too_slow(uint32_t member, WorkerLine& line) {
    const double most = options_.seconds_per_piece;
    if (most <= 0 || !team_.alive(member) || !watch_[member].is_too_slow(line, most)) return false;
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%g s", most);
    line.set_message(std::string("took longer than ") + seconds);
    team_.kill(member);
    return true;
  }

  static std::string why(const WorkerLine& line, const space_exit_info& end) {
    if (line.message[0] != '\0') return line.message;
    if (end.signal != 0) return std::string("died of ") + base::signal_name(end.signal);
    return "ended with exit code " + std::to_string(end.exit_code);
  }

  // A worker has died of SIGBUS: if that comes of a file, it is no failure of a record's.
  void check_files() const {
    const std::string* const cut_off = plan_.input.cut_off_file();
    if (cut_off != nullptr) throw JobError(*cut_off + ": has become shorter while it was read");
  }

  [[noreturn]] void throw_failed_map() {
    const uint64_t first = plan_.board.header().first_failure;
    for (uint32_t i = 0; i < n_; ++i) {
      WorkerLine& line = plan_.board.mapper(i);
      if (line.piece != first || !line.has_failed()) continue;
      if (first == WorkerLine::kNothing) throw JobError("a worker, outside of any piece: " + why(line, team_.end(i)));
      const space_exit_info end = team_.end(i);
      if (end.signal == SIGBUS) check_files();
      // Named after the one whose turn the piece was: who has mapped it depends on timing.
      const std::string worker = "worker " + std::to_string(first % n_) + ": " + why(line, end);
      if (!line.in_turn()) throw JobError(worker);  // no fault of the piece's
      // Its bytes are not asked for: they may be what has brought the worker down.
      Piece piece;
      piece.file = line.file;
      throw FailedPart(worker + ", in the map of " + plan_.input.describe(piece, line.begin, line.end),
                       Skips::Range{first, line.begin, line.end});
    }
    throw JobError("a worker failed");
  }

  void tell_progress(bool reducing) {
    constexpr double kEvery = 0.1;
    if (!options_.progress || seconds_since(told_) < kEvery) return;
    told_ = base::monotonic_ns();
    Progress progress{0, plan_.input.pieces(), reducing};
    for (uint32_t i = 0; i < n_; ++i) progress.pieces_done += plan_.board.mapper(i).steps;
    options_.progress(progress);
  }

  uint64_t merge_results(const ByteSink& each) {
    Merger merger(plan_.job.less());
    for (uint32_t j = 0; j < reducers_; ++j) {
      merger.add(RunReader([this, j](std::string& to) { return receive_results(j, to); }));
    }
    merger.start();
    uint64_t results = 0;
    for (; !merger.done(); merger.pop()) {
      if (failed_) continue;  // the others go on, so that the failure that is told of is the same in every run
      each(merger.top().key, merger.top().value);
      ++results;
    }
    check_reducers();
    return results;
  }

  bool receive_results(uint32_t j, std::string& to) {
    const chan_id channel = plan_.results[j];
    await_results(channel);
    const ssize_t size = chan_next_size(channel);
    if (size == 0) return false;
    const size_t kept = to.size();
    if (size > 0) to.resize(kept + static_cast<size_t>(size));
    if (size < 0 || chan_recv(channel, to.data() + kept, static_cast<size_t>(size)) < 0) {
      to.resize(kept);
      failed_ = true;
      return false;
    }
    return true;
  }

  // Waits for a message without losing sight of the time limit, and of reducers that have died.
  void await_results(chan_id channel) {
    for (uint32_t looks = 0; chan_test(channel) == 0; ++looks) {
      if (looks < kBusyLooks) {
        base::yield_core();
        continue;
      }
      base::sleep_ns(kLookNs / kNapsOfLook);
      tell_progress(true);
      for (uint32_t k = 0; k < reducers_; ++k) {
        if (looks % kNapsOfLook == 0) team_.notice_end(n_ + k);
        end_if_too_slow(n_ + k, plan_.board.reducer(k));
      }
    }
  }

  // Of several failures the one of the least key is told of, which is the same for any number of workers.
  void check_reducers() {
    std::optional<uint32_t> first;
    bool all_well = true;
    for (uint32_t j = 0; j < reducers_; ++j) {
      (void)team_.end(n_ + j);
      const WorkerLine& line = plan_.board.reducer(j);
      all_well = all_well && line.outcome == Outcome::kDone;
      if (line.has_failed() && (!first || fails_before(j, *first))) first = j;
    }
    if (first) throw_failed_reduction(*first);
    if (!all_well) throw JobError("a worker ended before its time");
  }

  // What is no failure of the job's functions comes first.
  bool fails_before(uint32_t i, uint32_t j) {
    const bool a_in_turn = plan_.board.reducer(i).in_turn(), b_in_turn = plan_.board.reducer(j).in_turn();
    if (!a_in_turn || !b_in_turn) return !a_in_turn && b_in_turn;
    return KeyOrder(plan_.job.less()).compare(plan_.board.key(i), plan_.board.key(j)) < 0;
  }

  [[noreturn]] void throw_failed_reduction(uint32_t j) {
    const WorkerLine& line = plan_.board.reducer(j);
    const std::string text = "worker " + std::to_string(j) + ": " + why(line, team_.end(n_ + j)) + ", in the reduction";
    if (!line.in_turn()) throw JobError(text);
    throw FailedPart(text + " of " + plan_.job.describe(line.begin_of_key()) +
                         (line.key_bytes > line.begin_of_key().size() ? "..." : ""),
                     line.key_hash);
  }

  Statistics counts() {
    Statistics s;
    s.workers = static_cast<int>(n_);
    s.pieces = plan_.input.pieces();
    s.bytes = plan_.input.bytes();
    for (uint32_t i = 0; i < n_; ++i) {
      s.pairs_mapped += plan_.board.mapper(i).pairs;
      s.bytes_spilled += plan_.board.mapper(i).bytes_spilled;
    }
    return s;
  }

  static constexpr uint64_t kLookNs = 1'000'000;
  static constexpr uint32_t kBusyLooks = 50, kNapsOfLook = 8;

  const Options& options_;
  uint32_t n_;  // mappers at most
  uint32_t reducers_;
  Plan plan_;
  std::vector<Watch> watch_;
  uint64_t told_ = 0;
  bool mapper_failed_ = false;
  bool failed_ = false;  // a reducer
  Team team_;            // ends before the plan
  Crew crew_{plan_.board, n_, [this](uint32_t i) { return start_mapper(i); },
             [this](uint32_t i) { return team_.processor_ns(i); }};
};

}  // namespace

void init() {
  if (g_ready) return;
  spmc_config config = {};
  config.spaces = kSpaces;
  config.regions = kRegions;
  config.pages = kPages;
  config.mode = -1;
  config.busy = kSpaces;  // workers, and stages of pipelines: usually more than there are cores
  if (spmc_init_with(&config) != 0) end_program(spmc_last_error());
  if (space_init(kSpaces) != 0) end_program(space_last_error());
  g_ready = true;
}

Statistics run_bytes(const ByteJob& job, const Input& input, const Options& options, const ByteSink& each) {
  if (!g_ready) throw JobError("dmr::init() must be called first in main");
  for (Skips skips;;) {
    try {
      return Root(job, input, options, skips).run(each);
    } catch (const FailedPart& failure) {
      const bool may_skip = failure.in_map || options.skip_keys;
      // Thrown as what means nothing to a job that this one is run within.
      if (!may_skip || !skips.add(failure, options.skip_at_most)) throw JobError(failure.what());
      if (options.skipped) options.skipped(failure.what());
    }
  }
}

}  // namespace dmr
