#include "options.hpp"

#include "report.hpp"

#include <getopt.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace detmpi {
namespace {

constexpr int kUsageExit = 2;
constexpr long kMaxVerifyRuns = 1000;

constexpr const char* kHelp =
    "Usage: detmpirun [OPTION]... PROGRAM [ARGUMENT]... [: [-n N] PROGRAM [ARGUMENT]...]...\n"
    "Run an MPI program deterministically on this machine, or several as one job.\n"
    "\n"
    "  -n, -np N            start N ranks (default 1, at most %u)\n"
    "      --start=HOW      fork: the program starts once and MPI_Init makes the ranks (default);\n"
    "                       exec: every rank is started anew\n"
    "      --order=ORDER    of messages: logical (default), the same in every run; arrival: as they come\n"
    "      --seed=N         another legal order of messages, the same for each N (default 0: the plain one)\n"
    "      --verify=N       run the program N times, disturbed in different ways, and compare all that the\n"
    "                       ranks do, are told and print; where runs differ, say where and why\n"
    "      --verify-seed=S  other disturbances for each S (default 1)\n"
    "      --digest         print a digest of the run on standard error: equal for equal runs\n"
    "      --strict-sends   sends wait for their receives: shows programs that need buffered sends\n"
    "      --leaks          say at MPI_Finalize what the program has not freed, not waited for, or not received, and\n"
    "                       where it was made\n"
    "      --lookahead=N    least logical time from a send to its arrival, in calls (default 256)\n"
    "      --wtime=CLOCK    what MPI_Wtime tells: real (default) or logical, the same in every run\n"
    "      --memory=SIZE    shared memory for messages, such as 512M or 4G (default: half of the machine's)\n"
    "      --direct-from=SIZE|never\n"
    "                       copy messages of SIZE and more from buffer to buffer, smaller ones\n"
    "                       through shared memory (default: 128K; 16K for blocking sends, except on\n"
    "                       AMD; 256K with more ranks than cores)\n"
    "      --huge-pages[=no]\n"
    "                       long memory of the program asks the system for huge pages (default), which ranks\n"
    "                       reach faster; no: pages of 4 KiB alone, of which a sparse array needs fewer bytes\n"
    "      --report=FILE    if the job ends in a deadlock, or for collective operations that do not match, write its\n"
    "                       report to FILE too: *.txt, *.json, *.dot\n"
    "      --ordered-output[=no]\n"
    "                       merge the lines that the ranks print in the order of logical time, the same in\n"
    "                       every run (default where standard output is not a terminal, except with\n"
    "                       --order=arrival)\n"
    "  -l, --label          begin every line with the rank that printed it\n"
    "      --grace=SEC      when a rank fails, or some are stuck, wait at most SEC seconds for the others to come\n"
    "                       as far, so that the job ends in the same way in every run (default 2 and 0.3;\n"
    "                       0: end it at once)\n"
    "      --timeout=SEC    end the job after SEC seconds\n"
    "      -wdir DIR        run the program in the folder DIR\n"
    "      -env NAME VALUE  set an environment variable for the program, also as -x NAME=VALUE;\n"
    "                       -genv NAME VALUE: for all programs\n"
    "  -h, --help           print this help\n"
    "  -V, --version        print the version\n"
    "\n"
    "More ranks than cores are fine. Standard input goes to rank 0. Behind a colon stands another program with\n"
    "its -n, -wdir, -env and -x, whose ranks come behind those before; several are started by exec.\n"
    "\n"
    "Exit status: 0 when every rank ended with 0; the first rank's exit status that is not 0 (also that of\n"
    "MPI_Abort, and the class of an MPI error that nobody handles, such as 2 for MPI_ERR_COUNT); 128 + S when a\n"
    "rank died of signal S; 121 when --leaks has found something; 122 after a deadlock; 123 when runs differ "
    "(--verify); 124 after --timeout; 127 when\n"
    "PROGRAM cannot be started; 1 when the job cannot be made, has used up its shared memory, or a rank ended\n"
    "with 0 but without MPI_Init or MPI_Finalize; 2 for a wrong command line.\n";

[[noreturn]] void usage_error(const char* what, const char* value) {
  std::fprintf(stderr, "detmpirun: %s%s%s\nTry 'detmpirun --help'.\n", what, value != nullptr ? ": " : "",
               value != nullptr ? value : "");
  std::exit(kUsageExit);
}

int parse_ranks(const char* text) {
  char* end = nullptr;
  errno = 0;
  const long n = std::strtol(text, &end, 10);
  if (end == text || *end != 0 || errno != 0 || n < 1 || n > static_cast<long>(kMaxRanks)) {
    usage_error("the number of ranks must be from 1 to 4096", text);
  }
  return static_cast<int>(n);
}

// Error: what is printed when it is not a size, or less than `least` bytes.
uint64_t parse_size(const char* text, double least, const char* error) {
  char* end = nullptr;
  errno = 0;
  const double value = std::strtod(text, &end);
  double unit = 0;
  switch (*end) {
    case 'K':
    case 'k': unit = 1024.0; break;
    case 'M':
    case 'm': unit = 1024.0 * 1024; break;
    case 'G':
    case 'g': unit = 1024.0 * 1024 * 1024; break;
    case 0: unit = 1; break;
    default: break;
  }
  const bool tail = *end != 0 && end[1] != 0;
  const double bytes = value * unit;
  if (end == text || tail || errno != 0 || !(bytes >= least) || bytes > 1e15) {
    usage_error(error, text);
  }
  return static_cast<uint64_t>(bytes);
}

uint64_t parse_memory(const char* text) {
  return parse_size(text, 1024.0 * 1024, "the memory size must be at least 1M, such as 512M or 4G");
}

uint64_t parse_direct_from(const char* text) {
  if (std::strcmp(text, "never") == 0) return DirectFrom::kNever;
  return parse_size(text, 1, "--direct-from is a size, such as 64K, or never");
}

int parse_runs(const char* text) {
  char* end = nullptr;
  errno = 0;
  const long n = std::strtol(text, &end, 10);
  if (end == text || *end != 0 || errno != 0 || n < 2 || n > kMaxVerifyRuns) {
    usage_error("--verify takes a number of runs from 2 to 1000", text);
  }
  return static_cast<int>(n);
}

uint32_t parse_lookahead(const char* text) {
  char* end = nullptr;
  errno = 0;
  const long ticks = std::strtol(text, &end, 10);
  if (end == text || *end != 0 || errno != 0 || ticks < 1 || ticks > 1'000'000) {
    usage_error("the lookahead must be from 1 to 1000000 ticks", text);
  }
  return static_cast<uint32_t>(ticks);
}

uint64_t parse_seed(const char* text) {
  char* end = nullptr;
  errno = 0;
  const unsigned long long seed = std::strtoull(text, &end, 10);
  if (end == text || *end != 0 || errno != 0 || *text < '0' || *text > '9') {
    usage_error("the seed must be a number from 0", text);
  }
  return seed;
}

// What --verify compares must be able to repeat.
void check_verify(const LaunchOptions& options) {
  if (options.verify_runs > 0 && !options.ordered_output.value_or(true)) {
    usage_error("--verify compares ordered output: leave --ordered-output=no out", nullptr);
  }
}

// `error`: what is printed when it is no number of seconds.
double parse_seconds(const char* text, const char* error) {
  char* end = nullptr;
  const double s = std::strtod(text, &end);
  if (end == text || *end != 0 || !(s >= 0) || s > 1e9) usage_error(error, text);
  return s;
}

double parse_timeout(const char* text) {
  constexpr const char* kError = "the timeout must be a number of seconds";
  const double s = parse_seconds(text, kError);
  if (s == 0) usage_error(kError, text);
  return s;
}

std::string parse_folder(const char* text) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(text, ignored)) usage_error("-wdir: there is no such folder", text);
  if (::access(text, X_OK) != 0) usage_error("-wdir: the folder cannot be entered", text);
  return text;
}

