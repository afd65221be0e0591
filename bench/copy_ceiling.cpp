// What two cores of this machine can move from one to the other at best, with no MPI, no matching and no headers around
// it. A bandwidth of DetMPI close to these figures is at the limit of the machine, not of the library.
//
//   window   through a shared window, the data path of DetMPI's middle-sized messages: piece by piece in, piece by
//            piece out, first-in first-out
//   halves   straight from buffer to buffer, each core copying one half, which two threads can do and two ranks cannot
//   kernel   the same between two processes: one half by process_vm_writev, the other by process_vm_readv
//   call     what process_vm_readv takes for some pages, and what the copy instruction alone takes for them
//   cost     what a call and each of its pages take beyond that copy: a straight line through the differences
//
// Two threads or processes on two cores play ping-pong; a buffer in and a buffer out at both ends, as in mpi_pt2pt, and
// not written between the rounds. JSON lines, median of samples.
#include <immintrin.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

namespace {

constexpr size_t kPiece = 8192;
constexpr int kSamples = 9;

struct alignas(64) Flag {
  std::atomic<uint32_t> full{0};
};

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(1);
}

char* map_bytes(size_t n, int kind) {
  void* p = mmap(nullptr, n, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) give_up("copy_ceiling: mmap");
  std::memset(p, 1, n);
  return static_cast<char*>(p);
}

char* shared_bytes(size_t n) { return map_bytes(n, MAP_SHARED); }

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
  sched_setaffinity(0, sizeof set, &set);
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

// Median time of one call of `work`, in us.
template <typename Work>
double median_us(int calls, Work&& work) {
  std::vector<double> samples;
  for (int s = 0; s < kSamples; ++s) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) work();
    const std::chrono::duration<double, std::micro> t = std::chrono::steady_clock::now() - begin;
    samples.push_back(t.count() / calls);
  }
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

int rounds_of(size_t bytes) { return static_cast<int>(std::max<size_t>(4, (32u << 20) / bytes)); }

// Of a round, there and back.
double rate(size_t bytes, double us) { return static_cast<double>(bytes) * 2 / us / 1e3; }

// GB/s one way.
template <typename Path>
double ping_pong(Path&& path) {
  const int rounds = rounds_of(path.bytes);
  Buffers buffers[2] = {Buffers(path.bytes), Buffers(path.bytes)};
  std::thread other([&] {
    pin(1);
    for (int i = 0; i < rounds * kSamples; ++i) path.round(1, buffers[1], buffers[0]);
  });
  pin(0);
  const double us = median_us(rounds, [&] { path.round(0, buffers[0], buffers[1]); });
  other.join();
  return rate(path.bytes, us);
}

// Another process on the other core. It ends with this one, and must have ended well.
class Other {
 public:
  template <typename Body>
  explicit Other(Body&& body) {
    const pid_t parent = getpid();
    (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);  // where only relatives may copy: both, from each other
    std::fflush(stdout);
    pid_ = fork();
    if (pid_ < 0) give_up("copy_ceiling: fork");
    if (pid_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    pin(1);
    body(parent);
    _exit(0);
  }
  ~Other() {
    int status = 0;
    if (waitpid(pid_, &status, 0) != pid_ || (status != 0 && status != SIGKILL)) std::exit(1);
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

void read_from(pid_t pid, char* theirs, char* mine, size_t bytes) {
  const iovec to = {mine, bytes}, from = {theirs, bytes};
  if (process_vm_readv(pid, &to, 1, &from, 1, 0) != static_cast<ssize_t>(bytes)) give_up("process_vm_readv");
}

void write_to(pid_t pid, char* theirs, char* mine, size_t bytes) {
  const iovec from = {mine, bytes}, to = {theirs, bytes};
  if (process_vm_writev(pid, &from, 1, &to, 1, 0) != static_cast<ssize_t>(bytes)) give_up("process_vm_writev");
}

// As InHalves, between two processes: their buffers have the same addresses and are each one's own memory.
double through_kernel(size_t bytes) {
  const int rounds = rounds_of(bytes);
  const size_t half = bytes / 2;
  auto* steps = new (shared_bytes(sizeof(Steps))) Steps;
  char* in = map_bytes(bytes, MAP_PRIVATE);
  char* out = map_bytes(bytes, MAP_PRIVATE);
  const auto send = [&](pid_t peer) { write_to(peer, in, out, half); };
  const auto receive = [&](pid_t peer) { read_from(peer, out + half, in + half, bytes - half); };
  const auto own_memory = [&] { std::memset(in, 2, bytes), std::memset(out, 2, bytes); };
  const Other other([&](pid_t peer) {
    own_memory();
    for (int i = 0; i < rounds * kSamples; ++i) {
      steps->next(1);
      receive(peer);
      steps->next(1);
      send(peer);
    }
    steps->next(1);  // nobody ends while the other one copies
  });
  pin(0);
  own_memory();
  const double us = median_us(rounds, [&] {
    steps->next(0);
    send(other.pid());
    steps->next(0);
    receive(other.pid());
  });
  steps->next(0);
  return rate(bytes, us);
}

void copy_as_kernel(void* to, const void* from, size_t n) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

// The bytes lie in shared memory, so that the copy alone finds them in the same caches as the call does.
void cost_of_calls() {
  constexpr int kCalls = 2000;
  constexpr size_t kPage = 4096, kMost = 32;
  char* theirs = shared_bytes(kMost * kPage);
  char* mine = map_bytes(kMost * kPage, MAP_PRIVATE);
  const Other other([](pid_t) {
    for (;;) pause();
  });
  pin(0);
  double n = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (const size_t pages : {1, 2, 4, 8, 16, 32}) {
    const size_t bytes = pages * kPage;
    const double call = median_us(kCalls, [&] { read_from(other.pid(), theirs, mine, bytes); });
    const double plain = median_us(kCalls, [&] { copy_as_kernel(mine, theirs, bytes); });
    std::printf("{\"bench\":\"call\",\"pages\":%zu,\"us\":%.3f,\"copy_us\":%.3f}\n", pages, call, plain);
    const double x = static_cast<double>(pages), y = call - plain;
    n += 1, sum_x += x, sum_y += y, sum_xx += x * x, sum_xy += x * y;
  }
  const double per_page = (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
  const double per_call = (sum_y - per_page * sum_x) / n;
  std::printf("{\"bench\":\"cost\",\"call_us\":%.3f,\"page_us\":%.3f}\n", per_call, per_page);
  kill(other.pid(), SIGKILL);
}

}  // namespace

int main() {
  if (std::thread::hardware_concurrency() < 2 || !__builtin_cpu_supports("avx2")) {
    std::fputs("copy_ceiling: needs two cores and AVX2\n", stderr);
    return 1;
  }
  for (const size_t bytes : {size_t{16} << 10, size_t{64} << 10, size_t{256} << 10, size_t{1} << 20, size_t{4} << 20}) {
    for (const size_t window : {size_t{512} << 10, size_t{4} << 20}) {
      std::printf("{\"bench\":\"window\",\"window\":%zu,\"bytes\":%zu,\"GBps\":%.2f}\n", window, bytes,
                  ping_pong(ThroughWindow(bytes, window)));
    }
    std::printf("{\"bench\":\"halves\",\"bytes\":%zu,\"GBps\":%.2f}\n", bytes, ping_pong(InHalves(bytes)));
    std::printf("{\"bench\":\"kernel\",\"bytes\":%zu,\"GBps\":%.2f}\n", bytes, through_kernel(bytes));
    std::fflush(stdout);
  }
  cost_of_calls();
  return 0;
}
