// Lines of a key, a tab and a value, sorted by key, those of a key as they came. What does not fit in memory lies in
// sorted runs in a temporary file, which are merged at the end: what comes out does not depend on how much memory there
// is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <base/unique_fd.hpp>

namespace dmr::command {

class SortedLines {
 public:
  // Holds no more than about `most_bytes`, but a line at least. Temporary files are made in `folder`.
  SortedLines(std::string folder, size_t most_bytes) : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  // These throw JobError. A line without a tab is a key, and gets one.
  void add(std::string_view line);
  bool empty() const { return places_.empty() && runs_.empty(); }
  // All lines, in a file that is open at its start. Their memory is given back. Once.
  spmc::base::UniqueFd take();

 private:
  struct Place {
    uint64_t start;        // prefix_of the key
    size_t at, key_bytes;  // in text_
  };
  struct Range {
    uint64_t begin, end;  // in file_
  };
  void sort();
  void write_to(int file);
  void spill();
  void merge_to(int file) const;

  std::string folder_;
  size_t most_bytes_;
  std::string text_;  // lines with their ends
  std::vector<Place> places_;
  spmc::base::UniqueFd file_;
  std::vector<Range> runs_;
};

}  // namespace dmr::command