std::string parse_variable(const std::string& name) {
  if (name.empty() || name.find('=') != name.npos) usage_error("no name of an environment variable", name.c_str());
  return name;
}

// True for the second of two words.
bool parse_choice(const char* text, const char* first, const char* second, const char* error) {
  if (std::strcmp(text, first) != 0 && std::strcmp(text, second) != 0) usage_error(error, text);
  return std::strcmp(text, second) == 0;
}

// What getopt returns for an option; short ones are their letters.
enum Code {
  kStart = 256,
  kWtime,
  kMemory,
  kTimeout,
  kNp,
  kDirectFrom,
  kOrder,
  kLookahead,
  kReport,
  kSeed,
  kStrictSends,
  kLeaks,
  kDigest,
  kOrderedOutput,
  kVerify,
  kVerifySeed,
  kGrace,
  kHugePages,
  kFolder,
  kEnv,
  kEnvOfAll,
  kLabel,
  kHelpWanted,
  kVersion,
  kHosts,
  kNothing
};

// '+': the program's options are its own.
// Of letters those that take a value alone: getopt would take any word that begins with one of the others, such as
// -hosts, for that letter.
constexpr const char* kLetters = "+n:x:";
constexpr option kOptions[] = {
    // Of a program.
    {"np", required_argument, nullptr, kNp},
    {"wdir", required_argument, nullptr, kFolder},
    {"wd", required_argument, nullptr, kFolder},
    {"env", required_argument, nullptr, kEnv},
    // Of other launchers: where its ranks run, as Open MPI and MPICH have it, and that they inherit the environment.
    {"oversubscribe", no_argument, nullptr, kNothing},
    {"allow-run-as-root", no_argument, nullptr, kNothing},
    {"bind-to", required_argument, nullptr, kNothing},
    {"bind-to-core", no_argument, nullptr, kNothing},
    {"bind-to-socket", no_argument, nullptr, kNothing},
    {"bind-to-none", no_argument, nullptr, kNothing},
    {"map-by", required_argument, nullptr, kNothing},
    {"rank-by", required_argument, nullptr, kNothing},
    {"cpu-set", required_argument, nullptr, kNothing},
    {"use-hwthread-cpus", no_argument, nullptr, kNothing},
    {"npernode", required_argument, nullptr, kNothing},
    {"npersocket", required_argument, nullptr, kNothing},
    {"N", required_argument, nullptr, kNothing},
    {"pernode", no_argument, nullptr, kNothing},
    {"bynode", no_argument, nullptr, kNothing},
    {"byslot", no_argument, nullptr, kNothing},
    {"ppn", required_argument, nullptr, kNothing},
    {"perhost", required_argument, nullptr, kNothing},
    {"grr", required_argument, nullptr, kNothing},
    {"membind", required_argument, nullptr, kNothing},
    {"envall", no_argument, nullptr, kNothing},
    {"genvall", no_argument, nullptr, kNothing},
    {"host", required_argument, nullptr, kHosts},
    {"hosts", required_argument, nullptr, kHosts},
    {"hostfile", required_argument, nullptr, kHosts},
    {"machinefile", required_argument, nullptr, kHosts},
    {"f", required_argument, nullptr, kHosts},
    {"H", required_argument, nullptr, kHosts},
    // Of the job.
    {"genv", required_argument, nullptr, kEnvOfAll},
    {"start", required_argument, nullptr, kStart},
    {"wtime", required_argument, nullptr, kWtime},
    {"memory", required_argument, nullptr, kMemory},
    {"direct-from", required_argument, nullptr, kDirectFrom},
    {"huge-pages", optional_argument, nullptr, kHugePages},
    {"timeout", required_argument, nullptr, kTimeout},
    {"grace", required_argument, nullptr, kGrace},
    {"order", required_argument, nullptr, kOrder},
    {"seed", required_argument, nullptr, kSeed},
    {"digest", no_argument, nullptr, kDigest},
    {"verify", required_argument, nullptr, kVerify},
    {"verify-seed", required_argument, nullptr, kVerifySeed},
    {"strict-sends", no_argument, nullptr, kStrictSends},
    {"leaks", no_argument, nullptr, kLeaks},
    {"report", required_argument, nullptr, kReport},
    {"lookahead", required_argument, nullptr, kLookahead},
    {"ordered-output", optional_argument, nullptr, kOrderedOutput},
    {"label", no_argument, nullptr, kLabel},
    {"l", no_argument, nullptr, kLabel},
    {"help", no_argument, nullptr, kHelpWanted},
    {"h", no_argument, nullptr, kHelpWanted},
    {"version", no_argument, nullptr, kVersion},
    {"V", no_argument, nullptr, kVersion},
    {nullptr, 0, nullptr, 0},
};

