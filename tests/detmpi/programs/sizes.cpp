// Sizes about the borders between the ways a message can take, posted before and after it comes. In between
// all send before they receive, with blocking sends that are larger than anything that is buffered.
#include "testing.hpp"

using namespace mpi_test;

namespace {

std::vector<size_t> sizes() {
  std::vector<size_t> all = {0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 129};
  for (const size_t border : {size_t{2048}, size_t{4096}, size_t{8192}, size_t{16384}, size_t{32768}, size_t{65536},
                              size_t{131072}, size_t{5} << 20}) {
    all.insert(all.end(), {border - 1, border, border + 1});
  }
  return all;
}

uint64_t seed(int from, size_t bytes, int round) {
  return static_cast<uint64_t>(from) * 77 + bytes * 3 + static_cast<uint64_t>(round);
}

void check(const std::vector<unsigned char>& in, size_t bytes, int round, const MPI_Status& status) {
  EXPECT(count_of(status, MPI_BYTE) == static_cast<int>(bytes));
  EXPECT(status.MPI_SOURCE == left());
  EXPECT(holds(in.data(), bytes, seed(left(), bytes, round)));
  for (size_t i = bytes; i < in.size(); ++i) EXPECT(in[i] == 0xcd);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  Report report;
  unsigned long total = 0;
  for (const size_t bytes : sizes()) {
    if (bytes > 1000000 && g_size > 4) continue;
    const int n = static_cast<int>(bytes);
    MPI_Status status;
    // Posted first, the buffer larger than the message.
    std::vector<unsigned char> in(bytes + 100, 0xcd);
    auto out = message(bytes, seed(g_rank, bytes, 0));
    MPI_Request request;
    MPI_Irecv(in.data(), n + 100, MPI_BYTE, left(), 5, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(out.data(), n, MPI_BYTE, right(), 5, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    check(in, bytes, 0, status);
    // Sent first by all: nobody may wait for ever for a receive.
    std::fill(in.begin(), in.end(), static_cast<unsigned char>(0xcd));
    out = message(bytes, seed(g_rank, bytes, 1));
    if (g_size > 1) {
      MPI_Send(out.data(), n, MPI_BYTE, right(), 6, MPI_COMM_WORLD);
      MPI_Recv(in.data(), n + 100, MPI_BYTE, left(), 6, MPI_COMM_WORLD, &status);
      check(in, bytes, 1, status);
    }
    // Both at once, in pieces of another type.
    std::fill(in.begin(), in.end(), static_cast<unsigned char>(0xcd));
    out = message(bytes, seed(g_rank, bytes, 2));
    MPI_Sendrecv(out.data(), n, MPI_BYTE, right(), 7, in.data(), n + 100, MPI_BYTE, left(), 7, MPI_COMM_WORLD, &status);
    check(in, bytes, 2, status);
    total += bytes;
  }
  report.line("%lu bytes each way", total);
  report.print();
}
