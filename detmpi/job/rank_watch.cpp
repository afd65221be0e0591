// The monitor of the ranks, its children: waits for them, shows what they print, ends the job when one did not end
// well.
#include <space/space.h>
#include <base/check.hpp>
#include <base/children.hpp>
#include <base/signals.hpp>
#include <base/sys.hpp>
#include <space/hooks.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "call_ids.hpp"
#include "early_ends.hpp"
#include "ending.hpp"
#include "output_merge.hpp"
#include "run_job.hpp"
#include "source_line.hpp"
#include "watch.hpp"

namespace detmpi {
namespace {

class RankWatch final : public Watch {
 public:
  RankWatch(ProgramName program, OutputFiles output, DeadlockHandler on_deadlock)
      : Watch(on_deadlock),
        program_(std::move(program)),
        left_(g_job->ranks),
        captures_output_(output.captured()),
        output_(std::move(output)) {}

  // What other ranks have done by now differs from run to run, so nothing of it is shown.
  void refuse(int rank) {
    const RankRecord& record = rank_record(rank);
    tell_not_started(program_(rank), record.start_error.load(std::memory_order_relaxed));
    refused_ = true;
    finish_with(kCannotStart);
    end_job();
  }

 private:
  bool all_ended() const override { return left_ == 0; }

  void reap() override {
    while (const int sid = space::next_ended_child()) {
      spmc::base::ExitReport report;
      report.pid = rank_record(sid - 1).pid.load(std::memory_order_relaxed);
      space_exit_info end;
      CHECK(space_join(sid) == 0 && space_status(sid, &end) == 0, "rank %d: %s", sid - 1, space_last_error());
      report.signalled = end.signal != 0;
      report.status = report.signalled ? end.signal : end.exit_code;
      report.core_dumped = end.core_dumped != 0;
      left_ -= 1;
      judge(sid - 1, report);
    }
    space::reap_strangers();
  }

  void send_to_all(int signal) override {
    for (int rank = 0; rank < static_cast<int>(g_job->ranks); ++rank) space::signal_child(child_of_rank(rank), signal);
  }

  void tell(const char* what) override { spmc::base::complain("%s: the job ends", what); }

  bool captures_output() const override { return captures_output_; }

  bool show_output() override {
    if (refused_) return false;
    if (const uint64_t end = g_job->output_end.load(); end != 0) output_.cut_at(end);
    auto more = output_.write_certain();
    if (more) return more.value();
    // As if this process had been ended by the signal, which is how programs end whose output nobody reads.
    const bool nobody_reads = more.error().code == EPIPE;
    if (!ending_ && !nobody_reads) explain("%s; the job ends", more.error().message().c_str());
    finish_with(nobody_reads ? 128 + SIGPIPE : 1);
    end_job();
    return false;
  }

  // A rank that has failed stays until it is told to end, as it would have: that is what is judged.
  void look_for_end() override {
    if (all_ended()) return;
    if (is_launcher_distant_ && !spmc::base::is_running(launcher())) {
      finish_with(128 + SIGKILL);
      end_job();
    }
    if (ending_) {
      if (!std::exchange(all_may_end_, true)) let_all_end();
      return;
    }
    if (ended_by_) return end_slow_one();
    early_.look();
    if (!are_failures_ordered()) {
      if (const auto first = early_.first_failure()) judge_early(*first);
      return;
    }
    auto found = ends_.look();
    if (ends_.has_begun()) g_job->ending.store(1);  // who waits for a rank that has failed is not in a deadlock
    if (!found || early_.look()) return;            // those that are absent now may come first
    ended_by_ = std::move(found);
    let_end_ns_ = spmc::base::monotonic_ns();
    g_job->even_end.store(ended_by_->even ? 1 : 0);
    if (captures_output_) output_.cut_at(ended_by_->end, ended_by_->rank);
    if (early_.find(ended_by_->rank) != nullptr) judge_early(ended_by_->rank);
    else let_end(ended_by_->rank);
  }

  uint64_t end_pause() const override {
    const uint64_t pause = is_launcher_distant_ || early_.any() ? kLookNs : kNoPause;
    return ends_.has_begun() && left_ > 0 ? std::min(pause, ends_.pause_ns()) : pause;
  }