using Words = std::vector<char*>;  // a part of the command line (split_at_colons)

// A name, which getopt has found, and the word behind it.
std::pair<std::string, std::string> take_variable(const Words& words) {
  const std::string name = parse_variable(optarg);
  const char* value = words[static_cast<size_t>(optind)];  // null at the end
  if (value == nullptr) usage_error("-env and -genv take a name and a value", nullptr);
  ++optind;
  return {name, value};
}

// False: it is none of a program's.
bool take_program_option(int c, const Words& words, Program& program) {
  switch (c) {
    case 'n':
    case kNp: program.ranks = parse_ranks(optarg); return true;
    case kFolder: program.folder = parse_folder(optarg); return true;
    case kEnv: program.environment.push_back(take_variable(words)); return true;
    case 'x':  // NAME=VALUE as with Open MPI; a NAME alone is in the environment as it is
      if (const char* value = std::strchr(optarg, '=')) {
        program.environment.emplace_back(parse_variable({optarg, static_cast<size_t>(value - optarg)}), value + 1);
      }
      return true;
    case kNothing: return true;
    default: return false;
  }
}

void take_job_option(int c, const Words& words, LaunchOptions& options) {
  JobOptions& job = options.job;
  switch (c) {
    case kEnvOfAll: options.environment.push_back(take_variable(words)); break;
    case kStart:
      options.exec_start = parse_choice(optarg, "fork", "exec", "--start is fork or exec");
      options.start_given = true;
      break;
    case kWtime: job.real_time = parse_choice(optarg, "logical", "real", "--wtime is real or logical"); break;
    case kOrder: job.first_come = parse_choice(optarg, "logical", "arrival", "--order is logical or arrival"); break;
    case kOrderedOutput:
      options.ordered_output = optarg == nullptr || parse_choice(optarg, "no", "yes", "--ordered-output is yes or no");
      break;
    case kLabel: job.label_output = true; break;
    case kSeed: job.seed = parse_seed(optarg); break;
    case kDigest: job.keep_digest = options.print_digest = true; break;
    case kVerify: options.verify_runs = parse_runs(optarg); break;
    case kVerifySeed: options.verify_seed = parse_seed(optarg); break;
    case kStrictSends: job.strict_sends = true; break;
    case kLeaks: job.tell_leaks = true; break;
    case kReport:
      if (!is_report_file(optarg)) usage_error("--report takes a file whose name ends in .txt, .json or .dot", optarg);
      options.reports.emplace_back(optarg);
      break;
    case kLookahead: job.lookahead = parse_lookahead(optarg); break;
    case kMemory: job.memory = parse_memory(optarg); break;
    case kDirectFrom: job.direct_from = parse_direct_from(optarg); break;
    case kHugePages:
      options.huge_pages = optarg == nullptr || parse_choice(optarg, "no", "yes", "--huge-pages is yes or no");
      break;
    case kTimeout: job.timeout_s = parse_timeout(optarg); break;
    case kGrace:
      job.grace_s = job.stuck_grace_s = parse_seconds(optarg, "the grace must be a number of seconds");
      break;
    case kHosts: usage_error("hosts cannot be named, all ranks run on this machine", optarg);
    case kHelpWanted: std::printf(kHelp, kMaxRanks); std::exit(0);
    case kVersion: std::puts("detmpirun (DLinux) " DLINUX_VERSION); std::exit(0);
    default: std::fputs("Try 'detmpirun --help'.\n", stderr); std::exit(kUsageExit);
  }
}

