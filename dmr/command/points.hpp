// Points with coordinates of double precision, which lie in files or, if they were text, in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <dmr/input.hpp>

#include "command.hpp"
#include "numbers.hpp"

namespace dmr::command {

class Points {
 public:
  // `dimensions` 0: as many as the first line of a text has numbers. Adds to `statistics` what reading took. Throws
  // JobError.
  static Points of_text(const Arguments& arguments, uint64_t dimensions, Statistics& statistics);
  static Points of_doubles(const Arguments& arguments, uint64_t dimensions);

  const Input& input() const { return input_; }  // records are points
  void cut(uint64_t piece_bytes) { input_.cut(piece_bytes); }
  uint64_t dimensions() const { return dimensions_; }
  uint64_t count() const { return input_.bytes() / (dimensions_ * sizeof(double)); }
  std::span<const double> operator[](uint64_t number) const;
  bool of_text() const { return text_.has_value(); }
  // Of a text, for messages: "FILE, bytes 0 to 6".
  std::string place_in_text(uint64_t number) const;

 private:
  struct Text {
    Input input;
    std::vector<uint64_t> points;  // of each piece
  };
  Points(Text text, std::vector<double> numbers, uint64_t dimensions);
  Points(Input input, uint64_t dimensions) : dimensions_(dimensions), input_(std::move(input)) {}

  uint64_t dimensions_;
  std::optional<Text> text_;
  std::vector<double> numbers_;  // what input_ reads, if it was text
  Input input_;
};

}  // namespace dmr::command
