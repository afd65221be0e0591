// Pieces: they cover the input, begin and end where records do, and are the same for everybody.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include <dmr/temporary.hpp>

#include "folder.hpp"
#include "root.hpp"

using namespace dmr_test;

namespace {

// Checks every piece; all of them joined.
std::string joined(const dmr::Input& input) {
  std::string all;
  uint64_t expected_begin = 0;
  uint32_t file = 0;
  for (uint64_t n = 0; n < input.pieces(); ++n) {
    const dmr::Piece piece = input.piece(n);
    CHECK(piece.number == n);
    if (piece.file != file) expected_begin = 0;
    file = piece.file;
    CHECK(piece.end - piece.begin == piece.data.size());
    if (piece.data.empty()) continue;  // no record begins in it
    CHECK(piece.begin == expected_begin);
    expected_begin = piece.end;
    all += piece.data;
  }
  return all;
}

std::string lines(size_t bytes, size_t longest) {
  Random random(longest);
  std::string text;
  while (text.size() < bytes) text.append(random.below(longest), 'x').push_back('\n');
  return text;
}

// What a process reads whose standard input `open_it` opens.
std::string standard_input(const std::function<int()>& open_it, const std::string& folder = "") {
  const auto run = test_support::run_function([&] {
    EXPECT(dup2(open_it(), STDIN_FILENO) == STDIN_FILENO);
    const auto input = dmr::Input::standard_input(dmr::Records::lines(), folder);
    for (uint64_t n = 0; n < input.pieces(); ++n) {
      const auto data = input.piece(n).data;
      EXPECT(std::fwrite(data.data(), 1, data.size(), stdout) == data.size());
    }
    return 0;
  });
  INFO(run.err);
  CHECK(run.exit_code == 0);
  return run.out;
}

}  // namespace

TEST_CASE("lines stay whole") {
  for (const size_t longest : {3u, 1000u, 5'000'000u}) {
    const std::string text = lines(7 << 20, longest) + "the last has no end";
    const auto input = dmr::Input::memory(text);
    CHECK(input.bytes() == text.size());
    CHECK(joined(input) == text);
    for (uint64_t n = 0; n < input.pieces(); ++n) {
      const auto data = input.piece(n).data;
      if (!data.empty() && n + 1 < input.pieces() && data.end() != text.data() + text.size())
        CHECK(data.back() == '\n');
    }
  }
}

TEST_CASE("records of one size stay whole") {
  for (const uint64_t size : {1u, 3u, 24u, 3'000'001u}) {
    const std::string data(size * (5'000'000 / size + 1), 'r');
    const auto input = dmr::Input::memory(data, dmr::Records::of_size(size));
    CHECK(joined(input) == data);
    for (uint64_t n = 0; n < input.pieces(); ++n) CHECK(input.piece(n).data.size() % size == 0);
  }
  CHECK(failure_of([] { dmr::Input::memory("12345", dmr::Records::of_size(2)); }) ==
        "memory: 5 bytes are no whole number of records of 2");
}

TEST_CASE("a border of the program's") {
  std::string text;
  while (text.size() < 3'000'000) text += "some;records;";
  const auto border = [](std::string_view file, uint64_t position) {
    const size_t at = file.find(';', position - 1);
    return at == file.npos ? uint64_t{file.size()} : uint64_t{at + 1};
  };
  const auto input = dmr::Input::memory(text, dmr::Records::by(border));
  CHECK(joined(input) == text);
  for (uint64_t n = 0; n < input.pieces(); ++n) CHECK(input.piece(n).data.back() == ';');
}

