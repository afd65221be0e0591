#include <algorithm>
#include <filesystem>

#include <dmr/map_reduce.hpp>

#include "command.hpp"
#include "links.hpp"
#include "words.hpp"

namespace dmr::command {

namespace {

constexpr char kHelp[] = R"(Usage: dmr index [OPTION...] [FILE...]
For each link in HTML files (href="...") the files that have it: lines `target<tab>file
<tab>file...`, sorted by target (by bytes), files in the order in which they were given. The
target is what is between the quotes, without line ends and tabs.

      --words           in place of links: words, as wordcount counts them
      --recursive       a FILE may be a folder: all files in it and in its folders, sorted by
                        path (by bytes); no links between files are followed
)";

// A key is a target, a zero byte, and the number of the file with its highest byte first: sorted by bytes they are in
// the order of targets and then of files, and what a file has twice is one key.
constexpr size_t kSuffix = 1 + sizeof(uint32_t);

std::string suffix_of(uint32_t file) {
  std::string suffix(1, '\0');
  for (int shift = 24; shift >= 0; shift -= 8) suffix.push_back(static_cast<char>(file >> shift));
  return suffix;
}

uint32_t file_of(std::string_view key) {
  uint32_t file = 0;
  for (const char c : key.substr(key.size() - sizeof file)) file = file << 8 | static_cast<uint8_t>(c);
  return file;
}

struct ReverseIndex : MapReduce<ReverseIndex, std::string, uint64_t, Sum<uint64_t>> {
  bool words = false;

  void map(const Piece& piece, auto& emit) const {
    const std::string suffix = suffix_of(piece.file);
    std::string key;
    const auto take = [&](std::string_view target) {
      key.assign(target).append(suffix);
      emit(key, 1);
    };
    if (words) each_word(piece.data, take);
    else each_link(piece.data, take);
  }
};

// Regular files of the folder and those below it.
void add_folder(const std::string& folder, std::vector<std::string>& files) {
  namespace fs = std::filesystem;
  std::error_code error;
  const size_t first = files.size();
  for (auto at = fs::recursive_directory_iterator(folder, error); !error && at != fs::end(at); at.increment(error)) {
    if (at->symlink_status().type() == fs::file_type::regular) files.push_back(at->path());
  }
  if (error) throw JobError(folder + ": reading the folder: " + error.message());
  std::sort(files.begin() + static_cast<ptrdiff_t>(first), files.end());
}

std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code ignored;  // Input tells of files that are not there
    if (std::filesystem::is_directory(path, ignored)) add_folder(path, files);
    else files.push_back(path);
  }
  return files;
}

// A line for each target, from keys in their order.
class Lines {
 public:
  Lines(const Input& input, Output& output) : input_(input), output_(output) {}
  void add(std::string_view key) {
    const std::string_view target = key.substr(0, key.size() - kSuffix);
    if (!open_ || target != target_) {
      finish();
      target_ = target;
      output_.write(target);
      open_ = true;
    }
    output_.write("\t");
    output_.write(input_.name(file_of(key)));
  }
  void finish() {
    if (open_) output_.write("\n");
    open_ = false;
  }

 private:
  const Input& input_;
  Output& output_;
  std::string target_;
  bool open_ = false;
};

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
  Lines lines(input, output);
  const Statistics statistics =
      job.run_each(input, arguments.options, [&](const std::string& key, uint64_t) { lines.add(key); });
  lines.finish();
  output.complete();
  write_statistics(arguments, "index", statistics);
  return 0;
}

}  // namespace dmr::command
