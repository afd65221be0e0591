// dmr kmeans: means of groups of points; a job of MapReduce for each time that the means move.
#include <algorithm>
#include <memory>
#include <set>

#include <dmr/map_reduce.hpp>

#include "command.hpp"
#include "nearest.hpp"
#include "output.hpp"
#include "points.hpp"

namespace dmr::command {

namespace {

constexpr char kHelp[] = R"(Usage: dmr kmeans [OPTION...] [FILE...]
Finds means of groups of points: every point belongs to the nearest mean (of equally near
ones to the first), every mean moves to the middle of its points, again and again. A mean
without points stays. Lines `mean<tab>points<tab>coordinates`: its number from 0, how many
points it is the middle of, numbers with blanks between them.

      --means=K         how many (default: 8)
      --iterations=N    how often they move; 0 (the default): until none does
      --seed=S          from which the first means are drawn, K different points (default: 1)
      --format=FORMAT   text (the default): a point is a line of numbers; f64: doubles
      --dimensions=D    numbers of a point (default for text: as many as its first line has)
      --assignments=FILE
                        for each point a line with the number of the mean that it belongs to

The first means are the points with the numbers r * points / 2^64, rounded down, where r are
the numbers that the generator SplitMix64 gives from the seed; one that was there is left out.
)";

struct Settings {
  uint64_t means = 8, iterations = 0, seed = 1;
  uint64_t dimensions = 0;  // 0: not given
  Format format = Format::kText;
  std::string assignments_file;  // "": none
};

// A move ends when the slower worker is done with its last piece; a piece of 1 MiB takes milliseconds.
constexpr uint64_t kPieceOfMove = 256 << 10;

constexpr char kNotFinite[] = "a point has a coordinate that is no number, or too large";

// The nearest mean of each point of a piece.
void find_nearest(const Piece& piece, const GroupedMeans& means, std::vector<uint32_t>& nearest) {
  const auto numbers = doubles_of(piece.data);
  nearest.resize(numbers.size() / means.dimensions);
  find_nearest(means, numbers.data(), nearest.size(), nearest.data());
  const auto none = std::find(nearest.begin(), nearest.end(), kNoMean);
  if (none == nearest.end()) return;
  const uint64_t point_bytes = means.dimensions * sizeof(double);
  const uint64_t at = piece.begin + static_cast<uint64_t>(none - nearest.begin()) * point_bytes;
  (void)working_on(at, at + point_bytes);
  throw JobError(kNotFinite);
}

// Of each mean the sums of the coordinates of its points, and how many they are. Within a piece they are plain sums: an
// exact one of each coordinate takes longer than to find the nearest of a few means.
struct MovingMeans : MapReduce<MovingMeans, uint32_t, std::vector<double>, SumOfEach<double>> {
  const GroupedMeans& means;
  explicit MovingMeans(const GroupedMeans& of) : means(of) {}

  void map(const Piece& piece, auto& emit) const {
    const size_t width = means.dimensions + 1;
    sums_.assign(means.count * width, 0);
    find_nearest(piece, means, nearest_);
    const double* point = doubles_of(piece.data).data();
    for (const uint32_t nearest : nearest_) {
      double* const sum = sums_.data() + nearest * width;
      for (size_t d = 0; d < means.dimensions; ++d) sum[d] += point[d];
      sum[means.dimensions] += 1;
      point += means.dimensions;
    }
    for (uint32_t mean = 0; mean < means.count; ++mean) {
      const double* const sum = sums_.data() + mean * width;
      if (sum[means.dimensions] > 0) emit(mean, std::vector<double>(sum, sum + width));
    }
  }

 private:
  // A worker keeps their memory from piece to piece: new pages take long.
  mutable std::vector<double> sums_;
  mutable std::vector<uint32_t> nearest_;
};

struct Assignments : MapReduce<Assignments, uint64_t, std::vector<uint32_t>> {
  const GroupedMeans& means;
  explicit Assignments(const GroupedMeans& of) : means(of) {}
  void map(const Piece& piece, auto& emit) const {
    std::vector<uint32_t> nearest;
    find_nearest(piece, means, nearest);
    emit(piece.number, nearest);
  }
};

std::vector<double> draw_means(const Points& points, const Settings& settings) {
  if (points.count() < settings.means) {
    throw JobError("there are " + std::to_string(points.count()) + " points, fewer than means, of which there are " +
                   std::to_string(settings.means));
  }
  __extension__ using Wide = unsigned __int128;
  std::vector<double> means;
  std::set<uint64_t> drawn;
  for (uint64_t state = settings.seed; drawn.size() < settings.means;) {
    uint64_t r = state += 0x9e3779b97f4a7c15u;
    r = (r ^ r >> 30) * 0xbf58476d1ce4e5b9u;
    r = (r ^ r >> 27) * 0x94d049bb133111ebu;
    r ^= r >> 31;
    const auto number = static_cast<uint64_t>(Wide{r} * points.count() >> 64);
    if (!drawn.insert(number).second) continue;
    const auto point = points[number];
    means.insert(means.end(), point.begin(), point.end());
  }
  return means;
}

class KMeans {
 public:
  KMeans(const Arguments& arguments, const Settings& settings, const Points& points)
      : options_(without_skipping(arguments.options)), points_(points), means_(draw_means(points, settings)) {}

