// Started by exec_test.cpp as the new program of a space: "<descriptor> <slot>". Becomes that space again.
#include <cstdio>
#include <cstdlib>

#include <space/space.h>
#include <spmc/spmc.h>
#include <space/hooks.hpp>

int main(int argc, char** argv) {
  if (argc != 4) return 100;
  const spmc::SpaceId slot{static_cast<uint32_t>(std::atoi(argv[2]))};
  const auto resumed = space::try_resume_after_exec(std::atoi(argv[1]), slot);
  if (!resumed) {
    std::printf("%s\n", resumed.error().message().c_str());
    return 101;
  }
  std::printf("%s gid %d heap %p\n", space_path(), space_self(), space_malloc(10));
  std::fflush(stdout);
  if (space_ret() != 0) return 102;
  const int inner = space_alloc(8);
  space_start(
      inner, [](void*) { return std::printf("%s\n", space_path()) > 0 ? 30 : 0; }, nullptr);
  space_join(inner);
  space_exit_info info;
  space_status(inner, &info);
  char* const region = reinterpret_cast<char*>(std::strtoull(argv[3], nullptr, 16));
  char c = 0;
  if (spmcR_read(region, &c, 1) != 0) return 103;
  space_exit(info.exit_code + c);
}
