// Records in the window of a channel or stream (channel_state.hpp draws them): what messages and streams are made
// of. All return -1 with errno and the sentence of the layer below on failure.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/types.h>

#include "channel_state.hpp"

namespace chan {

// --- record_writer.cpp, at the producer's end ---

// One record: as much of the `left` bytes at `from` as the window still takes. It blocks where a new window must
// begin and the slowest consumer is too far behind. Full pages become visible; with `visible` everything does when
// the record takes all that is left. Returns the bytes that it took.
ssize_t write_record(Channel& channel, const std::byte* from, size_t left, uint64_t whole, bool visible);

// A record without bytes, which carries flags; everything becomes visible.
int write_mark(Channel& channel, uint64_t flags, uint64_t whole);

// Publishes all that was written; in mode nwr that ends the page.
int publish_all(Channel& channel);

// What is in the channel cannot be completed: frees the end, so that consumers do not wait for the rest. Notes the
// failure of the layer below and returns -1.
int break_off(const char* call, Channel& channel);

// --- record_reader.cpp, at a consumer's end ---

// Waits for the header of the next record, passing pads, and stays in front of it.
int next_header(Channel& channel, RecordHeader* header);

// Copies `size` bytes of the record at the channel's offset, from `skip` on, a portion at a time as it is published.
int read_body(const Channel& channel, uint64_t skip, std::byte* to, size_t size);

// Steps over the record at the channel's offset, whose header is given.
void pass(Channel& channel, const RecordHeader& header);

// 1 or 0: is there a next record? It may be published in part.
int test_record(Channel& channel);

}  // namespace chan
