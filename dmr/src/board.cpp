#include "board.hpp"

#include <dmr/error.hpp>

#include <base/sys.hpp>

namespace dmr {

Board::Board(uint32_t workers) : workers_(workers) {
  const size_t size = sizeof(BoardHeader) + 2 * sizeof(WorkerLine) * workers;
  auto file = spmc::base::create_shared_file("dmr-board", size);
  if (!file) throw JobError("starting a job: " + file.error().message());
  auto memory = spmc::base::Mapping::try_shared(size, file.value().get());
  if (!memory) throw JobError("starting a job: " + memory.error().message());
  memory_ = std::move(memory).value();
  header().first_failure = WorkerLine::kNothing;
  for (uint32_t i = 0; i < 2 * workers; ++i) lines()[i].piece = WorkerLine::kNothing;
}

void Board::fail_at(uint64_t piece) {
  std::atomic<uint64_t>& first = header().first_failure;
  uint64_t known = first.load();
  while (piece < known && !first.compare_exchange_weak(known, piece)) {
  }
}

}  // namespace dmr
