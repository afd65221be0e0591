// dmr regression: the line of least squares through points.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include <dmr/map_reduce.hpp>

#include "command.hpp"
#include "numbers.hpp"
#include "output.hpp"

namespace dmr::command {

namespace {

constexpr char kHelp[] = R"(Usage: dmr regression [OPTION...] [FILE...]
The line y = slope * x + intercept through points that has the least squares of distances
in y. Lines `name<tab>value` of slope, intercept, correlation (nan if all y are equal),
points, and the sums of x, y, x*x, y*y, x*y.

      --format=FORMAT   of a point: bytes (the default): x and y are a byte each, from 0 to
                        255; f64: a double each; text: a line of two numbers
)";

template <typename Number>
struct Sums {
  Number points, x, y, xx, yy, xy;

  void add(Number px, Number py) {
    points += 1;
    x += px;
    y += py;
    xx += px * px;
    yy += py * py;
    xy += px * py;
  }
  bool finite() const { return all_finite(std::array{x, y, xx, yy, xy}); }
};

template <typename Number>
struct AddSums {
  using Value = Sums<Number>;
  static constexpr bool kExact = std::integral<Number>;
  static void add(Value& into, const Value& next) {
    into.points += next.points;
    into.x += next.x;
    into.y += next.y;
    into.xx += next.xx;
    into.yy += next.yy;
    into.xy += next.xy;
  }
};

// What the line is made of: means, and sums of squares of the distances from them.
struct Spread {
  double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
};

struct Answer {
  std::array<std::string, 6> sums;  // as text
  std::optional<Spread> spread;     // none: there are no points
  Statistics statistics;
};

// --- points of bytes: all exact ---

struct ByteRegression : MapReduce<ByteRegression, uint32_t, Sums<uint64_t>, AddSums<uint64_t>> {
  using Container = FewKeys<1>;

  void map(const Piece& piece, auto& emit) const {
    const auto* at = reinterpret_cast<const uint8_t*>(piece.data.data());
    const auto* const end = at + piece.data.size();
    Sums<uint64_t> sums{};
    while (at != end) {
      // As many as 32 bits have room for the squares of.
      constexpr ptrdiff_t kPoints = 1 << 15;
      const ptrdiff_t points = std::min<ptrdiff_t>((end - at) / 2, kPoints);
      Sums<uint32_t> few{};
      for (ptrdiff_t i = 0; i < points; ++i) few.add(at[2 * i], at[2 * i + 1]);
      AddSums<uint64_t>::add(sums, {few.points, few.x, few.y, few.xx, few.yy, few.xy});
      at += 2 * points;
    }
    emit(uint32_t{0}, sums);
  }
};

Spread spread_of(const Sums<uint64_t>& sums) {
  // The products of sums need more than 64 bits.
  __extension__ using Wide = __int128;
  const auto n = static_cast<double>(sums.points);
  const auto about_mean = [&](uint64_t product, uint64_t a, uint64_t b) {
    return static_cast<double>(Wide{sums.points} * product - Wide{a} * b) / n;
  };
  return {static_cast<double>(sums.x) / n, static_cast<double>(sums.y) / n, about_mean(sums.xx, sums.x, sums.x),
          about_mean(sums.yy, sums.y, sums.y), about_mean(sums.xy, sums.x, sums.y)};
}

Answer regress_bytes(const Arguments& arguments) {
  Answer answer;
  const Input input = open_input(arguments, Records::of_size(2));
  const Options options = with_one_reducer(arguments.options);
  answer.statistics = ByteRegression().run_each(input, options, [&](uint32_t, const Sums<uint64_t>& sums) {
    const uint64_t all[] = {sums.points, sums.x, sums.y, sums.xx, sums.yy, sums.xy};
    for (size_t i = 0; i < std::size(all); ++i) answer.sums[i] = std::to_string(all[i]);
    answer.spread = spread_of(sums);
  });
  return answer;
}

// --- points of doubles ---

struct Point {
  double x = 0, y = 0;
};

// Besides the sums that are asked for, those of the distances from the first point: if numbers are large against their
// differences, squares of the numbers themselves have no digits left for these.
struct Regression : MapReduce<Regression, uint32_t, Sums<double>, AddSums<double>> {
  using Container = FewKeys<2>;
  static constexpr uint32_t kPlain = 0, kShifted = 1;
  bool text = false;
  Point first;

  void map(const Piece& piece, auto& emit) const {
    BothSums sums = text ? of_lines(piece) : of_doubles(piece.data);
    // Rarely; then a point may be left out.
    if (!text && !sums.plain.finite()) sums = of_finite_doubles(piece);
    if (sums.plain.points == 0) return;
    emit(kPlain, sums.plain);
    emit(kShifted, sums.shifted);
  }

