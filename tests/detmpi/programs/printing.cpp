// Prints in the way that its argument names, by several ranks: printing HOW [NUMBER].
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cwchar>

#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr auto kComm = MPI_COMM_WORLD;

void write_all(const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = write(1, text.data() + done, text.size() - done);
    if (n <= 0) std::exit(96);
    done += static_cast<size_t>(n);
  }
}

void work(uint64_t turns) {
  volatile uint64_t x = 0;
  for (uint64_t i = 0; i < turns * 1000; ++i) x = x + mix(i + x);
}

// A token that goes round; every holder prints. Effects follow their causes only in the order of the ring.
void ring(int rounds, bool flush) {
  int token = 0;
  for (int round = 0; round < rounds; ++round) {
    if (g_rank != 0 || round != 0) MPI_Recv(&token, 1, MPI_INT, left(), 0, kComm, MPI_STATUS_IGNORE);
    std::printf("%d: rank %d\n", token++, g_rank);
    if (flush) std::fflush(stdout);
    if (g_rank != g_size - 1 || round != rounds - 1) MPI_Send(&token, 1, MPI_INT, right(), 0, kComm);
  }
}

// The same order by acknowledgements alone: whose turn it is prints and then receives what its right neighbour has long
// sent, which learns from this that it is its turn.
void ring_of_acknowledgements(int rounds) {
  const bool from_left = g_rank % 2 == 1;
  for (int round = 0; round < rounds; ++round) {
    if (g_rank != 0 || round != 0) {
      MPI_Request sent;
      MPI_Issend(nullptr, 0, MPI_INT, left(), 0, kComm, &sent);
      if (from_left) MPI_Wait(&sent, MPI_STATUS_IGNORE);
      for (int complete = from_left; !complete;) MPI_Test(&sent, &complete, MPI_STATUS_IGNORE);
    }
    std::printf("%d: rank %d\n", round * g_size + g_rank, g_rank);
    if (g_rank == g_size - 1 && round == rounds - 1) return;
    MPI_Recv(nullptr, 0, MPI_INT, right(), 0, kComm, MPI_STATUS_IGNORE);
  }
}

// The same on standard error, and then on standard output.
void ring_of_both(int rounds) {
  int token = 0;
  for (int round = 0; round < rounds; ++round) {
    if (g_rank != 0 || round != 0) MPI_Recv(&token, 1, MPI_INT, left(), 0, kComm, MPI_STATUS_IGNORE);
    std::fprintf(stderr, "%d: errors of rank %d\n", token, g_rank);
    std::printf("%d: rank %d\n", token++, g_rank);
    if (round % 2 == 0) std::fflush(stdout);
    if (g_rank != g_size - 1 || round != rounds - 1) MPI_Send(&token, 1, MPI_INT, right(), 0, kComm);
  }
}

// Whoever is asked prints, then whoever asked: both know the order. Between, calls that only pass time.
void ask(int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const int from = static_cast<int>(mix(static_cast<uint64_t>(round)) % static_cast<uint32_t>(g_size));
    const int to = (from + 1 + static_cast<int>(mix(static_cast<uint64_t>(round) + 77)) % 2) % g_size;
    if (from == to || (g_rank != from && g_rank != to)) continue;
    for (uint32_t i = 0, n = mix(static_cast<uint64_t>(round * 31 + g_rank)) % 150; i < n; ++i) MPI_Wtime();
    if (g_rank == from) {
      MPI_Ssend(nullptr, 0, MPI_INT, to, round, kComm);
      MPI_Recv(nullptr, 0, MPI_INT, to, round, kComm, MPI_STATUS_IGNORE);
      std::printf("round %d: %d has its answer\n", round, from);
    } else {
      MPI_Recv(nullptr, 0, MPI_INT, from, round, kComm, MPI_STATUS_IGNORE);
      std::printf("round %d: %d answers\n", round, to);
      MPI_Send(nullptr, 0, MPI_INT, from, round, kComm);
    }
  }
}

