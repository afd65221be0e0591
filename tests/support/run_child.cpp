#include "support/run_child.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace test_support {
namespace {

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::abort();
}

int memory_file(const char* name, const std::string& content) {
  const int fd = memfd_create(name, MFD_CLOEXEC);
  if (fd < 0) give_up("memfd_create");
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t n = write(fd, content.data() + done, content.size() - done);
    if (n < 0) give_up("write");
    done += static_cast<size_t>(n);
  }
  lseek(fd, 0, SEEK_SET);
  return fd;
}

std::string drain(int fd) {
  std::string content;
  char buffer[65536];
  off_t at = 0;
  for (ssize_t n; (n = pread(fd, buffer, sizeof buffer, at)) > 0; at += n)
    content.append(buffer, static_cast<size_t>(n));
  close(fd);
  return content;
}

int guarded(const std::function<int()>& body) {
  try {
    return body();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "uncaught exception in a child: %s\n", e.what());
  } catch (...) {
    std::fprintf(stderr, "uncaught exception in a child\n");
  }
  return 125;
}

RunResult run(const std::function<int()>& body, const std::string& input) {
  std::fflush(nullptr);  // or the child would write our buffers once more
  const int in = memory_file("stdin", input), out = memory_file("stdout", ""), err = memory_file("stderr", "");
  // Several processes may write at once: only appending keeps them from overwriting each other in a memory file.
  if (fcntl(out, F_SETFL, O_APPEND) < 0 || fcntl(err, F_SETFL, O_APPEND) < 0) give_up("fcntl");
  const pid_t child = fork();
  if (child < 0) give_up("fork");
  if (child == 0) {
    if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(126);
    close(in), close(out), close(err);
    const int code = guarded(body);
    std::fflush(nullptr);
    _exit(code);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) give_up("waitpid");
  close(in);
  RunResult result;
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.out = drain(out);
  result.err = drain(err);
  return result;
}

int execute(const std::vector<std::string>& argv) {
  std::vector<char*> pointers;
  for (const auto& word : argv) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  std::perror(pointers[0]);
  return 127;
}

RunResult check_same(TwoRuns runs) {
  INFO("standard error of the two runs:\n" << runs.first.err << "\n" << runs.second.err);
  CHECK(runs.second.exit_code == runs.first.exit_code);
  CHECK(runs.second.signal == runs.first.signal);
  CHECK(runs.second.out == runs.first.out);
  return std::move(runs.first);
}

}  // namespace

RunResult run_function(const std::function<int()>& body) { return run(body, ""); }

TwoRuns run_twice(const std::function<int()>& body) {
  RunResult first = run_function(body);
  return {std::move(first), run_function(body)};
}

RunResult run_same(const std::function<int()>& body) {
  return kRuns == 1 ? run_function(body) : check_same(run_twice(body));
}

RunResult run_command(const std::vector<std::string>& argv, const std::string& input) {
  return run([&] { return execute(argv); }, input);
}

TwoRuns run_command_twice(const std::vector<std::string>& argv, const std::string& input) {
  RunResult first = run_command(argv, input);
  return {std::move(first), run_command(argv, input)};
}

RunResult run_command_same(const std::vector<std::string>& argv, const std::string& input) {
  return kRuns == 1 ? run_command(argv, input) : check_same(run_command_twice(argv, input));
}

}  // namespace test_support
