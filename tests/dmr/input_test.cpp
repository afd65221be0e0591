// Pieces: they cover the input, begin and end where records do, and are the same for everybody.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "root.hpp"

using namespace dmr_test;

namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("dmr-input-" + std::to_string(getpid()))) {
    fs::create_directory(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }
  std::string path() const { return path_; }

 private:
  fs::path path_;
};

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

std::string failure(const std::function<void()>& call) {
  try {
    call();
  } catch (const dmr::JobError& error) {
    return error.what();
  }
  return "no failure";
}

std::string lines(size_t bytes, size_t longest) {
  Random random(longest);
  std::string text;
  while (text.size() < bytes) text.append(random.below(longest), 'x').push_back('\n');
  return text;
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
  CHECK(failure([] { dmr::Input::memory("12345", dmr::Records::of_size(2)); }) ==
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

TEST_CASE("files that cannot be read") {
  const Folder folder;
  CHECK(failure([&] { dmr::Input::files({folder.path() + "/none"}); }) ==
        folder.path() + "/none: opening: No such file or directory");
  CHECK(failure([&] { dmr::Input::files({folder.path()}); }) == folder.path() + ": reading: Is a directory");
  CHECK(failure([&] { dmr::Input::files({"/dev/null"}); }) ==
        "/dev/null: is no regular file; it can be read from standard input");
}

TEST_CASE("standard input: a file, a pipe") {
  const Folder folder;
  const std::string text = lines(3'000'000, 90);
  const std::string name = folder.file("text", text);
  const auto read_it = [&](const std::string& command) {
    const auto run = test_support::run_function([&] {
      FILE* const from = popen(command.c_str(), "r");
      EXPECT(from != nullptr && dup2(fileno(from), STDIN_FILENO) == STDIN_FILENO);
      const auto input = dmr::Input::standard_input();
      for (uint64_t n = 0; n < input.pieces(); ++n) std::printf("%s", std::string(input.piece(n).data).c_str());
      return 0;
    });
    CHECK(run.exit_code == 0);
    return run.out;
  };
  CHECK((read_it("cat " + name) == text));
  const auto from_file = test_support::run_function([&] {
    EXPECT(dup2(open(name.c_str(), O_RDONLY), STDIN_FILENO) == STDIN_FILENO);
    std::printf("%s", joined(dmr::Input::standard_input()).c_str());
    return 0;
  });
  CHECK((from_file.out == text));
}

TEST_CASE("numbers") {
  const auto input = dmr::Input::numbers(10, 4);
  CHECK(input.pieces() == 3);
  CHECK(input.piece(0).begin == 0);
  CHECK(input.piece(1).begin == 4);
  CHECK(input.piece(2).end == 10);
  CHECK(dmr::Input::numbers(UINT64_MAX, 1ull << 60).pieces() == 16);
  CHECK(dmr::Input::numbers(0, 0).pieces() == 0);
}
