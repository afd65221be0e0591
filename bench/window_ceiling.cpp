// What two cores of this machine can move from one to the other at best, with no MPI, no matching and no headers around
// it. A bandwidth of DetMPI close to these figures is at the limit of the machine, not of the library.
//
//   window   through a shared window, the data path of DetMPI's middle-sized messages: piece by piece in, piece by
//   piece
//            out, first-in first-out
//   halves   straight from buffer to buffer, each core copying one half, which ranks can do only through the kernel
//
// Two threads on two cores play ping-pong; a buffer in and a buffer out at both ends, as in mpi_pt2pt. JSON lines,
// median of samples.
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

constexpr int other_side(int side) { return 1 - side; }

// Two threads go from step to step together.
class Steps {
 public:
  void next(int side) {
    const uint32_t now = at_[side].full.load(std::memory_order_relaxed) + 1;
    at_[side].full.store(now, std::memory_order_release);
    while (at_[other_side(side)].full.load(std::memory_order_acquire) < now) _mm_pause();
  }

 private:
  Flag at_[2];
};

struct Buffers {
  explicit Buffers(size_t bytes) : in(shared_bytes(bytes)), out(shared_bytes(bytes)) {}
  char* in;
  char* out;
};

// Both ends of a ping-pong: what side 0 and side 1 do in one round, there and back.
struct ThroughWindow {
  ThroughWindow(size_t n, size_t window) : bytes(n), there(window), back(window) {}
  void round(int side, Buffers& mine, Buffers&) {
    Window& sending = side == 0 ? there : back;
    Window& receiving = side == 0 ? back : there;
    if (side == 0) sending.move(mine.out, bytes, at[side][0], true);
    receiving.move(mine.in, bytes, at[side][1], false);
    if (side == 1) sending.move(mine.out, bytes, at[side][0], true);
  }
  size_t bytes;
  Window there, back;
  size_t at[2][2] = {};
};

struct InHalves {
  explicit InHalves(size_t n) : bytes(n) {}
  void round(int side, Buffers& mine, Buffers& other) {
    const size_t half = bytes / 2, from = side == 0 ? 0 : half;
    Buffers& first = side == 0 ? mine : other;
    Buffers& second = side == 0 ? other : mine;
    steps.next(side);
    copy(second.in + from, first.out + from, half);
    steps.next(side);
    copy(first.in + from, second.out + from, half);
  }
  size_t bytes;
  Steps steps;
};

// GB/s one way.
template <typename Path>
double ping_pong(Path path) {
  const size_t bytes = path.bytes;
  const int rounds = static_cast<int>(std::max<size_t>(4, (32u << 20) / bytes));
  Buffers buffers[2] = {Buffers(bytes), Buffers(bytes)};
  std::vector<double> samples;
  std::thread other([&] {
    pin(1);
    for (int i = 0; i < rounds * kSamples; ++i) path.round(1, buffers[1], buffers[0]);
  });
  pin(0);
  for (int s = 0; s < kSamples; ++s) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; ++i) path.round(0, buffers[0], buffers[1]);
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
  for (const size_t bytes : {size_t{16} << 10, size_t{64} << 10, size_t{256} << 10, size_t{1} << 20, size_t{4} << 20}) {
    for (const size_t window : {size_t{512} << 10, size_t{4} << 20}) {
      std::printf("{\"bench\":\"window\",\"window\":%zu,\"bytes\":%zu,\"GBps\":%.2f}\n", window, bytes,
                  ping_pong(ThroughWindow(bytes, window)));
    }
    std::printf("{\"bench\":\"halves\",\"bytes\":%zu,\"GBps\":%.2f}\n", bytes, ping_pong(InHalves(bytes)));
  }
  return 0;
}
