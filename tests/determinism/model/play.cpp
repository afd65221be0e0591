// Plays a random program of the model of logical time (tests/match) with real messages: play NUMBER [collectives]. Each
// rank prints what it was told by each call, and when that was.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "playable.hpp"
#include "testing.hpp"

extern "C" int detmpi_work_usleep(unsigned microseconds);  // lets the clock advance, as instrumented programs do

using namespace model_test;
using mpi_test::g_rank;

namespace {

uint64_t g_start = 0;

// Not a call that the clock sees. The variable counts from when it was first read.
uint64_t read_clock() {
  static MPI_T_pvar_session session = nullptr;
  static MPI_T_pvar_handle handle;
  if (session == nullptr) {
    int provided, index, count;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    EXPECT(MPI_T_pvar_get_index("clock", MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS);
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_handle_alloc(session, index, nullptr, &handle, &count);
    MPI_T_pvar_start(session, handle);
  }
  unsigned long long clock = 0;
  MPI_T_pvar_read(session, handle, &clock);
  return clock;
}

class Player {
 public:
  explicit Player(const Program& program)
      : steps_(program.steps[static_cast<size_t>(g_rank)]),
        requests_(number_of_slots(steps_), MPI_REQUEST_NULL),
        values_(requests_.size()),
        collectives_(program.comms.size()) {
    for (size_t i = 0; i < program.comms.size(); ++i)
      comms_.push_back(make_comm(program.comms[i], static_cast<int>(i)));
  }

  void play() {
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].op == Op::kWork) {
        detmpi_work_usleep(static_cast<unsigned>(steps_[i].work));
        continue;
      }
      do {
        event_ = {static_cast<int>(i), true, 0, {}};
        call(steps_[i]);
        event_.clock = read_clock() - g_start;
        std::sort(event_.done.begin(), event_.done.end(), [](const auto& a, const auto& b) { return a.slot < b.slot; });
        text_ += trace_line(static_cast<size_t>(g_rank), steps_[i], event_);
      } while (!event_.flag && steps_[i].until_true);
    }
  }
  const std::string& text() const { return text_; }

 private:
  static MPI_Comm make_comm(const std::vector<int>& members, int tag) {
    MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, static_cast<int>(members.size()), members.data(), &group);
    if (std::count(members.begin(), members.end(), g_rank) != 0) {
      MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &comm);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&group);
    return comm;
  }

  static int rank_or_any(int peer) { return peer == match_test::kAny ? MPI_ANY_SOURCE : peer; }
  static int tag_or_any(int tag) { return tag == match_test::kAny ? MPI_ANY_TAG : tag; }
  MPI_Comm comm_of(const Step& step) const { return comms_[static_cast<size_t>(step.comm)]; }

  void call(const Step& step) {
    const MPI_Comm comm = comm_of(step);
    const auto slot = static_cast<size_t>(step.slot);
    switch (step.op) {
      case Op::kIsend:
      case Op::kIssend: return send(step, slot);
      case Op::kIrecv:
        sends_.erase(step.slot);
        MPI_Irecv(&values_[slot], 1, MPI_UINT64_T, rank_or_any(step.peer), tag_or_any(step.tag), comm,
                  &requests_[slot]);
        return;
      case Op::kRecv: {
        MPI_Status status;
        sends_.erase(step.slot);
        MPI_Recv(&values_[slot], 1, MPI_UINT64_T, rank_or_any(step.peer), tag_or_any(step.tag), comm, &status);
        return completed(step.slot, status);
      }
      case Op::kProbe:
      case Op::kIprobe: return probe(step);
      case Op::kBarrier:
      case Op::kBcast: return collective(step, collectives_[static_cast<size_t>(step.comm)]++);
      case Op::kCancel: {
        int unused;
        if (requests_[slot] != MPI_REQUEST_NULL) MPI_Cancel(&requests_[slot]);
        else MPI_Comm_test_inter(comm, &unused);
        return;
      }
      default: complete(step);
    }
  }

  void send(const Step& step, size_t slot) {
    values_[slot] = numbers_[{step.comm, step.peer}]++;
    sends_.insert(step.slot);
    const auto start = step.op == Op::kIsend ? MPI_Isend : MPI_Issend;
    start(&values_[slot], 1, MPI_UINT64_T, step.peer, step.tag, comm_of(step), &requests_[slot]);
  }

  // The members know its number; every second one is made of messages.
  void collective(const Step& step, uint64_t number) {
    const MPI_Comm comm = comm_of(step);
    int me = 0;
    MPI_Comm_rank(comm, &me);
    MPI_Request request = MPI_REQUEST_NULL;
    uint64_t value = me == step.peer ? number : ~number;
    if (step.op == Op::kBarrier) {
      if (number % 2 == 0) MPI_Barrier(comm);
      else MPI_Ibarrier(comm, &request);
    } else {
      if (number % 2 == 0) MPI_Bcast(&value, 1, MPI_UINT64_T, step.peer, comm);
      else MPI_Ibcast(&value, 1, MPI_UINT64_T, step.peer, comm, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(step.op == Op::kBarrier || value == number);
  }

  void probe(const Step& step) {
    MPI_Status status;
    int flag = 1;
    if (step.op == Op::kProbe) MPI_Probe(rank_or_any(step.peer), tag_or_any(step.tag), comm_of(step), &status);
    else MPI_Iprobe(rank_or_any(step.peer), tag_or_any(step.tag), comm_of(step), &flag, &status);
    event_.flag = flag != 0;
    if (event_.flag) event_.done.push_back({-1, status.MPI_SOURCE, status.MPI_TAG, 0, false});
  }

  void completed(int slot, const MPI_Status& status) {
    const bool cancelled = (status.count_hi_and_cancelled & 1) != 0;
    const bool sent = sends_.count(slot) != 0;
    Event::Completion done;
    done.slot = slot;
    done.cancelled = cancelled;
    if (!sent && !cancelled) {
      done = {slot, status.MPI_SOURCE, status.MPI_TAG, values_[static_cast<size_t>(slot)], false};
    }
    event_.done.push_back(done);
  }

  void complete(const Step& step) {
    const auto n = static_cast<int>(step.slots.size());
    std::vector<MPI_Request> requests;
    requests.reserve(step.slots.size() + 1);
    std::vector<MPI_Status> statuses(step.slots.size() + 1);  // never null
    std::vector<int> indices(step.slots.size() + 1);
    for (const int slot : step.slots) requests.push_back(requests_[static_cast<size_t>(slot)]);
    const auto before = requests;
    int flag = 1, found = 0;
    switch (step.op) {
      case Op::kWaitall: MPI_Waitall(n, requests.data(), statuses.data()); break;
      case Op::kTestall: MPI_Testall(n, requests.data(), &flag, statuses.data()); break;
      case Op::kWaitany: MPI_Waitany(n, requests.data(), &indices[0], &statuses[0]); break;
      case Op::kTestany: MPI_Testany(n, requests.data(), &indices[0], &flag, &statuses[0]); break;
      case Op::kWaitsome: MPI_Waitsome(n, requests.data(), &found, indices.data(), statuses.data()); break;
      default: MPI_Testsome(n, requests.data(), &found, indices.data(), statuses.data()); break;
    }
    if (step.op == Op::kTestsome) flag = found != 0;  // MPI_UNDEFINED: nothing to test
    event_.flag = flag != 0;
    for (size_t i = 0; i < requests.size(); ++i) {
      if (requests[i] != MPI_REQUEST_NULL || before[i] == MPI_REQUEST_NULL) continue;
      requests_[static_cast<size_t>(step.slots[i])] = MPI_REQUEST_NULL;
      const bool one = step.op == Op::kWaitany || step.op == Op::kTestany;
      const bool some = step.op == Op::kWaitsome || step.op == Op::kTestsome;
      size_t at = one ? 0 : i;
      if (some)
        at = static_cast<size_t>(std::find(indices.begin(), indices.end(), static_cast<int>(i)) - indices.begin());
      completed(step.slots[i], statuses[at]);
    }
  }

  const std::vector<Step>& steps_;
  std::vector<MPI_Comm> comms_;
  std::vector<MPI_Request> requests_;                // by slot
  std::vector<uint64_t> values_;                     // the same
  std::vector<uint64_t> collectives_;                // of each communicator, so far
  std::set<int> sends_;                              // slots whose latest request is a send
  std::map<std::pair<int, int>, uint64_t> numbers_;  // of the next message, by communicator and member
  Event event_;
  std::string text_;
};

// Whoever has probed for any source has no usual one. No probe fails: the reference counts failed polls.
void give_up_habits() {
  MPI_Request request;
  MPI_Isend(nullptr, 0, MPI_BYTE, g_rank, 0, MPI_COMM_WORLD, &request);
  MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(nullptr, 0, MPI_BYTE, g_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// All ranks begin at the same time.
void start_together() {
  constexpr uint64_t kLater = 100'000;  // than the sum below takes
  const double tick = MPI_Wtick(), now = MPI_Wtime();
  const uint64_t base = static_cast<uint64_t>(std::llround(now / tick)) - read_clock();  // the whole clock, read so far
  uint64_t start = base + read_clock() + kLater;
  MPI_Allreduce(MPI_IN_PLACE, &start, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  g_start = start - base;
  detmpi_work_usleep(static_cast<unsigned>(g_start - read_clock()));
}

}  // namespace

int main(int argc, char** argv) {
  mpi_test::Mpi mpi(argc, argv);
  EXPECT(argc == 2 || argc == 3);
  static const Program program = playable(std::strtoul(argv[1], nullptr, 10), argc == 3);
  EXPECT(program.ranks == mpi_test::g_size);
  static Player player(program);  // a receive may still get its message in MPI_Finalize
  if (!program.habits) give_up_habits();
  start_together();
  player.play();
  std::fputs(player.text().c_str(), stdout);
}
