// Stands in for the engine and the job: a world of one process that believes to be one rank of several.
#pragma once

#include <string>

namespace detmpi {

void note_stub(const char* name);
std::string take_stub();  // the stubs called since the last call of this, separated by spaces

// MPI is running, and MPI_COMM_WORLD and MPI_COMM_SELF exist, while this object lives.
struct World {
  explicit World(int rank = 0, int size = 4);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;
};

extern int g_transports_released;

}  // namespace detmpi
