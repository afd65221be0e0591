// Searches a collection for what is similar to each of a number of images: content-based similarity search.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "arguments.hpp"
#include "run.hpp"
#include "similar_stages.hpp"

namespace {

constexpr const char* kUsage =
    "usage: similar [--engine=spaces|threads|tbb] [--replicas=N] [--images=N] [--vectors=N] [--show=N]\n"
    "\n"
    "Makes a synthetic collection, and searches it for the 10 vectors nearest to each of a number of synthetic\n"
    "images. Prints a digest of all answers, and on standard error the seconds that the search took.\n"
    "\n"
    "  --engine=E    what the pipeline runs on (tbb: where oneTBB was found); spaces\n"
    "  --replicas=N  workers of each stage; 2\n"
    "  --images=N    how many are searched for; 4000\n"
    "  --vectors=N   size of the collection; 100000\n"
    "  --show=N      print the answers to the first N images; 0\n";

using namespace pipelines;

// Folds all answers into a number, and prints some.
class Report {
 public:
  explicit Report(uint32_t show) : show_(show) {}
  void add(const similar::Answer& answer) {
    if (answer.number < show_) std::printf("image %u:", answer.number);
    for (const similar::Neighbour& neighbour : answer.nearest) {
      uint32_t bits;
      static_assert(sizeof(bits) == sizeof(neighbour.distance));
      std::memcpy(&bits, &neighbour.distance, sizeof(bits));
      for (const uint64_t word : {neighbour.id, bits}) digest_ = (digest_ ^ word) * 1099511628211u;
      if (answer.number < show_) std::printf(" %u (%.3f)", neighbour.id, static_cast<double>(neighbour.distance));
    }
    if (answer.number < show_) std::printf("\n");
  }
  uint64_t digest() const { return digest_; }

 private:
  uint32_t show_;
  uint64_t digest_ = 14695981039346656037u;
};

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argc, argv, kUsage, {"--engine=", "--replicas=", "--images=", "--vectors=", "--show="});
  if (!arguments.words().empty()) arguments.wrong("unknown argument " + arguments.words()[0]);
  const Engine engine = arguments.engine();
  const int replicas = arguments.replicas();
  const auto images = static_cast<uint32_t>(arguments.number("--images=", 0, UINT32_MAX, 4000));
  const auto vectors = static_cast<size_t>(arguments.number("--vectors=", 0, UINT32_MAX, 100'000));
  set_up_spaces(engine);

  const similar::Collection collection(vectors);
  Report report(static_cast<uint32_t>(arguments.number("--show=", 0, UINT32_MAX, 0)));
  const bool well = run(
      engine, replicas, similar::Images(images), [&](const similar::Answer& answer) { report.add(answer); },
      parallel("extract", [&](const similar::Image& image) { return collection.extract(image); }),
      parallel("probe", [&](const similar::Query& query) { return collection.probe(query); }),
      parallel("rank", [&](const similar::Probe& probe) { return collection.rank(probe); }));
  if (!well) return 1;
  std::printf("images %u\ndigest %016llx\n", images, static_cast<unsigned long long>(report.digest()));
  return 0;
}
