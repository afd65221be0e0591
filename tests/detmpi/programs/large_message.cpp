// A message of 2 GiB and 8 bytes. Its buffers are the same 32 MiB of memory again and again, at addresses of their own.
#include <sys/mman.h>
#include <unistd.h>

#include "testing.hpp"

namespace {

constexpr size_t kMemory = size_t{32} << 20;
constexpr MPI_Count kBytes = (MPI_Count{1} << 31) + 8;

char* repeated_memory() {
  const int memory = memfd_create("large_message", 0);
  EXPECT(memory >= 0 && ftruncate(memory, kMemory) == 0);
  const size_t rooms = static_cast<size_t>(kBytes) / kMemory + 1;
  void* at = mmap(nullptr, rooms * kMemory, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  EXPECT(at != MAP_FAILED);
  auto* base = static_cast<char*>(at);
  for (size_t i = 0; i < rooms; ++i) {
    EXPECT(mmap(base + i * kMemory, kMemory, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, 0) != MAP_FAILED);
  }
  close(memory);
  return base;
}

}  // namespace

int main(int argc, char** argv) {
  mpi_test::Mpi mpi(argc, argv);
  char* buffer = repeated_memory();
  if (mpi_test::g_rank == 0) {
    for (int i = 0; i < 8; ++i) buffer[i] = static_cast<char>(i + 1);
    MPI_Send_c(buffer, kBytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    return 0;
  }
  MPI_Status status;
  int count = 0;
  MPI_Count bytes = 0;
  MPI_Recv_c(buffer, kBytes + 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_CHAR, &count);
  MPI_Get_count_c(&status, MPI_CHAR, &bytes);
  EXPECT(count == MPI_UNDEFINED);
  std::printf("%ld bytes, of which the last 8 are", bytes);
  for (MPI_Count i = 8; i > 0; --i) std::printf(" %d", buffer[bytes - i]);
  std::printf("\n");
  return 0;
}
