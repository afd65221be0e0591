#include "source_line.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace detmpi {
namespace {

// Quoted, so that it is one word.
std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') word += "'\\'";
    word += c;
  }
  return word + "'";
}

std::string output_of(const std::string& command) {
  FILE* output = ::popen(command.c_str(), "r");
  if (output == nullptr) return "";
  std::string text;
  for (int c; (c = std::fgetc(output)) != EOF;) text += static_cast<char>(c);
  ::pclose(output);
  return text;
}

// Of what addr2line says the first of two lines, the function, or the second one. Empty if it is not known.
std::string known_line(const std::string& text, int number) {
  const size_t end = text.find('\n');
  if (end == std::string::npos) return "";
  std::string line = number == 1 ? text.substr(0, end) : text.substr(end + 1, text.find('\n', end + 1) - end - 1);
  for (const char* for_compilers : {" (discriminator", " [clone "}) {
    line.resize(std::min(line.size(), line.find(for_compilers)));
  }
  return line.starts_with('?') ? "" : line;
}

std::string with_source_line(const std::string& place) {
  const size_t plus = place.rfind("+0x");
  if (plus == std::string::npos) return "";
  const uint64_t offset = std::strtoul(place.c_str() + plus + 1, nullptr, 16);
  for (const uint64_t base : {uint64_t{0}, uint64_t{0x400000}}) {  // where a program that does not move is loaded
    char address[32];
    std::snprintf(address, sizeof address, " 0x%lx 2>/dev/null", static_cast<unsigned long>(base + offset));
    const std::string told = output_of("addr2line -Cfs -e " + shell_word(place.substr(0, plus)) + address);
    const std::string function = known_line(told, 1), line = known_line(told, 2);
    if (!function.empty()) return function + (line.empty() ? "" : ", " + line);
  }
  return "";
}

// Many ranks are in one and the same place, and each question to addr2line starts a process.
const std::string& known_source_line(const std::string& place) {
  static std::map<std::string, std::string> known;
  const auto [at, fresh] = known.try_emplace(place);
  if (fresh) at->second = with_source_line(place);
  return at->second;
}

}  // namespace

std::string place_text(const std::string& by_function, const std::string& by_offset) {
  const std::string& line = known_source_line(by_offset);
  return line.empty() ? by_function : line;
}

}  // namespace detmpi
