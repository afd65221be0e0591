#include "leaks.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "../engine/calling_place.hpp"
#include "../engine/contexts.hpp"
#include "../engine/engine.hpp"
#include "../engine/python_place.hpp"
#include "../engine/unmatched.hpp"
#include "../object/handle_table.hpp"
#include "impl.hpp"
#include "sent_at.hpp"
#include "source_line.hpp"
#include "tab_line.hpp"

namespace detmpi {
namespace {

// Where a handle was made.
struct Origin {
  CallId call;
  uintptr_t address;
  std::string in_python;  // counts if it is not empty
  auto operator<=>(const Origin&) const = default;
};
std::map<int, Origin> g_origins;  // by handle: of those that the program has

void note_origin(int handle) {
  if (!g_origins.contains(handle)) g_origins[handle] = {g_call.id, calling_address(), python_place()};
}

struct Words {
  const char *one, *many;
};
constexpr Words kCommunicators{"communicator that was not freed", "communicators that were not freed"};
constexpr Words kGroups{"group that was not freed", "groups that were not freed"};
constexpr Words kDatatypes{"datatype that was not freed", "datatypes that were not freed"};
constexpr Words kErrhandlers{"error handler that was not freed", "error handlers that were not freed"};
constexpr Words kOps{"operation that was not freed", "operations that were not freed"};
constexpr Words kInfos{"info object that was not freed", "info objects that were not freed"};
constexpr Words kKeyvals{"attribute key that was not freed", "attribute keys that were not freed"};
constexpr Words kRequests{"request that nobody waited for", "requests that nobody waited for"};
constexpr Words kPersistent{"persistent request that was not freed", "persistent requests that were not freed"};
constexpr Words kMessages{"message that a probe took and nobody received",
                          "messages that a probe took and nobody received"};

const Words& words_for(int handle) {
  switch (static_cast<HandleKind>(static_cast<uint32_t>(handle) >> 26 & 0xf)) {
    case HandleKind::kComm: return kCommunicators;
    case HandleKind::kGroup: return kGroups;
    case HandleKind::kDatatype: return kDatatypes;
    case HandleKind::kErrhandler: return kErrhandlers;
    case HandleKind::kOp: return kOps;
    case HandleKind::kInfo: return kInfos;
    case HandleKind::kKeyval: return kKeyvals;
    case HandleKind::kMessage: return kMessages;
    case HandleKind::kSession:  // the job does not end while one is open
    case HandleKind::kRequest: break;
  }
  return active_request(handle) != nullptr ? kRequests : kPersistent;
}

// What a rank has of one kind, from one place: a line of fields that are separated by tabs. How many, the words for one
// and for many; and the place where it was made, by the function and by the offset in the file, or empty. Of messages
// instead the sender, and the number of the first.
enum Field : size_t { kCount, kOne, kMany, kByFunction, kByOffset, kSender, kNumber, kFields };

std::string line_of(uint64_t count, const Words& words, const Origin& origin) {
  const std::string call = std::string(": ") + call_name(origin.call), one = words.one + call, many = words.many + call;
  if (!origin.in_python.empty()) return tab_line({std::to_string(count), one, many, origin.in_python});
  const Place place(origin.address);
  return tab_line({std::to_string(count), one, many, place.by_function, place.by_offset});
}

// Those of one kind, made at one place, together; in the order in which the first of each has its handle.
std::string lines_of_handles() {
  struct Kind {
    const Words* words;
    const Origin* origin;
    size_t count;
  };
  std::vector<Kind> kinds;
  std::map<std::pair<const Words*, Origin>, size_t> known;
  for (const auto& [handle, origin] : g_origins) {
    const Words& words = words_for(handle);
    const auto [at, fresh] = known.try_emplace({&words, origin}, kinds.size());
    if (fresh) kinds.push_back({&words, &origin, 0});
    ++kinds[at->second].count;
  }
  std::string text;
  for (const auto& [words, origin, count] : kinds) text += line_of(count, *words, *origin);
  return text;
}

// Not those of collective operations: what the program has begun and not ended it has a request for.
UnmatchedMessages unreceived_messages() {
  g_engine.take_in_the_rest();
  return unmatched_messages(g_engine.matcher(), static_cast<int>(g_job->ranks), chan::match::kNever,
                            MessagesOf::kProgram);
}

std::string lines_of(const UnmatchedMessages& all) {
  std::string text;
  for (const auto& kind : all.kinds) {
    const std::string rest =
        " from " + kind.sender + " that nobody received: " + kind.what + ", on " + kind.communicator;
    text += tab_line({std::to_string(kind.count), "message" + rest, "messages" + rest, "", "",
                      std::to_string(kind.from), std::to_string(static_cast<uint32_t>(kind.number))});
  }
  if (all.others != 0) {
    text += tab_line({std::to_string(all.others), "message of another kind that nobody received",
                      "messages of other kinds that nobody received"});
  }
  return text;
}

// The texts of all ranks in the first one.
std::vector<std::string> gather(const std::string& text) {
  Comm& world = *g_comm_world;
  const Datatype& byte = *datatype_from(MPI_BYTE);
  const auto ranks = static_cast<size_t>(world.size);
  const MPI_Count bytes = static_cast<MPI_Count>(text.size());
  std::vector<MPI_Count> counts(ranks), begins(ranks);
  (void)impl::gather(&bytes, sizeof bytes, byte, counts.data(), sizeof bytes, byte, 0, world);
  for (size_t rank = 1; rank < ranks; ++rank) begins[rank] = begins[rank - 1] + counts[rank - 1];
  std::string all(static_cast<size_t>(begins.back() + counts.back()), 0);
  (void)impl::gatherv(text.data(), bytes, byte, all.data(), Integers(counts.data()), Integers(begins.data()), byte, 0,
                      world);
  std::vector<std::string> texts;
  for (size_t rank = 0; rank < ranks; ++rank) {
    texts.push_back(all.substr(static_cast<size_t>(begins[rank]), static_cast<size_t>(counts[rank])));
  }
  return texts;
}

// "rank 3", "ranks 0-2, 5".
std::string text_of(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size();) {
    size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
    if (last > i) text += "-" + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

struct Left {
  std::string one, many;  // with the place, as people know it
  uint64_t count;
};

using SentAt = std::map<SentMessage, std::string>;

Left left_of(const std::vector<std::string>& f, int rank, const SentAt& sent_at) {
  Left left{f[kOne], f[kMany], std::stoull(f[kCount])};
  if (!f[kByFunction].empty()) {
    const std::string place = " at " + place_text(f[kByFunction], f[kByOffset]);
    left.one += place;
    left.many += place;
  } else if (!f[kSender].empty()) {
    const auto sent = sent_at.find({std::stoi(f[kSender]), rank, static_cast<uint32_t>(std::stoul(f[kNumber]))});
    if (sent == sent_at.end()) return left;
    left.one += ", sent at " + sent->second;
    left.many += ", the first sent at " + sent->second;
  }
  return left;
}

// Instructions of one line of the source are one place.
std::vector<Left> parse(const std::string& text, int rank, const SentAt& sent_at) {
  std::vector<Left> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    Left left = left_of(tab_fields(line, kFields), rank, sent_at);
    const auto known = std::ranges::find(all, left.one, &Left::one);
    if (known != all.end()) known->count += left.count;
    else all.push_back(std::move(left));
  }
  return all;
}

// Ranks that have the same are told of together, in the order of the first of them.
std::string report(const std::vector<std::string>& texts, const SentAt& sent_at) {
  std::vector<std::pair<std::string, std::vector<int>>> kinds;
  std::map<std::string, size_t> known;
  for (size_t rank = 0; rank < texts.size(); ++rank) {
    for (const Left& left : parse(texts[rank], static_cast<int>(rank), sent_at)) {
      const std::string text = std::to_string(left.count) + " " + (left.count == 1 ? left.one : left.many);
      const auto [at, fresh] = known.try_emplace(text, kinds.size());
      if (fresh) kinds.push_back({text, {}});
      kinds[at->second].second.push_back(static_cast<int>(rank));
    }
  }
  std::string all;
  for (const auto& [text, ranks] : kinds) all += "  " + text_of(ranks) + ": " + text + "\n";
  return all;
}

}  // namespace

void keep_account() {
  static constexpr HandleAccount kAccount{note_origin, [](int handle) { g_origins.erase(handle); }};
  g_handle_account = &kAccount;
  keep_sent_places();
}

void tell_leaks() {
  g_handle_account = nullptr;
  const UnmatchedMessages unreceived = unreceived_messages();
  const auto texts = gather(lines_of_handles() + lines_of(unreceived));
  const auto answers = gather(answer_where_sent(unreceived));
  if (g_comm_world->rank != 0) return;
  const std::string all = report(texts, places_in(answers));
  if (all.empty()) return;
  g_job->leaks_told.store(1, std::memory_order_relaxed);
  std::fprintf(stderr, "DetMPI: left at MPI_Finalize:\n%s", all.c_str());
}

}  // namespace detmpi
