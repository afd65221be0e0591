#include <algorithm>
#include <filesystem>

#include <dmr/map_reduce.hpp>

#include "command.hpp"
#include "links.hpp"
#include "output.hpp"
#include "words.hpp"

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

// Numbers of files, from the least; the same set however it was put together.
struct FileSet {
  using Value = std::vector<uint32_t>;
  static constexpr bool kExact = true;
  // None is empty. A worker comes to files in their order, so the last one is the one to look at.
  static void add(Value& into, const Value& next) {
    if (next.size() == 1 && into.back() == next.front()) return;
    const bool behind = into.back() < next.front();
    const auto middle = into.insert(into.end(), next.begin(), next.end());
    if (behind) return;
    std::inplace_merge(into.begin(), middle, into.end());
    into.erase(std::unique(into.begin(), into.end()), into.end());
  }
};

struct ReverseIndex : MapReduce<ReverseIndex, std::string, FileSet::Value, FileSet> {
  bool words = false;

  void map(const Piece& piece, auto& emit) const {
    const FileSet::Value file = {piece.file};
    const auto take = [&](std::string_view target) { emit(target, file); };
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
      job.run_each(input, arguments.options, [&](const std::string& target, const FileSet::Value& files) {
        output.write(target);
        for (const uint32_t file : files) output.write('\t' + input.name(file));
        output.write("\n");
      });
  finish({&output}, arguments, "index", statistics);
  return 0;
}

}  // namespace dmr::command
