// Lines of fields that are separated by tabs: what ranks tell each other, and detmpirun, for reports.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace detmpi {

// A tab or an end of line within a field becomes a space.
inline std::string tab_line(const std::vector<std::string>& fields) {
  std::string text;
  for (const std::string& field : fields) {
    if (&field != &fields.front()) text += '\t';
    for (const char c : field) text += c == '\t' || c == '\n' ? ' ' : c;
  }
  return text + '\n';
}

// Of a line without its end. Those that are missing are empty.
inline std::vector<std::string> tab_fields(const std::string& line, size_t count) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
  fields.resize(count);
  return fields;
}

}  // namespace detmpi