  // Whether a mean has moved.
  bool move() {
    const uint64_t width = points_.dimensions();
    before_ = means_;
    counts_.assign(means_.size() / width, 0);
    const GroupedMeans grouped(before_, width);
    const auto take = [&](uint32_t mean, const std::vector<double>& sums) {
      if (!all_finite(sums)) {
        throw JobError("the points of mean " + std::to_string(mean) + " are too large: their sum is not finite");
      }
      counts_[mean] = static_cast<uint64_t>(sums[width]);
      for (size_t d = 0; d < width; ++d) means_[mean * width + d] = sums[d] / sums[width];
    };
    constexpr size_t kFewNumbers = 4096;
    const Options options = means_.size() <= kFewNumbers ? with_one_reducer(options_) : options_;
    try {
      add_statistics(MovingMeans(grouped).run_each(points_.input(), options, take), statistics_);
    } catch (const JobError&) {
      if (points_.of_text()) tell_place_in_text(grouped);
      throw;
    }
    return means_ != before_;
  }

  void write_means(Output& output) const {
    for (size_t mean = 0; mean < counts_.size(); ++mean) {
      std::string line = std::to_string(mean) + '\t' + std::to_string(counts_[mean]) + '\t';
      append_numbers(std::span(means_).subspan(mean * points_.dimensions(), points_.dimensions()), line);
      output.write(line + '\n');
    }
  }

  // Of the last move.
  void write_assignments(Output& output) {
    const GroupedMeans grouped(before_, points_.dimensions());
    const Statistics assigning =
        Assignments(grouped).run_each(points_.input(), options_, [&](uint64_t, const std::vector<uint32_t>& nearest) {
          for (const uint32_t mean : nearest) output.write(std::to_string(mean) + '\n');
        });
    add_statistics(assigning, statistics_);
  }
  const Statistics& statistics() const { return statistics_; }

 private:
  // The map knows only where the numbers of a text lie in memory.
  void tell_place_in_text(const GroupedMeans& means) const {
    for (uint64_t i = 0; i < points_.count(); ++i) {
      uint32_t nearest;
      find_nearest(means, points_[i].data(), 1, &nearest);
      if (nearest == kNoMean) throw JobError(kNotFinite + (", in " + points_.place_in_text(i)));
    }
  }

  const Options options_;
  const Points& points_;
  std::vector<double> means_, before_;  // one behind the other; before the last move
  std::vector<uint64_t> counts_;
  Statistics statistics_;
};

Arguments parse_settings(int argc, char** argv, Settings& to) {
  const auto count = [](const char* name, uint64_t least, uint64_t most, uint64_t& number) {
    return Option{name, true, [=, &number](const std::string& text) { number = parse_count(name, text, least, most); }};
  };
  const auto format = [&](const std::string& text) {
    to.format = parse_format("format", text, {Format::kText, Format::kF64});
  };
  const Arguments arguments = parse(
      argc, argv, kHelp,
      {count("means", 1, 1 << 20, to.means),
       count("iterations", 0, UINT64_MAX, to.iterations),
       count("seed", 0, UINT64_MAX, to.seed),
       count("dimensions", 1, 1 << 20, to.dimensions),
       {"format", true, format},
       {"assignments", true, [&](const std::string& file) { to.assignments_file = parse_file("assignments", file); }}});
  if (to.format == Format::kF64 && to.dimensions == 0) throw UsageError{"--format=f64 needs --dimensions"};
  if (to.assignments_file.empty()) return arguments;
  check_different("--assignments", to.assignments_file, "the output", arguments.output);
  if (arguments.writes_statistics_file()) {
    check_different("--assignments", to.assignments_file, "--statistics", arguments.statistics_file);
  }
  return arguments;
}

}  // namespace

int kmeans(int argc, char** argv) {
  Settings settings;
  const Arguments arguments = parse_settings(argc, argv, settings);
  Output output(arguments);
  std::unique_ptr<Output> assignments;
  if (!settings.assignments_file.empty()) {
    Arguments other = arguments;
    other.output = settings.assignments_file;
    assignments = std::make_unique<Output>(other);
  }

  Statistics statistics;
  Points points = settings.format == Format::kText ? Points::of_text(arguments, settings.dimensions, statistics)
                                                   : Points::of_doubles(arguments, settings.dimensions);
  points.cut(kPieceOfMove);
  KMeans job(arguments, settings, points);
  for (uint64_t i = 0; job.move() && (settings.iterations == 0 || i + 1 < settings.iterations); ++i) {
  }
  job.write_means(output);
  if (assignments) job.write_assignments(*assignments);
  add_statistics(job.statistics(), statistics);
  if (assignments) finish({&output, assignments.get()}, arguments, "kmeans", statistics);
  else finish({&output}, arguments, "kmeans", statistics);
  return 0;
}

}  // namespace dmr::command
