// Files that hold output: made in memory, appended to, read, and written to the standard output of a program.
// As the wrappers of base/sys.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <base/result.hpp>
#include <base/unique_fd.hpp>

namespace spmc::base {

// An anonymous file in memory to which every write appends, and which nobody can truncate (EPERM). It disappears with
// its last user.
Result<UniqueFd> create_append_file(const char* name);
// Its size, faster than file_size. Moves the file offset, which appending does not use.
Result<uint64_t> end_of_file(int fd);
// Reads from `offset`; less than `bytes` at the end of the file.
Result<size_t> read_at(int fd, uint64_t offset, void* data, size_t bytes);
// The start of a small file, such as the kernel has for what it knows; a view of `room`, empty if there is none.
std::string_view read_start(const char* path, std::span<char> room);
// One write(2): as a whole, behind what was there, for a few bytes to a file in memory.
Status append(int fd, const void* data, size_t bytes);
// All of it, in as many calls as it takes; blocks.
Status write_all(int fd, const void* data, size_t bytes);
// Maps the page of a file in which `offset` lies, for reading, in place of the page that was mapped at `page` before;
// null: none. There must be such a page, and it must not be truncated away.
Result<const volatile char*> map_page(int fd, uint64_t offset, const volatile char* page);
// Writes what the file, pipe or terminal takes without blocking, after waiting at most `timeout_ns` until it takes any.
Result<size_t> write_ready(int fd, const void* data, size_t bytes, uint64_t timeout_ns);

// A pipe; both ends are closed on exec.
struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};
Result<Pipe> create_pipe();
// Waits until no process has the write end of this pipe, into which nobody writes, any more. False: one still has after
// `timeout_ns`.
bool wait_for_hang_up(int read_end, uint64_t timeout_ns);

// Writes what stdio holds. Where another thread waits in a read of standard input, whose lock it has, that is standard
// output and error alone: fflush(nullptr) would wait for that lock.
void flush_stdio();

// Standard input, output and error that were closed are /dev/null: no other file takes their numbers.
void open_standard_files();
// The same file under a number that is none of theirs: a process that was started with one of them closed would get
// that for the next file that it opens, and then print into it. None, with errno, where there is no number.
UniqueFd above_standard_files(UniqueFd fd);
bool is_terminal(int fd);
// Whether both are open, and the same file, pipe or terminal.
bool same_file(int one, int other);
// Standard output, or another of the three, becomes another name of `fd`.
Status make_standard_output(int fd);
Status make_standard_input(int fd);
Status make_standard_error(int fd);
// The same file of memory, open for reading, with a position of its own, at its start.
Result<UniqueFd> open_again(int fd);
// Appends all that comes from `from` to `to`; calls `on_wait` once if that takes longer than `patience_ns`.
Status append_all(int from, int to, uint64_t patience_ns, void (*on_wait)());
// The same file under a high number, where it is in nobody's way; `fd` itself if there is none.
UniqueFd move_high(UniqueFd fd);
void close_on_exec(int fd);

// Makes room for `count` more descriptors; returns the limit that there was.
Result<uint64_t> allow_descriptors(uint64_t count);
void set_descriptor_limit(uint64_t limit);

}  // namespace spmc::base
