#include "numbers.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include <base/text.hpp>

#include "command.hpp"

namespace dmr::command {

namespace {

constexpr const char* kFormats[] = {"bytes", "f64", "text"};  // by Format

bool separates(char c) { return c == ' ' || c == ',' || (c >= '\t' && c <= '\r'); }

[[noreturn]] void fail_number(const char* from, const char* line_end) {
  constexpr ptrdiff_t kShown = 40;
  const char* to = from;
  while (to != line_end && to - from < kShown && !separates(*to)) ++to;
  throw JobError("'" + spmc::base::printable({from, to}) + "' is no number");
}

[[noreturn]] void fail_comma() { throw JobError("a number is missing at a comma"); }

// Parses a finite number; where it ends. Throws JobError.
const char* parse_number(const char* from, const char* line_end, double& number) {
  const char* const digits = *from == '+' && line_end - from > 1 && from[1] != '-' ? from + 1 : from;
  auto [behind, error] = std::from_chars(digits, line_end, number);
  if (error == std::errc::result_out_of_range) {
    // Too small, or too large? That strtod tells apart.
    number = std::strtod(std::string(digits, behind).c_str(), nullptr);
    error = {};
  }
  const bool whole = error == std::errc() && (behind == line_end || separates(*behind));
  if (!whole || !std::isfinite(number)) fail_number(from, line_end);
  return behind;
}

}  // namespace

Format parse_format(const char* option, const std::string& text, std::initializer_list<Format> allowed) {
  std::string names;
  for (const Format format : allowed) {
    const char* const name = kFormats[static_cast<size_t>(format)];
    if (text == name) return format;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw UsageError{"--" + std::string(option) + "=" + text + ": not one of " + names};
}

void append_number(double number, std::string& to) {
  char text[32];
  to.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

void append_numbers(std::span<const double> numbers, std::string& to) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) to.push_back(' ');
    append_number(numbers[i], to);
  }
}

void parse_numbers(std::string_view line, std::vector<double>& numbers) {
  numbers.clear();
  const char *at = line.data(), *const end = at + line.size();
  for (;;) {
    bool comma = false;  // since the last number
    for (; at != end && separates(*at); ++at) {
      if (*at != ',') continue;
      if (comma || numbers.empty()) fail_comma();
      comma = true;
    }
    if (at == end && comma) fail_comma();
    if (at == end) return;
    at = parse_number(at, end, numbers.emplace_back());
  }
}

void each_row_of_file(const Input& input, uint32_t file, const std::function<void(std::span<const double>)>& take) {
  std::vector<double> numbers;
  each_line(input.whole(file), [&](std::string_view line, size_t at) {
    try {
      parse_numbers(line, numbers);
      if (!numbers.empty()) take(numbers);
    } catch (const JobError& error) {
      throw JobError(std::string(error.what()) + ", in " + input.name(file) + ", bytes " + std::to_string(at) + " to " +
                     std::to_string(at + line.size()));
    }
  });
}

void check_finite(const Piece& piece, size_t count) {
  const auto numbers = doubles_of(piece.data);
  for (size_t at = 0; at < numbers.size(); at += count) {
    if (all_finite(numbers.subspan(at, count))) continue;
    const uint64_t begin = piece.begin + at * sizeof(double);
    if (working_on(begin, begin + count * sizeof(double))) throw JobError("a number is not finite");
  }
}

void fail_row(uint64_t got, uint64_t wanted) {
  throw JobError(std::to_string(got) + " numbers in a line, not " + std::to_string(wanted));
}

}  // namespace dmr::command
