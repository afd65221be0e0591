#include "command.hpp"

#include <getopt.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include <dmr/engine.hpp>

#include "output.hpp"

namespace dmr::command {

namespace {

constexpr char kCommonHelp[] = R"(
Options of every job:
  -w, --workers=N       worker processes, 1 to 64 (default: one per core)
  -m, --memory=SIZE     for all of them together, like 256M or 4G; what does not fit goes
                        to temporary files (default: half of the machine's)
  -o, --output=FILE     appears when it is complete (default: standard output)
      --temporary=DIR   folder for temporary files (default: $TMPDIR, or /tmp)
      --time-limit=S    a piece of the input, or a key, that takes longer ends the job, and a
                        reduction command that does nothing for so long
      --skip=N          leave out up to N lines or pieces of the input that fail, and tell of
                        each on standard error
      --statistics=FILE write what was counted, as JSON; - is standard error
      --progress        show on standard error how far it is
      --help            print this text
      --version         print the version
)";

// Of the jobs whose usage ends in [FILE...]; matmul takes its two files alone.
constexpr char kInputHelp[] = R"(
Without FILE, or with -, standard input is read.
)";

constexpr char kEndOfHelp[] = R"(
The output is the same bytes for any number of workers and any memory limit.

Exit status: 0 done, 1 the job failed, 2 wrong usage.
)";

void print_help(const char* help) {
  const bool takes_input = std::strstr(help, "[FILE...]") != nullptr;
  std::printf("%s%s%s%s", help, kCommonHelp, takes_input ? kInputHelp : "", kEndOfHelp);
}

bool g_progress_shown = false;  // on the line where standard error stands now

void show_progress(const Progress& progress) {
  if (progress.pieces == 0) return;
  const auto percent = static_cast<int>(100 * progress.pieces_done / progress.pieces);
  std::fprintf(stderr, "\rdmr: mapped %3d %%%s", percent, progress.reducing ? ", reducing" : "");
  g_progress_shown = true;
}

void tell_skipped(const std::string& what) {
  clear_progress();
  std::fprintf(stderr, "dmr: left out: %s\n", what.c_str());
}

[[noreturn]] void fail(const std::string& name, const char* what) {
  throw JobError(name + ": " + what + ": " + std::strerror(errno));
}

enum CommonOption { kTemporary = 1000, kTimeLimit, kSkip, kStatistics, kProgress, kHelp, kVersion, kFirstOfJob };

// What is wrong with what getopt_long has just refused: a letter, which may stand among others, or a word. Of one that
// takes no value `optopt` is its number; what begins several options is none of them.
std::string why_refused(char** argv, const std::vector<option>& known) {
  const std::string word = argv[optind - 1];
  if (optopt >= kTemporary) return word + ": this option takes no value";
  if (optopt != 0) return std::string("unknown option -") + static_cast<char>(optopt);
  const std::string name = word.substr(2, word.find('=') - 2);
  const auto begins = [&](const option& one) { return one.name != nullptr && std::string(one.name).starts_with(name); };
  return std::ranges::any_of(known, begins) ? word + " may be several options" : "unknown option " + word;
}

// One of the options that all have; false: it is none of them.
bool take_common(int which, const char* help, Arguments& to) {
  const std::string value = optarg != nullptr ? optarg : "";
  switch (which) {
    case 'w': to.options.workers = static_cast<int>(parse_count("workers", value, 1, kMostWorkers)); return true;
    case 'm': to.options.memory_bytes = parse_size("memory", value); return true;
    case 'o': to.output = parse_file("output", value); return true;
    case kTemporary: to.options.temporary_folder = value; return true;
    case kTimeLimit: to.options.seconds_per_piece = parse_seconds("time-limit", value); return true;
    case kSkip:
      to.options.skip_at_most = parse_count("skip", value, 1, UINT64_MAX);
      to.options.skip_keys = false;  // what is in the output already cannot be called back
      to.options.skipped = tell_skipped;
      return true;
    case kStatistics: to.statistics_file = parse_file("statistics", value); return true;
    case kProgress: to.options.progress = show_progress; return true;
    case kHelp: print_help(help); throw Printed{};
    case kVersion: std::printf("dmr (DLinux) %s\n", DLINUX_VERSION); throw Printed{};
    default: return false;
  }
}

}  // namespace