TEST_CASE("many files, some of them empty") {
  const Folder folder;
  const std::string big = lines(2'500'000, 80);
  const auto input = dmr::Input::files({folder.file("empty", ""), folder.file("big", big), folder.file("empty2", ""),
                                        folder.file("small", "one\n"), folder.file("end", "")});
  CHECK(input.pieces() == 4);
  CHECK(joined(input) == big + "one\n");
  CHECK(input.name(input.piece(0).file) == folder.path() + "/big");
  CHECK(input.name(input.piece(3).file) == folder.path() + "/small");
  CHECK(input.files() == 5);
  CHECK(input.whole(0).empty());
  CHECK((input.whole(1) == big));
  CHECK(input.whole(3) == "one\n");
  input.release(input.piece(1));
  CHECK(joined(input) == big + "one\n");
}

TEST_CASE("pieces of another size") {
  const Folder folder;
  const std::string big = lines(2'500'000, 80);
  auto input = dmr::Input::files({folder.file("small", "one\n"), folder.file("big", big), folder.file("end", "e\n")});
  input.cut(100'000);
  CHECK(input.pieces() == 1 + big.size() / 100'000 + 1 + 1);
  CHECK((joined(input) == "one\n" + big + "e\n"));
  input.cut(10'000'000);
  CHECK(input.pieces() == 3);
  CHECK((joined(input) == "one\n" + big + "e\n"));
  CHECK((input.piece(1).data == big));
}

namespace {

// The data of all pieces, and how an error at their begin would be described.
std::vector<std::string> data_of(const dmr::Input& input) {
  std::vector<std::string> all;
  for (uint64_t n = 0; n < input.pieces(); ++n) {
    const dmr::Piece piece = input.piece(n);
    CHECK(piece.number == n);
    CHECK(piece.end - piece.begin == piece.data.size());
    all.emplace_back(piece.data);
  }
  return all;
}

// Cuts a text into files at random borders of records, some of them empty.
std::vector<std::string> divided(const std::string& text, const dmr::Records& records, const Folder& folder,
                                 Random& random) {
  std::set<uint64_t> borders = {0, text.size()};
  for (uint64_t i = random.below(12); i > 0; --i) {
    borders.insert(records.first_begin(text, random.below(text.size() + 1), text.size()));
  }
  std::vector<std::string> files;
  const auto add = [&](std::string_view content) {
    const std::string name = std::to_string(files.size());
    files.push_back(folder.file(name, std::string(content)));
  };
  for (auto border = borders.begin(); std::next(border) != borders.end(); ++border) {
    if (random.below(3) == 0) add("");
    add(std::string_view(text).substr(*border, *std::next(border) - *border));
  }
  if (random.below(2) == 0) add("");
  return files;
}

}  // namespace

TEST_CASE("joined files have the pieces of one file with all their records") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    const Folder folder;
    Random random(seed);
    std::string text = lines(1 + random.below(5'000), 1 + random.below(200));
    text.resize(text.size() / 24 * 24 + 24, '\n');
    const dmr::Records kinds[] = {dmr::Records::lines(), dmr::Records::blanks(), dmr::Records::of_size(24)};
    const dmr::Records& records = kinds[seed % 3];
    const uint64_t piece_bytes = 1 + random.below(2'000);
    const auto whole = data_of(dmr::Input::memory(text, records, piece_bytes));
    auto input = dmr::Input::files(divided(text, records, folder, random), records);
    input.join();
    input.cut(piece_bytes);
    CHECK((data_of(input) == whole));
    for (uint64_t n = 0; n < input.pieces(); ++n) input.release(input.piece(n));
    CHECK((data_of(input) == whole));
  }
}

TEST_CASE("joined files: lines whose end is not written, and where something is") {
  const Folder folder;
  auto input = dmr::Input::files(
      {folder.file("a", "one"), folder.file("none", ""), folder.file("b", "two\nthree"), folder.file("c", "four\n")});
  input.join();
  CHECK(data_of(input) == std::vector<std::string>{"one\ntwo\nthree\nfour\n"});
  const dmr::Piece piece = input.piece(0);
  const std::string a = folder.path("a"), b = folder.path("b"), c = folder.path("c");
  CHECK(input.describe(piece, 0, 3) == a + ", bytes 0 to 3");
  CHECK(input.describe(piece, 4, 7) == b + ", bytes 0 to 3");
  CHECK(input.describe(piece, 8, 13) == b + ", bytes 4 to 9");
  CHECK(input.describe(piece, 14, 19) == c + ", bytes 0 to 5");
  CHECK(input.describe(piece, 0, 19) == a + ", bytes 0 to " + c + ", byte 5");
  input.cut(5);
  CHECK(data_of(input) == std::vector<std::string>{"one\ntwo\n", "three", "four\n", ""});
  CHECK(input.piece(1).begin == 4);
  CHECK(input.name(input.piece(1).file) == b);
  CHECK(input.describe(input.piece(1), 4, 9) == b + ", bytes 4 to 9");

  auto nothing = dmr::Input::files({folder.path("none"), folder.path("none")});
  nothing.join();
  CHECK(nothing.pieces() == 0);
}

TEST_CASE("a record longer than pieces is in the one in which it begins") {
  const std::string small = "one\ntwo\n", text = small + std::string(10'000, 'x') + '\n' + small;
  for (const uint64_t piece_bytes : {1u, 2u, 7u, 8u, 9u, 100u, 5004u}) {
    INFO(piece_bytes);
    std::string blank = text;
    std::replace(blank.begin(), blank.end(), '\n', ' ');
    for (const bool lines : {true, false}) {
      const auto input = lines ? dmr::Input::memory(text, dmr::Records::lines(), piece_bytes)
                               : dmr::Input::memory(blank, dmr::Records::blanks(), piece_bytes);
      CHECK((joined(input) == (lines ? text : blank)));
      const uint64_t first = small.size() / piece_bytes, last = (small.size() + 10'000) / piece_bytes;
      CHECK(input.piece(first).data.size() > 10'000);
      for (uint64_t n = first + 1; n < last; ++n) CHECK(input.piece(n).data.empty());
    }
  }
}

TEST_CASE("files of /proc, whose size is said to be 0") {
  const Folder folder;
  const std::vector<std::string> files = {"/proc/version", folder.file("between", "a\nb\n"), "/proc/self/limits"};
  const auto input = dmr::Input::files(files);
  std::string expected;
  for (const std::string& name : files) {
    std::ifstream file(name);
    expected.append(std::istreambuf_iterator<char>(file), {});
  }
  CHECK(joined(input) == expected);
  CHECK(input.whole(1) == "a\nb\n");
  CHECK(input.whole(0).size() > 10);
  input.release(input.piece(0));
  CHECK(joined(input) == expected);
}

TEST_CASE("files of /sys, which say a size and cannot be mapped") {
  const std::string name = "/sys/kernel/mm/transparent_hugepage/enabled";
  std::ifstream file(name);
  const std::string expected(std::istreambuf_iterator<char>(file), {});
  if (expected.empty()) return;  // another kernel
  const auto input = dmr::Input::files({name});
  CHECK(joined(input) == expected);
  CHECK(input.bytes() == expected.size());
  CHECK(standard_input([&] { return open(name.c_str(), O_RDONLY); }) == expected);
}

TEST_CASE("nothing needs no temporary folder") {
  const Folder folder;
  const std::string none = folder.path() + "/none";
  const auto empty = dmr::Input::files({folder.file("empty", "")}, dmr::Records::lines(), dmr::kPieceBytes, none);
  CHECK(empty.files() == 1);
  CHECK(empty.pieces() == 0);
  CHECK(standard_input([] { return open("/dev/null", O_RDONLY); }, none).empty());
  CHECK(failure_of([&] { dmr::Input::files({"/proc/version"}, dmr::Records::lines(), dmr::kPieceBytes, none); }) ==
        none + ": no temporary file can be made: No such file or directory");
}

TEST_CASE("more files than are mapped") {
  const Folder folder;
  std::vector<std::string> files;
  std::string expected;
  for (size_t i = 0; i < dmr::Input::kMostMapped + 2000; ++i) {
    const std::string content = i % 100 == 3 ? "" : std::to_string(i) + '\n';
    files.push_back(folder.file(std::to_string(i), content));
    expected += content;
  }
  const auto input = dmr::Input::files(files, dmr::Records::lines(), dmr::kPieceBytes, folder.path());
  CHECK(input.files() == files.size());
  CHECK(input.bytes() == expected.size());
  std::string all;
  for (uint64_t n = 0; n < input.pieces(); ++n) {
    const dmr::Piece piece = input.piece(n);
    all += piece.data;
    input.release(piece);
  }
  CHECK((all == expected));
  CHECK(input.whole(18'350) == "18350\n");
  std::ifstream maps("/proc/self/maps");
  const auto mappings = std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
  CHECK(mappings > 1000);
  CHECK(mappings < static_cast<ptrdiff_t>(dmr::Input::kMostMapped) + 1000);
  CHECK(folder.entries() == files.size());
}

TEST_CASE("records and pieces of nothing") {
  CHECK(failure_of([] { dmr::Records::of_size(0); }) == "records of 0 bytes");
  CHECK(failure_of([] { dmr::Input::memory("a", dmr::Records::lines(), 0); }) == "pieces of 0 bytes");
  CHECK(failure_of([] { dmr::Input::files({}, dmr::Records::lines(), 0); }) == "pieces of 0 bytes");
  CHECK(failure_of([] { dmr::Input::memory("a").cut(0); }) == "pieces of 0 bytes");
}

TEST_CASE("files that cannot be read") {
  const Folder folder;
  CHECK(failure_of([&] { dmr::Input::files({folder.path() + "/none"}); }) ==
        folder.path() + "/none: opening: No such file or directory");
  CHECK(failure_of([&] { dmr::Input::files({folder.path()}); }) == folder.path() + ": reading: Is a directory");
  CHECK(failure_of([&] { dmr::Input::files({"/dev/null"}); }) ==
        "/dev/null: is no regular file; jobs that read standard input can read it from there");
  const std::string fifo = folder.path() + "/fifo";
  CHECK(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(failure_of([&] { dmr::Input::files({fifo}); }) ==
        fifo + ": is no regular file; jobs that read standard input can read it from there");
}

TEST_CASE("temporary files leave the numbers of the standard files alone") {
  const Folder folder;
  const auto run = test_support::run_function([&] {
    close(STDERR_FILENO);
    close(STDOUT_FILENO);
    const auto file = dmr::temporary_file(folder.path());
    return file.get() > STDERR_FILENO && fcntl(STDOUT_FILENO, F_GETFD) < 0 ? 0 : 1;
  });
  CHECK(run.exit_code == 0);
}

TEST_CASE("standard input: a file, a pipe, a file of which a part is read") {
  const Folder folder;
  const std::string text = lines(3'000'000, 90);
  CHECK(standard_input([] { return open("/proc/version", O_RDONLY); }).size() > 10);
  const std::string name = folder.file("text", text);
  CHECK((standard_input([&] { return fileno(popen(("cat " + name).c_str(), "r")); }) == text));
  CHECK((standard_input([&] { return open(name.c_str(), O_RDONLY); }) == text));
  const auto open_behind = [&] {
    const int file = open(name.c_str(), O_RDONLY);
    EXPECT(lseek(file, 1000, SEEK_SET) == 1000);
    return file;
  };
  CHECK((standard_input(open_behind) == text.substr(1000)));
}

TEST_CASE("numbers") {
  auto input = dmr::Input::numbers(10, 4);
  input.join();  // of one source
  CHECK(input.pieces() == 3);
  CHECK(input.piece(0).begin == 0);
  CHECK(input.piece(1).begin == 4);
  CHECK(input.piece(2).end == 10);
  CHECK(dmr::Input::numbers(UINT64_MAX, 1ull << 60).pieces() == 16);
  CHECK(dmr::Input::numbers(0, 0).pieces() == 0);
}
