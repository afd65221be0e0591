// Where the program's heap blocks lie when messages come before their receives, or do not: asked for between calls, and
// in functions of the program's that calls call. Also as a library (by_library.cpp).
#include <vector>

#include "testing.hpp"

#ifdef AS_LIBRARY
#define main program_main
extern "C" int main(int argc, char** argv);
#endif

using namespace mpi_test;

namespace {

constexpr int kRounds = 60;

uint64_t g_hash = 1;

// Blocks of several lengths, some of which stay.
void take_blocks(size_t seed) {
  static std::vector<void*> kept;
  for (const size_t bytes : {seed % 200 + 1, seed * 37 % 5000 + 1, seed * 1001 % 300000 + 1}) {
    void* const block = std::malloc(bytes);
    g_hash = (g_hash ^ reinterpret_cast<uint64_t>(block)) * 0x9e3779b97f4a7c15u;
    if ((seed + bytes) % 3 == 0) kept.push_back(block);
    else std::free(block);
  }
  if (kept.size() > 40) {
    for (size_t i = 0; i < kept.size(); i += 2) std::free(kept[i]);
    std::vector<void*> rest;
    for (size_t i = 1; i < kept.size(); i += 2) rest.push_back(kept[i]);
    kept = std::move(rest);
  }
}

void add(void* in, void* inout, int* count, MPI_Datatype*) {
  take_blocks(static_cast<size_t>(*count));
  for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

int copy_attribute(MPI_Comm, int, void*, void* value, void* copy, int* flag) {
  take_blocks(5);
  *static_cast<void**>(copy) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

int delete_attribute(MPI_Comm, int, void*, void*) {
  take_blocks(6);
  return MPI_SUCCESS;
}

// Messages of many lengths; those of the last tag are received first, so that the others come before their receives.
void exchange(int round, std::vector<char>& buffer) {
  constexpr int kTags = 5;
  const auto bytes = [round](int from, int tag) { return (round * 977 + from * 331 + tag * 2579) % 40000; };
  const int left = (g_rank + g_size - 1) % g_size, right = (g_rank + 1) % g_size;
  std::vector<MPI_Request> sends(kTags);
  for (int tag = 0; tag < kTags; ++tag)
    MPI_Isend(buffer.data(), bytes(g_rank, tag), MPI_BYTE, right, tag, MPI_COMM_WORLD,
              &sends[static_cast<size_t>(tag)]);
  for (int tag = kTags; tag-- > 0;) {
    if (tag == 2) {
      MPI_Status status;
      MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
    }
    MPI_Recv(buffer.data() + 40000, bytes(left, tag), MPI_BYTE, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    take_blocks(static_cast<size_t>(round * kTags + tag));
  }
  MPI_Waitall(kTags, sends.data(), MPI_STATUSES_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  int keyval;
  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &keyval, nullptr);
  MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, nullptr);
  std::vector<char> buffer(80000);
  Report report;
  for (int round = 0; round < kRounds; ++round) {
    exchange(round, buffer);
    int mine[3] = {g_rank, round, 1}, sum[3];
    MPI_Allreduce(mine, sum, 3, MPI_INT, op, MPI_COMM_WORLD);
    if (round % 10 == 0) {
      MPI_Comm copy;
      MPI_Comm_dup(MPI_COMM_WORLD, &copy);
      MPI_Comm_free(&copy);
      void* memory;
      MPI_Alloc_mem(1000 + round, MPI_INFO_NULL, &memory);
      report.line("round %d: %p, %016lx", round, memory, static_cast<unsigned long>(g_hash));
      MPI_Free_mem(memory);
    }
  }
  report.print();
  MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
  MPI_Comm_free_keyval(&keyval);
  MPI_Op_free(&op);
  return 0;
}
