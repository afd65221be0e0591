#include "options.hpp"

#include <getopt.h>
#include <mpi.h>

#include <cctype>
#include <cstdio>
#include <cstring>

#include "program.hpp"

namespace npb {
namespace {

constexpr char kVersion[] = "3.4-compatible, DLinux npb-runs 1";
constexpr char kClasses[] = "SWABC";
constexpr int kUsageError = 2;

void print_help(std::FILE* out, const Program& program) {
  std::fprintf(out,
               "Usage: %s [--class=S|W|A|B|C] [--summary]%s\n"
               "%s\n\n"
               "  -c, --class=X   problem class (default S)\n"
               "  -s, --summary   print the summary with its times to standard output\n"
               "                  (default: standard error, so that standard output repeats exactly)\n"
               "%s"
               "  -h, --help      print this text\n"
               "  -V, --version   print the version\n\n"
               "Exit status: 0 verified, 1 not verified or not runnable, 2 wrong usage.\n",
               program.name, program.has_wildcard ? " [--wildcard]" : "", program.what,
               program.has_wildcard
                   ? "  -w, --wildcard  receive halos from MPI_ANY_SOURCE, as old versions of the suite did\n"
                   : "");
}

bool parse_class(const char* text, char& problem_class) {
  const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  if (letter == '\0' || text[1] != '\0' || std::strchr(kClasses, letter) == nullptr) return false;
  problem_class = letter;
  return true;
}

Command usage_error(const Program& program) {
  std::fprintf(stderr, "Try '%s --help'.\n", program.name);
  return {.options = {}, .run = false, .exit_code = kUsageError};
}

Command parse(int argc, char** argv, const Program& program) {
  static const option kLong[] = {{"class", required_argument, nullptr, 'c'}, {"summary", no_argument, nullptr, 's'},
                                 {"wildcard", no_argument, nullptr, 'w'},    {"help", no_argument, nullptr, 'h'},
                                 {"version", no_argument, nullptr, 'V'},     {nullptr, 0, nullptr, 0}};
  Command command;
  for (int letter; (letter = getopt_long(argc, argv, "c:swhV", kLong, nullptr)) != -1;) {
    switch (letter) {
      case 'c':
        if (!parse_class(optarg, command.options.problem_class)) {
          std::fprintf(stderr, "%s: unknown class '%s'\n", program.name, optarg);
          return usage_error(program);
        }
        break;
      case 's': command.options.summary = true; break;
      case 'w':
        if (!program.has_wildcard) {
          std::fprintf(stderr, "%s: has no option --wildcard\n", program.name);
          return usage_error(program);
        }
        command.options.wildcard = true;
        break;
      case 'h': print_help(stdout, program); return command;
      case 'V': std::printf("%s (%s)\n", program.name, kVersion); return command;
      default: return usage_error(program);
    }
  }
  if (optind < argc) {
    std::fprintf(stderr, "%s: unexpected argument '%s'\n", program.name, argv[optind]);
    return usage_error(program);
  }
  command.run = true;
  return command;
}

}  // namespace

Command read_command_line(int argc, char** argv, const Program& program) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int words[5] = {};
  if (rank == 0) {
    const Command command = parse(argc, argv, program);
    words[0] = command.options.problem_class;
    words[1] = command.options.summary;
    words[2] = command.options.wildcard;
    words[3] = command.run;
    words[4] = command.exit_code;
  }
  MPI_Bcast(words, 5, MPI_INT, 0, MPI_COMM_WORLD);
  return {
      .options = {.problem_class = static_cast<char>(words[0]), .summary = words[1] != 0, .wildcard = words[2] != 0},
      .run = words[3] != 0,
      .exit_code = words[4]};
}

}  // namespace npb
