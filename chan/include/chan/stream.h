/* Streams: a deterministic pipe between spaces (DStream; paper 004, II.B).
 *
 * A stream is a channel (chan.h) without borders between messages: one producer writes bytes, any number of
 * consumers read them, in any amounts on either side, each consumer at its own pace and from first to last. The
 * producer ends a stream by saying so (stream_end).
 *
 * Setting up. As with channels: a stream belongs at first to the space that allocated it, as its producer; ends are
 * handed to children that have not been started, and nothing else is inherited. A consumer's end stands where the
 * end stands from which it was made.
 *
 * Memory. A stream is a region of SPMC memory with a fixed window, 512 KiB unless chosen otherwise. Up to 64 windows or
 * 4 MiB of a stream may wait to be read, whichever is less, but at least two windows (spmcR_extend): a producer that is
 * further ahead of the slowest consumer waits. An end that nobody reads must be freed.
 *
 * Visibility. What was written is gathered until it fills a page, and becomes visible then, or with stream_flush,
 * stream_end, stream_setprod, stream_setcons or stream_free. A producer that waits for an answer must flush first. A
 * space that ends without any of these loses what was withheld.
 *
 * Determinism. stream_read returns exactly as much as was asked for, or all that is left before the end of the stream:
 * what it returns depends on what was written, never on timing, nor on the amounts in which it was written, nor on
 * when it was flushed, unless a process is killed from outside or memory runs out. There are no short reads.
 * stream_test alone looks at the present moment: a program stays deterministic as long as it only uses it to decide
 * when to read, not what to do. The ends of a stream may run in different SPMC modes (spmc_set_mode); what arrives is
 * the same.
 *
 * Every function may be called by any space after space_init, by one thread, and not from signal handlers (none is
 * async-signal-safe). Functions return -1 on failure, set errno, and leave a sentence for people in
 * chan_last_error() of chan.h. Unless said otherwise a failure changes nothing. Common to all that take a stream:
 *   EBADF   no such stream, or this space has freed its end
 *   EPERM   the stream was not handed to this space, or this end does not allow the operation, or this process is
 *           no space (fork)
 *   ENOMEM  also: private memory is used up */
#ifndef CHAN_STREAM_H
#define CHAN_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A stream's ID: unique in the job among streams and channels, the same in every run, positive. */
typedef int64_t stream_id;

/* Makes a stream with a window of 512 KiB; the caller is its producer. Does not block. Returns its ID.
 * ENOMEM: no room in this space's SPMC memory, or no region left. ENXIO: before space_init. */
stream_id stream_alloc(void);

/* stream_alloc with a window of `bytes`, rounded up to whole pages, at least 8 KiB: the last page links one filling
 * of the window to the next. A small window saves memory, a large one lets the producer run ahead.
 * EINVAL: more than a space's SPMC memory. ENOMEM, ENXIO as stream_alloc. */
stream_id stream_alloc_window(size_t bytes);

/* Producer: hands the producer's end to `child`, which continues where the caller stands. The caller becomes a
 * consumer when `ascons` is not 0. When it is 0 the caller keeps nothing but the right to hand out consumers' ends
 * (stream_setcons), until it has started that child or frees the stream. Flushes first if `child` can be handed an
 * end, also when there is ENOMEM then, and may block as stream_flush.
 * ESRCH: `child` is no child of the caller. EBUSY: it has been started. EEXIST: it has an end already.
 * EPERM: the caller is not the producer. ENOMEM: no room in the child's SPMC memory, or as stream_write. */
int stream_setprod(stream_id stream, int child, int ascons);

/* Any end: makes `child` one more consumer. A producer flushes first, and may block as stream_flush. Errors as
 * stream_setprod. */
int stream_setcons(stream_id stream, int child);

/* Producer: writes the `size` bytes at `buf` (may be NULL when size is 0). Blocks while the slowest consumer is too
 * far behind; a consumer that has ended holds nobody back, and with no consumer left what is written is dropped.
 * EINVAL: buf is NULL and size is not 0. EPERM: also after stream_end. ENOMEM: no private memory for what is
 * withheld; or no frame is left: the caller's end is freed then, so that later calls give EBADF and consumers find
 * EPIPE. */
int stream_write(stream_id stream, const void* buf, size_t size);

/* Producer: all that was written becomes visible now. Blocks as stream_write.
 * EPERM, ENOMEM as stream_write. */
int stream_flush(stream_id stream);

/* Producer: flushes and ends the stream: consumers that have read everything find its end. Nothing can be written
 * afterwards; the caller keeps its end until it frees it. Blocks as stream_write.
 * EPERM: also when it was called before. ENOMEM as stream_write. */
int stream_end(stream_id stream);

/* Consumer: reads into `buf` and returns the number of bytes: `size`, or what was left before the end of the stream,
 * 0 at the end. Blocks until all of it is there; with `size` 0 it returns 0 at once.
 * EPIPE: the producer has ended or freed its end without stream_end, and fewer than `size` bytes of what it published
 * were left. They are gone: buf holds some of them, and every later read fails too, also one of 0 bytes.
 * EINVAL: buf is NULL and size is not 0. */
ssize_t stream_read(stream_id stream, void* buf, size_t size);

/* Consumer: stream_read without copying: what is passed over is not touched. Returns the number of bytes, as
 * stream_read does, and blocks as it does. EPIPE as stream_read. */
ssize_t stream_skip(stream_id stream, size_t size);

/* Consumer: 1 if the next byte, or the end of the stream, is there (stream_read of 1 byte would not block), 0 if not
 * yet. Does not block. EPIPE as stream_read. The answer depends on timing: see the top of this file. */
int stream_test(stream_id stream);

/* Gives up this space's end. A producer flushes first, and may block as stream_flush; without stream_end its consumers
 * find EPIPE behind what it wrote. The stream lives on while other ends exist. A space that ends without it gives its
 * ends up too. One that this space has given away is forgotten. ENOMEM as stream_write. */
int stream_free(stream_id stream);

#ifdef __cplusplus
}
#endif
#endif
