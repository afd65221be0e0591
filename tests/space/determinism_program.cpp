// Prints all that a program can see of its spaces: numbers, paths, addresses of code, data, stack, heaps, statuses. Run
// by determinism_test.cpp. With the argument "again" it counts its own starts by descriptor 9.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <space/space.h>

namespace {

int g_data = 0;

int work(void* arg) {
  const int depth = *static_cast<int*>(arg);
  int local = depth - 1;
  // Allocated while the siblings do the same.
  int children[3];
  for (int i = 0; i < 3 && depth > 0; ++i) children[i] = space_alloc(10 * depth + i);
  space_ret();
  // One space at a time has the turn to print.
  std::printf("%s gid %d data %p stack %p heap %p c-heap %p code %p\n", space_path(), space_self(),
              static_cast<void*>(&g_data), static_cast<void*>(&local), space_malloc(100), std::malloc(100),
              reinterpret_cast<void*>(work));
  if (depth == 0) return 5;
  for (const int child : children)
    if (space_start(child, work, &local) != 0) return 1;
  for (const int child : children) space_sync(child, 1), space_wait(child);
  int sum = 0;
  for (const int child : children) {
    space_exit_info info;
    space_join(child);
    space_status(child, &info);
    sum += info.exit_code;
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && write(9, "x", 1) != 1) return 2;
  if (space_init(64) != 0) {
    std::printf("%s\n", space_last_error());
    return 3;
  }
  for (int i = 0; i < argc; ++i) std::printf("argument %zu bytes\n", std::strlen(argv[i]));
  std::printf("left in the environment: %s\n",
              std::getenv("DLINUX_EXECUTED_AGAIN") == nullptr ? "nothing" : "something");
  int depth = 2;
  const int child = space_alloc(1000);
  if (space_start(child, work, &depth) != 0) return 4;
  space_sync(child, 1);
  space_join(child);
  space_exit_info info;
  space_status(child, &info);
  std::printf("ended with %d\n", info.exit_code);
  return info.exit_code;
}
