// What the typed interface (map_reduce.hpp) is made of: jobs over pairs of bytes. For map_reduce.hpp, and for jobs
// whose keys and values are bytes anyway.
//
//   root ── forks ──> mapper 0 ... n-1      maps the next piece that nobody has; puts pairs together, or sorts them
//                        |   \ /            one channel from every mapper to every reducer
//                     reducer 0 ... n-1     puts together or merges what has its hash, reduces key by key
//   root <── merges what the reducers send, in the order of keys
//
// Mappers and reducers are spaces. What does not fit in memory lies sorted in a temporary file of its mapper, where the
// reducers read it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <dmr/error.hpp>
#include <dmr/input.hpp>
#include <dmr/options.hpp>

namespace dmr {

// Takes the pairs that a mapper found. The bytes are copied.
class Pairs {
 public:
  virtual ~Pairs() = default;
  virtual void add(std::string_view key, std::string_view value) = 0;
};

// The maps of one worker, in its own space.
class Maps {
 public:
  virtual ~Maps() = default;
  virtual void map(const Piece& piece, Pairs& pairs) = 0;
  // Gives what was held back, whose values need no order, and its memory back.
  virtual void finish(Pairs&) {}
  // For a job with a table (ByteJob::start_table), in place of finish: what was held back of the keys of one reducer.
  virtual void give_part(uint32_t /*reducer*/, uint32_t /*reducers*/, Pairs&) {}
  virtual size_t keys_held() { return 0; }
  // So many bytes finish would give back, about.
  virtual size_t bytes_held() const { return 0; }
};

// Puts together the values of each key, in any order.
class Table {
 public:
  virtual ~Table() = default;
  // Of an empty table: so many keys will be there, about. Makes room, but with no more than so many bytes.
  virtual void expect(size_t keys, size_t most_bytes) = 0;
  virtual void add(std::string_view key, std::string_view value) = 0;
  // Each key once; the table is empty then, and small.
  virtual void give_all(Pairs& pairs) = 0;
  // So many bytes give_all would give back, about.
  virtual size_t bytes_held() const = 0;
};

// The values of one key: pieces of the input in their order, within a piece in the order in which they were added.
class ByteValues {
 public:
  virtual ~ByteValues() = default;
  // False: there are no more. The bytes are good until the next call.
  virtual bool next(std::string_view& value) = 0;
};

class ByteResults {
 public:
  virtual ~ByteResults() = default;
  virtual void add(std::string_view result) = 0;
};

// A job over bytes. Called in several spaces, each with its copy. Only maps (Maps::map) and reductions may fail: how a
// failure is told of and left out, and the time limit, are about them. What puts values together (combiners, Table),
// orders keys (less) or spreads them (partition) may be called later than for the record in question, and must not
// throw.
class ByteJob {
 public:
  using Less = bool (*)(std::string_view, std::string_view);

  virtual ~ByteJob() = default;
  virtual std::unique_ptr<Maps> start_maps() const = 0;
  // Where the order in which values are put together makes no difference, and the maps hold them back by reducers: how
  // reducers put them together, too. Null: what maps add comes to reduce as it is.
  virtual std::unique_ptr<Table> start_table() const { return nullptr; }
  // Values that are left are passed over.
  virtual void reduce(std::string_view key, ByteValues& values, ByteResults& results) const = 0;
  // Which of the `parts` reducers gets the key: a function of these two.
  virtual uint32_t partition(std::string_view key, uint32_t parts) const;
  // The order of keys and of the output; null: that of memcmp. Of keys of which none is less that of memcmp decides.
  virtual Less less() const { return nullptr; }
  // The key in a message: the first 128 bytes of one that is longer.
  virtual std::string describe(std::string_view key) const;
};

// Call first in main: the program may be executed again from its start (space_init). Errors end the program with a
// message. Again: does nothing.
void init();

// Runs the job; `each` gets the results in the order of keys, in the caller's space, while the reductions go on. It may
// throw. Throws JobError, after which no process is left. Blocks. The results do not depend on the options,
// but for what is left out.
using ByteSink = std::function<void(std::string_view key, std::string_view result)>;
Statistics run_bytes(const ByteJob& job, const Input& input, const Options& options, const ByteSink& each);

// For maps that go through the records of their piece, before each: tells its range (of bytes of the file, or numbers)
// for the message if it fails. False: it failed before, and is to be left out (Options::skip_at_most). Cheap.
[[nodiscard]] bool working_on(uint64_t begin, uint64_t end);

namespace detail {
// Of a worker: its function of the job's hands over to the engine, and goes on. False: it is in none.
bool leave_turn();
void enter_turn();
void note_failure();  // the exception that is being handled, while the turn is left
}  // namespace detail

// Work that a map or reduction asks for, but that is not about its record, like making or writing a temporary file: it
// takes none of the function's time (Options::seconds_per_piece), and that it fails, by an exception, is no failure of
// the record's: it ends the job, also if the function catches the exception. Elsewhere it is just called.
template <typename Work>
auto outside_turn(Work&& work) {
  if (!detail::leave_turn()) return work();
  struct Back {
    bool well = true;
    ~Back() {
      if (well) detail::enter_turn();
    }
  } back;
  try {
    return work();
  } catch (...) {
    detail::note_failure();
    back.well = false;
    throw;
  }
}

// The same for work that is done so often that only its failure counts.
template <typename Work>
void outside_turn_if_it_fails(Work&& work) {
  try {
    work();
  } catch (...) {
    outside_turn([] { throw; });
  }
}

}  // namespace dmr
