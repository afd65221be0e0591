// Making and attaching a job's table.
#include "job.hpp"

#include <space/space.h>
#include <base/check.hpp>
#include <base/cores.hpp>
#include <base/sys.hpp>
#include <space/hooks.hpp>
#include <space/table.hpp>
#include <spmc/self.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace detmpi {
namespace {

// The first frame of the job's table, among the words of the header that are free for the job's owner.
uint32_t& table_frame() { return spmc::segment::header().root_value[0]; }

size_t page_aligned(size_t bytes) { return (bytes + spmc::kPageSize - 1) & ~(spmc::kPageSize - 1); }

// The ways of messages. What is fastest is a matter of how the machine moves a line that is dirty in another core's
// cache, so it was measured (docs/results/messages.md), with ping-pong, rings and pairs of ranks that have a core each.
struct Ways {
  chan::LineCare lines;        // of records in lanes; slabs and boards are fetched ahead if these are
  uint64_t from_slab;          // bytes from which a message goes through a slab, not through the lane itself
  uint64_t from_slab_crowded;  // the same with more ranks than cores
  uint32_t slab_pages;         // of each slab
  uint64_t window;             // bytes over which a rank's slabs circulate soon
  uint64_t window_crowded;     // the same with more ranks than cores
  uint64_t most_window;        // and at most, if they do not suffice
  DirectFrom direct_from;
  uint64_t board;  // bytes over which the areas of a board circulate
};

// Lines that have been evicted to the shared cache move three times faster than dirty ones (Zen 3 and 4, second-level
// cache 1 MiB), so that slabs circulate over more than that cache holds, and all but short messages go through them.
constexpr Ways kWaysAmd = {.lines = {.round = 128},
                           .from_slab = 3u << 10,
                           .from_slab_crowded = 4u << 10,
                           .slab_pages = 2,
                           .window = 2u << 20,
                           .window_crowded = 512u << 10,
                           .most_window = 4u << 20,
                           .direct_from = {.one_way = 128u << 10, .pending = 128u << 10, .surely = 128u << 10},
                           .board = 4u << 20};
// All others; measured on a newer Intel (Emerald Rapids). A line that another core has read takes as long to be written
// to as a dirty one to be read, so lines are fetched ahead; and to send dirty ones to the shared cache helps only in
// the lane. A small window is best, as it was on Cascade Lake.
constexpr Ways kWaysElse = {.lines = {.fetched = 65, .demoted = 65, .demoted_in_burst = 33},
                            .from_slab = (4u << 10) + 1,
                            .from_slab_crowded = DirectFrom::kNever,
                            .slab_pages = 8,
                            .window = 512u << 10,
                            .window_crowded = 256u << 10,
                            .most_window = 512u << 10,
                            .direct_from = {.one_way = 16u << 10, .pending = 64u << 10, .surely = 256u << 10},
                            .board = 0};
constexpr uint64_t kWindowStep = 256u << 10;
// With more ranks than cores those of a core share its cache, so nothing is fetched ahead, and the sender copies into
// the window while the receiver could not run anyway.
constexpr uint32_t kSlabPagesCrowded = 2;
constexpr DirectFrom kDirectFromCrowded = {256u << 10, 256u << 10, 256u << 10};
constexpr uint64_t kBoardCrowded = 2u << 20;
// With more ranks the memory of all windows is kept within bounds.
constexpr uint32_t kManyRanks = 16;
constexpr uint64_t kFromSlabMany = DirectFrom::kNever;
constexpr uint64_t kWindowMany = 256u << 10, kMostWindowMany = 512u << 10;

Ways choose_ways(uint32_t ranks) {
  Ways ways = __builtin_cpu_is("amd") ? kWaysAmd : kWaysElse;
  if (ranks > kManyRanks) {
    ways.window = kWindowMany;
    ways.most_window = kMostWindowMany;
    ways.from_slab = kFromSlabMany;
  }
  if (ranks > spmc::base::usable_cores()) {
    ways.lines.fetched = ways.lines.demoted = ways.lines.demoted_in_burst = 0;
    ways.from_slab = std::max(ways.from_slab, ways.from_slab_crowded);
    ways.slab_pages = kSlabPagesCrowded;
    ways.window = std::min(ways.window, ways.window_crowded);
    ways.direct_from = kDirectFromCrowded;
    ways.board = std::min(ways.board, kBoardCrowded);
  }
  return ways;
}

// DETMPI_ROOM=least: a few records and slabs, so that messages and acknowledgements find no room all the time. No
// result depends on it; whether that is so, the tests ask.
bool wants_least_room() {
  const char* room = std::getenv("DETMPI_ROOM");
  return room != nullptr && std::string_view(room) == "least";
}

// Sizes that keep the memory of all lanes and windows together within bounds as ranks grow in number.
void choose_sizes(JobTable& job) {
  const Ways ways = choose_ways(job.ranks);
  job.lane_cells = job.ranks <= 64 ? 512 : 128;
  job.lines = ways.lines;
  job.slab_pages = ways.slab_pages;
  const uint64_t slab_bytes = job.slab_pages * spmc::kPageSize;
  job.slab_step = static_cast<uint32_t>(kWindowStep / slab_bytes);
  job.slab_soon = static_cast<uint32_t>(ways.window / slab_bytes);
  job.slab_limit = static_cast<uint32_t>(ways.most_window / slab_bytes);
  // A program may have a thousand communicators.
  job.board_room = std::min(ways.board, size_t{spmc::segment::header().frames} * spmc::kPageSize / 1024);
  job.from_slab = ways.from_slab;
  job.direct_from = ways.direct_from;
  if (wants_least_room()) {
    job.lane_cells = 4;
    job.lines.round = 2;
    job.slab_pages = job.slab_step = 1;
    job.slab_soon = job.slab_limit = 3;
  }
}

// Texts of errors are literals elsewhere. This one may be overwritten: it is told once, by a process that then ends.
spmc::base::Error no_room_for_tables(const JobTable& plan) {
  static char text[100];
  constexpr size_t kMiB = 1 << 20;
  std::snprintf(text, sizeof text, "the tables of %u ranks take %zu MiB of shared memory; --memory=SIZE gives more",
                plan.ranks, static_cast<size_t>(plan.bytes + kMiB - 1) / kMiB);
  return {ENOMEM, text};
}

spmc::base::Error why_no_segment(const spmc::base::Error& error) {
  if (error.code != ENOMEM) return error;
  return {ENOMEM, "there is no address space for the shared memory (ulimit -v?); --memory=SIZE asks for less"};
}

}  // namespace

