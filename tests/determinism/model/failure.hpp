// How ranks of a random program fail: one to all of them, each before a step of its own and in its own way.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "support/sanitized.hpp"
#include "testing.hpp"

namespace model_test {

struct Failure {
  size_t step = 0;  // before which it fails; as many as there are: after the last
  uint64_t how = 0;

  [[noreturn]] void happen() const;
};

inline std::optional<Failure> failure_of(uint64_t number, int rank, int ranks, size_t steps) {
  const auto of_rank = [&](uint64_t what) { return mpi_test::mix_all({number, what, static_cast<uint64_t>(rank)}); };
  const bool surely = static_cast<uint64_t>(rank) == number / 4 % static_cast<uint64_t>(ranks);
  if (!surely && of_rank(101) % 3 != 0) return {};
  return Failure{of_rank(102) % (steps + 1), of_rank(103)};
}

// In functions of the program's that a call has called.
inline int g_failure_code = 0;
inline int exit_when_deleted(MPI_Comm, int, void*, void*) { std::exit(g_failure_code); }
inline void abort_on_error(MPI_Comm* comm, int*, ...) {
  std::printf(" in its error handler");
  MPI_Abort(*comm, g_failure_code);
}

inline void fail_in_callback(int code) {
  g_failure_code = code;
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, exit_when_deleted, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  MPI_Comm_delete_attr(MPI_COMM_SELF, key);
}

inline void fail_in_error_handler(int code) {
  g_failure_code = code;
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(abort_on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Send(nullptr, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

inline void Failure::happen() const {
  constexpr uint64_t kWays = test_support::kAddressSanitizer ? 8 : 10;  // the others it reports in its own way
  static volatile uintptr_t nowhere = 16;
  const int code = 10 + static_cast<int>(how / 16 % 90);
  std::printf("rank %d fails", mpi_test::g_rank);  // without an end of the line
  switch (how % kWays) {
    case 0: MPI_Abort(MPI_COMM_WORLD, code); break;
    case 1: std::exit(code);
    case 2: _exit(code);
    case 3: MPI_Send(nullptr, -1, MPI_INT, 0, 0, MPI_COMM_WORLD); break;
    case 4: std::exit(0);
    case 5: std::quick_exit(code);
    case 6: fail_in_callback(code); break;
    case 7: fail_in_error_handler(code); break;
    case 8: *reinterpret_cast<int*>(nowhere) = 0; break;
    default: std::raise(SIGABRT);
  }
  std::_Exit(99);  // it should have ended
}

}  // namespace model_test
