/* SPMC memory: single-producer, multiple-consumer virtual memory (paper 004, sections II to IV).
 *
 * A region is a range of pages with one producer and any number of consumers, each a space. Three protocols:
 *   single producer only   one space at a time writes
 *   consumed after fixed   a consumer reads only what the producer has published (a page by spmcR_setfix, a
 *                          part of a page by spmcR_publish); until then it waits
 *   fixed at most once     what is published never changes; new data goes to new pages (spmcR_extend)
 * A space that breaks one of them is ended with a message that names the space, the address, the region and
 * the rule; its exit status is 118 (base::kViolationExit). Nobody else is disturbed. One breach is not noticed: a
 * store of the producer into published bytes of a page of which it has not published all. No consumer sees it
 * either; the producer itself reads what it stored.
 *
 * Content. A page of a new generation reads as zero where the producer wrote nothing, so what a consumer sees
 * is a function of what was written, never of timing.
 *
 * Errors. Functions that return int give 0 (or what they document), or -1 with errno set and a sentence in
 * spmc_last_error(); nothing has changed then, unless said otherwise. Common to all that take an address:
 *   EINVAL  not in SPMC memory, not page-aligned where that is asked for, the range leaves its region, bad size
 *   EFAULT  no region is mapped there in this space: never was, not handed over, or cleared
 *   EPERM   this process was forked without space_start: it is no space (spmcR_alloc too). Touching a page ends
 *           it, unless the space had opened the page before: then it has a copy
 * One thread of a space calls them, and touches the pages; never from a signal handler: nothing of it is
 * async-signal-safe. */
#ifndef SPMC_SPMC_H
#define SPMC_SPMC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPMC_PAGE_SIZE 4096

/* How spmcR_read and spmcR_write move data, and how a space waits (paper 004, IV). A mode is one of the first
 * three, or-ed with SPMC_NONBLOCKING or not. Each space has its own; any mix of modes works on one region. */
enum {
  SPMC_NWR = 0,        /* by touching the pages: a fault per run of pages, two copies. Each run of open pages is a
                          mapping of the process; a fault beyond vm.max_map_count of them ends the space */
  SPMC_WR = 1,         /* through the space's own pages without faults: two copies. Beyond that limit as SPMC_WR2 */
  SPMC_WR2 = 2,        /* straight between buffer and page frame: one copy (default) */
  SPMC_NONBLOCKING = 4 /* wait by polling (spin, yield) and never by sleeping */
};

/* --- setting up --- */

struct spmc_config {
  uint32_t spaces;       /* largest number of spaces; 0: 64 */
  uint32_t regions;      /* largest number of regions of the job; 0: 4096 */
  uint32_t pages;        /* pages of SPMC memory per space; 0: 65536, 256 MiB */
  uint64_t frame_bytes;  /* memory for page frames, taken when used; 0: half of the machine's memory, 1 TiB at most */
  uint64_t window_bytes; /* see spmcR_extend; 0: 4 MiB */
  int mode;              /* mode of the first space; -1: environment variable DLINUX_MODE (b.nwr, b.wr, b.wr2, nb.nwr,
                            nb.wr, nb.wr2), or else b.wr2 */
  uint32_t busy;         /* spaces that will work at the same time, as far as is known; 0: no more than there are
                            cores. With more, waking each other is made cheap for those who sleep often */
};

/* Makes the job's SPMC memory for up to `nspaces` spaces (0: 64); the caller becomes its first space, number 0.
 * EEXIST: this process has it already, or something else where it is to be. ENOMEM, EINVAL: no room, or numbers out
 * of range. EFBIG: more than the hard limit on the size of files (ulimit -f); the soft one is no obstacle.
 * Page faults are handled on the signal stack that the program has, if it has 64 KiB or more; else on one made
 * here. Paper 004, III.A.2. */
int spmc_init(int nspaces);
int spmc_init_with(const struct spmc_config* config);

/* Creates a region of `size` bytes (a multiple of the page size) in this space's SPMC memory; the caller is
 * its producer. Takes the lowest free address, so addresses repeat from run to run. Does not block.
 * NULL: EINVAL (size), ENOMEM (no address range, region or frame left). Paper 004, II.C.1. */
void* spmcR_alloc(size_t size);

/* Producer: makes `child` the producer of the whole region [sva, sva+size), at its address dva; the caller
 * becomes a consumer. The child continues where the caller stands. `child` is a space that the caller has
 * allocated and that does not run (not started, or stopped), under the number that space_alloc gave. Does not
 * block.
 * EPERM: the caller is not the producer, or `child` is the caller. ESRCH: `child` is no child of the caller.
 * EINVAL: not the whole region. EEXIST: dva is in use in the child, or it maps the region elsewhere.
 * EBUSY: the child runs; or it is a consumer that has not reached the newest generation. ENOMEM. Paper 004,
 * II.C.1. */
int spmcR_transown(int child, void* sva, void* dva, size_t size);

