// Which handle a request gets depends on the program's calls alone: the one that was freed last, or else the next one,
// whenever messages come, and however long a request that the program has freed lives on.
#include <memory>
#include <random>
#include <vector>

#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kSteps = 1000;
constexpr size_t kMostPending = 200;
constexpr int kLong = 1 << 16;  // finds no room now and then, so that its send is pending, too

class Handles {
 public:
  void check_given(MPI_Request given) {
    if (freed_.empty()) {
      EXPECT(given_ == 0 || given == last_new_ + 1);
      last_new_ = given;
    } else {
      EXPECT(given == freed_.back());
      freed_.pop_back();
    }
    ++given_;
  }
  void note_freed(MPI_Request freed) { freed_.push_back(freed); }
  int given() const { return given_; }
  size_t free() const { return freed_.size(); }

 private:
  std::vector<MPI_Request> freed_;
  MPI_Request last_new_ = 0;
  int given_ = 0;
};

class Exchanges {
 public:
  // Every rank takes the same steps, so all messages find their receives.
  void step(unsigned choice) {
    if (choice < 2 && pending_.size() < kMostPending) return exchange(choice == 0 ? 8 : kLong);
    if (pending_.empty()) return;
    const size_t at = random_() % pending_.size();
    if (choice == 2) release(at);
    else finish(at);
  }
  void finish_all() {
    while (!pending_.empty()) finish(pending_.size() - 1);
    std::printf("rank %d: %d requests, %zu handles\n", g_rank, handles_.given(), handles_.free());
  }

 private:
  void exchange(int bytes) {
    for (const bool sends : {false, true}) {
      // Buffers live as long as the program: a request that was freed may use its own to the end.
      char* const data = buffers_.emplace_back(new char[static_cast<size_t>(bytes)]()).get();
      MPI_Request request = MPI_REQUEST_NULL;
      if (sends) MPI_Isend(data, bytes, MPI_BYTE, right(), 1, MPI_COMM_WORLD, &request);
      else MPI_Irecv(data, bytes, MPI_BYTE, left(), 1, MPI_COMM_WORLD, &request);
      handles_.check_given(request);
      pending_.push_back(request);
    }
  }
  void finish(size_t at) {
    MPI_Request request = take(at);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(request == MPI_REQUEST_NULL);
  }
  void release(size_t at) {
    MPI_Request request = take(at);
    MPI_Request_free(&request);
    EXPECT(request == MPI_REQUEST_NULL);
  }
  MPI_Request take(size_t at) {
    const MPI_Request request = pending_[at];
    pending_.erase(pending_.begin() + static_cast<ptrdiff_t>(at));
    handles_.note_freed(request);
    return request;
  }

  std::mt19937 random_{7};
  Handles handles_;
  std::vector<MPI_Request> pending_;
  std::vector<std::unique_ptr<char[]>> buffers_;
};

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  std::mt19937 random(11);
  Exchanges exchanges;
  for (int i = 0; i < kSteps; ++i) exchanges.step(static_cast<unsigned>(random() % 6));
  exchanges.finish_all();
  return 0;
}
