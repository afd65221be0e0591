/* Spaces: nested, single-threaded processes with copy-on-write memory (paper 004, II.B, III.A, Table I).
 *
 * A space starts children, waits for them, stops them and lets them go on; it never outlives its parent. The first
 * process is the root space. Only a parent acts on its own children. (The kernel keeps that tie; it drops it when a
 * space changes its credentials, as by setuid, or executes a program with raised rights. Such a space ends with a
 * parent that returns or calls exit or space_exit, but not with one that is killed.)
 *
 * Names. space_alloc returns the child's internal ID `sid`: 1, 2, 3, ... in the order of the calls of this parent,
 * never used again. A space's path ("/2/1": first child of the second child of the root) is unique in the program; its
 * global ID is what the program chose. All three depend on the program's own calls alone, never on timing.
 *
 * SIGCHLD. The first space_start of a space installs a handler, which calls the one there was. A newer one of the
 * program may call the one before it; if it does not, or if the program ignores the signal or holds it back, ends of
 * children are noticed in calls of this space that wait: others who wait for such a child, for its messages say, wait
 * until then. Processes that are no spaces are left to the program, which may wait for them: its own, and those that
 * its descendants have left behind, which become its children. A program that waits for none and wants no zombies says
 * so as ever, by SIG_IGN or SA_NOCLDWAIT: they are collected then, and the ends of spaces still noticed.
 *
 * Errors: -1 or NULL with errno set and a text in space_last_error(). Outputs are then unchanged. ENOMEM, from any
 * function: private memory is used up; calling again is safe.
 * Unless stated otherwise a function does not block, may be called by any space after space_init, is not
 * async-signal-safe, and gives the same result in every run. */
#ifndef SPACE_SPACE_H
#define SPACE_SPACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes this process the root space, with room for `nspaces` spaces at once (1 to 2^20, itself included; the same in
 * every run). Call it first in main: where address randomisation is on, it is turned off and the program is executed
 * again from its start with the same arguments, so that addresses repeat (not when DLINUX_NO_REEXEC is set, nor for
 * programs with raised rights). Lets SIGCHLD through if whoever started the program has it held back, as space_start
 * does for the child. Also calls spmc_init, unless that was done for at least as many spaces. Again, or in a child
 * space: does nothing.
 * Errors: EINVAL nspaces out of range or larger than at first; ENOMEM. */
int space_init(int nspaces);

/* space_options.flags */
#define SPACE_CONFINED 1u /* only the parent and SPMC regions are reachable; not available yet: ENOTSUP */

struct space_options {
  size_t size;         /* sizeof(struct space_options) */
  uint32_t flags;      /* 0 */
  uint32_t unused;     /* 0 */
  uint64_t heap_bytes; /* address range for the heap of the child and of its descendants; 0: a default share */
};

/* Allocates a child with the global ID `gid` (>= 0, unlike those of the caller's other children) and returns its
 * internal ID. It does not run yet: regions and channels can be handed to it.
 * Errors: EINVAL; EEXIST a child with this gid is there; EAGAIN `nspaces` spaces are in use (if several spaces
 * allocate at the same time, which of them gets this error depends on timing: choose nspaces large enough);
 * ENOTSUP; ENOMEM no address range of `heap_bytes` is left. */
int space_alloc(int gid);
int space_alloc_with(int gid, const struct space_options* options);

/* Starts the child: it runs fn(arg) on a copy of the caller's memory and ends with the result as its exit status (the
 * low 8 bits, stdio flushed, no exit handlers run). stdio of the caller is flushed first. The child dies with the
 * calling thread: in the root space, call it from one that lives as long as the program.
 * Errors: ESRCH no such child; EINVAL started before, ended or given up, or fn is NULL; EAGAIN, ENOMEM no process: the
 * child can be started again. */
int space_start(int sid, int (*fn)(void*), void* arg);

/* Waits until the child stops in space_ret or ends. Stopped: with `restart` it goes on and 1 is returned; without it
 * is told to end. 0: it has ended, all its descendants are gone, space_status has the result.
 * Blocks. Errors: ESRCH; EINVAL not started. */
int space_sync(int sid, int restart);

/* space_sync(sid, 0): waits for the child's end; 0. A child that was never started is given up. Again: 0 at once, as
 * long as the child is remembered (space_status); then ESRCH. */
int space_join(int sid);

/* Waits as space_sync does, but leaves a stopped child stopped and returns 1: the caller may hand it regions before
 * it goes on with space_sync. Blocks. */
int space_wait(int sid);

/* Kills the child (SIGKILL) and its descendants, and joins it. How far it had come depends on timing. Blocks briefly.
 */
int space_kill(int sid);

/* Stops this space until its parent lets it go on: 0. Flushes stdio first. Does not return when the parent wants no
 * restart. Blocks. Errors: EPERM in the root space. */
int space_ret(void);

/* Ends this space as if fn had returned `status`; in the root space as exit(status). Its children are killed. */
void space_exit(int status) __attribute__((noreturn));

/* The global ID of this space; 0 in the root space. */
int space_self(void);

/* The path of this space, "/" for the root. Async-signal-safe. */
const char* space_path(void);

enum space_state {
  SPACE_ALLOCATED, /* not started */
  SPACE_STARTED,   /* it runs, or nobody has waited for it yet */
  SPACE_STOPPED,   /* in space_ret, seen by space_wait */
  SPACE_ENDED      /* seen by space_sync, space_join, space_wait or space_kill */
};

struct space_exit_info {
  int state;       /* enum space_state; the rest is set when SPACE_ENDED */
  int exit_code;   /* 0 to 255; -1: ended by a signal, or never started, or unknown */
  int signal;      /* the signal's number, or 0 */
  int core_dumped; /* 1: the signal left a core file */
  int violation;   /* 1: stopped because it broke a rule of SPMC memory (or called _exit(118)); it has said which on
                    * standard error */
  int unknown;     /* 1: another wait() in this program took the child's status */
};

/* What the caller knows of a child from its own calls, so that the answer does not depend on timing. The last 1024
 * children that have ended are remembered. Errors: ESRCH; EINVAL. */
int space_status(int sid, struct space_exit_info* info);

/* The heap of this space: an address range of its own, the same in every run. Blocks are aligned to 16 bytes.
 * space_free and space_realloc also take blocks that an ancestor allocated before this space was started (they change
 * the copy of this space). NULL with errno ENOMEM when the range or memory is used up. A block that is none ends the
 * space with a message. */
void* space_malloc(size_t size);
void* space_calloc(size_t count, size_t size);
void* space_realloc(void* block, size_t size);
void space_free(void* block);

/* Text of the last error of this space, "" if there was none. */
const char* space_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
