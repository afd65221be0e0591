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

}  // namespace

Points Points::of_text(const Arguments& arguments, uint64_t dimensions, Statistics& statistics) {
  const Input input = open_input(arguments, Records::lines());
  ParseText job;
  job.dimensions = dimensions > 0 ? dimensions : numbers_in_first_row(input);
  std::vector<double> numbers;
  const Statistics parsing = job.run_each(input, arguments.options, [&](uint64_t, const std::vector<double>& of_piece) {
    numbers.insert(numbers.end(), of_piece.begin(), of_piece.end());
  });
  add_statistics(parsing, statistics);
  return Points(std::move(numbers), std::max<uint64_t>(job.dimensions, 1));
}

Points Points::of_doubles(const Arguments& arguments, uint64_t dimensions) {
  return Points(open_input(arguments, Records::of_size(dimensions * sizeof(double))), dimensions);
}

Points::Points(std::vector<double> numbers, uint64_t dimensions)
    : dimensions_(dimensions),
      numbers_(std::move(numbers)),
      input_(Input::memory({reinterpret_cast<const char*>(numbers_.data()), numbers_.size() * sizeof(double)},
                           Records::of_size(dimensions * sizeof(double)))) {}

std::span<const double> Points::operator[](uint64_t number) const {
  uint64_t at = number * dimensions_ * sizeof(double);
  uint32_t file = 0;
  while (at >= input_.whole(file).size()) at -= input_.whole(file++).size();
  return doubles_of(input_.whole(file).substr(at, dimensions_ * sizeof(double)));
}

}  // namespace dmr::command
