// Collective operations, of messages. Reductions fold in the order of ranks.
#include <algorithm>
#include <cstring>

#include "comm.hpp"

namespace channels {
namespace {

constexpr int kTag = -1;

template <typename T>
void fold(MPI_Op op, T* acc, const T* right, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    switch (op) {
      case MPI_SUM: acc[i] += right[i]; break;
      case MPI_MAX: acc[i] = std::max(acc[i], right[i]); break;
      case MPI_MIN: acc[i] = std::min(acc[i], right[i]); break;
    }
  }
}

void fold(MPI_Op op, MPI_Datatype type, void* acc, const void* right, int count) {
  const auto n = static_cast<size_t>(count);
  if (type == MPI_INT) return fold(op, static_cast<int*>(acc), static_cast<const int*>(right), n);
  if (type == MPI_C_DOUBLE_COMPLEX && op != MPI_SUM) fail("complex numbers have no order");
  fold(op, static_cast<double*>(acc), static_cast<const double*>(right), type == MPI_DOUBLE ? n : 2 * n);
}

void copy(void* to, const void* from, size_t bytes) {
  if (bytes > 0) std::memmove(to, from, bytes);
}

// Sends to one member and receives from another: a little of each in turns, so that nobody waits for room for ever.
void exchange(const Comm& comm, int to, const void* out, size_t out_bytes, int from, void* in, size_t in_bytes) {
  constexpr size_t kPortion = 256 * 1024;
  size_t sent = 0, received = 0;
  while (sent < out_bytes || received < in_bytes) {
    const size_t next_out = std::min(kPortion, out_bytes - sent), next_in = std::min(kPortion, in_bytes - received);
    if (next_out > 0) send_part(comm, to, static_cast<const std::byte*>(out) + sent, next_out);
    if (next_in > 0) receive_part(comm, from, static_cast<std::byte*>(in) + received, next_in);
    sent += next_out;
    received += next_in;
  }
}

}  // namespace

void send_part(const Comm& comm, int to, const void* data, size_t bytes) {
  g_messages.send(comm.member(to), {kTag, comm.context + 1, bytes}, data);
}

void receive_part(const Comm& comm, int from, void* data, size_t bytes) {
  Receive receive{comm.member(from), {kTag, comm.context + 1, bytes}, data};
  g_messages.post(receive);
  g_messages.wait(receive);
  if (receive.envelope.bytes != bytes) fail("members of a collective operation differ in its length");
}

// Along a binomial tree.
void broadcast(const Comm& comm, void* data, size_t bytes, int root) {
  const int size = comm.size();
  const int place = (comm.rank - root + size) % size;
  int step = 1;
  for (; step <= place; step *= 2) {
  }
  if (place > 0) receive_part(comm, (place - step / 2 + root) % size, data, bytes);
  for (; place + step < size; step *= 2) send_part(comm, (place + step + root) % size, data, bytes);
}

}  // namespace channels

using namespace channels;

int MPI_Barrier(MPI_Comm handle) {
  const Comm& comm = comm_of(handle);
  for (int member = 1; member < comm.size(); ++member) {
    if (comm.rank == member) send_part(comm, 0, nullptr, 0);
    if (comm.rank == 0) receive_part(comm, member, nullptr, 0);
  }
  broadcast(comm, nullptr, 0, 0);
  return MPI_SUCCESS;
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  broadcast(comm_of(comm), data, bytes_of(count, type), root);
  return MPI_SUCCESS;
}

int MPI_Reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm handle) {
  const Comm& comm = comm_of(handle);
  const size_t bytes = bytes_of(count, type);
  if (comm.rank != root) {
    send_part(comm, root, in, bytes);
    return MPI_SUCCESS;
  }
  std::vector<std::byte> sum(bytes), theirs(bytes);
  for (int member = 0; member < comm.size(); ++member) {
    std::byte* const to = member == 0 ? sum.data() : theirs.data();
    if (member == root) copy(to, in, bytes);
    else receive_part(comm, member, to, bytes);
    if (member > 0) fold(op, type, sum.data(), to, count);
  }
  copy(out, sum.data(), bytes);
  return MPI_SUCCESS;
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  MPI_Reduce(in, out, count, type, op, 0, comm);
  return MPI_Bcast(out, count, type, 0, comm);
}

int MPI_Scatterv(const void* in, const int counts[], const int starts[], MPI_Datatype in_type, void* out, int count,
                 MPI_Datatype type, int root, MPI_Comm handle) {
  const Comm& comm = comm_of(handle);
  const size_t bytes = bytes_of(count, type);
  if (comm.rank != root) {
    receive_part(comm, root, out, bytes);
    return MPI_SUCCESS;
  }
  for (int member = 0; member < comm.size(); ++member) {
    const auto* part = static_cast<const std::byte*>(in) + bytes_of(starts[member], in_type);
    if (member == root) copy(out, part, bytes);
    else send_part(comm, member, part, bytes_of(counts[member], in_type));
  }
  return MPI_SUCCESS;
}

int MPI_Gatherv(const void* in, int count, MPI_Datatype in_type, void* out, const int counts[], const int starts[],
                MPI_Datatype type, int root, MPI_Comm handle) {
  const Comm& comm = comm_of(handle);
  const size_t bytes = bytes_of(count, in_type);
  if (comm.rank != root) {
    send_part(comm, root, in, bytes);
    return MPI_SUCCESS;
  }
  for (int member = 0; member < comm.size(); ++member) {
    auto* part = static_cast<std::byte*>(out) + bytes_of(starts[member], type);
    if (member == root) copy(part, in, bytes);
    else receive_part(comm, member, part, bytes_of(counts[member], type));
  }
  return MPI_SUCCESS;
}

int MPI_Alltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int count, MPI_Datatype type,
                 MPI_Comm handle) {
  const auto size = static_cast<size_t>(comm_of(handle).size());
  std::vector<int> in_counts(size, in_count), counts(size, count), in_starts(size), starts(size);
  for (size_t i = 0; i < size; ++i) {
    in_starts[i] = static_cast<int>(i) * in_count;
    starts[i] = static_cast<int>(i) * count;
  }
  return MPI_Alltoallv(in, in_counts.data(), in_starts.data(), in_type, out, counts.data(), starts.data(), type,
                       handle);
}

int MPI_Alltoallv(const void* in, const int in_counts[], const int in_starts[], MPI_Datatype in_type, void* out,
                  const int counts[], const int starts[], MPI_Datatype type, MPI_Comm handle) {
  const Comm& comm = comm_of(handle);
  const auto block_to = [&](int to) { return static_cast<const std::byte*>(in) + bytes_of(in_starts[to], in_type); };
  const auto block_from = [&](int from) { return static_cast<std::byte*>(out) + bytes_of(starts[from], type); };
  copy(block_from(comm.rank), block_to(comm.rank), bytes_of(counts[comm.rank], type));
  for (int step = 1; step < comm.size(); ++step) {
    const int to = (comm.rank + step) % comm.size(), from = (comm.rank - step + comm.size()) % comm.size();
    exchange(comm, to, block_to(to), bytes_of(in_counts[to], in_type), from, block_from(from),
             bytes_of(counts[from], type));
  }
  return MPI_SUCCESS;
}
