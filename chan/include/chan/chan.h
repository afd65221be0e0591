/* Channels: deterministic message passing between spaces (DetMP; paper 004, II.B, III.C, IV.A, Table I).
 *
 * A channel has one producer and any number of consumers. Each consumer gets every message, in the order
 * of sending, at its own pace. Messages have any size from 0 bytes; a large one goes through the channel
 * in pieces while it is being sent, so producer and consumers must run at the same time.
 *
 * Setting up. A channel belongs at first to the space that allocated it, as its producer. A space hands an
 * end to a child that it has allocated (space_alloc) and not yet started; the child may hand it on to a
 * child of its own. Inside the child the channel has the same ID. Nothing is inherited by being forked: an
 * end that was not handed over is refused, and in a process that a space forks by itself (not by space_start)
 * every end. A consumer's end stands where the end stands from which it was made: it gets what the giver has
 * not received yet (has not sent yet, when the giver is the producer).
 *
 * Memory. A channel is a region of SPMC memory with a fixed window, 512 KiB unless chosen otherwise. A
 * consumer that stands still holds the producer back once it is a few windows behind; an end that nobody
 * reads must be freed.
 *
 * Determinism. What chan_recv returns depends on what was sent, never on timing. chan_test alone looks at
 * the present moment: a program stays deterministic as long as it only uses it to decide when to call
 * chan_recv, not what to do. The ends of a channel may run in different SPMC modes (spmc_set_mode); what
 * arrives is the same.
 *
 * Every function may be called by any space after space_init, by one thread, and not from signal handlers
 * (none is async-signal-safe). Functions return -1 on failure, set errno, and leave a sentence for people in
 * chan_last_error(). Unless said otherwise a failure changes nothing. Common to all that take a channel:
 *   EBADF   no such channel, or this space has freed its end
 *   EPERM   the channel was not handed to this space, or this end does not allow the operation, or this
 *           process is no space (fork)
 *   ENOMEM  also: private memory is used up */
#ifndef CHAN_CHAN_H
#define CHAN_CHAN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A channel's ID: unique in the job, the same in every run, positive. */
typedef int64_t chan_id;

/* When a message becomes visible to the consumers (paper 004, III.C.4). */
enum chan_policy {
  CHAN_EAGER = 0, /* at once; short messages share a page, except in mode nwr, where each starts a new one */
  CHAN_LAZY = 1   /* when the page it ends in is full, or at the next chan_sendLast: fewer publications */
};

/* Makes a channel with a window of 512 KiB; the caller is its producer. Does not block. Returns its ID.
 * ENOMEM: no room in this space's SPMC memory, or no region left. ENXIO: before space_init. */
chan_id chan_alloc(void);

/* chan_alloc with a window of `bytes`, rounded up to whole pages, at least 8 KiB: the last page links one
 * filling of the window to the next. A small window saves memory, a large one lets the producer run ahead.
 * EINVAL: more than a space's SPMC memory. ENOMEM, ENXIO as chan_alloc. */
chan_id chan_alloc_window(size_t bytes);

/* Producer: hands the producer's end to `child`, which continues where the caller stands. The caller
 * becomes a consumer when `ascons` is not 0. When it is 0 the caller keeps nothing but the right to hand
 * out consumers' ends (chan_setcons), until it has started that child or frees the channel. What the lazy
 * policy still withholds is published, also when there is ENOMEM then. Does not block.
 * ESRCH: `child` is no child of the caller. EBUSY: it has been started. EEXIST: it has an end already.
 * EPERM: the caller is not the producer. ENOMEM: no room in the child's SPMC memory. */
int chan_setprod(chan_id channel, int child, int ascons);

/* Any end: makes `child` one more consumer. Does not block. Errors as chan_setprod. */
int chan_setcons(chan_id channel, int child);

/* Producer: sends the `size` bytes at `buf` (may be NULL when size is 0) as one message. Blocks while the
 * slowest consumer is too far behind; a consumer that has ended holds nobody back, and with no consumer
 * left messages are dropped. EINVAL: buf is NULL and size is not 0.
 * ENOMEM: no frame is left. If that happens within the message, the caller's end is freed and consumers
 * find EPIPE. */
int chan_send(chan_id channel, const void* buf, size_t size);

/* chan_send, and everything sent so far becomes visible now. Under the eager policy it is chan_send. */
int chan_sendLast(chan_id channel, const void* buf, size_t size);

/* Consumer: receives the next message into `buf` and returns its size in bytes. Blocks until all of it is
 * there.
 * EMSGSIZE: it is larger than `capacity` bytes; it stays the next message (chan_next_size tells its size).
 * EPIPE: the producer has ended or freed its end, and all that it published has been received; also when
 * it ended within this message (buf then holds part of it, and every later call on this end for a message
 * fails too). EINVAL: buf is NULL and capacity is not 0. */
ssize_t chan_recv(chan_id channel, void* buf, size_t capacity);

/* Consumer: the size in bytes of the next message, which stays where it is. Blocks until it is known.
 * EPIPE as chan_recv. */
ssize_t chan_next_size(chan_id channel);

/* Consumer: 1 if the next message has begun to arrive (chan_next_size would not block), 0 if not yet. Does
 * not block. EPIPE as chan_recv. The answer depends on timing: see the top of this file. Paper 004,
 * IV.A.2. */
int chan_test(chan_id channel);

/* Gives up this space's end; what was withheld by the lazy policy is published first. The channel lives on
 * while other ends exist. A space that ends without it gives its ends up too, but then what was withheld
 * is lost. A channel that this space has given away is forgotten: good for one that makes many. Does not
 * block. */
int chan_free(chan_id channel);

/* Producer: chooses when later messages become visible, `policy` is of enum chan_policy; CHAN_EAGER at first.
 * Publishes what was withheld when changing to CHAN_EAGER. A child that is handed the producer's end inherits
 * the policy. EINVAL: no such policy. */
int chan_set_policy(chan_id channel, int policy);

/* The last failure of a channel or stream in this space as a sentence; "" when there was none. Valid until the next
 * call. */
const char* chan_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
