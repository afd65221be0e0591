// dmr index: which HTML files link to what, or have which words.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include <dmr/map_reduce.hpp>

#include "command.hpp"
#include "links.hpp"
#include "output.hpp"
#include "words.hpp"

namespace dmr::command {

// Numbers of files, at least one. The greatest lies apart: a worker comes to files in their order, so that is the one
// to look at, and most sets are of one file and need no memory of their own.
class FileSet {
 public:
  FileSet() = default;  // of file 0 alone
  explicit FileSet(uint32_t file) : greatest_(file) {}
  explicit FileSet(std::string_view bytes)  // of append_to
      : before_(bytes.size() / sizeof(uint32_t)) {
    std::memcpy(before_.data(), bytes.data(), bytes.size());
    take_greatest();
  }

  void add(const FileSet& other) {
    if (other.before_.empty() && other.greatest_ == greatest_) return;
    if (other.before_.empty() && other.greatest_ > greatest_) {
      before_.push_back(std::exchange(greatest_, other.greatest_));
      return;
    }
    const std::vector<uint32_t> mine = all(), theirs = other.all();
    before_.clear();
    std::set_union(mine.begin(), mine.end(), theirs.begin(), theirs.end(), std::back_inserter(before_));
    take_greatest();
  }
  template <typename Take>
  void each(Take&& take) const {
    for (const uint32_t file : before_) take(file);
    take(greatest_);
  }
  // The numbers, from the least.
  void append_to(std::string& bytes) const {
    bytes.append(reinterpret_cast<const char*>(before_.data()), heap_bytes());
    bytes.append(reinterpret_cast<const char*>(&greatest_), sizeof greatest_);
  }
  size_t heap_bytes() const { return before_.size() * sizeof(uint32_t); }

 private:
  std::vector<uint32_t> all() const {
    std::vector<uint32_t> files = before_;
    files.push_back(greatest_);
    return files;
  }
  // From before_, where it is the last.
  void take_greatest() {
    greatest_ = before_.back();
    before_.pop_back();
  }

  std::vector<uint32_t> before_;
  uint32_t greatest_ = 0;
};

}  // namespace dmr::command

template <>
struct dmr::ValueCodec<dmr::command::FileSet> {
  using FileSet = command::FileSet;
  static void encode(const FileSet& files, std::string& to) { files.append_to(to); }
  static FileSet decode(std::string_view bytes) { return FileSet(bytes); }
};

namespace dmr::command {

namespace {

constexpr char kHelp[] = R"(Usage: dmr index [OPTION...] [FILE...]
For each link in HTML files (href="...") the files that have it: lines `target<tab>file
<tab>file...`, sorted by target (by bytes), files in the order in which they were given. The
target is what is between the quotes, without line ends and tabs.

      --words           in place of links: words, as wordcount counts them
      --recursive       a FILE may be a folder: all files in it and in its folders, sorted by
                        path (by bytes); symbolic links in it, to files too, are left
                        out
)";

// The same set however it was put together.
struct Union {
  using Value = FileSet;
  static constexpr bool kExact = true;
  static void add(FileSet& into, const FileSet& next) { into.add(next); }
};

struct ReverseIndex : MapReduce<ReverseIndex, std::string, FileSet, Union> {
  bool words = false;

  void map(const Piece& piece, auto& emit) const {
    const FileSet file(piece.file);
    const auto take = [&](std::string_view target) { emit(target, file); };
    if (words) each_word(piece.data, take);
    else each_link(piece.data, take);
  }
};

// Regular files of the folder and those below it, in no order.
void add_folder(const std::string& folder, std::vector<std::string>& files) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::end(at); at.increment(error)) {
    const fs::file_type type = at->symlink_status().type();
    if (type == fs::file_type::regular) files.push_back(at->path());
    else if (type == fs::file_type::directory) add_folder(at->path(), files);
  }
  if (error) throw JobError(folder + ": reading the folder: " + error.message());
}

std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code ignored;  // Input tells of files that are not there
    if (!std::filesystem::is_directory(path, ignored)) {
      files.push_back(path);
      continue;
    }
    const auto first = static_cast<ptrdiff_t>(files.size());
    add_folder(path, files);
    std::sort(files.begin() + first, files.end());
  }
  return files;
}

}  // namespace

int reverse_index(int argc, char** argv) {
  ReverseIndex job;
  bool recursive = false;
  Arguments arguments = parse(argc, argv, kHelp,
                              {{"words", false, [&](const std::string&) { job.words = true; }},
                               {"recursive", false, [&](const std::string&) { recursive = true; }}});
  const bool files_given = !arguments.files.empty();
  if (recursive) arguments.files = files_of(arguments.files);
  const Records records = job.words ? Records::blanks() : Records::by(html_border);
  // A folder may be empty: then standard input is not meant.
  const Input input = files_given && arguments.files.empty() ? Input::files({}) : open_input(arguments, records);
  Output output(arguments);
  const Statistics statistics =
      job.run_each(input, arguments.options, [&](const std::string& target, const FileSet& files) {
        output.write(target);
        files.each([&](uint32_t file) {
          output.write("\t");
          output.write(input.name(file));
        });
        output.write("\n");
      });
  finish({&output}, arguments, "index", statistics);
  return 0;
}

}  // namespace dmr::command
