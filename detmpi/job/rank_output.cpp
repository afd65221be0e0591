#include "rank_output.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>

#include "../engine/job_table.hpp"
#include "../object/call.hpp"

namespace detmpi {
namespace {

uint64_t g_epoch = 0;                             // the clock at its begin
uint64_t g_epoch_ticks = 1;                       // the lookahead
uint64_t g_next_multiple = 0;                     // of these, at which epochs begin in any case
std::atomic<uint64_t>* g_shared_epoch = nullptr;  // in the rank's record

// A rank that exchanges small messages looks at its files after each of them, and a system call would nearly double
// their time. So the page in which a file ends is mapped: the byte behind the end is 0 until something is appended.
// Where the file ends with a page, and now and then for output of others than stdio that begins with a 0, the system is
// asked: so seldom that its time does not count. Looks are a matter of logical time, so every run asks at the same
// places.
class PrintedFile {
 public:
  PrintedFile(Printed printed, FILE*& stdio) : printed_(printed), stdio_(stdio) {}
  void begin(int file) { file_ = file; }
  bool captured() const { return file_ >= 0; }

  // Has the rank printed nothing since it was marked? The quick answer; false: perhaps.
  bool has_not_grown() {
    if (!captured()) return true;
    if (next_byte_ == nullptr || ++looks_ % kAskEvery == 0) return false;
    return *next_byte_ == 0 && !shown_ && !stdio_holds();
  }

  // False if that was not possible.
  bool mark(uint32_t rank, int marks) {
    if (!captured()) return true;
    show();
    shown_ = false;
    auto size = spmc::base::end_of_file(file_);
    if (size && size.value() != marked_) {
      marked_ = size.value();
      const OutputMark mark{g_epoch, marked_, rank, printed_, {}};
      // A program that has closed all its descriptors closed this one too: its output comes when it ends.
      if (!spmc::base::append(marks, &mark, sizeof mark)) return false;
    }
    map_last_page();
    return true;
  }

  // What stdio holds goes to the file.
  void show() {
    if (!captured() || !stdio_holds()) return;
    std::fflush(stdio_);
    shown_ = true;
  }
  void show_by_crashed() {
    if (!captured() || !stdio_holds()) return;
    const auto bytes = static_cast<size_t>(stdio_->_IO_write_ptr - stdio_->_IO_write_base);
    (void)spmc::base::append(::fileno(stdio_), stdio_->_IO_write_base, bytes);
    stdio_->_IO_write_ptr = stdio_->_IO_write_base;
  }

 private:
  static constexpr uint64_t kPage = 4096;
  static constexpr uint32_t kAskEvery = 4096;

  bool stdio_holds() const { return detmpi::stdio_holds(stdio_); }

  void map_last_page() {
    next_byte_ = nullptr;
    if (marked_ % kPage == 0) return;
    const uint64_t last = marked_ - marked_ % kPage;
    if (page_at_ != last) {
      auto page = spmc::base::map_page(file_, last, page_);
      if (!page) return;
      page_ = page.value();
      page_at_ = last;
    }
    next_byte_ = page_ + marked_ % kPage;
  }

  Printed printed_;
  FILE*& stdio_;  // the program may set another one
  int file_ = -1;
  uint64_t marked_ = kOutputStart;  // size of the file up to which it is marked
  bool shown_ = false;              // something of stdio's since
  const volatile char* page_ = nullptr;
  uint64_t page_at_ = ~uint64_t{0};           // its offset in the file
  const volatile char* next_byte_ = nullptr;  // in the page; null: the system is to be asked
  uint32_t looks_ = 0;
};

uint32_t g_rank = 0;
PrintedFile g_output(kOutput, stdout), g_errors(kErrors, stderr);
int g_marks = -1;

bool mark_files() { return g_output.mark(g_rank, g_marks) && g_errors.mark(g_rank, g_marks); }

// `next`: the clock at which it is over.
void enter_epoch(uint64_t epoch, uint64_t next) {
  g_epoch = epoch;
  g_next_output_epoch = next;
  g_shared_epoch->store(epoch, std::memory_order_release);
}

// The latest multiple up to the clock. Division is slow, and most steps are short.
uint64_t find_multiple() {
  const uint64_t ticks = g_epoch_ticks;
  if (g_clock >= g_next_multiple) {
    const uint64_t beyond = g_clock - g_next_multiple;
    g_next_multiple += ticks * (1 + (beyond < ticks ? 0 : beyond < 2 * ticks ? 1 : beyond / ticks));
  }
  return g_next_multiple - ticks;
}

// In every epoch, since the program may set other files.
void watch_stdio() {
  g_watched_stdio[0] = stdout;
  g_watched_stdio[1] = stderr;
}

void give_up_marking() { g_next_output_epoch = ~uint64_t{0}; }

}  // namespace

void rank_output_begin(int rank, RankOutputFiles files) {
  g_rank = static_cast<uint32_t>(rank);
  g_output.begin(files.printed[kOutput]);
  g_errors.begin(files.printed[kErrors]);
  g_marks = files.marks;
  if (!files.captured() || g_job->order_output == 0) return;
  g_shared_epoch = &rank_record(rank).output_epoch;
  watch_stdio();
  g_next_output_epoch = g_next_multiple = g_epoch_ticks = g_job->lookahead;
}

void mark_output() {
  for (PrintedFile* file : {&g_output, &g_errors}) {
    if (file->has_not_grown() || file->mark(g_rank, g_marks)) continue;
    give_up_marking();
    return;
  }
  // It began with a multiple, or where it was said to (end_output_epoch).
  const uint64_t epoch = std::max(find_multiple(), g_next_output_epoch);
  enter_epoch(epoch, g_next_multiple);
  watch_stdio();
}

void rank_output_end() {
  if (g_next_output_epoch == ~uint64_t{0}) return;
  if (mark_files()) enter_epoch(kLastEpoch, ~uint64_t{0});
  else give_up_marking();
}

void show_printed() {
  g_output.show();
  g_errors.show();
}

void show_printed_by_crashed() {
  g_output.show_by_crashed();
  g_errors.show_by_crashed();
}

}  // namespace detmpi