  static pid_t launcher() { return static_cast<pid_t>(g_job->launcher); }

  void let_end(int rank) {
    rank_record(rank).may_end.store(1, std::memory_order_release);
    wake_rank(rank);
  }

  void let_all_end() {
    for (int rank = 0; rank < static_cast<int>(g_job->ranks); ++rank) let_end(rank);
  }

  // What a program has registered to be done at its exit may take for ever. To write a core file may take long, too,
  // but ends.
  void end_slow_one() {
    const bool crashed = rank_record(ended_by_->rank).crash_signal.load(std::memory_order_acquire) != 0;
    const uint64_t grace = std::max(kGraceNs, g_job->grace_ns);  // a loaded machine may need what the user allows
    if (crashed || spmc::base::monotonic_ns() - let_end_ns_ < grace) return;
    explain("rank %d ends before %s, and what it does at its exit takes too long; the job ends", ended_by_->rank,
            missing_call(rank_record(ended_by_->rank)));
    finish_with(1);
    end_job();
  }

  void explain_uneven() {
    std::string ranks;
    for (const int rank : ended_by_->running) ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
    if (ranks.empty()) ranks = "others";
    else ranks.insert(0, ended_by_->running.size() == 1 ? "rank " : "ranks ");
    explain(
        "%s had not come as far in logical time after %g s (--grace): which failure is told, and what was printed "
        "before it, may differ from run to run",
        ranks.c_str(), static_cast<double>(g_job->grace_ns) * 1e-9);
  }

  // Whoever ends badly after MPI_Finalize does so in its own time: which of several counts is not a matter of that.
  void conclude() override {
    const auto early = early_.first_failure();
    if (early && !ending_) {  // nobody was in MPI
      g_job->even_end.store(1);
      judge_early(*early);
    }
    for (const auto& [rank, end] : late_) {
      if (!end.message.empty()) explain("%s", end.message.c_str());
      finish_with(end.code);
    }
  }

  // How did the rank end, and does the job go on?
  void judge(int rank, const spmc::base::ExitReport& report) {
    RankRecord& record = rank_record(rank);
    const auto state = static_cast<RankState>(record.state.exchange(static_cast<uint32_t>(RankState::kGone)));
    const bool early = !ending_ && state == RankState::kNew && has_ended_early(report, record);
    if (captures_output_) output_.note_end(rank, early);
    if (early) {
      early_.add(rank, report);
      if (captures_output_ && are_failures_ordered()) output_.cut_at(g_job->lookahead);
    }
    if (ending_ || early) return;
    const bool found = ended_by_ && ended_by_->rank == rank;
    if (!found && state != RankState::kFinalized) g_job->even_end.store(0);  // it ended without having stayed
    judge_end(rank, report, state, record);
    if (found && ending_ && !ended_by_->even) explain_uneven();
  }

  // SIGKILL comes from outside, at any time.
  static bool has_ended_early(const spmc::base::ExitReport& report, const RankRecord& record) {
    const bool was_killed = report.signalled && report.status == SIGKILL;
    return !was_killed && record.start_error.load(std::memory_order_relaxed) == 0;
  }

  static bool are_failures_ordered() { return g_job->first_come == 0 && g_job->grace_ns != 0; }

  void judge_early(int rank) {
    const auto& report = *early_.find(rank);
    if (EarlyEnds::ended_well(report)) {
      explain("rank %d ended without calling MPI_Init; the job ends", rank);
      finish_with(1);
      end_job();
    } else {
      judge_end(rank, report, RankState::kNew, rank_record(rank));
    }
    if (ended_by_ && !ended_by_->even) explain_uneven();
  }