// Lines in pieces, with calls that pass several epochs between them.
void pieces() {
  for (int line = 0; line < 5; ++line) {
    for (int piece = 0; piece < 4; ++piece) {
      write_all("<" + std::to_string(g_rank) + "." + std::to_string(line) + "." + std::to_string(piece) + ">");
      MPI_Barrier(kComm);
    }
    write_all("\n");
  }
}

void large(int kilobytes) {
  std::string line = "rank " + std::to_string(g_rank) + " ";
  line.resize(1023, static_cast<char>('a' + g_rank));
  line += '\n';
  for (int i = 0; i < kilobytes; ++i) {
    std::fwrite(line.data(), 1, line.size(), stdout);
    if (i % 512 == 511) MPI_Barrier(kComm);
  }
}

// All have printed, then one ends badly, with a line that it has not ended yet.
void crash(const std::string& how) {
  std::fprintf(stderr, "errors of rank %d\n", g_rank);
  std::printf("rank %d was here\n", g_rank);
  std::fflush(stdout);
  MPI_Barrier(kComm);
  if (g_rank != 1) MPI_Recv(nullptr, 0, MPI_INT, g_rank, 0, kComm, MPI_STATUS_IGNORE);
  std::printf("and ends");
  if (how == "segv") *reinterpret_cast<volatile int*>(static_cast<uintptr_t>(0x1234)) = 1;
  if (how == "abort") MPI_Abort(kComm, 7);
  if (how == "exit") std::exit(8);
  std::fflush(stdout);
  raise(SIGKILL);
}

// Rank 0 goes on for ever; the others wait for it, and have an earlier clock.
void waited_for() {
  for (int i = 0; g_rank == 0; ++i) {
    std::printf("line %d\n", i);
    for (int k = 0; k < 100; ++k) MPI_Wtime();
    usleep(1000);
  }
  MPI_Barrier(kComm);
}

// All wait for rank 0, which does not go on, or each for the next, which is a deadlock once all do. They have printed
// before.
void stuck(bool deadlock) {
  std::printf("rank %d waits\n", g_rank);
  if (g_rank == 0 && !deadlock) {
    std::fflush(stdout);
    pause();
  }
  MPI_Recv(nullptr, 0, MPI_INT, deadlock ? (g_rank + 1) % g_size : 0, 1, kComm, MPI_STATUS_IGNORE);
}

// In the end each is stuck in a line that it does not end, rank 0 from the start; what the others print before takes
// them longer in real time the longer they pause.
void stuck_in_lines(int pause_us) {
  for (int step = 0; step < 5 * g_rank; ++step) {
    for (int k = 0; k < 300; ++k) MPI_Wtime();
    std::printf("rank %d: step %d\n", g_rank, step);
    usleep(static_cast<useconds_t>(pause_us));
  }
  std::printf("rank %d waits", g_rank);
  MPI_Recv(nullptr, 0, MPI_INT, (g_rank + 1) % g_size, 1, kComm, MPI_STATUS_IGNORE);
}

void children() {
  for (int i = 0; i < 3; ++i) {
    std::printf("rank %d before child %d\n", g_rank, i);
    std::fflush(stdout);
    const std::string command =
        "echo child " + std::to_string(i) + " of rank " + std::to_string(g_rank) + "; echo with two lines";
    if (std::system(command.c_str()) != 0) std::exit(95);
    MPI_Barrier(kComm);
  }
}

// A user's operation may print: within the call, after what the rank printed before.
void print_operands(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
  std::printf("rank %d adds\n", g_rank);
}

void callback() {
  MPI_Op op;
  MPI_Op_create(print_operands, 0, &op);
  for (int i = 0; i < 3; ++i) {
    int mine = g_rank, sum = 0;
    std::printf("rank %d reduces\n", g_rank);
    MPI_Reduce(&mine, &sum, 1, MPI_INT, op, 0, kComm);
    if (g_rank == 0) std::printf("the sum is %d\n", sum);
    MPI_Barrier(kComm);
  }
  MPI_Op_free(&op);
}