Arguments parse(int argc, char** argv, const char* help, const std::vector<Option>& more) {
  std::vector<option> known = {
      {"workers", required_argument, nullptr, 'w'},
      {"memory", required_argument, nullptr, 'm'},
      {"output", required_argument, nullptr, 'o'},
      {"temporary", required_argument, nullptr, kTemporary},
      {"time-limit", required_argument, nullptr, kTimeLimit},
      {"statistics", required_argument, nullptr, kStatistics},
      {"skip", required_argument, nullptr, kSkip},
      {"progress", no_argument, nullptr, kProgress},
      {"help", no_argument, nullptr, kHelp},
      {"version", no_argument, nullptr, kVersion},
  };
  for (size_t i = 0; i < more.size(); ++i) {
    const int takes = more[i].takes_value ? required_argument : no_argument;
    known.push_back({more[i].name, takes, nullptr, kFirstOfJob + static_cast<int>(i)});
  }
  known.push_back({});

  Arguments arguments;
  optind = 1;
  opterr = 0;
  for (int which; (which = getopt_long(argc, argv, ":w:m:o:", known.data(), nullptr)) != -1;) {
    if (which == ':') throw UsageError{std::string(argv[optind - 1]) + " needs a value"};
    if (which == '?') throw UsageError{why_refused(argv, known)};
    if (take_common(which, help, arguments)) continue;
    more[static_cast<size_t>(which - kFirstOfJob)].take(optarg != nullptr ? optarg : "");
  }
  arguments.files.assign(argv + optind, argv + argc);
  if (arguments.writes_statistics_file()) {
    check_different("--statistics", arguments.statistics_file, "the output", arguments.output);
  }
  return arguments;
}

void check_different(const char* what, const std::string& file, const char* other_what, const std::string& other) {
  if (!same_file(file, other)) return;
  throw UsageError{std::string(what) + " and " + other_what + " are the same file"};
}

void clear_progress() {
  if (std::exchange(g_progress_shown, false)) std::fprintf(stderr, "\r%27s\r", "");  // as long as the longest
}

uint64_t parse_count(const char* option, const std::string& text, uint64_t least, uint64_t most) {
  uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < least || count > most) {
    throw UsageError{"--" + std::string(option) + "=" + text + ": not a number from " + std::to_string(least) + " to " +
                     std::to_string(most)};
  }
  return count;
}

uint64_t parse_size(const char* option, const std::string& text) {
  uint64_t size = 0;
  const char* const end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, size);
  int shift = 0;
  if (error == std::errc() && at != end) {
    constexpr std::string_view kUnits = "KMGT";
    const size_t unit = kUnits.find(*at++);
    shift = unit == kUnits.npos ? -1 : 10 * (static_cast<int>(unit) + 1);
  }
  if (error != std::errc() || at != end || shift < 0 || size == 0 || size > UINT64_MAX >> shift) {
    throw UsageError{"--" + std::string(option) + "=" + text + ": not a size like 64K, 256M or 4G"};
  }
  return size << shift;
}

double parse_seconds(const char* option, const std::string& text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || !(seconds > 0) || !std::isfinite(seconds)) {
    throw UsageError{"--" + std::string(option) + "=" + text + ": not a number of seconds"};
  }
  return seconds;
}

std::string parse_file(const char* option, const std::string& text) {
  if (text.empty()) throw UsageError{"--" + std::string(option) + "=: a file has no empty name"};
  return text;
}

Input open_input(const Arguments& arguments, Records records, uint64_t piece_bytes) {
  const std::vector<std::string>& files = arguments.files;
  if (files.size() > 1 && std::ranges::count(files, "-") > 0)
    throw UsageError{"-, standard input, must be the only file"};
  if (files.empty() || files[0] == "-")
    return Input::standard_input(records, arguments.options.temporary_folder, piece_bytes);
  return Input::files(files, records, piece_bytes, arguments.options.temporary_folder);
}

void add_statistics(const Statistics& next, Statistics& to) {
  to.workers = next.workers;
  to.pieces += next.pieces;
  to.bytes += next.bytes;
  to.pairs_mapped += next.pairs_mapped;
  to.bytes_spilled += next.bytes_spilled;
  to.pairs_out += next.pairs_out;
  to.map_seconds += next.map_seconds;
  to.reduce_seconds += next.reduce_seconds;
}

Options with_one_reducer(const Options& options) {
  Options one = options;
  one.reducers = 1;
  return one;
}

Options without_skipping(const Options& options) {
  Options all = options;
  all.skip_at_most = 0;
  return all;
}

void write_statistics(const Arguments& arguments, const char* job, const Statistics& s) {
  if (std::exchange(g_progress_shown, false)) std::fprintf(stderr, "\n");
  if (arguments.statistics_file.empty()) return;
  const nlohmann::ordered_json json = {
      {"job", job},
      {"workers", s.workers},
      {"bytes", s.bytes},
      {"pieces", s.pieces},
      {"pairs_mapped", s.pairs_mapped},
      {"bytes_spilled", s.bytes_spilled},
      {"pairs_out", s.pairs_out},
      {"map_seconds", s.map_seconds},
      {"reduce_seconds", s.reduce_seconds},
  };
  const bool to_file = arguments.writes_statistics_file();
  const std::string name = to_file ? arguments.statistics_file : "standard error";
  FILE* const file = to_file ? std::fopen(name.c_str(), "w") : stderr;
  if (file == nullptr) fail(name, "opening");
  const bool written = std::fprintf(file, "%s\n", json.dump(2).c_str()) >= 0;
  if ((to_file && std::fclose(file) != 0) || !written) fail(name, "writing");
}

}  // namespace dmr::command
