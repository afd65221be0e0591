// The messages of MG: ghost layers are filled from the six neighbours.
//
// The messages are those of the suite, so that figures can be compared: per axis two receives, then two blocking
// sends, also to the rank itself where it is its own neighbour. With one rank the exchange is a local copy.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "field.hpp"
#include "process_grid.hpp"

namespace npb::mg {

class Halo {
 public:
  // `finest` is the rank's part of the finest level. With `wildcard`, receives are from MPI_ANY_SOURCE. The tags
  // name axis and direction but not the level, so that a message may then be taken for another level's.
  Halo(const ProcessGrid& grid, const LevelPart& finest, bool wildcard);

  // Fills the ghost layers of a field of this level. All active ranks of the level take part, and no others.
  void exchange(const LevelPart& level, Field& field);

  // After an interpolation from `coarse` to `fine`: ranks that own nothing of the coarse level get their values,
  // ghosts included, from their neighbours. All active ranks of the fine level take part, and no others.
  void expand(const LevelPart& coarse, const LevelPart& fine, Field& field);

 private:
  // The way a message travels along an axis: kUp towards larger coordinates.
  enum Direction { kDown = -1, kUp = 1 };

  struct Incoming {
    std::vector<double> values;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void exchange_axis(const LevelPart& level, Axis axis, Field& field);
  void give(const LevelPart& level, Axis axis, const Field& field);
  void take(const LevelPart& level, Axis axis, Field& field);

  void post_receives(const LevelPart& level, Axis axis);
  void finish(Incoming& incoming, std::size_t expected);
  void send(Axis axis, Direction direction, int destination, const std::vector<double>& values,
            std::size_t count) const;

  ProcessGrid grid_;
  bool wildcard_;
  Incoming from_after_;   // travels down
  Incoming from_before_;  // travels up
  std::vector<double> to_after_;
  std::vector<double> to_before_;
};

}  // namespace npb::mg