// Output is bytes: lines that begin with a 0, and blocks that end with a page.
void binary() {
  for (int i = 0; i < 300; ++i) {
    std::string text(static_cast<size_t>(i % 3 == 0 ? 4095 : 1 + i), '\0');
    write_all(text + "\n");
    MPI_Barrier(kComm);
  }
}

// Whether a rank waits, or finds its message there, must not be seen: `late` is the rank that comes later in real time.
// Between its calls rank 0 prints by write(2), and another process writes what stdio holds there.
void past_stdio(int late) {
  MPI_Barrier(kComm);
  if (g_rank == late) usleep(20000);
  if (g_rank == 0) std::printf("by stdio\n");
  if (g_rank == 0) MPI_Recv(nullptr, 0, MPI_INT, 1, 0, kComm, MPI_STATUS_IGNORE);
  else MPI_Send(nullptr, 0, MPI_INT, 0, 0, kComm);
  if (g_rank != 0) return;
  write_all("by write\n");
  const pid_t child = fork();
  if (child == 0) std::exit(0);
  waitpid(child, nullptr, 0);
}
void zeros(int late) {
  for (int step = 0; step < 3; ++step) {
    if (g_rank == late) usleep(20000);
    std::printf("%crank %d, step %d\n", '\0', g_rank, step);
    MPI_Barrier(kComm);
  }
}

void wide() {
  for (int step = 0; step < 3; ++step) {
    std::wprintf(L"rank %d, step %d\n", g_rank, step);
    MPI_Barrier(kComm);
  }
}

void redirected() {
  std::printf("rank %d by stdout\n", g_rank);
  std::fflush(stdout);
  MPI_Barrier(kComm);
  if (g_rank == 1 && std::freopen("/dev/null", "w", stdout) == nullptr) std::exit(94);
  if (g_rank == 2) close(1);
  std::printf("rank %d after that\n", g_rank);
  std::fflush(stdout);
  std::clearerr(stdout);
  for (int i = 0; i < 10; ++i) MPI_Barrier(kComm);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  const std::string what = argc > 2 ? argv[2] : "";
  const int number = std::atoi(what.c_str());
  if (how == "around") std::printf("before MPI_Init\n");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(kComm, &g_rank);
  MPI_Comm_size(kComm, &g_size);
  if (how == "ring") ring(number, false);
  if (how == "flushed ring") ring(number, true);
  if (how == "ring of acknowledgements") ring_of_acknowledgements(number);
  if (how == "ring of both") ring_of_both(number);
  if (how == "ask") ask(number);
  if (how == "pieces") pieces();
  if (how == "large") large(number);
  if (how == "crash") crash(what);
  if (how == "stuck") stuck(false);
  if (how == "deadlock") stuck(true);
  if (how == "stuck in lines") stuck_in_lines(number);
  if (how == "waited for") waited_for();
  if (how == "children") children();
  if (how == "binary") binary();
  if (how == "callback") callback();
  if (how == "past stdio") past_stdio(number);
  if (how == "zeros") zeros(number);
  if (how == "wide") wide();
  if (how == "redirected") redirected();
  if (how == "tail") write_all("line of " + std::to_string(g_rank) + "\nend of " + std::to_string(g_rank));
  if (how == "uneven") {
    for (int i = 0; i < 20; ++i) {
      if (what == "both") std::fprintf(stderr, "rank %d, errors of line %d\n", g_rank, i);
      work(mix(static_cast<uint64_t>(g_rank * 100 + i)) % 50);
      write_all("rank " + std::to_string(g_rank) + " line " + std::to_string(i) + "\n");
      MPI_Barrier(kComm);
    }
  }
  if (how == "around") {
    std::printf("rank %d within\n", g_rank);
    work(static_cast<uint64_t>(g_size - g_rank) * 200);
  }
  MPI_Finalize();
  if (how == "around") {
    work(static_cast<uint64_t>(g_size - g_rank) * 200);
    std::printf("rank %d after MPI_Finalize\n", g_rank);
  }
}
