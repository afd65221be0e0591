// Persistent requests, the same in every round: receives from any source, one receive from the left neighbour, and
// the sends for them. Odd rounds complete the receives with MPI_Waitsome, even ones with MPI_Testall.
// Races: which receive takes which message, how many MPI_Waitsome finds complete, how often MPI_Testall is asked.
// In the second phase, without barriers, also whether a message of a rank that is a round ahead is taken in place of
// one of this round.
// Ends: each rank is sent as many messages for its wildcards as it has wildcards in every round. In the first phase
// a barrier separates the rounds, as a synchronous send whose receive took a later message would not complete; in
// the second these are buffered and complete by themselves. The left neighbour has a tag of its own.
#include "racing.hpp"

using namespace racing;

namespace {

uint64_t rounds_of_phase() { return 10 * g_length; }
enum Tag { kWild, kNamed };

class Rounds {
 public:
  // In every round of the first phase wildcards get synchronous and standard sends by turns.
  Rounds(bool barriers, Account& account)
      : barriers_(barriers), account_(account), wildcards_(static_cast<size_t>(std::min(g_size - 1, 4))) {
    const size_t all = wildcards_ + 1;
    in_.resize(all), out_.resize(all), receives_.resize(all), sends_.resize(all);
    for (size_t i = 0; i < wildcards_; ++i) {
      const auto send = !barriers_ ? MPI_Bsend_init : i % 2 == 0 ? MPI_Ssend_init : MPI_Send_init;
      const int to = (g_rank + 1 + static_cast<int>(i)) % g_size;
      MPI_Recv_init(&in_[i], 1, MPI_UINT64_T, MPI_ANY_SOURCE, kWild, MPI_COMM_WORLD, &receives_[i]);
      send(&out_[i], 1, MPI_UINT64_T, to, kWild, MPI_COMM_WORLD, &sends_[i]);
    }
    MPI_Recv_init(&in_.back(), 1, MPI_UINT64_T, left(), kNamed, MPI_COMM_WORLD, &receives_.back());
    MPI_Ssend_init(&out_.back(), 1, MPI_UINT64_T, right(), kNamed, MPI_COMM_WORLD, &sends_.back());
  }
  ~Rounds() {
    for (auto& request : receives_) MPI_Request_free(&request);
    for (auto& request : sends_) MPI_Request_free(&request);
  }
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

  void round(uint64_t number) {
    const auto me = static_cast<uint64_t>(g_rank);
    MPI_Startall(static_cast<int>(receives_.size()), receives_.data());
    for (size_t i = 0; i < sends_.size(); ++i) {
      work(draw(me, number, i), 15000);
      out_[i] = account_.hash() + i;
      MPI_Start(&sends_[i]);
    }
    number % 2 == 1 ? wait_some() : test_all(receives_, in_);
    test_all(sends_, {});
    if (barriers_) MPI_Barrier(MPI_COMM_WORLD);
  }

 private:
  void wait_some() {
    const auto all = static_cast<int>(receives_.size());
    std::vector<int> indices(receives_.size());
    std::vector<MPI_Status> statuses(receives_.size());
    for (int received = 0, found = 0; received < all; received += found) {
      MPI_Waitsome(all, receives_.data(), &found, indices.data(), statuses.data());
      for (size_t k = 0; k < static_cast<size_t>(found); ++k) {
        account_.add(found, indices[k], statuses[k], in_[static_cast<size_t>(indices[k])]);
      }
      work(account_.hash(), 3000);
    }
  }
  void test_all(std::vector<MPI_Request>& requests, const std::vector<uint64_t>& values) {
    std::vector<MPI_Status> statuses(requests.size());
    int complete = 0;
    for (uint64_t failed = 0; !complete; ++failed) {
      MPI_Testall(static_cast<int>(requests.size()), requests.data(), &complete, statuses.data());
      if (complete) account_.add(failed);
      work(failed, 1000);
    }
    for (size_t i = 0; i < values.size(); ++i) account_.add(statuses[i], values[i]);
  }

  const bool barriers_;
  Account& account_;
  const size_t wildcards_;
  std::vector<uint64_t> in_, out_;
  std::vector<MPI_Request> receives_, sends_;
};

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv);
  // Enough for all buffered sends of the second phase at once.
  std::vector<char> buffer(rounds_of_phase() * 4 * (sizeof(uint64_t) + MPI_BSEND_OVERHEAD));
  MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  Account account;
  Report report;
  for (const bool barriers : {true, false}) {
    {
      Rounds rounds(barriers, account);
      for (uint64_t i = 0; g_size > 1 && i < rounds_of_phase(); ++i) rounds.round(i);
    }
    report.line("%s barriers: %016lx", barriers ? "with" : "without", static_cast<unsigned long>(account.hash()));
  }
  print(report, account);
  void* detached = nullptr;
  int bytes = 0;
  MPI_Buffer_detach(&detached, &bytes);
}
