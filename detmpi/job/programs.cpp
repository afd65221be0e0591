#include "programs.hpp"

#include <cstdlib>
#include <string_view>

namespace detmpi {

std::vector<std::vector<char*>> split_at_colons(int argc, char** argv) {
  std::vector<std::vector<char*>> parts(1);
  for (int i = 0; i < argc; ++i) {
    if (i > 0 && std::string_view(argv[i]) == ":") parts.push_back({argv[0]});
    else parts.back().push_back(argv[i]);
  }
  for (auto& part : parts) part.push_back(nullptr);
  return parts;
}

size_t program_of_rank(const std::vector<Program>& programs, int rank) {
  size_t number = 0;
  while (rank >= programs[number].ranks) rank -= programs[number++].ranks;
  return number;
}

void set(const Environment& environment) {
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
}

}  // namespace detmpi
