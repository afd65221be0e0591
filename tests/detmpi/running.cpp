#include "running.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace mpi_test {
namespace {

constexpr useconds_t kPause = 2000;

std::string content(int fd) {
  std::string text;
  char buffer[4096];
  off_t at = 0;
  for (ssize_t n; (n = pread(fd, buffer, sizeof buffer, at)) > 0; at += n) text.append(buffer, static_cast<size_t>(n));
  return text;
}

// What follows the name in /proc/PID/stat: state, parent, ...; empty when it has gone.
std::string status_fields(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const size_t close = line.rfind(')');
  return close == std::string::npos ? "" : line.substr(close + 2);
}

bool alive(int pid) {
  const std::string fields = status_fields(pid);
  return !fields.empty() && fields[0] != 'Z' && fields[0] != 'X';
}

}  // namespace

Running::Running(const std::vector<std::string>& argv, const std::string& folder) {
  out_ = memfd_create("running-out", MFD_CLOEXEC);
  err_ = memfd_create("running-err", MFD_CLOEXEC);
  // Several processes write at once: only appending keeps them from overwriting each other in a memory file.
  fcntl(out_, F_SETFL, O_APPEND);
  fcntl(err_, F_SETFL, O_APPEND);
  std::fflush(nullptr);
  pid_ = fork();
  if (out_ < 0 || err_ < 0 || pid_ < 0) {
    std::perror("starting a program");
    std::abort();
  }
  if (pid_ > 0) return;
  const int in = open("/dev/null", O_RDONLY);
  if (dup2(in, 0) < 0 || dup2(out_, 1) < 0 || dup2(err_, 2) < 0) _exit(126);
  if (!folder.empty() && chdir(folder.c_str()) != 0) _exit(126);
  std::vector<char*> pointers;
  for (const auto& word : argv) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  _exit(126);
}

Running::~Running() {
  if (!ended_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, &status_, 0);
  }
  close(out_);
  close(err_);
}

std::string Running::out() const { return content(out_); }

bool Running::poll_end() {
  if (!ended_ && waitpid(pid_, &status_, WNOHANG) == pid_) ended_ = true;
  return ended_;
}

bool Running::wait_for_lines(size_t lines) {
  const Stopwatch watch;
  for (;;) {
    const bool last = poll_end();
    const std::string text = out();
    if (static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) >= lines) return true;
    if (last || watch.seconds() > 30) return false;
    usleep(kPause);
  }
}

// Each rank has a file of its own as standard output, which begins with a byte that is not the rank's.
size_t Running::files_with_output() const {
  struct stat own {};
  fstat(out_, &own);
  std::set<ino_t> files;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const int pid = std::atoi(entry.path().filename().c_str());
    int above = pid;
    while (above > 1 && above != pid_) above = parent_of(above);
    struct stat file {};
    if (above != pid_ || stat((entry.path() / "fd/1").c_str(), &file) != 0) continue;
    if (S_ISREG(file.st_mode) && file.st_size > 1 && file.st_ino != own.st_ino) files.insert(file.st_ino);
  }
  return files.size();
}

bool Running::wait_for_shown(size_t ranks) {
  const Stopwatch watch;
  while (files_with_output() < ranks) {
    if (poll_end() || watch.seconds() > 30) return false;
    usleep(kPause);
  }
  return true;
}

std::vector<int> Running::numbers() const {
  std::vector<int> found;
  std::istringstream text(out());
  for (std::string line; std::getline(text, line);) {
    if (!line.empty() && line.find_first_not_of("0123456789") == std::string::npos) found.push_back(std::stoi(line));
  }
  return found;
}

void Running::signal(int number) const { kill(pid_, number); }

test_support::RunResult Running::finish() {
  while (!ended_ && waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  ended_ = true;
  test_support::RunResult result;
  if (WIFEXITED(status_)) result.exit_code = WEXITSTATUS(status_);
  if (WIFSIGNALED(status_)) result.signal = WTERMSIG(status_);
  result.out = content(out_);
  result.err = content(err_);
  return result;
}

int parent_of(int pid) {
  std::istringstream fields(status_fields(pid));
  char state = 0;
  int parent = -1;
  fields >> state >> parent;
  return parent;
}

bool all_gone(const std::vector<int>& pids) {
  const Stopwatch watch;
  while (std::any_of(pids.begin(), pids.end(), alive)) {
    if (watch.seconds() > 10) return false;
    usleep(kPause);
  }
  return true;
}

}  // namespace mpi_test
