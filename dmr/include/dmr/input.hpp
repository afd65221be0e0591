// What a job reads: files, memory, standard input, or a range of numbers; and its pieces.
//
// A piece is what one call of a job's map() gets. Where pieces begin and end depends on the input alone, never on the
// number of workers: a border lies where the first record begins at or after a multiple of the piece's size in its
// file. So whatever is put together piece by piece is the same in every run. Where grouping matters, which it does not
// with the combiners of combiners.hpp, the result depends on the size of pieces, and on how the input is divided into
// files unless these are joined (Input::join); on nothing else.
//
// Files must stay as they are until the job is done. One that becomes shorter ends the process that reads what is gone
// (SIGBUS); where that is a worker, the job fails with a JobError that names the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <base/mapping.hpp>
#include <dmr/error.hpp>

namespace dmr {

inline constexpr uint64_t kPieceBytes = 1 << 20;  // unless chosen otherwise

// Space, tab, and all that ends lines.
inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Where records end.
class Records {
 public:
  static Records lines() { return Records(Kind::kLines, 0); }    // behind each newline
  static Records blanks() { return Records(Kind::kBlanks, 0); }  // at each is_blank
  // Of `bytes` each; what is left over at the end of a file is an error.
  static Records of_size(uint64_t bytes) {
    if (bytes == 0) throw JobError("records of 0 bytes");
    return Records(Kind::kSize, bytes);
  }
  // A function of the program's: of all the bytes of a file and a position in it, where the first record begins that
  // begins there or later. Must depend on the bytes alone.
  using Border = uint64_t (*)(std::string_view file, uint64_t position);
  static Records by(Border border) {
    Records records(Kind::kBorder, 0);
    records.border_ = border;
    return records;
  }

  // Where the first record begins from `position` on; `limit`, which is at most the file's size, if none does before
  // it.
  uint64_t first_begin(std::string_view file, uint64_t position, uint64_t limit) const;
  // Would what is put behind the file go on with its last record? A line or a word whose end is not written.
  bool is_open_at_end(std::string_view file) const;
  uint64_t size() const { return size_; }  // of each; 0: they differ

 private:
  enum class Kind : uint8_t { kLines, kBlanks, kSize, kBorder };
  Records(Kind kind, uint64_t size) : kind_(kind), size_(size) {}
  Kind kind_;
  uint64_t size_;
  Border border_ = nullptr;
};

struct Piece {
  std::string_view data;  // whole records; empty for a range of numbers
  uint64_t begin = 0;     // position of `data` in its file, or the first number
  uint64_t end = 0;       // begin + data.size(), or behind the last number
  uint32_t file = 0;      // Input::name
  uint64_t number = 0;    // in the input, from 0
};

class Input {
 public:
  // Files in this order. A directory, a FIFO, or a file that cannot be read, is an error. They are mapped; those that
  // the kernel does not map, as in /proc and /sys, and those that are more than kMostMapped, are first copied to a
  // temporary file in `folder`. Throws JobError.
  static Input files(const std::vector<std::string>& paths, Records records = Records::lines(),
                     uint64_t piece_bytes = kPieceBytes, const std::string& folder = "");
  static constexpr size_t kMostMapped = 16384;  // the kernel allows a process some 65,000 mappings
  // Standard input; what is no file that can be mapped, or was read in part before, is first copied to a temporary one
  // in `folder`. Throws JobError.
  static Input standard_input(Records records = Records::lines(), const std::string& folder = "",
                              uint64_t piece_bytes = kPieceBytes);
  // Memory of the program's, which must live and stay as it is until the job is done.
  static Input memory(std::string_view data, Records records = Records::lines(), uint64_t piece_bytes = kPieceBytes);
  // The numbers from 0 to count - 1, `each` of them to a piece.
  static Input numbers(uint64_t count, uint64_t each);

  // In pieces of so many bytes from now on. Before a job; not for numbers.
  void cut(uint64_t piece_bytes);
  // Pieces need not end with files from now on: they are those of one file with the records of all, so that it does not
  // matter in which files these lie. Before a job; of numbers it changes nothing.
  void join();

  uint64_t pieces() const { return pieces_; }
  // Of joined files the data of a piece is good until the next call. If it is of several, `file` and `begin` are where
  // it begins, and a newline follows what is open at the end of a file.
  Piece piece(uint64_t number) const;
  // For messages: "a, bytes 0 to 9", or "numbers, numbers 3 to 4". `begin` and `end` count as those of the piece, of
  // which nothing is looked at but its file.
  std::string describe(const Piece& piece, uint64_t begin, uint64_t end) const;
  uint32_t files() const { return static_cast<uint32_t>(sources_.size()); }
  const std::string& name(uint32_t file) const { return sources_[file].name; }
  // All of it: for what a job has to know beforehand, like a header.
  std::string_view whole(uint32_t file) const { return sources_[file].data; }
  uint64_t bytes() const { return bytes_; }  // 0 for numbers
  // The name of the first file that has become shorter since it was opened; null: there is none.
  const std::string* cut_off_file() const;
  // The piece will not be read again soon: its pages need not stay.
  void release(const Piece& piece) const;

 private:
  struct Source {
    std::string name;
    std::string_view data;
    uint64_t first_piece = 0;
    bool mapped = false;
    bool open_at_end = false;
    uint64_t joined_begin = 0;  // of joined files
    uint64_t joined_bytes() const { return data.size() + (open_at_end ? 1 : 0); }
  };
  Input(Records records, uint64_t piece_bytes);
  void add(std::string name, std::string_view data, bool mapped);
  class Copies;
  void add_file(std::string name, int file, Copies& copies);
  void add_copy(std::string name, int file, Copies& copies);
  void map_copies(const Copies& copies);
  uint64_t pieces_of(uint64_t bytes) const;
  const Source& source_at(uint64_t joined) const;
  uint64_t joined_record(uint64_t position) const;
  Piece joined_piece(uint64_t number) const;
  std::string_view copy_joined(uint64_t begin, uint64_t end) const;
  static void release(const Source& source, uint64_t begin, uint64_t end);

  Records records_;
  uint64_t piece_bytes_;
  std::vector<Source> sources_;
  std::vector<spmc::base::Mapping> mappings_;
  uint64_t pieces_ = 0, bytes_ = 0;
  uint64_t count_ = 0, each_ = 0;  // of numbers
  bool joined_ = false;
  uint64_t joined_bytes_ = 0;
  mutable std::string copied_;  // a piece of several files
};

}  // namespace dmr
