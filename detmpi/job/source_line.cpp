#include "source_line.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

namespace detmpi {
namespace {

std::string with_source_line(const std::string& place) {
  const size_t plus = place.rfind("+0x");
  if (plus == std::string::npos || place.find('\'') != std::string::npos) return "";
  for (const uint64_t base : {uint64_t{0}, uint64_t{0x400000}}) {  // where a program that does not move is loaded
    char command[1024];
    std::snprintf(command, sizeof command, "addr2line -Cfs -e '%s' 0x%lx 2>/dev/null", place.substr(0, plus).c_str(),
                  static_cast<unsigned long>(base + std::strtoul(place.c_str() + plus + 1, nullptr, 16)));
    FILE* output = ::popen(command, "r");
    if (output == nullptr) return "";
    char function[256] = "", line[512] = "";
    const bool both = std::fgets(function, sizeof function, output) && std::fgets(line, sizeof line, output);
    ::pclose(output);
    function[std::strcspn(function, "\n")] = line[std::strcspn(line, "\n")] = 0;
    if (char* note = std::strstr(line, " (discriminator")) *note = 0;  // says nothing to people
    if (both && function[0] != '?') return std::string(function) + (line[0] != '?' ? std::string(", ") + line : "");
  }
  return "";
}

}  // namespace

// Many ranks are in one and the same place, and each question to addr2line starts a process.
const std::string& source_line_of(const std::string& place) {
  static std::map<std::string, std::string> known;
  const auto [at, fresh] = known.try_emplace(place);
  if (fresh) at->second = with_source_line(place);
  return at->second;
}

}  // namespace detmpi
