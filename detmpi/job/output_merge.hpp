// The monitor's part in ordered output: writes what the ranks print to standard output and standard error, in whole
// lines, in the order of (epoch, rank), while the job runs. In one epoch of a rank (rank_output.hpp) the lines of its
// output keep their order, and those of its errors, which come after the former where both go to the same file: when a
// rank's output gets into its file depends on stdio. A line belongs to the epoch in which it was completed; what is
// left without an end comes when its rank has ended, or last in a job that fails or is stuck: how much of the others
// has been shown when a rank is killed depends on timing. The bytes are those of the ranks, but for the labels.
//
// What is certain: the front is the least (epoch, rank) among the ranks that may still print. What is marked before it
// may be written, and so may what the front rank prints just now, as everybody else is later. Of a rank that is blocked
// the bounds of logical time (chan/match/bounds.hpp) tell how late it will be at least when it prints again.
//
// A job that ends early is cut off behind an epoch that all ranks have completed (ending.hpp). Where a rank is then, in
// a wait that began before or beyond it, depends on timing; what it had printed by the end of the epoch does not.
//
// Where output is labelled only, lines are written as they come.
#pragma once

#include <compare>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include <base/result.hpp>

#include "../engine/job_view.hpp"
#include "output_files.hpp"

namespace detmpi {

class OutputMerge {
 public:
  explicit OutputMerge(OutputFiles files);

  // The process of the rank has ended: nothing follows what is in its file. `early`: in the first epoch, in every run.
  void note_end(int rank, bool early);

  // What is printed in epochs that begin at `end` or later is not shown; nothing of it has been. kNever: all is. An end
  // of output without a newline comes last. `rank`: has failed before, so that whatever it prints belongs there; -1:
  // none has.
  void cut_at(uint64_t end, int rank = -1) { cut_ = Key{end, static_cast<uint32_t>(rank)}; }

  // Writes what is certain, for some milliseconds. True: call again at once. Error: that of standard output; where
  // standard error cannot be written, nothing more is written there.
  spmc::base::Result<bool> write_certain();

 private:
  struct Key {
    uint64_t epoch = 0;
    uint32_t rank = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Mark {
    Key key;
    Printed printed = kOutput;
    uint64_t size = 0;
    auto operator<=>(const Mark&) const = default;
  };
  struct Stream {                     // of one rank
    uint64_t taken = kOutputStart;    // bytes of its file that have been written
    uint64_t searched = 0;            // there is no end of a line from `taken` to here
    uint64_t released = 0;            // bytes whose memory was given back
    uint64_t marked = kOutputStart;   // by the rank itself
    uint64_t waiting = 0;             // size at the latest wait that was seen
    uint64_t certain = kOutputStart;  // size at the latest mark, or end, before the cut
  };
  struct Rank {
    Stream streams[2];     // by Printed
    uint64_t settled = 0;  // what it prints and is not marked belongs to this epoch or a later one
    bool ended = false;
    bool early = false;
    bool finished = false;  // ended, and all is written
  };
  struct Piece {  // that is being written: the bytes of a file from `taken` to `end`
    uint32_t rank = 0;
    Printed printed = kOutput;
    uint64_t end = 0;
  };
  struct Place {  // standard output or standard error, or both: what was written there last
    uint32_t rank = 0;
    Printed printed = kOutput;
    bool in_line = false;  // it did not end a line
  };
  enum class Cut { kLines, kNone };

  bool next_piece();
  bool next_piece_unordered();
  bool take_front();
  bool take_rest();
  bool is_cut_off(Key key) const;
  void drop_what_is_cut_off();
  bool find_front();
  bool front_is_blocked() const;
  void learn_of_blocked();
  void learn_of_wait(uint32_t rank);
  void read_marks();
  bool starts_with_zero(uint32_t rank, Printed printed);
  bool starts_with_zero(uint32_t rank);
  uint64_t size_of(uint32_t rank, Printed printed);
  bool take(uint32_t rank, Printed printed, uint64_t size, Cut cut);
  uint64_t end_of_lines(uint32_t rank, Printed printed, uint64_t size);
  spmc::base::Status write_text();
  void fill();
  void label(const char* text, size_t bytes);
  void release(uint32_t rank, Printed printed);

  uint32_t count() const { return static_cast<uint32_t>(ranks_.size()); }
  Stream& stream(uint32_t rank, Printed printed) { return ranks_[rank].streams[printed]; }
  Place& place(Printed printed) { return places_[same_file_ ? kOutput : printed]; }

  OutputFiles files_;
  std::vector<Rank> ranks_;
  bool same_file_;                                                      // standard output and standard error are
  bool errors_lost_ = false;                                            // standard error cannot be written
  std::priority_queue<Mark, std::vector<Mark>, std::greater<>> marks_;  // read and not written yet
  uint64_t marks_read_ = 0;                                             // bytes
  bool have_front_ = false;
  Key front_;
  std::optional<Key> cut_;
  JobView view_;
  std::optional<chan::match::Snapshot> snapshot_;
  std::vector<chan::match::Time> bounds_;
  struct Seen {
    uint64_t version = 0;
    uint64_t epoch = 0;
    uint64_t size[2] = {};
  };
  std::vector<Seen> seen_;
  uint32_t turn_ = 0;  // unordered: whose lines are next
  Piece piece_;
  Place places_[2];
  std::vector<char> block_;
  std::string text_;  // ready to be written, from text_written_ on, to where the piece goes
  size_t text_written_ = 0;
};

}  // namespace detmpi
