// The report of a deadlock, for people (text), programs (JSON) and as a drawing (Graphviz).
#pragma once

#include <string>
#include <vector>

#include "deadlock.hpp"

namespace detmpi {

// Is it a name that tells the form: *.txt, *.json, *.dot?
bool is_report_file(const std::string& name);

std::string report_text(const Deadlock& deadlock);
std::string report_json(const Deadlock& deadlock);
std::string report_dot(const Deadlock& deadlock);

// Prints the text on standard error, if no rank has told it, and writes the files; says so when one cannot be written.
void report_deadlock(const Deadlock& deadlock, const std::vector<std::string>& files);

}  // namespace detmpi
