// What the racing programs share. MPI allows them many outcomes, by the order in which messages arrive; DetMPI
// promises one. Each rank keeps an account of all that was decided by that order: sources, tags, values,
// indices, answers of tests. Two runs print the same bytes if and only if all that was decided alike.
#pragma once

#include <algorithm>
#include <deque>
#include <type_traits>
#include <utility>

#include "testing.hpp"

namespace racing {

using namespace mpi_test;

// How many times longer the program runs than in the tests: its argument, for benchmarks.
inline uint64_t g_length = 1;
class Job : public Mpi {
 public:
  Job(int argc, char** argv) : Mpi(argc, argv) {
    if (argc > 1) g_length = std::strtoul(argv[1], nullptr, 10);
    EXPECT(g_length > 0);
  }
};

// A running hash of outcomes in the order in which the rank learned of them.
class Account {
 public:
  template <typename... Outcomes>
  void add(const Outcomes&... outcomes) {
    (fold(outcomes), ...);
    ++count_;
  }
  uint64_t hash() const { return hash_; }
  unsigned long count() const { return count_; }

 private:
  void fold(const MPI_Status& status) {
    fold(status.MPI_SOURCE);
    fold(status.MPI_TAG);
  }
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void fold(Number number) {
    hash_ = (hash_ ^ static_cast<uint64_t>(number)) * 0x9e3779b97f4a7c15u;
    hash_ ^= hash_ >> 29;
  }
  uint64_t hash_ = 1;
  unsigned long count_ = 0;
};

// Messages on their way. MPI may let any send wait for its receive; a rank that must also receive, or whose
// receivers wait for others first, does not wait for its sends before the end.
template <typename Value = uint64_t>
class Outbox {
 public:
  void send(std::vector<Value> values, int to, int tag, MPI_Comm comm = MPI_COMM_WORLD) {
    constexpr bool kDouble = std::is_same_v<Value, double>;
    static_assert(kDouble || std::is_same_v<Value, uint64_t>);
    const auto& kept = values_.emplace_back(std::move(values));
    MPI_Isend(kept.data(), static_cast<int>(kept.size()), kDouble ? MPI_DOUBLE : MPI_UINT64_T, to, tag, comm,
              &requests_.emplace_back());
  }
  void send(Value value, int to, int tag, MPI_Comm comm = MPI_COMM_WORLD) {
    send(std::vector<Value>{value}, to, tag, comm);
  }
  // To be called once their receivers do not depend on this rank any more.
  void wait_all() {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
    values_.clear();
  }

 private:
  std::deque<std::vector<Value>> values_;
  std::vector<MPI_Request> requests_;
};

// How many messages are still to come, and from whom a receive may be posted. A receive that names its source
// gets nothing if the wildcard receives posted before it take all that this source sends. It is allowed only
// if a message is left for it whatever they take; then every receive gets a message in every legal matching.
class Expected {
 public:
  explicit Expected(std::vector<int> from_each) : left_(std::move(from_each)) {
    for (const int count : left_) unclaimed_ += count;
  }
  int unclaimed() const { return unclaimed_; }  // messages for which no receive is posted
  // `wanted` if a receive may name it now, else MPI_ANY_SOURCE.
  int choose(int wanted) const {
    const bool safe = wanted != MPI_ANY_SOURCE && left_[static_cast<size_t>(wanted)] > wildcards_;
    return safe ? wanted : MPI_ANY_SOURCE;
  }
  void posted(int source) {
    change(source, -1);
    --unclaimed_;
  }
  void received(int posted_source, int source) {
    if (posted_source != MPI_ANY_SOURCE) return;
    --wildcards_;
    --left_[static_cast<size_t>(source)];
  }
  void cancelled(int posted_source) {
    change(posted_source, 1);
    ++unclaimed_;
  }

 private:
  void change(int source, int by) {
    source == MPI_ANY_SOURCE ? wildcards_ -= by : left_[static_cast<size_t>(source)] += by;
  }
  std::vector<int> left_;  // by source: neither received nor claimed by a receive that names it
  int wildcards_ = 0;      // pending
  int unclaimed_ = 0;
};

// What this rank is sent if each of the senders sends `messages`, the i-th to destination(sender, i).
template <typename Destination>
Expected expected_from(const std::vector<int>& senders, uint64_t messages, Destination destination) {
  std::vector<int> from_each(static_cast<size_t>(g_size));
  for (const int sender : senders) {
    for (uint64_t i = 0; i < messages; ++i) from_each[static_cast<size_t>(sender)] += destination(sender, i) == g_rank;
  }
  return Expected(from_each);
}

// A pending receive of one number, and the source it was posted for.
struct Slot {
  uint64_t value = 0;
  int source = MPI_ANY_SOURCE;

  void post(Expected& expected, int wanted, int tag, MPI_Request* request, MPI_Comm comm = MPI_COMM_WORLD) {
    source = expected.choose(wanted);
    expected.posted(source);
    MPI_Irecv(&value, 1, MPI_UINT64_T, source, tag, comm, request);
  }
};

inline uint64_t draw(uint64_t a, uint64_t b, uint64_t c = 0) { return mix((a * 1000003 + b) * 1000003 + c + 1); }

inline volatile uint64_t g_work_done = 0;

// Keeps the processor busy for up to `most` turns of about 2 ns, as `seed` has it: gets ranks out of step.
inline void work(uint64_t seed, unsigned most) {
  uint64_t x = seed;
  for (unsigned turns = mix(seed + 1) % most; turns > 0; --turns) x = x * 6364136223846793005u + (x >> 33);
  g_work_done = x;
}

// Ends the report with the account and prints it. Collective; all messages have been received.
inline void print(Report& report, const Account& account) {
  report.line("%lu outcomes: %016lx", account.count(), static_cast<unsigned long>(account.hash()));
  // No rank may send its report while another still has a wildcard receive posted.
  MPI_Barrier(MPI_COMM_WORLD);
  report.print();
}

}  // namespace racing
