// What every MPI program of the tests shares: start and end, a check that ends the job, data to send, and
// output in rank order. A program prints the same bytes in every run; it ends with 0 only if all its checks
// held.
#pragma once

#include <mpi.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#define EXPECT(condition)                                               \
  do {                                                                  \
    if (!(condition)) mpi_test::failed(#condition, __FILE__, __LINE__); \
  } while (false)

// Lets the logical clock advance, as instrumented programs do. DetMPI alone has it.
extern "C" int detmpi_work_usleep(unsigned microseconds);

namespace mpi_test {

inline int g_rank = 0;
inline int g_size = 1;

[[noreturn]] inline void failed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "rank %d of %d: %s:%d: not true: %s\n", g_rank, g_size, file, line, what);
  MPI_Abort(MPI_COMM_WORLD, 99);
  std::abort();
}

class Mpi {
 public:
  Mpi(int& argc, char**& argv, int threads = MPI_THREAD_SINGLE) {
    int provided = MPI_THREAD_SINGLE;
    if (threads == MPI_THREAD_SINGLE) MPI_Init(&argc, &argv);
    else MPI_Init_thread(&argc, &argv, threads, &provided);
    EXPECT(provided == threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g_size);
  }
  ~Mpi() { MPI_Finalize(); }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
};

// Programs of several cases, of which the command line names one. A name that is not there fails: the driver would
// otherwise see a job in which nothing happens.
struct Case {
  const char* name;
  void (*run)();
};
template <size_t N>
void run_case(const Case (&cases)[N], const char* name) {
  for (const Case& c : cases) {
    if (std::strcmp(name, c.name) != 0) continue;
    c.run();
    return;
  }
  failed(name, "no such case", 0);
}

inline uint32_t mix(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
  return static_cast<uint32_t>(x >> 32);
}

// Of all of them, in this order.
inline uint64_t mix_all(std::initializer_list<uint64_t> values) {
  uint64_t hash = 1;
  for (const uint64_t value : values) hash = mix(hash * 0x100000001b3u + value) | hash << 32;
  return hash;
}

// Keeps the core busy; a million rounds take some milliseconds.
inline void compute(uint64_t rounds) {
  volatile uint64_t x = 0;
  for (uint64_t i = 0; i < rounds; ++i) x = mix(x + i);
}

// Byte i of the message with this seed.
inline unsigned char byte_of(uint64_t seed, size_t i) {
  return static_cast<unsigned char>((seed * 131 + i + (i >> 8) * 7 + (i >> 16) * 29) & 0xff);
}
inline std::vector<unsigned char> message(size_t bytes, uint64_t seed) {
  std::vector<unsigned char> data(bytes);
  for (size_t i = 0; i < bytes; ++i) data[i] = byte_of(seed, i);
  return data;
}
inline bool holds(const unsigned char* data, size_t bytes, uint64_t seed) {
  for (size_t i = 0; i < bytes; ++i) {
    if (data[i] != byte_of(seed, i)) return false;
  }
  return true;
}

// Every rank's lines, printed by rank 0 in rank order.
class Report {
 public:
  __attribute__((format(printf, 2, 3))) void line(const char* format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    std::vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_ += "[" + std::to_string(g_rank) + "] " + text + "\n";
  }
  // Collective over MPI_COMM_WORLD.
  void print() {
    constexpr int kTag = 32000;
    if (g_rank != 0) {
      MPI_Send(text_.data(), static_cast<int>(text_.size()), MPI_CHAR, 0, kTag, MPI_COMM_WORLD);
      text_.clear();
      return;
    }
    std::fwrite(text_.data(), 1, text_.size(), stdout);
    text_.clear();
    for (int from = 1; from < g_size; ++from) {
      MPI_Status status;
      int count = 0;
      MPI_Probe(from, kTag, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_CHAR, &count);
      std::string text(static_cast<size_t>(count), ' ');
      MPI_Recv(text.data(), count, MPI_CHAR, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      std::fwrite(text.data(), 1, text.size(), stdout);
    }
    std::fflush(stdout);
  }

 private:
  std::string text_;
};

inline int right() { return (g_rank + 1) % g_size; }
inline int left() { return (g_rank + g_size - 1) % g_size; }
inline int error_class(int code) {
  int cls = -1;
  MPI_Error_class(code, &cls);
  return cls;
}
inline std::string error_text(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return text;
}
inline int count_of(const MPI_Status& status, MPI_Datatype type) {
  int count = -1;
  MPI_Get_count(&status, type, &count);
  return count;
}

}  // namespace mpi_test
