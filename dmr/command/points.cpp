#include "points.hpp"

#include <dmr/map_reduce.hpp>

namespace dmr::command {

namespace {

// The numbers of each piece of a text.
struct ParseText : MapReduce<ParseText, uint64_t, std::vector<double>> {
  uint64_t dimensions = 0;

  void map(const Piece& piece, auto& emit) const {
    std::vector<double> numbers;
    each_row(piece, [&](std::span<const double> row) {
      if (row.size() != dimensions) fail_row(row.size(), dimensions);
      numbers.insert(numbers.end(), row.begin(), row.end());
    });
    emit(piece.number, numbers);
  }
};

// How many numbers the first line has that is one of numbers; 0: there is none. Others are left to the map, which tells
// where they are.
uint64_t numbers_in_first_row(const Input& input) {
  std::vector<double> numbers;
  for (uint32_t file = 0; file < input.files(); ++file) {
    std::string_view text = input.whole(file);
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      try {
        parse_numbers(line, numbers);
      } catch (const JobError&) {
        continue;
      }
      if (!numbers.empty()) return numbers.size();
    }
  }
  return 0;
}

// Others have no number, or were left out.
bool is_point(std::string_view line, uint64_t dimensions, std::vector<double>& numbers) {
  try {
    parse_numbers(line, numbers);
    return numbers.size() == dimensions;
  } catch (const JobError&) {
    return false;
  }
}

}  // namespace

Points Points::of_text(const Arguments& arguments, uint64_t dimensions, Statistics& statistics) {
  Text text = {open_input(arguments, Records::lines()), {}};
  ParseText job;
  job.dimensions = dimensions > 0 ? dimensions : numbers_in_first_row(text.input);
  const uint64_t width = std::max<uint64_t>(job.dimensions, 1);
  text.points.resize(text.input.pieces());
  std::vector<double> numbers;
  const auto take = [&](uint64_t piece, const std::vector<double>& of_piece) {
    numbers.insert(numbers.end(), of_piece.begin(), of_piece.end());
    text.points[piece] = of_piece.size() / width;
  };
  add_statistics(job.run_each(text.input, arguments.options, take), statistics);
  return Points(std::move(text), std::move(numbers), width);
}

Points Points::of_doubles(const Arguments& arguments, uint64_t dimensions) {
  Input input = open_input(arguments, Records::of_size(dimensions * sizeof(double)));
  input.join();
  return Points(std::move(input), dimensions);
}

Points::Points(Text text, std::vector<double> numbers, uint64_t dimensions)
    : dimensions_(dimensions),
      text_(std::move(text)),
      numbers_(std::move(numbers)),
      input_(Input::memory({reinterpret_cast<const char*>(numbers_.data()), numbers_.size() * sizeof(double)},
                           Records::of_size(dimensions * sizeof(double)))) {}

std::string Points::place_in_text(uint64_t number) const {
  uint64_t which = 0;
  while (number >= text_->points[which]) number -= text_->points[which++];
  const Piece piece = text_->input.piece(which);
  std::string place;
  std::vector<double> numbers;
  each_line(piece.data, [&](std::string_view line, size_t at) {
    if (!place.empty() || !is_point(line, dimensions_, numbers) || number-- > 0) return;
    place = text_->input.describe(piece, piece.begin + at, piece.begin + at + line.size());
  });
  return place;
}

std::span<const double> Points::operator[](uint64_t number) const {
  uint64_t at = number * dimensions_ * sizeof(double);
  uint32_t file = 0;
  while (at >= input_.whole(file).size()) at -= input_.whole(file++).size();
  return doubles_of(input_.whole(file).substr(at, dimensions_ * sizeof(double)));
}

}  // namespace dmr::command
