// What two cores of this machine can move through a shared window at best: the bare data path of DetMPI's large messages
// (piece by piece in, piece by piece out, first-in first-out), with no MPI, no matching and no headers around it. A
// bandwidth of DetMPI close to these figures is at the limit of the machine, not of the library.
//
// Two threads on two cores play ping-pong; private buffers at both ends, as in mpi_pt2pt. JSON lines, median of samples.
#include <immintrin.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr size_t kPiece = 8192;
constexpr int kSamples = 9;

struct alignas(64) Flag {
  std::atomic<uint32_t> full{0};
};

char* shared_bytes(size_t n) {
  void* p = mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) {
    std::perror("window_ceiling: mmap");
    std::exit(1);
  }
  std::memset(p, 1, n);
  return static_cast<char*>(p);
}

__attribute__((target("avx2"))) void copy(char* to, const char* from, size_t n) {
  for (size_t i = 0; i < n; i += 128) {
    __m256i v[4];
    for (size_t k = 0; k < 4; ++k) v[k] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i + 32 * k));
    for (size_t k = 0; k < 4; ++k) _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i + 32 * k), v[k]);
  }
}

struct Window {
  explicit Window(size_t bytes) : pieces(bytes / kPiece), data(shared_bytes(bytes)), flags(pieces) {}
  size_t pieces;
  char* data;
  std::vector<Flag> flags;

  void move(char* buffer, size_t bytes, size_t& at, bool in) {
    for (size_t done = 0; done < bytes; done += kPiece, at = (at + 1) % pieces) {
      while (flags[at].full.load(std::memory_order_acquire) == (in ? 1 : 0)) _mm_pause();
      char* piece = data + at * kPiece;
      if (in) copy(piece, buffer + done, kPiece);
      else copy(buffer + done, piece, kPiece);
      flags[at].full.store(in ? 1 : 0, std::memory_order_release);
    }
  }
};

void pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

// GB/s one way.
double ping_pong(size_t bytes, size_t window) {
  Window there(window), back(window);
  const int rounds = static_cast<int>(std::max<size_t>(4, (32u << 20) / bytes));
  std::vector<double> samples;
  std::thread other([&] {
    pin(1);
    char* in = shared_bytes(bytes);
    char* out = shared_bytes(bytes);
    size_t a = 0, b = 0;
    for (int i = 0; i < rounds * kSamples; ++i) {
      there.move(in, bytes, a, false);
      back.move(out, bytes, b, true);
    }
  });
  pin(0);
  char* out = shared_bytes(bytes);
  char* in = shared_bytes(bytes);
  size_t a = 0, b = 0;
  for (int s = 0; s < kSamples; ++s) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; ++i) {
      there.move(out, bytes, a, true);
      back.move(in, bytes, b, false);
    }
    const std::chrono::duration<double> t = std::chrono::steady_clock::now() - begin;
    samples.push_back(static_cast<double>(bytes) * 2 * rounds / t.count() / 1e9);
  }
  other.join();
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

}  // namespace

int main() {
  if (std::thread::hardware_concurrency() < 2 || !__builtin_cpu_supports("avx2")) {
    std::fputs("window_ceiling: needs two cores and AVX2\n", stderr);
    return 1;
  }
  for (const size_t window : {size_t{512} << 10, size_t{4} << 20}) {
    for (const size_t bytes : {size_t{16} << 10, size_t{64} << 10, size_t{256} << 10, size_t{1} << 20, size_t{4} << 20}) {
      std::printf("{\"bench\":\"window_ceiling\",\"window\":%zu,\"bytes\":%zu,\"GBps\":%.2f}\n", window, bytes,
                  ping_pong(bytes, window));
    }
  }
  return 0;
}