 private:
  struct BothSums {
    Sums<double> plain{}, shifted{};
  };
  void add(double x, double y, BothSums& to) const {
    to.plain.add(x, y);
    to.shifted.add(x - first.x, y - first.y);
  }
  BothSums of_lines(const Piece& piece) const {
    BothSums sums;
    each_row(piece, [&](std::span<const double> row) {
      if (row.size() != 2) fail_row(row.size(), 2);
      add(row[0], row[1], sums);
    });
    return sums;
  }
  BothSums of_doubles(std::string_view bytes) const {
    const auto numbers = doubles_of(bytes);
    BothSums sums;
    for (size_t i = 0; i < numbers.size(); i += 2) add(numbers[i], numbers[i + 1], sums);
    return sums;
  }
  BothSums of_finite_doubles(const Piece& piece) const {
    check_finite(piece, 2);
    const auto numbers = doubles_of(piece.data);
    BothSums sums;
    for (size_t i = 0; i < numbers.size(); i += 2) {
      if (all_finite(numbers.subspan(i, 2))) add(numbers[i], numbers[i + 1], sums);
    }
    return sums;
  }
};

// The first line of the files that is a point. Wrong ones are left to the map, which tells where they are; with more
// than `most_wrong` of them there is no result.
Point first_of_text(const Input& input, uint64_t most_wrong) {
  std::vector<double> row;
  for (uint32_t file = 0; file < input.files(); ++file) {
    std::string_view text = input.whole(file);
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      try {
        parse_numbers(line, row);
        if (row.size() == 2) return {row[0], row[1]};
        if (row.empty()) continue;
      } catch (const JobError&) {
      }
      if (most_wrong-- == 0) return {};
    }
  }
  return {};
}

// Others are left to the map.
Point first_of_doubles(const Input& input) {
  for (uint32_t file = 0; file < input.files(); ++file) {
    const auto numbers = doubles_of(input.whole(file));
    for (size_t i = 0; i < numbers.size(); i += 2) {
      if (all_finite(numbers.subspan(i, 2))) return {numbers[i], numbers[i + 1]};
    }
  }
  return {};
}

[[noreturn]] void fail_too_large() {
  throw JobError("the numbers are too large: their sums or the line are not finite");
}

Spread spread_of(const Sums<double>& shifted, const Point& first) {
  const double x = shifted.x / shifted.points, y = shifted.y / shifted.points;
  return {first.x + x, first.y + y, shifted.xx - shifted.x * x, shifted.yy - shifted.y * y, shifted.xy - shifted.x * y};
}

Answer regress_doubles(const Arguments& arguments, bool text) {
  Input input = open_input(arguments, text ? Records::lines() : Records::of_size(2 * sizeof(double)));
  input.join();
  Regression job;
  job.text = text;
  job.first = text ? first_of_text(input, arguments.options.skip_at_most) : first_of_doubles(input);
  Answer answer;
  const Options options = with_one_reducer(arguments.options);
  answer.statistics = job.run_each(input, options, [&](uint32_t key, const Sums<double>& sums) {
    if (!sums.finite()) fail_too_large();
    if (key == Regression::kShifted) {
      answer.spread = spread_of(sums, job.first);
      return;
    }
    const double all[] = {sums.x, sums.y, sums.xx, sums.yy, sums.xy};
    answer.sums[0] = std::to_string(static_cast<uint64_t>(sums.points));
    for (size_t i = 0; i < std::size(all); ++i) append_number(all[i], answer.sums[i + 1]);
  });
  return answer;
}

void write(const Answer& answer, Output& output) {
  if (!answer.spread) throw JobError("there are no points");
  const Spread& s = *answer.spread;
  if (!(s.xx > 0)) throw JobError("there is no line: all points have the same x");
  const double slope = s.xy / s.xx;
  const double numbers[] = {
      slope,
      s.mean_y - slope * s.mean_x,
      s.yy > 0 ? slope * std::sqrt(s.xx / s.yy) : std::numeric_limits<double>::quiet_NaN(),
  };
  if (!all_finite(std::span(numbers).first(s.yy > 0 ? 3 : 2))) fail_too_large();
  constexpr const char *kNumbers[] = {"slope", "intercept", "correlation"},
                       *kSums[] = {"points", "x", "y", "x*x", "y*y", "x*y"};
  std::string text;
  for (size_t i = 0; i < std::size(kNumbers); ++i) {
    text += kNumbers[i] + std::string(1, '\t');
    append_number(numbers[i], text);
    text += '\n';
  }
  for (size_t i = 0; i < std::size(kSums); ++i) text += kSums[i] + ('\t' + answer.sums[i]) + '\n';
  output.write(text);
}

}  // namespace

int regression(int argc, char** argv) {
  Format format = Format::kBytes;
  const auto take = [&](const std::string& text) {
    format = parse_format("format", text, {Format::kBytes, Format::kF64, Format::kText});
  };
  const Arguments arguments = parse(argc, argv, kHelp, {{"format", true, take}});
  Output output(arguments);
  const Answer answer =
      format == Format::kBytes ? regress_bytes(arguments) : regress_doubles(arguments, format == Format::kText);
  write(answer, output);
  finish({&output}, arguments, "regression", answer.statistics);
  return 0;
}

}  // namespace dmr::command
