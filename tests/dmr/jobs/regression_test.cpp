// dmr regression: exact for bytes; for doubles near to sums of more digits, and the same bits for any number of
// workers.
#include <array>
#include <cmath>
#include <map>

#include "running.hpp"

using namespace dmr_jobs_test;

namespace {

using Values = std::map<std::string, std::string>;

Values values_of(const std::string& lines) {
  Values values;
  for (const std::string& line : split(lines, '\n')) {
    const auto parts = split(line, '\t');
    if (parts.size() == 2) values[parts[0]] = parts[1];
  }
  CHECK(values.size() == 9);
  return values;
}

double number(const Values& values, const char* name) { return std::stod(values.at(name)); }

// By the textbook, with all the digits of long double.
struct Line {
  long double slope = 0, intercept = 0, correlation = 0;
};
Line line_through(const std::vector<double>& points) {
  const auto n = static_cast<long double>(points.size() / 2);
  long double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < points.size(); i += 2) x += points[i] / n, y += points[i + 1] / n;
  for (size_t i = 0; i < points.size(); i += 2) {
    xx += (points[i] - x) * (points[i] - x);
    yy += (points[i + 1] - y) * (points[i + 1] - y);
    xy += (points[i] - x) * (points[i + 1] - y);
  }
  return {xy / xx, y - xy / xx * x, xy / std::sqrt(xx * yy)};
}

void check_line(const Values& values, const Line& line, double precision) {
  CHECK(number(values, "slope") == Approx(static_cast<double>(line.slope)).epsilon(precision));
  CHECK(number(values, "intercept") == Approx(static_cast<double>(line.intercept)).epsilon(precision).margin(1e-12));
  CHECK(number(values, "correlation") == Approx(static_cast<double>(line.correlation)).epsilon(precision));
}

std::vector<double> points_around(double x0, double y0, size_t count) {
  Random random(5);
  std::vector<double> points;
  for (size_t i = 0; i < count; ++i) {
    const double x = any_double(random);
    points.insert(points.end(), {x0 + x, y0 - 3 * x + any_double(random)});
  }
  return points;
}

}  // namespace

TEST_CASE("regression: bytes") {
  const Folder folder;
  Random random(2);
  std::string bytes;
  std::vector<double> points;
  std::array<uint64_t, 6> sums{};
  for (int i = 0; i < 1'500'000; ++i) {
    const uint64_t x = 255 - random.below(40) * random.below(6), y = std::min<uint64_t>(255, x / 2 + random.below(200));
    bytes += static_cast<char>(x);
    bytes += static_cast<char>(y);
    points.insert(points.end(), {static_cast<double>(x), static_cast<double>(y)});
    const uint64_t terms[] = {1, x, y, x * x, y * y, x * y};
    for (size_t k = 0; k < 6; ++k) sums[k] += terms[k];
  }
  const auto values = values_of(same_output({"regression", folder.file("points", bytes)}));
  const char* const names[] = {"points", "x", "y", "x*x", "y*y", "x*y"};
  for (size_t k = 0; k < 6; ++k) CHECK(values.at(names[k]) == std::to_string(sums[k]));
  check_line(values, line_through(points), 1e-12);
}

