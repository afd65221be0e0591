#include "report.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace detmpi {
namespace {

bool ends_in(const std::string& name, const char* ending) {
  const size_t n = std::strlen(ending);
  return name.size() > n && name.compare(name.size() - n, n, ending) == 0;
}

std::string where(const StuckRank& s) {
  return (s.call.empty() ? "a call" : s.call) + (s.place.empty() ? "" : " at " + s.place);
}

// Safe inside a quoted string of the DOT language.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// Which sends --strict-sends has made synchronous is not known.
bool a_send_waits(const Deadlock& d) {
  return std::ranges::any_of(d.stuck,
                             [](const StuckRank& s) { return std::ranges::any_of(s.needs, &Unmet::is_receive); });
}

}  // namespace

bool is_report_file(const std::string& name) {
  return ends_in(name, ".txt") || ends_in(name, ".json") || ends_in(name, ".dot");
}

std::string report_text(const Deadlock& d) {
  std::ostringstream out;
  if (d.stuck.empty()) {
    for (const std::string& mismatch : d.mismatches) out << mismatch << "\n";
    return out.str();
  }
  out << "deadlock: " << d.stuck.size() << " of " << d.ranks << " ranks wait" << (d.stuck.size() == 1 ? "s" : "")
      << " for what can never come\n";
  for (const std::string& mismatch : d.mismatches) out << "  " << mismatch << "\n";
  for (const StuckRank& s : d.stuck) {
    out << "  rank " << s.rank << "  " << where(s) << ", logical time " << s.clock << "\n";
    if (s.any && s.needs.size() > 1) out << "          any of these would do:\n";
    for (const Unmet& need : s.needs) out << "          waits for " << need.text() << "\n";
    write_unmatched(out, s.unmatched, s.others_unmatched);
  }
  if (!d.cycle.empty()) {
    out << "  cycle   ";
    for (const int rank : d.cycle) out << "rank " << rank << " -> ";
    out << "rank " << d.cycle.front() << "\n";
  }
  for (const int rank : d.finished) out << "  rank " << rank << "  has finished\n";
  if (d.strict_sends && a_send_waits(d)) {
    out << "  sends waited for their receives (--strict-sends): unless they are MPI_Ssend and its like, the program is "
           "unsafe, it relies on sends being buffered\n";
  }
  return out.str();
}

std::string report_json(const Deadlock& d) {
  using nlohmann::ordered_json;
  ordered_json stuck = ordered_json::array();
  for (const StuckRank& s : d.stuck) {
    ordered_json needs = ordered_json::array(), unmatched = ordered_json::array();
    for (const Unmet& n : s.needs) {
      needs.push_back(
          {{"kind", n.kind}, {"tag", n.tag}, {"communicator", n.communicator}, {"what", n.what}, {"from", n.from}});
    }
    for (const Unmatched& m : s.unmatched) {
      unmatched.push_back({{"from", m.from},
                           {"tag", m.tag},
                           {"communicator", m.communicator},
                           {"count", m.count},
                           {"sent_at", m.sent_at}});
    }
    stuck.push_back({{"rank", s.rank},
                     {"call", s.call},
                     {"place", s.place},
                     {"logical_time", s.clock},
                     {"any", s.any},
                     {"waits_for", needs},
                     {"unmatched", unmatched},
                     {"others_unmatched", s.others_unmatched}});
  }
  const ordered_json all = {
      {"deadlock", !d.stuck.empty()}, {"ranks", d.ranks}, {"strict_sends", d.strict_sends}, {"stuck", stuck},
      {"mismatches", d.mismatches},   {"cycle", d.cycle}, {"finished", d.finished}};
  // Names that the program has given may be in any encoding.
  return all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string report_dot(const Deadlock& d) {
  std::ostringstream out;
  out << "digraph deadlock {\n  node [shape=box];\n";
  std::string label;
  for (const std::string& mismatch : d.mismatches) label += mismatch + "\n";
  if (!label.empty()) out << "  label=" << quoted(label) << ";\n";
  for (const StuckRank& s : d.stuck) {
    out << "  r" << s.rank << " [label=" << quoted("rank " + std::to_string(s.rank)) << ", tooltip=" << quoted(where(s))
        << ", xlabel=" << quoted(where(s)) << "];\n";
  }
  for (const int rank : d.finished) {
    out << "  r" << rank << " [label=" << quoted("rank " + std::to_string(rank) + " (finished)")
        << ", style=dashed];\n";
  }
  for (const StuckRank& s : d.stuck) {
    for (const Unmet& need : s.needs) {
      for (const int from : need.from) {
        out << "  r" << s.rank << " -> r" << from << " [label=" << quoted(need.what) << (s.any ? ", style=dashed" : "")
            << "];\n";
      }
    }
  }
  out << "}\n";
  return out.str();
}

void report_deadlock(const Deadlock& deadlock, const std::vector<std::string>& files) {
  const std::string text = report_text(deadlock);
  if (!deadlock.stuck.empty()) std::fprintf(stderr, "detmpirun: %s", text.c_str());  // else a rank has told it
  for (const std::string& name : files) {
    std::ofstream file(name);
    file << (ends_in(name, ".json") ? report_json(deadlock) : ends_in(name, ".dot") ? report_dot(deadlock) : text);
    file.close();
    if (!file) std::fprintf(stderr, "detmpirun: %s: %s\n", name.c_str(), std::strerror(errno));
  }
}

}  // namespace detmpi
