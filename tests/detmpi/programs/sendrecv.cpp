// MPI_Sendrecv and MPI_Sendrecv_replace round the ring, mutual and with different types, short and long;
// buffers that overlap; and blocking sends of several MiB to each other before either receives.
#include <algorithm>

#include "testing.hpp"

using namespace mpi_test;

namespace {

void ring(int bytes) {
  // After g_size steps everybody has its own data back.
  auto data = message(static_cast<size_t>(bytes), static_cast<uint64_t>(g_rank));
  for (int step = 0; step < g_size; ++step) {
    MPI_Status status;
    MPI_Sendrecv_replace(data.data(), bytes, MPI_BYTE, right(), step, left(), step, MPI_COMM_WORLD, &status);
    EXPECT(status.MPI_SOURCE == left() && status.MPI_TAG == step && count_of(status, MPI_BYTE) == bytes);
    const int origin = (g_rank - step - 1 + 2 * g_size) % g_size;
    EXPECT(holds(data.data(), data.size(), static_cast<uint64_t>(origin)));
  }
}

void mutual(int bytes) {
  const int peer = g_rank ^ 1;
  if (peer >= g_size) return;
  const auto out = message(static_cast<size_t>(bytes), static_cast<uint64_t>(g_rank));
  std::vector<unsigned char> in(out.size());
  MPI_Send(out.data(), bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
  MPI_Recv(in.data(), bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT(holds(in.data(), in.size(), static_cast<uint64_t>(peer)));
}

// Everybody to everybody with blocking sends, all before any receive.
void all_before_any(int bytes) {
  const auto out = message(static_cast<size_t>(bytes), static_cast<uint64_t>(g_rank));
  std::vector<unsigned char> in(out.size());
  for (int to = 0; to < g_size; ++to) {
    if (to != g_rank) MPI_Send(out.data(), bytes, MPI_BYTE, to, 2, MPI_COMM_WORLD);
  }
  for (int from = g_size - 1; from >= 0; --from) {
    if (from == g_rank) continue;
    MPI_Recv(in.data(), bytes, MPI_BYTE, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(holds(in.data(), in.size(), static_cast<uint64_t>(from)));
  }
}

void two_types() {
  int out[12];
  double in[6] = {};
  for (int i = 0; i < 12; ++i) out[i] = g_rank * 100 + i;
  double as_doubles[6];
  std::memcpy(as_doubles, out, sizeof out);
  MPI_Status status;
  MPI_Sendrecv(as_doubles, 6, MPI_DOUBLE, right(), 3, in, 6, MPI_DOUBLE, left(), 3, MPI_COMM_WORLD, &status);
  int back[12];
  std::memcpy(back, in, sizeof back);
  for (int i = 0; i < 12; ++i) EXPECT(back[i] == left() * 100 + i);
  EXPECT(count_of(status, MPI_DOUBLE) == 6);
  EXPECT(count_of(status, MPI_INT) == 12);
}

// One buffer for what is sent and what comes, or two that overlap: wrong, but the first's bytes are sent all the same,
// also where the other rank's have come before.
void overlapping(int bytes, int shift) {
  const int peer = g_rank ^ 1;
  if (peer >= g_size) return;
  const auto own = message(static_cast<size_t>(bytes), static_cast<uint64_t>(g_rank));
  for (const bool blocks : {true, false}) {
    std::vector<unsigned char> data(own.size() + static_cast<size_t>(shift));
    std::ranges::copy(own, data.begin());
    unsigned char* const in = data.data() + shift;
    // The second rank comes when the first one's message has come.
    if (g_rank > peer) MPI_Probe(peer, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (blocks) {
      MPI_Sendrecv(data.data(), bytes, MPI_BYTE, peer, 4, in, bytes, MPI_BYTE, peer, 4, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    } else {
      MPI_Request request;
      MPI_Isendrecv(data.data(), bytes, MPI_BYTE, peer, 4, in, bytes, MPI_BYTE, peer, 4, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    EXPECT(holds(in, own.size(), static_cast<uint64_t>(peer)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  for (const int bytes : {0, 1, 32, 33, 16385, 400000}) ring(bytes);
  mutual(100);
  mutual(8 << 20);
  all_before_any(50);
  all_before_any(300000);
  two_types();
  for (const int bytes : {1, 100, 100000, 1000000}) {
    overlapping(bytes, 0);
    overlapping(bytes, 1);
  }
  if (g_rank == 0) std::puts("exchanged");
}
