// Functions that do not count, where the compiler would like to inline them.
#include "clock.h"

#define APART __attribute__((no_instrument_function))

namespace {

volatile double sink;
#define WORK \
  for (int i = 0; i < 1000000; ++i) sink = sink * 0.5 + i

APART void function() { WORK; }

struct Class {
  APART Class() { WORK; }
  APART void member() { WORK; }
};

template <typename T>
APART void of_any(T) {
  WORK;
}

APART void declared();
void declared() { WORK; }

APART __attribute__((always_inline)) inline void inlined() { WORK; }

void function_that_counts() { WORK; }

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  begin(), function(), report("function");
  begin();
  Class object;
  report("constructor");
  begin(), object.member(), report("member");
  begin(), of_any(argc), report("template");
  begin(), declared(), report("declared before");
  const auto lambda = []() APART { WORK; };
  begin(), lambda(), report("lambda");
  begin(), inlined(), report("always inlined");
  begin(), function_that_counts(), report("work");
  return MPI_Finalize();
}
