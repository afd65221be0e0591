#include "verify.hpp"

#include <base/files.hpp>
#include <base/signals.hpp>
#include <base/sys.hpp>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../engine/events.hpp"
#include "../object/fold_digest.hpp"
#include "call_ids.hpp"
#include "difference_text.hpp"
#include "launch_monitor.hpp"
#include "verify_run.hpp"

namespace detmpi {
namespace {

constexpr int kStandardInput = 0;
constexpr int kStandardOutput = 1;
constexpr uint64_t kPatienceNs = 1'000'000'000;
constexpr uint64_t kTurnNs = 100'000'000;

__attribute__((format(printf, 1, 2))) void say(const char* format, ...) {
  std::fputs("detmpirun: ", stderr);
  va_list args;
  va_start(args, format);
  std::vfprintf(stderr, format, args);
  va_end(args);
  std::fputc('\n', stderr);
}

// What a program has printed may hold any bytes.
void write_error(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

[[noreturn]] void cannot(const char* what, const spmc::base::Error& error) {
  say("--verify: %s: %s", what, error.message().c_str());
  std::exit(1);
}

// What the program reads, for every run anew.
spmc::base::UniqueFd gather_input() {
  auto input = spmc::base::create_append_file("standard-input");
  if (!input) cannot("keeping standard input", input.error());
  if (spmc::base::is_terminal(kStandardInput)) {
    say("standard input is a terminal: the program gets none with --verify");
    return std::move(input).value();
  }
  const auto waiting = [] { say("reading standard input to its end first; < /dev/null for none"); };
  if (auto read = spmc::base::append_all(kStandardInput, input.value().get(), kPatienceNs, waiting); !read) {
    cannot("reading standard input", read.error());
  }
  return std::move(input).value();
}

// If nobody reads it this process ends of SIGPIPE, as others do; no job runs, so that it may end of other signals, too.
void show_output(const std::string& output) {
  for (size_t at = 0; at < output.size();) {
    auto written = spmc::base::write_ready(kStandardOutput, output.data() + at, output.size() - at, kTurnNs);
    if (!written) cannot("showing the output", written.error());
    at += written.value();
  }
}

class Verification {
 public:
  // Signals are held from then on when all input is here: until then they may end this process.
  explicit Verification(const LaunchOptions& options)
      : options_(options), input_(gather_input()), mask_(hold_monitor_signals()) {}

  int run() {
    const VerifyRun reference = run_one(1);
    const int code = reference.outcome().code;
    spmc::base::restore_signal_mask(mask_);
    show_output(reference.outcome().output);
    write_error(reference.outcome().errors);
    (void)hold_monitor_signals();
    if (reference.stopped_by() != 0) return 128 + reference.stopped_by();
    if (reference.outcome().log.head().not_started != 0 || timed_out(reference)) return code;
    const std::string seed =
        "the reference (disturbances of --verify-seed=" + std::to_string(options_.verify_seed) + ")";
    tell(reference, seed.c_str());
    for (int number = 2; number <= options_.verify_runs; ++number) {
      const VerifyRun other = run_one(number);
      if (other.stopped_by() != 0) return 128 + other.stopped_by();
      if (timed_out(other)) return kTimeoutExit;
      const CompareRules rules{options_.job.first_come};
      if (auto difference = compare_runs(reference.outcome(), other.outcome(), rules)) {
        tell(other, "different");
        if (from_program(*difference) && depends_on_start(reference, other)) difference->cause = Cause::kStart;
        explain(reference, other, *difference);
        return kDifferExit;
      }
      tell(other, "same");
    }
    conclude(reference);
    return code;
  }

 private:
  RunPlan plan_of(int number) const {
    RunPlan plan;
    plan.number = number;
    plan.exec_start = options_.exec_start;
    if (!options_.start_given) plan.exec_start = number % 2 == 0;
    if (number > 1) plan.disturbance = disturbance_of(number - 1);
    plan.seed = fold_digest(options_.verify_seed, static_cast<uint64_t>(number));
    return plan;
  }

  VerifyRun run_one(int number) {
    auto run = VerifyRun::try_run(options_, plan_of(number), input_.get(), mask_);
    if (!run) cannot("running the program", run.error());
    return std::move(run).value();
  }

  static bool from_program(const Difference& difference) {
    return difference.cause == Cause::kOutside || difference.cause == Cause::kOutput;
  }

  // Two runs that were started in different ways differ. Started once more as the other one, is it the same as that?
  bool depends_on_start(const VerifyRun& reference, const VerifyRun& other) {
    RunPlan plan = other.plan();
    if (plan.exec_start == reference.plan().exec_start) return false;
    plan.disturbance = {};
    auto again = VerifyRun::try_run(options_, plan, input_.get(), mask_);
    return again && !compare_runs(other.outcome(), again.value().outcome(), {options_.job.first_come});
  }

  bool timed_out(const VerifyRun& run) const {
    if (run.outcome().log.head().timed_out == 0) return false;
    say("run %d (%s) was ended by --timeout, so there is nothing to compare", run.plan().number,
        to_string(run.plan().disturbance).c_str());
    return true;
  }

  void tell(const VerifyRun& run, const char* result) const {
    std::string how = to_string(run.plan().disturbance);
    if (run.plan().disturbance.stops) how += ": " + std::to_string(run.stops());
    say("run %d of %d: %s start, %s; %.2f s: %s", run.plan().number, options_.verify_runs,
        run.plan().exec_start ? "exec" : "fork", how.c_str(), run.seconds(), result);
  }

  void explain(const VerifyRun& reference, const VerifyRun& other, const Difference& difference) const {
    const std::string name = "run " + std::to_string(other.plan().number);
    say("%s differs from run 1", name.c_str());
    const int code = reference.outcome().code, others = other.outcome().code;
    if (code != others)
      std::fprintf(stderr, "  run 1 ended with exit code %d, %s with %d\n", code, name.c_str(), others);
    write_error(difference_text(difference, "run 1", name));
    if (from_program(difference) && asks_for_time(reference.outcome().log)) {
      std::fputs("  MPI_Wtime is called, which tells the real time: --wtime=logical makes it the same in every run.\n",
                 stderr);
    }
    const std::string& errors = other.outcome().errors;
    if (!errors.empty()) write_error("standard error of " + name + ":\n" + errors);
  }

  bool asks_for_time(const EventLog& log) const {
    if (!options_.job.real_time) return false;
    for (int rank = 0; rank < options_.job.ranks; ++rank) {
      const EventRecord* records = log.records(rank);
      for (uint64_t i = 0; i < log.kept(rank); ++i) {
        if (records[i].call == static_cast<uint16_t>(CallId::kWtime)) return true;
      }
    }
    return false;
  }

  void conclude(const VerifyRun& reference) const {
    const RunOutcome& outcome = reference.outcome();
    const std::string output = output_counts(outcome, outcome)
                                   ? "output " + with_commas(outcome.output.size()) + " bytes"
                                   : "output not compared, as where the job ended depends on timing";
    std::string events = "events up to the early end";
    if (outcome.log.head().early == 0) {
      char digest[32];
      std::snprintf(digest, sizeof digest, "%016lx", static_cast<unsigned long>(outcome.log.head().digest));
      events = with_commas(outcome.events()) + " events, digest " + digest;
    }
    say("verified: %d runs, %d ranks, %s, %s, exit code %d: all the same", options_.verify_runs, options_.job.ranks,
        events.c_str(), output.c_str(), outcome.code);
  }

  const LaunchOptions& options_;
  spmc::base::UniqueFd input_;
  sigset_t mask_;
};

}  // namespace

int verify(const LaunchOptions& options) { return Verification(options).run(); }

}  // namespace detmpi
