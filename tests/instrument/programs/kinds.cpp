// Control flow of C++: exceptions, virtual calls, templates, containers.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "clock.h"

namespace {

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
};
struct Square final : Shape {
  explicit Square(double s) : side(s) {}
  double area() const override { return side * side; }
  double side;
};
struct Polygon final : Shape {
  explicit Polygon(int n) : corners(n) {}
  double area() const override {
    double sum = 0;
    for (int i = 0; i < corners; ++i) sum += 1.0 / (1 + i);
    return sum;
  }
  int corners;
};

struct Guard {
  explicit Guard(int& n) : count(n) {}
  ~Guard() { ++count; }
  int& count;
};

int thrower(int depth, int& guards) {
  Guard guard(guards);
  if (depth == 0) throw std::runtime_error("bottom");
  return thrower(depth - 1, guards) + 1;
}

int exceptions(int n) {
  int guards = 0;
  for (int i = 0; i < n; ++i) {
    try {
      thrower(i % 7, guards);
    } catch (const std::exception& e) {
      guards += static_cast<int>(std::string(e.what()).size());
    }
  }
  return guards;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double sum = 0;
  begin(), sum += exceptions(3000), report("exceptions");
  std::vector<std::unique_ptr<Shape>> shapes;
  for (int i = 0; i < 2000; ++i) {
    if (i % 3 != 0) shapes.push_back(std::make_unique<Square>(i));
    else shapes.push_back(std::make_unique<Polygon>(i));
  }
  begin();
  for (const auto& shape : shapes) sum += shape->area();
  report("virtual calls");
  std::vector<int> numbers(20000);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 7919 % 10007);
  begin(), std::sort(numbers.begin(), numbers.end()), report("sort");
  begin(), sum += std::accumulate(numbers.begin(), numbers.end(), 0.0), report("accumulate");
  std::map<int, int> tree;
  begin();
  for (int i = 0; i < 5000; ++i) tree[i * 7919 % 10007] += i;
  report("map");
  const std::function<long(long)> ackermann = [&](long n) { return n < 2 ? n : ackermann(n - 1) + ackermann(n - 2); };
  begin(), sum += static_cast<double>(ackermann(18)), report("function objects");
  std::printf("result: %g, %zu\n", sum, tree.size());
  return MPI_Finalize();
}
