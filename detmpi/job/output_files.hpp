// The files in memory that stand in for the ranks' standard output and standard error, where those are ordered or
// labelled: one or two per rank, and one with what the ranks mark in theirs. Whoever starts the ranks makes them and
// hands them on by fork.
#pragma once

#include <cstdint>
#include <vector>

#include <base/files.hpp>

namespace detmpi {

// What a rank prints on.
enum Printed : uint32_t { kOutput, kErrors };
inline constexpr Printed kPrinted[] = {kOutput, kErrors};

// In the file of marks, in the order in which they were written: what stands in the file of `rank` up to `size`, and
// was not marked before, was printed in `epoch` (rank_output.hpp). A power of two in size: a reader sees it whole or
// not at all, since a write becomes visible page by page.
struct OutputMark {
  uint64_t epoch;
  uint64_t size;
  uint32_t rank;
  Printed printed;
  uint32_t unused[2];
};
static_assert(sizeof(OutputMark) == 32);

// The first byte of a rank's file is no output: it makes the file's first page exist (rank_output.cpp).
inline constexpr uint64_t kOutputStart = 1;

// What a rank has of them. -1: is not captured. Errors are only where output is.
struct RankOutputFiles {
  int printed[2] = {-1, -1};
  int marks = -1;
  bool captured() const { return marks >= 0; }
};

// Exec start: the program that this process becomes finds the files again.
void hand_on_output(RankOutputFiles files);
RankOutputFiles find_output();

class OutputFiles {
 public:
  // For the job in g_job. Where it captures no output, nothing below has an effect.
  static spmc::base::Result<OutputFiles> try_create();

  // The next rank's files, before that rank is forked.
  spmc::base::Status try_add();
  // In the rank that was forked since: it prints on the files added last; the files of the others are closed.
  spmc::base::Result<RankOutputFiles> try_enter();

  bool captured() const { return kinds_ > 0; }
  bool captured(Printed printed) const { return printed < kinds_; }
  int file(uint32_t rank, Printed printed) const { return files_[rank * kinds_ + printed].get(); }
  int marks() const { return marks_.get(); }

 private:
  OutputFiles() = default;

  uint32_t kinds_ = 0;             // 1: output, 2: and errors
  uint64_t descriptor_limit_ = 0;  // that the ranks are to have
  spmc::base::UniqueFd marks_;
  std::vector<spmc::base::UniqueFd> files_;  // of each rank `kinds_`
};

}  // namespace detmpi
