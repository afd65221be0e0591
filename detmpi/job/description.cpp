#include "description.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>

#include "../engine/job_table.hpp"

namespace detmpi {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
  fields.resize(5);
  return fields;
}

std::string text_of(int rank) {
  const RankRecord& record = rank_record(rank);
  const uint32_t bytes = record.description_bytes.load(std::memory_order_acquire);
  if (bytes == 0) return "";
  return {reinterpret_cast<const char*>(spmc::segment::frame(spmc::EPageIndex{record.description_frame})), bytes};
}

// "function, file.c:12" of a place that ranks give as "/path/object+0x12", where there are symbols and addr2line; empty
// otherwise.
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

// Many ranks are in one and the same place, and each question to addr2line starts a process.
const std::string& source_line_of(const std::string& place) {
  static std::map<std::string, std::string> known;
  const auto [at, fresh] = known.try_emplace(place);
  if (fresh) at->second = with_source_line(place);
  return at->second;
}

}  // namespace

bool has_described_itself(int rank) { return rank_record(rank).description_bytes.load(std::memory_order_acquire) != 0; }

Description description_of(int rank) {
  Description description;
  std::istringstream text(text_of(rank));
  for (std::string line; std::getline(text, line);) {
    const auto f = fields_of(line);
    if (f[0] == "call") {
      description.call = f[1];
      description.place = source_line_of(f[3]);
      if (description.place.empty()) description.place = f[2];
    } else if (f[0] == "unmatched") {
      description.unmatched.push_back({std::stoi(f[1]), f[2], f[3]});
    } else if (f[0] == "need") {
      description.needs.push_back({f[1], f[2], f[3], f[4], {}});
    }
  }
  return description;
}

}  // namespace detmpi
