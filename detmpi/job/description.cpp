#include "description.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>

#include "../engine/job_table.hpp"
#include "source_line.hpp"
#include "tab_line.hpp"

namespace detmpi {
namespace {

constexpr size_t kMostFields = 8;

std::string text_of(int rank) {
  const RankRecord& record = rank_record(rank);
  const uint32_t bytes = record.description_bytes.load(std::memory_order_acquire);
  if (bytes == 0) return "";
  return {reinterpret_cast<const char*>(spmc::segment::frame(spmc::EPageIndex{record.description_frame})), bytes};
}

uint32_t number_of(const std::string& text) { return static_cast<uint32_t>(std::stoul(text)); }

}  // namespace

std::string Unmatched::text() const {
  std::string text = (count == 1 ? "a message" : std::to_string(count) + " messages") + " from " + sender +
                     " that no receive takes: " + what + ", on " + communicator;
  if (!sent_at.empty()) text += (count == 1 ? ", sent at " : ", the first sent at ") + sent_at;
  return text;
}

void add_place(Unmatched& message, int receiver, const Description& sender) {
  const auto number = static_cast<uint32_t>(message.number);
  const auto sent = std::ranges::find_if(sender.sent, [&](const SentRun& run) {
    return run.to == receiver && number - run.first <= run.last - run.first;
  });
  if (sent != sender.sent.end()) message.sent_at = place_text(sent->by_function, sent->by_offset);
}

bool has_described_itself(int rank) { return rank_record(rank).description_bytes.load(std::memory_order_acquire) != 0; }

Description description_of(int rank) {
  Description description;
  std::istringstream text(text_of(rank));
  for (std::string line; std::getline(text, line);) {
    const auto f = tab_fields(line, kMostFields);
    if (f[0] == "call") {
      description.call = f[1];
      description.place = place_text(f[2], f[3]);
    } else if (f[0] == "mismatch") {
      description.mismatch =
          f[1] + ": " + f[2] + " at " + place_text(f[3], f[4]) + "; " + f[5] + " at " + place_text(f[6], f[7]);
    } else if (f[0] == "unmatched") {
      description.unmatched.push_back(
          {std::stoi(f[1]), f[2], f[3], f[4], f[5], std::stoull(f[6]), std::stoull(f[7]), ""});
    } else if (f[0] == "sent") {
      description.sent.push_back({std::stoi(f[1]), number_of(f[2]), number_of(f[3]), f[4], f[5]});
    } else if (f[0] == "others") {
      description.others_unmatched = std::stoull(f[1]);
    } else if (f[0] == "need") {
      description.needs.push_back({f[1], f[2], f[3], f[4], {}});
    }
  }
  return description;
}

void write_unmatched(std::ostream& out, const std::vector<Unmatched>& unmatched, uint64_t others) {
  for (const Unmatched& m : unmatched) out << "          has " << m.text() << "\n";
  if (others != 0) out << "          and " << others << (others == 1 ? " other" : " others") << "\n";
}

}  // namespace detmpi
