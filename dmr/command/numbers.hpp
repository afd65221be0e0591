// Numbers in files: as text, or as doubles one behind the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <dmr/engine.hpp>
#include <dmr/input.hpp>

#include "lines.hpp"

namespace dmr::command {

enum class Format { kBytes, kF64, kText };

// "bytes", "f64", "text", of which `allowed` are known. Throws UsageError.
Format parse_format(const char* option, const std::string& text, std::initializer_list<Format> allowed);

// Shortest text that is read back as the same bits.
void append_number(double number, std::string& to);
// With blanks between them.
void append_numbers(std::span<const double> numbers, std::string& to);

// Of one line: separated by blanks, or by one comma, with blanks or without. Throws JobError for what is no finite
// number, and for a comma without a number before or behind it. What is nearer to 0 than any double is 0.
void parse_numbers(std::string_view line, std::vector<double>& numbers);

// Calls take(numbers) for each line of the piece, without those that have none. What it throws, and what it says of
// numbers, is told with the place of the line.
template <typename Take>
void each_row(const Piece& piece, Take&& take) {
  std::vector<double> numbers;
  each_line(piece.data, [&](std::string_view line, size_t at) {
    if (!working_on(piece.begin + at, piece.begin + at + line.size())) return;
    parse_numbers(line, numbers);
    if (!numbers.empty()) take(std::span<const double>(numbers));
  });
}

// The same for all lines of a file outside of a job's maps; here the messages name the file themselves.
void each_row_of_file(const Input& input, uint32_t file, const std::function<void(std::span<const double>)>& take);

// Doubles of a piece (Records::of_size of a multiple of 8).
inline std::span<const double> doubles_of(std::string_view bytes) {
  return {reinterpret_cast<const double*>(bytes.data()), bytes.size() / sizeof(double)};
}

inline bool all_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
}
// Throws a JobError about the first record of the piece, of `count` doubles, that has a number that is not finite, if
// there is one.
void check_finite(const Piece& piece, size_t count);

// What a JobError about a wrong number of numbers says.
[[noreturn]] void fail_row(uint64_t got, uint64_t wanted);

}  // namespace dmr::command