TEST_CASE("regression: doubles, and the same as text") {
  const Folder folder;
  const auto points = points_around(0, 0, 300'000);
  const std::string file = folder.file("points", bytes_of(points));
  const auto values = values_of(same_output({"regression", "--format=f64", file}));
  check_line(values, line_through(points), 1e-9);
  CHECK(values.at("points") == "300000");
  long double xy = 0;
  for (size_t i = 0; i < points.size(); i += 2) xy += static_cast<long double>(points[i]) * points[i + 1];
  CHECK(number(values, "x*y") == Approx(static_cast<double>(xy)).epsilon(1e-11));

  const auto text = values_of(same_output({"regression", "--format=text", folder.file("text", lines_of(points, 2))}));
  check_line(text, line_through(points), 1e-9);
}

TEST_CASE("regression: numbers that are large against their differences") {
  const Folder folder;
  const auto points = points_around(1e9, -1e9, 100'000);
  const auto line = line_through(points);
  const std::string empty = folder.file("empty", " \n\n"), text = folder.file("text", lines_of(points, 2));
  check_line(values_of(same_output({"regression", "--format=text", empty, text})), line, 1e-7);
  const std::string file = folder.file("points", bytes_of(points));
  check_line(values_of(same_output({"regression", "--format=f64", file})), line, 1e-7);
}

TEST_CASE("regression: simple lines") {
  const Folder folder;
  const auto run = [&](const std::string& text) { return run_dmr({"regression", "--format=text"}, text).out; };
  CHECK(run("1,3\n\n 2\t5 \r\n3, 7") ==
        "slope\t2\nintercept\t1\ncorrelation\t1\npoints\t3\nx\t6\ny\t15\nx*x\t14\ny*y\t83\nx*y\t34\n");
  CHECK(run("1 4\n2 4\n") ==
        "slope\t0\nintercept\t4\ncorrelation\tnan\npoints\t2\nx\t3\ny\t8\nx*x\t5\ny*y\t32\nx*y\t12\n");
}

TEST_CASE("regression: numbers as people write them") {
  const Folder folder;
  const auto run = [&](const std::string& text) { return run_dmr({"regression", "--format=text"}, text).out; };
  const std::string expected = run("1 3\n2 5\n3 7\n");
  CHECK(expected.size() > 10);
  CHECK(run("+1 3\n2,+5e0\n+3.0 , 7\r\n") == expected);
  // Less than the least there is, as strtod reads it.
  CHECK(run("1e-400 0\n-1e-999 0\n1 1\n") == run("0 0\n-0 0\n1 1\n"));
  CHECK(run("1e-310 0\n1 1\n").find("x\t1\n") != std::string::npos);
  for (const char* word : {"++1", "+-1", "-+1", "+", "-", "1e400", "-1e999", "inf", "nan", "0x10", "1e", "1.2.3"}) {
    CHECK(failure({"regression", "--format=text", folder.file("word", "1 2\n3 " + std::string(word) + "\n")}) ==
          "dmr: worker 0: '" + std::string(word) + "' is no number, in the map of " + folder.path("word") +
              ", bytes 4 to " + std::to_string(6 + std::string(word).size()) + '\n');
  }
  for (const char* line : {"1,,2", ",1,2", "1,2,", "1, ,2", "1 2,", ",", "1 , , 2"}) {
    CHECK(failure({"regression", "--format=text", folder.file("gap", "1 2\n" + std::string(line) + "\n")}) ==
          "dmr: worker 0: a number is missing at a comma, in the map of " + folder.path("gap") + ", bytes 4 to " +
              std::to_string(4 + std::string(line).size()) + '\n');
  }
}

TEST_CASE("regression: numbers that are none, or too large") {
  const Folder folder;
  std::vector<double> points;
  for (int i = 0; i < 200'000; ++i) points.insert(points.end(), {i * 1.0, i * 2.0});
  const std::string good = folder.file("good", bytes_of(points));
  const auto with = [&](size_t at, double number) {
    auto all = points;
    all[at] = number;
    return folder.file("wrong", bytes_of(all));
  };
  const auto message = [&](const char* worker, size_t begin) {
    return std::string("worker ") + worker + ": a number is not finite, in the map of " + folder.path("wrong") +
           ", bytes " + std::to_string(begin) + " to " + std::to_string(begin + 16) + '\n';
  };
  const double nan = std::nan(""), infinite = INFINITY;
  for (const double number : {nan, infinite, -infinite}) {
    CHECK(failure({"regression", "--format=f64", with(7, number)}) == "dmr: " + message("0", 48));
  }
  CHECK(failure({"regression", "--format=f64", with(0, nan)}) == "dmr: " + message("0", 0));
  // Left out, it changes nothing else.
  auto rest = points;
  rest.erase(rest.begin() + 300'000, rest.begin() + 300'002);
  const std::string wrong = with(300'001, nan);
  const auto skipped = run_dmr({"regression", "--format=f64", "--skip=1", "-w1", wrong});
  CHECK(skipped.err == "dmr: left out: " + message("0", 2'400'000));
  CHECK(values_of(skipped.out).at("points") == "199999");
  check_line(values_of(skipped.out), line_through(rest), 1e-9);

  const std::string too_large = "dmr: the numbers are too large: their sums or the line are not finite\n";
  CHECK(failure({"regression", "--format=f64", with(7, 1e200)}) == too_large);
  CHECK(failure({"regression", "--format=text", folder.file("text", "1e308 1\n1e308 2\n3 3\n")}) == too_large);
  CHECK(failure({"regression", "--format=text", folder.file("steep", "0 1e150\n1e-160 -1e150\n")}) == too_large);
}

TEST_CASE("regression: what has no line, or is wrong") {
  const Folder folder;
  const std::string odd = folder.file("odd", "abc");
  CHECK(failure({"regression", odd}) == "dmr: " + odd + ": 3 bytes are no whole number of records of 2\n");
  CHECK(failure({"regression", folder.file("none", "")}) == "dmr: there are no points\n");
  CHECK(failure({"regression", folder.file("one", "aaab")}) == "dmr: there is no line: all points have the same x\n");
  const std::string word = folder.file("word", "1 2\n3 4x\n"), three = folder.file("three", "1 2\n3 4\n5 6 7\n");
  CHECK(failure({"regression", "--format=text", word}) ==
        "dmr: worker 0: '4x' is no number, in the map of " + word + ", bytes 4 to 8\n");
  const std::string bytes = folder.file("bytes", std::string("1 2\n3 \0\x1b[7m\xff\n", 13));
  CHECK(failure({"regression", "--format=text", bytes}) ==
        "dmr: worker 0: '\\x00\\x1b[7m\xff' is no number, in the map of " + bytes + ", bytes 4 to 12\n");
  CHECK(failure({"regression", "--format=text", three}) ==
        "dmr: worker 0: 3 numbers in a line, not 2, in the map of " + three + ", bytes 8 to 13\n");
  CHECK(failure({"regression", "--format=csv"}, 2) ==
        "dmr: --format=csv: not one of bytes, f64, text; try dmr regression --help\n");
}
