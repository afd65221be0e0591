// Ranks with queues of tasks of uneven cost; who has none asks others for one. Races: which requests have come
// when a rank looks (MPI_Iprobe), in which order, how often it looked before, so who does which task.
// Ends: rank 0 counts the tasks done and orders the stop when it has all. A rank that has stopped asks no more;
// once its last request is answered it tells rank 0, and answers others until rank 0 has heard that from all:
// then no message is on its way. Sends are not waited for before.
#include "racing.hpp"

using namespace racing;

namespace {

uint64_t tasks_per_rank() { return 40 * g_length; }  // on average
enum Tag { kRequest, kTask, kNothing, kDone, kStop, kIdle, kBye };

class Thief {
 public:
  explicit Thief(Account& account) : account_(account) {
    // All tasks begin with every other rank.
    const auto size = static_cast<uint64_t>(g_size);
    const uint64_t owners = (size + 1) / 2;
    for (uint64_t task = 0; task < tasks_per_rank() * size; ++task) {
      if (static_cast<uint64_t>(g_rank) == task % owners * 2) tasks_.push_back(task);
    }
  }

  void run() {
    while (!bye_) {
      while (poll()) continue;
      if (!tasks_.empty()) {
        do_task();
      } else {
        be_idle();
      }
    }
    outbox_.wait_all();
  }

  void describe(Report& report) const {
    report.line("did %d tasks, %d of them stolen; %d requests, %d failed polls", done_, stolen_, requests_, failed_);
  }

 private:
  void do_task() {
    const uint64_t task = tasks_.front();
    tasks_.pop_front();
    work(task, task % 5 == 0 ? 300000 : 20000);
    account_.add(task);
    ++done_, ++unreported_;
  }

  void be_idle() {
    if (unreported_ > 0) tell_rank_0(kDone, std::exchange(unreported_, 0));
    if (stopped_) {
      if (!waiting_ && !std::exchange(said_idle_, true)) tell_rank_0(kIdle, 0);
    } else if (!waiting_ && g_size > 1) {
      const auto others = static_cast<uint64_t>(g_size - 1);
      const uint64_t step = 1 + draw(static_cast<uint64_t>(g_rank), static_cast<uint64_t>(requests_)) % others;
      outbox_.send(0, (g_rank + static_cast<int>(step)) % g_size, kRequest);
      waiting_ = true;
      ++requests_;
    }
  }

  void tell_rank_0(Tag tag, uint64_t value) { g_rank == 0 ? handle(0, tag, value) : outbox_.send(value, 0, tag); }
  void tell_others(Tag tag) {
    for (int to = 1; to < g_size; ++to) outbox_.send(0, to, tag);
  }

  bool poll() {
    int found = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status);
    if (!found) return ++failed_, false;
    uint64_t value = 0;
    MPI_Recv(&value, 1, MPI_UINT64_T, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    account_.add(status, value, failed_);
    handle(status.MPI_SOURCE, status.MPI_TAG, value);
    return true;
  }

  void handle(int from, int tag, uint64_t value) {
    switch (tag) {
      case kRequest: return answer(from);
      case kTask: return ++stolen_, waiting_ = false, tasks_.push_back(value);
      case kNothing: return waiting_ = false, work(account_.hash(), 4000);
      case kDone:
        all_done_ += value;
        if (all_done_ == tasks_per_rank() * static_cast<uint64_t>(g_size)) tell_others(kStop), stopped_ = true;
        return;
      case kStop: stopped_ = true; return;
      case kIdle:
        if (++all_idle_ == g_size) tell_others(kBye), bye_ = true;
        return;
      default: bye_ = true;
    }
  }

  void answer(int to) {
    if (tasks_.empty()) return outbox_.send(0, to, kNothing);
    outbox_.send(tasks_.back(), to, kTask);
    tasks_.pop_back();
  }

  Account& account_;
  Outbox<> outbox_;
  std::deque<uint64_t> tasks_;
  bool waiting_ = false, stopped_ = false, said_idle_ = false, bye_ = false;
  int done_ = 0, stolen_ = 0, requests_ = 0, failed_ = 0, all_idle_ = 0;
  uint64_t unreported_ = 0, all_done_ = 0;  // the latter at rank 0 alone
};

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv);
  Account account;
  Report report;
  Thief thief(account);
  thief.run();
  thief.describe(report);
  print(report, account);
}
