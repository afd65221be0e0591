// The output of a job: it appears when it is complete, or not at all.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include <base/huge_pages.hpp>
#include <base/unique_fd.hpp>

#include "command.hpp"

namespace dmr::command {

// A file is written without a name, and gets its own at the end in one step, so that a killed job leaves nothing. Two
// steps are needed if one is there to be replaced, which leaves the new one its mode, if a job has several, or if the
// file system knows no files without a name: it has a name beside, and is then renamed. What is for standard output, a
// device or a pipe is kept until then, in memory or, if it is long, in a temporary file, and copied: these are never
// replaced.
class Output {
 public:
  explicit Output(const Arguments& arguments);  // throws JobError
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // These throw JobError.
  void write(std::string_view bytes) {
    if (is_copied() && buffer_.size() > kShortBytes) buffer_.reserve(kKeptBytes + kBufferBytes);
    buffer_ += bytes;
    if (buffer_.size() >= (is_copied() ? kKeptBytes : kBufferBytes)) flush();
  }
  void write_file(int file);  // all that is in it
  // All outputs of a job appear. What may fail comes first, and files last: of some that are renamed one behind the
  // other only a folder that has changed meanwhile leaves out a later one.
  static void complete(std::initializer_list<Output*> outputs);

 private:
  static constexpr size_t kBufferBytes = 1 << 16;
  static constexpr size_t kShortBytes = 1 << 18;  // what is longer gets memory for kKeptBytes, in huge pages
  static constexpr size_t kKeptBytes = 4 << 20;   // need no file
  void choose_place(const Arguments& arguments);
  void open_beside();
  template <typename Make>
  void name_beside(Make&& make);
  bool is_copied() const { return stream_ >= 0; }
  void flush();  // to the file
  void copy_to_stream();
  bool link_as(const char* name) const;  // false: errno says why not
  void ensure_name();
  void appear();  // under its name

  std::string name_, folder_, beside_;  // beside_: where it lies until then, if it has a name
  spmc::base::UniqueFd file_, opened_;  // opened_: the stream, if it is ours
  int stream_ = -1;                     // to which it is copied; -1: it is renamed
  std::basic_string<char, std::char_traits<char>, spmc::base::HugePages<char>> buffer_;
};

// The end of a job: the statistics, then the outputs appear.
void finish(std::initializer_list<Output*> outputs, const Arguments& arguments, const char* job,
            const Statistics& statistics);

// Would one file be written for two purposes? "" is standard output. Devices and pipes are no files.
bool same_file(const std::string& one, const std::string& other);

}  // namespace dmr::command
