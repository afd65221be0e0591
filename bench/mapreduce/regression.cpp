// `regression` on threads: the line of least squares through points whose x and y are a byte each.
#include <cmath>

#include "common.hpp"

namespace threads {

namespace {

struct alignas(64) Sums {
  uint64_t points = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
};

// 32 bits have room for the squares of one block.
void add_block(const uint8_t* at, size_t points, Sums& to) {
  uint32_t x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < points; ++i) {
    const uint32_t px = at[2 * i], py = at[2 * i + 1];
    x += px;
    y += py;
    xx += px * px;
    yy += py * py;
    xy += px * py;
  }
  to = {to.points + points, to.x + x, to.y + y, to.xx + xx, to.yy + yy, to.xy + xy};
}

void print_line(const Sums& s) {
  __extension__ using Wide = __int128;
  const auto n = static_cast<double>(s.points);
  const auto about_mean = [&](uint64_t product, uint64_t a, uint64_t b) {
    return static_cast<double>(Wide{s.points} * product - Wide{a} * b) / n;
  };
  const double xx = about_mean(s.xx, s.x, s.x), yy = about_mean(s.yy, s.y, s.y), xy = about_mean(s.xy, s.x, s.y);
  const double slope = xy / xx;
  std::string out = "slope\t";
  append_number(slope, out);
  append_number(static_cast<double>(s.y) / n - slope * (static_cast<double>(s.x) / n), out += "\nintercept\t");
  append_number(slope * std::sqrt(xx / yy), out += "\ncorrelation\t");
  const uint64_t sums[] = {s.points, s.x, s.y, s.xx, s.yy, s.xy};
  const char* const names[] = {"points", "x", "y", "x*x", "y*y", "x*y"};
  for (size_t i = 0; i < 6; ++i) out += '\n' + (names[i] + ('\t' + std::to_string(sums[i])));
  print(out + '\n');
}

}  // namespace

void regression(size_t threads, Arguments files) {
  std::vector<Sums> sums(threads);
  for (const char* name : files) {
    const std::string_view file = map_file(name);
    const auto* const bytes = reinterpret_cast<const uint8_t*>(file.data());
    share_out(threads, file.size() / 2, kChunk / 2, [&](size_t thread, size_t from, size_t to) {
      constexpr size_t kBlock = 1 << 15;
      for (size_t at = from; at < to; at += kBlock) add_block(bytes + 2 * at, std::min(kBlock, to - at), sums[thread]);
    });
  }
  Sums all;
  for (const Sums& s : sums) {
    all = {all.points + s.points, all.x + s.x, all.y + s.y, all.xx + s.xx, all.yy + s.yy, all.xy + s.xy};
  }
  print_line(all);
}

}  // namespace threads