// One program, with the options that stand before it.
void parse_part(Words& words, LaunchOptions& options) {
  const bool first = options.programs.empty();
  Program& program = options.programs.emplace_back();
  const int count = static_cast<int>(words.size()) - 1;
  optind = 0;  // begins anew
  // getopt_long_only takes -np as MPI users write it.
  for (int c; (c = getopt_long_only(count, words.data(), kLetters, kOptions, nullptr)) != -1;) {
    if (take_program_option(c, words, program)) continue;
    if (!first && c != '?') {
      usage_error("behind a colon only -n, -wdir, -env and -x may stand before a program", nullptr);
    }
    take_job_option(c, words, options);
  }
  if (optind >= count) usage_error("no program given", nullptr);
  program.arguments.assign(words.begin() + optind, words.end());
}

}  // namespace

LaunchOptions parse_command_line(int argc, char** argv) {
  LaunchOptions options;
  for (Words& part : split_at_colons(argc, argv)) parse_part(part, options);
  int64_t ranks = 0;
  for (const Program& program : options.programs) ranks += program.ranks;
  if (ranks > int64_t{kMaxRanks}) usage_error("there are more than 4096 ranks", nullptr);
  options.job.ranks = static_cast<int>(ranks);
  if (options.programs.size() > 1) {
    if (options.start_given && !options.exec_start) usage_error("several programs are started by exec", "--start=fork");
    options.exec_start = options.start_given = true;
  }
  check_verify(options);
  return options;
}

}  // namespace detmpi