spmc::base::Status job_create(const JobOptions& options) {
  const auto n = static_cast<size_t>(options.ranks);
  spmc::SegmentConfig config;
  config.max_spaces = static_cast<uint32_t>(n) + 1 + kNestedSpaces;
  config.frame_bytes = options.memory;
  config.busy_spaces = static_cast<uint32_t>(n);
  if (auto made = spmc::try_init(config); !made) return why_no_segment(made.error());
  spmc::base::set_context_hook(nullptr);  // who makes a job is not, or not yet, one of its spaces

  JobTable plan{};
  plan.version = kJobVersion;
  plan.ranks = static_cast<uint32_t>(n);
  plan.inbox_words = static_cast<uint32_t>((n + 511) / 512 * 8);
  plan.lookahead = options.lookahead;
  plan.first_space = options.first_space;
  plan.strict_sends = options.strict_sends ? 1 : 0;
  plan.tell_leaks = options.tell_leaks ? 1 : 0;
  plan.keep_digest = options.keep_digest ? 1 : 0;
  plan.seed = options.seed;
  plan.first_come = options.first_come ? 1 : 0;
  plan.real_time = options.real_time ? 1 : 0;
  plan.order_output = options.order_output ? 1 : 0;
  plan.label_output = options.label_output ? 1 : 0;
  plan.with_errors = options.with_errors ? 1 : 0;
  plan.launcher = static_cast<uint32_t>(spmc::base::process_id());
  plan.start_ns = spmc::base::monotonic_ns();
  if (options.timeout_s > 0) plan.end_ns = plan.start_ns + static_cast<uint64_t>(options.timeout_s * 1e9);
  plan.grace_ns = static_cast<uint64_t>(options.grace_s * 1e9);
  plan.stuck_grace_ns = static_cast<uint64_t>(options.stuck_grace_s * 1e9);
  choose_sizes(plan);
  if (const auto& from = options.direct_from) plan.direct_from = {*from, *from, *from};
  plan.ranks_offset = sizeof(JobTable);
  plan.lanes_offset = plan.ranks_offset + page_aligned(n * sizeof(RankRecord));
  plan.sent_offset = plan.lanes_offset + page_aligned(n * n * sizeof(chan::LaneLine));
  plan.inbox_offset = plan.sent_offset + page_aligned(n * sent_row(n) * sizeof(uint64_t));
  plan.watch_offset = plan.inbox_offset + page_aligned(n * plan.inbox_words * sizeof(uint64_t));
  const size_t board_offset = plan.watch_offset + page_aligned(n * plan.inbox_words * sizeof(uint64_t));
  const uint32_t board_frames =
      chan::Board::frames_needed(plan.ranks, chan::Board::areas_for(plan.ranks, plan.board_room));
  plan.bytes = board_offset + size_t{board_frames} * spmc::kPageSize;

  auto run = spmc::frame_pool().try_alloc_run(static_cast<uint32_t>(plan.bytes >> spmc::kPageShift));
  if (!run) return no_room_for_tables(plan);
  plan.world_board = run.value().value + static_cast<uint32_t>(board_offset >> spmc::kPageShift);
  table_frame() = run.value().value;
  g_job = reinterpret_cast<JobTable*>(spmc::segment::frame(run.value()));
  // Nobody else has the segment yet: plain bytes will do.
  std::memcpy(static_cast<void*>(g_job), &plan, offsetof(JobTable, aborted));
  return {};
}

spmc::base::Status job_find() {
  const spmc::EPageIndex first{table_frame()};
  if (first.none() || first.value >= spmc::segment::header().frames) {
    return spmc::base::Error{EINVAL, "job: the segment holds no job"};
  }
  auto* table = reinterpret_cast<JobTable*>(spmc::segment::frame(first));
  if (table->version != kJobVersion) return spmc::base::Error{EINVAL, "job: made by another version of DetMPI"};
  g_job = table;
  return {};
}

spmc::base::Status job_alloc_ranks() {
  for (int rank = 0; rank < static_cast<int>(g_job->ranks); ++rank) {
    const int sid = space_alloc(rank);
    if (sid < 0) return spmc::base::Error{errno, "allocating the space of a rank"};
    const spmc::SpaceId slot = DL_TRY(space::child_slot(sid));
    CHECK(sid == child_of_rank(rank) && slot == space_of_rank(rank), "rank %d is child %d, space %u", rank, sid,
          slot.value);
  }
  return {};
}

}  // namespace detmpi
