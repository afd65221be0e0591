#include "sent_at.hpp"

#include <array>
#include <sstream>

#include "../engine/calling_place.hpp"
#include "../engine/engine.hpp"
#include "../engine/python_place.hpp"
#include "impl.hpp"
#include "source_line.hpp"
#include "tab_line.hpp"

namespace detmpi {
namespace {

constexpr size_t kKept = 1 << 16;

struct Question {
  int32_t from;  // -1: none
  uint32_t number;
};
using Questions = std::array<Question, UnmatchedMessages::kMostKinds>;

// Of all ranks.
std::vector<Questions> exchange(const UnmatchedMessages& unreceived) {
  Questions mine;
  mine.fill({-1, 0});
  for (size_t i = 0; i < unreceived.kinds.size(); ++i) {
    mine[i] = {unreceived.kinds[i].from, static_cast<uint32_t>(unreceived.kinds[i].number)};
  }
  std::vector<Questions> all(static_cast<size_t>(g_comm_world->size));
  const Datatype& byte = *datatype_from(MPI_BYTE);
  (void)impl::allgather(&mine, sizeof mine, byte, all.data(), sizeof mine, byte, *g_comm_world);
  return all;
}

// By rank and number. Numbers may come again after 2^32 messages: the latest counts.
std::map<std::pair<int, uint32_t>, uintptr_t> sent_messages() {
  std::map<std::pair<int, uint32_t>, uintptr_t> sent;
  g_engine.sent_places().each([&](const SentPlaces::Sent& s) { sent[{s.to, s.number}] = s.returns_to; });
  return sent;
}

}  // namespace

void keep_sent_places() { g_engine.sent_places().keep(kKept); }

std::string answer_where_sent(const UnmatchedMessages& unreceived) {
  const std::vector<Questions> all = exchange(unreceived);
  if (has_python()) return "";  // the place would be in an extension of the interpreter
  const auto sent = sent_messages();
  std::string text;
  for (size_t receiver = 0; receiver < all.size(); ++receiver) {
    for (const Question& question : all[receiver]) {
      if (question.from != g_comm_world->rank) continue;
      const auto at = sent.find({static_cast<int>(receiver), question.number});
      if (at == sent.end()) continue;
      const Place place(at->second - 1);
      text += tab_line({std::to_string(question.from), std::to_string(receiver), std::to_string(question.number),
                        place.by_function, place.by_offset});
    }
  }
  return text;
}

std::map<SentMessage, std::string> places_in(const std::vector<std::string>& answers) {
  std::map<SentMessage, std::string> places;
  for (const std::string& answer : answers) {
    std::istringstream lines(answer);
    for (std::string line; std::getline(lines, line);) {
      const auto f = tab_fields(line, 5);
      places[{std::stoi(f[0]), std::stoi(f[1]), static_cast<uint32_t>(std::stoul(f[2]))}] = place_text(f[3], f[4]);
    }
  }
  return places;
}

}  // namespace detmpi
