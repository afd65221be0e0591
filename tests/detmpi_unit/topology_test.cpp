// The neighbours that a communicator's topology gives to neighbourhood collectives, in their order.
#include "topo/topology.hpp"

#include <catch2/catch.hpp>

#include "object/comm.hpp"
#include "stubs.hpp"

using namespace detmpi;

namespace {

using Ranks = std::vector<int>;

// Rank 1 of 6.
struct WithTopology : World {
  WithTopology() : World(1, 6) {}
  Neighbours neighbours(Topology topology) {
    g_comm_world->topology = std::make_shared<const Topology>(std::move(topology));
    const auto found = neighbours_in(*g_comm_world);
    REQUIRE(found.has_value());
    return *found;
  }
};

}  // namespace

TEST_CASE_METHOD(WithTopology, "A communicator without a topology has no neighbours") {
  REQUIRE_FALSE(neighbours_in(*g_comm_world).has_value());
}

TEST_CASE_METHOD(WithTopology, "In a grid: below and above in each dimension, nobody beyond its ends") {
  const Neighbours found = neighbours({Cart{{2, 3}, {false, true}}});
  REQUIRE(found.sources == Ranks{MPI_PROC_NULL, 4, 0, 2});
  REQUIRE(found.destinations == found.sources);
  // Both ways lead to the same rank, to oneself in a ring of one.
  REQUIRE(neighbours({Cart{{1, 2, 3}, {true, true, false}}}).sources == Ranks{1, 1, 4, 4, 0, 2});
  REQUIRE(neighbours({Cart{}}).sources.empty());
}

TEST_CASE_METHOD(WithTopology, "In a graph: the edges of the rank, both ways") {
  const Neighbours found = neighbours({Graph{{1, 4, 4, 4, 4, 4}, {5, 3, 1, 3}}});
  REQUIRE(found.sources == Ranks{3, 1, 3});
  REQUIRE(found.destinations == found.sources);
}

TEST_CASE_METHOD(WithTopology, "In a distributed graph: the edges as they were given") {
  const Neighbours found = neighbours({DistGraph{{{2, 2, 0}, {}}, {{5}, {}}, false}});
  REQUIRE(found.sources == Ranks{2, 2, 0});
  REQUIRE(found.destinations == Ranks{5});
}