  void judge_end(int rank, const spmc::base::ExitReport& report, RankState state, const RankRecord& record) {
    const uint64_t aborted = g_job->aborted.load();  // by whichever rank: others may have called it too
    if (aborted != 0) {
      finish_with(static_cast<int>(aborted & 0xff));
      if (code_ == 0) code_ = 1;
      end_job();
    } else if (state == RankState::kFinalized) {  // nobody needs it any more
      if (report.signalled) late_[rank] = {128 + report.status, signal_text(rank, report, record, state)};
      else if (report.status != 0) late_[rank] = {report.status, ""};
    } else if (report.signalled) {
      explain("%s", signal_text(rank, report, record, state).c_str());
      finish_with(128 + report.status);
      end_job();
    } else if (report.status != 0) {
      if (state == RankState::kNew) {  // not started, no MPI program, or it has told by itself what is wrong
        const int error = record.start_error.load(std::memory_order_relaxed);
        if (error != 0) tell_not_started(program_(rank), error);
        finish_with(report.status);
        end_job();
      } else {
        explain("rank %d ended with exit code %d before %s; the job ends", rank, report.status, missing_call(record));
        finish_with(report.status);
        end_job();
      }
    } else if (state == RankState::kRunning) {
      explain("rank %d ended with exit code 0 but %s %s; the job ends", rank,
              is_session_open(record) ? "with a session open, without" : "without calling", missing_call(record));
      finish_with(1);
      end_job();
    }
  }

  static bool is_session_open(const RankRecord& record) {
    return record.session_open.load(std::memory_order_relaxed) != 0;
  }
  static const char* missing_call(const RankRecord& record) {
    return is_session_open(record) ? "MPI_Session_finalize" : "MPI_Finalize";
  }

  static std::string signal_text(int rank, const spmc::base::ExitReport& report, const RankRecord& record,
                                 RankState state) {
    std::string where;
    if (record.crash_signal.load(std::memory_order_acquire) == static_cast<uint32_t>(report.status)) {
      char address[40] = "";
      if (record.crash_address != spmc::base::Crash::kNoAddress) {
        std::snprintf(address, sizeof address, ", touching address 0x%lx",
                      static_cast<unsigned long>(record.crash_address));
      }
      where = address + std::string(", at ") + place_text(record.crash_place, record.crash_offset);
    }
    const auto call = record.call.load(std::memory_order_relaxed);
    // Core files have its number; a message that has none is the same in every run.
    const std::string core = report.core_dumped ? " (process " + std::to_string(report.pid) + ", core dumped)" : "";
    const std::string in = call != 0 ? std::string(", in ") + call_name(static_cast<CallId>(call)) : "";
    return "rank " + std::to_string(rank) + " died of signal " + std::to_string(report.status) + " (" +
           spmc::base::signal_name(report.status) + ": " + strsignal(report.status) + ")" + in + where + core +
           (state == RankState::kFinalized ? ", after MPI_Finalize" : "; the job ends");
  }

  struct LateEnd {
    int code;
    std::string message;  // empty: none
  };

  ProgramName program_;
  // A script stands between detmpirun and this process, which else would be killed with its parent. Asked at the start:
  // a script that ends leaves its children to detmpirun.
  bool is_launcher_distant_ = launcher() != spmc::base::process_id() && launcher() != spmc::base::parent_process_id();
  uint32_t left_;
  bool captures_output_;
  OutputMerge output_;
  bool refused_ = false;  // a rank could not become its program
  EarlyEnds early_;
  EndFinder ends_;
  std::optional<Ending> ended_by_;
  uint64_t let_end_ns_ = 0;  // when that rank was told to end
  bool all_may_end_ = false;
  std::map<int, LateEnd> late_;  // by rank
};

}  // namespace

int monitor_ranks(ProgramName program, OutputFiles output, DeadlockHandler on_deadlock) {
  spmc::base::set_context_hook(nullptr);  // its messages are the job's, not a space's
  spmc::base::ignore_broken_pipes();      // only now: the ranks have been started, and do not inherit it
  RankWatch watch(std::move(program), std::move(output), std::move(on_deadlock));
  if (const auto rank = first_not_started()) watch.refuse(*rank);
  return watch.run();
}

std::optional<int> first_not_started() {
  for (int rank = 0; rank < static_cast<int>(g_job->ranks); ++rank) {
    if (rank_record(rank).start_error.load(std::memory_order_relaxed) != 0) return rank;
  }
  return {};
}

void tell_not_started(const char* program, int error) {
  const spmc::base::Error why{error, "starting the program"};
  std::fprintf(stderr, "detmpirun: %s: %s\n", program, why.message().c_str());
}

}  // namespace detmpi
