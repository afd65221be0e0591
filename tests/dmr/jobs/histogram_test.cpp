// dmr histogram: images of odd widths against counts made pixel by pixel; files that are no such images.
#include <array>

#include "running.hpp"

using namespace dmr_jobs_test;

namespace {

struct Image {
  int32_t width = 0, height = 0;
  std::string header_more;  // between header and pixels
  std::string trailer;      // behind the pixels
};

using Counts = std::array<std::array<uint64_t, 256>, 3>;

template <typename Number>
void put(std::string& to, Number number) {
  to += bytes_of(std::vector<Number>{number});
}

// Its bytes; what it has of each colour is added to the counts. What fills up the rows is 255, which would be seen.
std::string make_bmp(const Image& image, uint64_t seed, Counts& counts, uint16_t bits = 24, uint32_t compression = 0) {
  std::string bytes = "BM";
  put<uint32_t>(bytes, 0);
  put<uint32_t>(bytes, 0);
  put<uint32_t>(bytes, static_cast<uint32_t>(54 + image.header_more.size()));
  put<uint32_t>(bytes, 40);
  put<int32_t>(bytes, image.width);
  put<int32_t>(bytes, image.height);
  put<uint16_t>(bytes, 1);
  put<uint16_t>(bytes, bits);
  put<uint32_t>(bytes, compression);
  bytes.append(20, '\0');
  bytes += image.header_more;
  Random random(seed);
  for (int32_t row = 0; row < std::abs(image.height); ++row) {
    for (int32_t x = 0; x < 3 * image.width; ++x) {
      const uint64_t value = random.below(200) * random.below(200) / 200;
      bytes.push_back(static_cast<char>(value));
      ++counts[static_cast<size_t>(x % 3)][value];
    }
    while (bytes.size() % 4 != (54 + image.header_more.size()) % 4) bytes.push_back('\xff');
  }
  return bytes + image.trailer;
}

std::string lines_of(const Counts& counts) {
  std::string lines;
  const char* const names[] = {"blue", "green", "red"};
  for (size_t colour = 0; colour < 3; ++colour) {
    for (size_t value = 0; value < 256; ++value) {
      lines += names[colour] + ('\t' + std::to_string(value)) + '\t' + std::to_string(counts[colour][value]) + '\n';
    }
  }
  return lines;
}

}  // namespace

TEST_CASE("histogram: images of all widths, added up") {
  const Folder folder;
  Counts counts{};
  Arguments arguments = {"histogram"};
  // The rows of the first lie across borders of pieces; the headers of the last end in another piece than they begin.
  const Image images[] = {{1001, 900, "", ""},
                          {1, 1, "", ""},
                          {2, 3, "more", ""},
                          {3, -5, "", "what follows the pixels"},
                          {4, 7, "", std::string(2'000'000, 'x')},
                          {30, 40, std::string(2'500'000, 'y'), ""}};
  for (const Image& image : images) {
    const uint64_t seed = arguments.size();
    arguments.push_back(folder.file("image" + std::to_string(seed), make_bmp(image, seed, counts)));
  }
  CHECK((same_output(arguments) == lines_of(counts)));
}

TEST_CASE("histogram: from standard input, into a file") {
  const Folder folder;
  Counts counts{};
  const auto run = run_dmr({"histogram", "-o", folder.path("out"), "-"}, make_bmp({5, 5, "", ""}, 3, counts));
  CHECK(run.exit_code == 0);
  CHECK(folder.read("out") == lines_of(counts));
}

TEST_CASE("histogram: what is no such image") {
  const Folder folder;
  Counts counts{};
  const std::string good = make_bmp({10, 10, "", ""}, 1, counts);
  const std::string good_file = folder.file("good", good);
  const auto says = [&](const std::string& name, const std::string& bytes) {
    const std::string file = folder.file(name, bytes), message = failure({"histogram", good_file, file});
    CHECK(message.rfind("dmr: " + file + " ", 0) == 0);
    return message.substr(5 + file.size() + 1);
  };
  CHECK(says("empty", "") == "is no BMP image\n");
  CHECK(says("text", std::string(100, 't')) == "is no BMP image\n");
  CHECK(says("short", good.substr(0, 53)) == "is no BMP image\n");
  CHECK(says("cut", good.substr(0, good.size() - 1)) == "ends before its last row does\n");
  CHECK(says("bits", make_bmp({10, 10, "", ""}, 1, counts, 32)) == "has not 24 bits to a pixel\n");
  CHECK(says("compressed", make_bmp({10, 10, "", ""}, 1, counts, 24, 1)) == "is compressed\n");
  CHECK(says("flat", make_bmp({10, 0, "", ""}, 1, counts)) == "has no pixels\n");
  CHECK(says("narrow", make_bmp({-1, 10, "", ""}, 1, counts)) == "has no pixels\n");
  CHECK(says("old", std::string(good).replace(14, 1, 1, 12)) == "is a BMP image of a kind that is not known\n");
  CHECK(says("overlapping", std::string(good).replace(10, 1, 1, 53)) == "is a BMP image of a kind that is not known\n");
}
