// Jobs whose maps and reductions are programs, after the conventions of Hadoop Streaming: lines of a key, a tab, a
// value.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <dmr/engine.hpp>
#include <dmr/temporary.hpp>

#include "command.hpp"
#include "output.hpp"
#include "shell.hpp"
#include "sorted_lines.hpp"

namespace dmr::command {

namespace {

constexpr char kHelp[] = R"(Usage: dmr run --map=COMMAND [OPTION...] [FILE...]
Runs commands of the shell as map and reduction, much as Hadoop Streaming does, on this
machine.

The map command reads lines and writes lines `key<tab>value`; one process is started for each
part of the input. The reduction command reads such lines sorted by key (by bytes), those of a
key in the order of the input; what it writes is the output. A line without a tab is a key
with an empty value. A command that does not end with exit code 0 ends the job.

      --map=COMMAND
      --combine=COMMAND reads what the map command has written for one part of the input, as
                        the reduction command would, and writes such lines in its place: less
                        to sort. It may be the reduction command itself, if that adds up. It
                        always gets all lines of a part at once, and is not started for none
      --reduce=COMMAND  (default: the sorted lines are the output)
      --reducers=R      processes of the reduction, 1 to 64; each gets the keys of one of R
                        parts, and the output is theirs, one behind the other (default 1)
      --split=SIZE      of the parts of the input, in whole lines (default 16M). Commands
                        that treat each line by itself give the same output for any

The map command finds in its environment mapreduce_map_input_file, mapreduce_map_input_start
and mapreduce_map_input_length (bytes).
)";

struct Commands {
  std::string map, combine, reduce;  // "": none
};

size_t key_bytes(std::string_view line) { return std::min(line.find('\t'), line.size()); }

// For the lines that go to a combiner, of each worker. Their memory grows in leaps, and the worker's pairs have up to
// half of its share.
size_t bytes_of_lines(const Options& options) {
  constexpr uint64_t kLeast = 64 << 10, kShare = 8;
  return std::max(memory_of(options) / (kShare * workers_of(options)), kLeast);
}

// Values keep the tab before them, so that a line without one comes out as it went in.
class StreamMaps : public Maps {
 public:
  StreamMaps(const Input& input, const Commands& commands, const Options& options)
      : input_(input), commands_(commands), options_(options) {}
  void map(const Piece& piece, Pairs& pairs) override {
    const Variables variables = {
        {"mapreduce_map_input_file", input_.name(piece.file)},
        {"mapreduce_map_input_start", std::to_string(piece.begin)},
        {"mapreduce_map_input_length", std::to_string(piece.end - piece.begin)},
    };
    if (piece.data.empty()) return;
    const auto add = [&](std::string_view line) {
      const size_t tab = key_bytes(line);
      pairs.add(line.substr(0, tab), line.substr(tab));
    };
    if (commands_.combine.empty()) return filter_through(commands_.map, piece.data, variables, add);
    // Part by part: so the combiner too is given what depends on the input alone.
    SortedLines lines(temporary_folder(options_.temporary_folder), bytes_of_lines(options_));
    filter_through(commands_.map, piece.data, variables,
                   [&](std::string_view line) { outside_turn_if_it_fails([&] { lines.add(line); }); });
    if (lines.empty()) return;
    filter_through(commands_.combine, outside_turn([&] { return lines.take(); }), variables, add);
  }

 private:
  const Input& input_;
  const Commands& commands_;
  const Options& options_;
};

class StreamJob : public ByteJob {
 public:
  StreamJob(const Input& input, const Commands& commands, const Options& options)
      : input_(input), commands_(commands), options_(options) {}
  std::unique_ptr<Maps> start_maps() const override {
    return std::make_unique<StreamMaps>(input_, commands_, options_);
  }
  void reduce(std::string_view, ByteValues& values, ByteResults& results) const override {
    for (std::string_view value; values.next(value);) results.add(value);
  }

 private:
  const Input& input_;
  const Commands& commands_;
  const Options& options_;
};

// The reductions, each with a file of its own for its output.
class Reductions {
 public:
  Reductions(const Arguments& arguments, const std::string& command, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      files_.push_back(temporary_file(temporary_folder(arguments.options.temporary_folder)));
      const Sink::Settings settings = {"reducer " + std::to_string(i), command, arguments.options.seconds_per_piece};
      sinks_.emplace_back(settings, files_.back().get());
    }
  }
  void write(uint32_t part, std::string_view key, std::string_view value) {
    Sink& sink = sinks_[part];
    sink.write(key);
    sink.write(value.empty() ? "\t" : value);
    sink.write("\n");
  }
  void finish(Output& output) {
    for (Sink& sink : sinks_) sink.end_input();
    for (Sink& sink : sinks_) sink.finish();
    for (const auto& file : files_) output.write_file(file.get());
  }

 private:
  std::vector<spmc::base::UniqueFd> files_;
  std::vector<Sink> sinks_;
};

}  // namespace

int run(int argc, char** argv) {
  Commands commands;
  uint64_t reducers = 1, split = 16 << 20;
  const Arguments arguments = parse(
      argc, argv, kHelp,
      {{"map", true, [&](const std::string& text) { commands.map = text; }},
       {"combine", true, [&](const std::string& text) { commands.combine = text; }},
       {"reduce", true, [&](const std::string& text) { commands.reduce = text; }},
       {"reducers", true, [&](const std::string& text) { reducers = parse_count("reducers", text, 1, kMostWorkers); }},
       {"split", true, [&](const std::string& text) { split = parse_size("split", text); }}});
  if (commands.map.empty()) throw UsageError{"--map=COMMAND is missing"};
  if (commands.reduce.empty() && reducers > 1) throw UsageError{"--reducers without --reduce"};

  const Input input = open_input(arguments, Records::lines(), split);
  Output output(arguments);
  const StreamJob job(input, commands, arguments.options);
  const bool reduces = !commands.reduce.empty();
  Reductions reductions(arguments, commands.reduce, reduces ? reducers : 0);
  const Statistics statistics =
      run_bytes(job, input, arguments.options, [&](std::string_view key, std::string_view value) {
        if (reduces) {
          const auto parts = static_cast<uint32_t>(reducers);
          return reductions.write(parts == 1 ? 0 : job.partition(key, parts), key, value);
        }
        output.write(key);
        output.write(value);
        output.write("\n");
      });
  reductions.finish(output);
  finish({&output}, arguments, "run", statistics);
  return 0;
}

}  // namespace dmr::command