/* Producer or consumer: makes `child` one more consumer of the whole region, at its address dva, at the
 * generation where the caller stands. Does not block. Errors as spmcR_transown; EEXIST also if the child maps
 * the region already. */
int spmcR_copycons(int child, void* sva, void* dva, size_t size);

/* The lowest address where `size` bytes are free in the SPMC memory of `child` (same conditions), or NULL. */
void* spmcR_place(int child, size_t size);

/* Gives up this space's mapping of the whole region. The last space to do so frees it. When the producer
 * does, consumers still read what it published, and then get EPIPE. Does not block. Paper 004, II.C.1. */
int spmcR_clear(void* va, size_t size);

/* --- producing --- */

/* Producer: copies `size` bytes from `buf` to va; any alignment, within one region. Publishes nothing. Does
 * not block. Overwriting published bytes breaks a protocol. EPERM: not the producer. ENOMEM: no frames left.
 * Paper 004, IV.B.1. */
int spmcR_write(void* va, const void* buf, size_t size);

/* Producer: fixes the pages of [va, va+size): they become read-only for good, and consumers that wait for
 * them go on. va and size are multiples of the page size. Pages never written are fixed as zeros. Does not
 * block. Fixing a page twice breaks a protocol. EPERM: not the producer. ENOMEM: no frames left. Paper 004,
 * II.C.3. */
int spmcR_setfix(void* va, size_t size);

/* Producer: publishes the bytes up to va+len: of the page of va all that comes before, and all further pages
 * up to there. What lies behind can still be written and published later; publishing all of a page fixes it.
 * Does not block.
 * EINVAL: in one of the pages nothing new would be published, or len is 0. EPERM, ENOMEM as above. */
int spmcR_publish(void* va, size_t len);

/* Producer or consumer: moves [va, va+size) and the extension page at extva on to the next generation;
 * together they are the whole region, and extva is its first or last page. The producer gets fresh pages;
 * what it did not fix is dropped. A consumer follows to the generation that the producer made.
 * Blocks: a consumer until the producer has extended (spmcR_test(extva) tells); the producer while the
 * slowest living holder is so far behind that more than the window's generations would be alive. That window:
 * max(2, min(64, window_bytes / region size)) generations; the memory of a region is bounded by
 * window * (pages + anchor pages) frames, for any length of the stream.
 * EPIPE: consumer, the producer has ended or cleared the region. ENODATA: consumer, the producer extended by
 * another page. EINVAL: also when extva was written or fixed as data. ENOMEM: producer. Paper 004, II.C.4. */
int spmcR_extend(void* extva, void* va, size_t size);

/* --- consuming --- */

/* 1: the byte at va is published and may be read; on an extension page: the producer has extended.
 * 0: not yet.
 * -1: it never will be: EPIPE (the producer has ended or cleared), ENODATA (the producer extended without
 * publishing it). Does not block. The answer 0 depends on timing: use it to decide when to read, not what to
 * do. Paper 004, IV.A.1. */
int spmcR_test(const void* va);

/* Blocks until spmcR_test would not give 0. Returns 0, or -1 as it does; EPERM for the producer, instead of
 * blocking. */
int spmcR_wait(const void* va);

/* Copies `size` bytes at va to `buf`; any alignment, within one region. A consumer blocks until they are
 * published; the producer never blocks and reads what it has written. EPIPE, ENODATA as spmcR_test: `buf`
 * then holds the bytes before, up to some page border. Paper 004, IV.B.2. */
int spmcR_read(const void* va, void* buf, size_t size);

/* --- observing and tuning, this space only --- */

int spmc_set_mode(int mode);           /* Chooses the mode from the next call on. 0, or -1 with EINVAL */
int spmc_get_mode(void);               /* the mode in force */
int spmc_parse_mode(const char* name); /* the mode of a name such as "b.wr2"; -1 with EINVAL */
const char* spmc_mode_name(int mode);  /* the name of a mode; "?" if it is none */

/* A sentence about the last failed call of this layer in this space; "" if there was none. */
const char* spmc_last_error(void);

/* Counts of this space since it started. */
struct spmc_counters {
  uint64_t faults;       /* SPMC page faults */
  uint64_t pages_mapped; /* pages made accessible, by faults or mode wr */
  uint64_t pages_fixed;
  uint64_t publications; /* calls of spmcR_setfix and spmcR_publish */
  uint64_t extensions;
  uint64_t data_pages;   /* frames taken for data */
  uint64_t system_pages; /* frames taken for anchor and extension pages */
  uint64_t waits;        /* waits that did not succeed at once */
  uint64_t sleeps;
  uint64_t suspended_ns; /* time asleep */
};
void spmc_get_counters(struct spmc_counters* out);

/* Checks the tables of this space and of its regions against each other. NULL, or a sentence about what is
 * wrong (valid until the next call). May run while other spaces work. For tests. */
const char* spmc_check_invariants(void);

/* spmc_check_invariants for all spaces and every frame; only while no space runs code of this layer. */
const char* spmc_check_all_invariants(void);

#ifdef __cplusplus
}
#endif
#endif
