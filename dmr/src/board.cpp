#include "board.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <base/files.hpp>
#include <base/sys.hpp>
#include <base/wait.hpp>
#include <dmr/error.hpp>

namespace dmr {

namespace {

spmc::base::UniqueFd shared_file(const char* name, size_t size) {
  auto file = spmc::base::create_shared_file(name, size);
  if (!file) throw JobError("starting a job: " + file.error().message());
  return std::move(file).value();
}

// In the file of long keys. Keys have less than 4 GiB (check_size), and only what is written takes memory.
uint64_t place_of_key(uint32_t number) { return uint64_t{number} << 32; }

}  // namespace

Board::Board(uint32_t mappers, uint32_t reducers) : mappers_(mappers), long_keys_(shared_file("dmr-keys", 0)) {
  const size_t size = sizeof(BoardHeader) + sizeof(WorkerLine) * (mappers + reducers);
  const spmc::base::UniqueFd file = shared_file("dmr-board", size);
  auto memory = spmc::base::Mapping::try_shared(size, file.get());
  if (!memory) throw JobError("starting a job: " + memory.error().message());
  memory_ = std::move(memory).value();
  header().first_failure = WorkerLine::kNothing;
  for (uint32_t i = 0; i < mappers + reducers; ++i) lines()[i].piece = WorkerLine::kNothing;
}

void Board::fail_at(uint64_t piece) {
  std::atomic<uint64_t>& first = header().first_failure;
  uint64_t known = first.load();
  while (piece < known && !first.compare_exchange_weak(known, piece)) {
  }
}

bool Board::add_mapper() {
  std::atomic<uint32_t>& crew = header().crew;
  uint32_t before = crew.load();
  while ((before & BoardHeader::kCrewClosed) == 0 && !crew.compare_exchange_weak(before, before + 1)) {
  }
  spmc::base::futex_wake_all(crew);
  return (before & BoardHeader::kCrewClosed) == 0;
}

bool Board::await_place(uint32_t number) const {
  std::atomic<uint32_t>& crew = header().crew;
  uint32_t seen;
  while (((seen = crew.load()) & ~BoardHeader::kCrewClosed) <= number) {
    if ((seen & BoardHeader::kCrewClosed) != 0) return false;
    spmc::base::futex_wait(crew, seen);
  }
  return true;
}

void Board::close_crew() {
  std::atomic<uint32_t>& crew = header().crew;
  if ((crew.load() & BoardHeader::kCrewClosed) != 0) return;
  crew.fetch_or(BoardHeader::kCrewClosed);
  spmc::base::futex_wake_all(crew);
}

uint32_t Board::await_crew() const {
  std::atomic<uint32_t>& crew = header().crew;
  uint32_t seen;
  while (((seen = crew.load()) & BoardHeader::kCrewClosed) == 0) spmc::base::futex_wait(crew, seen);
  return seen & ~BoardHeader::kCrewClosed;
}

void Board::set_key(uint32_t number, std::string_view key, uint64_t hash) {
  WorkerLine& line = reducer(number);
  line.key_hash = hash;
  line.key_bytes = key.size();
  std::copy_n(key.data(), line.begin_of_key().size(), line.key);
  if (key.size() <= sizeof line.key) return;
  const uint64_t place = place_of_key(number);
  for (size_t done = 0; done < key.size();) {
    const ssize_t wrote =
        ::pwrite(long_keys_.get(), key.data() + done, key.size() - done, static_cast<off_t>(place + done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) throw JobError(std::string("writing a key to memory: ") + std::strerror(errno));
    done += static_cast<size_t>(wrote);
  }
}

std::string Board::key(uint32_t number) {
  const WorkerLine& line = reducer(number);
  std::string key(line.begin_of_key());
  if (line.key_bytes <= key.size()) return key;
  key.resize(line.key_bytes);
  const uint64_t place = place_of_key(number);
  for (size_t done = 0; done < key.size();) {
    auto got = spmc::base::read_at(long_keys_.get(), place + done, key.data() + done, key.size() - done);
    if (!got || got.value() == 0) throw JobError("reading a key of a reducer that failed");
    done += got.value();
  }
  return key;
}

}  // namespace dmr
