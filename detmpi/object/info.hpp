// Info objects: keys and values in the order in which the keys were first set.
#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

#include "handle_table.hpp"

namespace detmpi {

struct Info {
  MPI_Info handle = MPI_INFO_NULL;
  std::vector<std::pair<std::string, std::string>> entries;

  const std::string* find(const std::string& key) const;
  void set(const std::string& key, const std::string& value);
  bool erase(const std::string& key);
};

Info* info_from(MPI_Info handle);
MPI_Info info_make(const Info* source);  // a new object with the entries of `source` (may be null)
// What MPI_INFO_ENV tells: how the program was started.
void info_describe_job(int argc, char* argv[], int ranks, const char* thread_level);

}  // namespace detmpi
