#include "sent_at.hpp"

#include <array>
#include <sstream>

#include "../engine/calling_place.hpp"
#include "../engine/engine.hpp"
#include "../engine/python_place.hpp"
#include "impl.hpp"
#include "source_line.hpp"

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
      text += std::to_string(question.from) + '\t' + std::to_string(receiver) + '\t' + std::to_string(question.number) +
              '\t' + place.by_function + '\t' + place.by_offset + '\n';
    }
  }
  return text;
}

std::map<SentMessage, std::string> places_in(const std::vector<std::string>& answers) {
  std::map<SentMessage, std::string> places;
  for (const std::string& answer : answers) {
    std::istringstream lines(answer);
    for (SentMessage sent{}; lines >> sent.from >> sent.to >> sent.number;) {
      std::string by_function, by_offset;
      lines.ignore();  // a tab
      std::getline(lines, by_function, '\t');
      std::getline(lines, by_offset);
      const std::string& line = source_line_of(by_offset);
      places[sent] = line.empty() ? by_function : line;
    }
  }
  return places;
}

}  // namespace detmpi
