/* Every kind of control flow in C: the logical time of each. */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

enum { kSize = 1000 };
static double a[kSize], b[kSize][kSize];
static volatile int zero;

static double nest(int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) sum += b[i][j] * a[j];
  }
  return sum;
}

static double triangle(int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) sum += b[i][j] * a[j];
  }
  return sum;
}

static int collatz(uint64_t n) {
  int steps = 0;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

/* noipa: a call without side effects could be moved out of what is timed. */
__attribute__((noipa)) static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static int search(int wanted) {
  for (int i = 0; i < kSize; ++i) {
    if (a[i] > wanted) return i;
  }
  return -1;
}

/* A small machine: one switch in one loop. */
static long interpret(const char* program, long turns) {
  long x = 0;
  for (long at = 0; turns > 0; ++at) {
    switch (program[at]) {
      case '+': x += 3; break;
      case '*': x = x * 5 % 1000003; break;
      case '<': at = -1, --turns; break;
      default: x ^= at;
    }
  }
  return x;
}

static jmp_buf jump;
__attribute__((noreturn)) static void leave(int depth) {
  if (depth > 0) leave(depth - 1);
  longjmp(jump, 1);
}
static int jumps(int n) {
  volatile int done = 0;
  while (done < n) {
    if (setjmp(jump) == 0) leave(10);
    ++done;
  }
  return done;
}

/* Two loops without a head. */
static int irreducible(int n) {
  int x = 0;
  if (zero) goto middle;
top:
  x += 3;
middle:
  x ^= n;
  if (--n > 0) goto top;
  return x;
}

static int by_address(int n) {
  static void* const places[] = {&&one, &&two, &&end};
  int x = 0;
  goto* places[zero];
one:
  x += 2;
  goto* places[n-- > 0 ? x % 2 : 2];
two:
  x -= 1;
  goto* places[n-- > 0 ? 0 : 2];
end:
  return x;
}

static int compare(const void* x, const void* y) { return *(const int*)x - *(const int*)y; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double sum = 0;
  for (int i = 0; i < kSize; ++i) a[i] = i;
  begin(), sum += nest(kSize), report("nest");
  begin(), sum += nest(kSize / 10), report("smaller nest");
  begin(), sum += nest(zero), report("nothing");
  begin(), sum += triangle(kSize), report("triangle");
  begin();
  for (int i = 1; i < 3000; ++i) sum += collatz((uint64_t)i);
  report("collatz");
  begin(), sum += fibonacci(22), report("recursion");
  begin();
  for (int i = 0; i < kSize; ++i) sum += search(i);
  report("search");
  begin(), sum += (double)interpret("+*a+*<", 20000), report("interpreter");
  begin(), sum += jumps(2000), report("longjmp");
  begin(), sum += irreducible(100000), report("irreducible");
  begin(), sum += by_address(100000), report("computed goto");
  int* sorted = malloc(kSize * 20 * sizeof *sorted);
  for (int i = 0; i < kSize * 20; ++i) sorted[i] = i * 7919 % 10007;
  begin(), qsort(sorted, kSize * 20, sizeof *sorted, compare), report("callback");
  begin();
  for (int i = 0; i < 100; ++i) memmove(b, b[1], sizeof b / 2), zero = 0;
  report("memmove");
  free(sorted);
  printf("result: %g\n", sum);
  return MPI_Finalize();
}
