#include "rank_output.hpp"

#include <atomic>
#include <cstdio>

#include "../engine/job_table.hpp"
#include "../object/call.hpp"

namespace detmpi {
namespace {

int g_rank = 0;
RankOutputFiles g_files;
uint64_t g_epoch = 0;
uint64_t g_epoch_ticks = 1;                       // the lookahead
std::atomic<uint64_t>* g_shared_epoch = nullptr;  // in the rank's record
uint64_t g_marked = kOutputStart;                 // size of the file up to which it is marked

// A rank that exchanges small messages looks at its file after each of them, and a system call would nearly double
// their time. So the page in which the file ends is mapped: the byte behind the end is 0 until something is appended.
// Where the file ends with a page, and now and then for output that begins with a 0, the system is asked: so seldom
// that its time does not count. Looks are a matter of logical time, so every run asks at the same places.
constexpr uint64_t kPage = 4096;
constexpr uint32_t kAskEvery = 4096;
const volatile char* g_page = nullptr;
uint64_t g_page_at = ~uint64_t{0};           // its offset in the file
const volatile char* g_next_byte = nullptr;  // in the page; null: the system is to be asked
uint32_t g_looks = 0;

// What stdio holds, without a call.
bool stdio_holds_output() { return stdout->_IO_write_ptr > stdout->_IO_write_base; }

// Has the rank printed nothing since it was marked? The quick answer; false: perhaps.
bool has_not_grown() {
  if (g_next_byte == nullptr || ++g_looks % kAskEvery == 0) return false;
  return *g_next_byte == 0 && !stdio_holds_output();
}

void map_last_page() {
  g_next_byte = nullptr;
  if (g_marked % kPage == 0) return;
  const uint64_t last = g_marked - g_marked % kPage;
  if (g_page_at != last) {
    auto page = spmc::base::map_page(g_files.output, last, g_page);
    if (!page) return;
    g_page = page.value();
    g_page_at = last;
  }
  g_next_byte = g_page + g_marked % kPage;
}

// False if that was not possible.
bool mark_file() {
  show_printed();
  auto size = spmc::base::end_of_file(g_files.output);
  if (size && size.value() != g_marked) {
    g_marked = size.value();
    const OutputMark mark{g_epoch, g_marked, static_cast<uint32_t>(g_rank), {}};
    // A program that has closed all its descriptors closed this one too: its output comes when it ends.
    if (!spmc::base::append(g_files.marks, &mark, sizeof mark)) return false;
  }
  map_last_page();
  return true;
}

// `next`: the clock at which it is over.
void enter_epoch(uint64_t epoch, uint64_t next) {
  g_epoch = epoch;
  g_next_output_epoch = next;
  g_shared_epoch->store(epoch, std::memory_order_release);
}

void give_up_marking() { g_next_output_epoch = ~uint64_t{0}; }

}  // namespace

void rank_output_begin(int rank, RankOutputFiles files) {
  g_rank = rank;
  g_files = files;
  if (files.output < 0 || g_job->order_output == 0) return;
  g_shared_epoch = &rank_record(rank).output_epoch;
  g_next_output_epoch = g_epoch_ticks = g_job->lookahead;
}

void mark_output() {
  if (!has_not_grown() && !mark_file()) {
    give_up_marking();
    return;
  }
  const uint64_t ticks = g_epoch_ticks;
  const uint64_t beyond = g_clock - g_next_output_epoch;
  // Division is slow, and most steps are short.
  const uint64_t epoch = g_epoch + 1 + (beyond < ticks ? 0 : beyond < 2 * ticks ? 1 : beyond / ticks);
  enter_epoch(epoch, (epoch + 1) * ticks);
}

void rank_output_end() {
  if (g_next_output_epoch == ~uint64_t{0}) return;
  if (mark_file()) enter_epoch(kLastEpoch, ~uint64_t{0});
  else give_up_marking();
}

void show_printed() {
  if (g_files.output >= 0 && stdio_holds_output()) std::fflush(stdout);
}

void show_printed_by_crashed() {
  if (g_files.output < 0 || !stdio_holds_output()) return;
  const auto bytes = static_cast<size_t>(stdout->_IO_write_ptr - stdout->_IO_write_base);
  (void)spmc::base::append(::fileno(stdout), stdout->_IO_write_base, bytes);
  stdout->_IO_write_ptr = stdout->_IO_write_base;
}

}  // namespace detmpi
