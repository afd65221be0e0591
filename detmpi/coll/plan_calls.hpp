// What becomes of the plan of a collective operation (plan.hpp); all that an entry point has to know of one.
#pragma once

#include <mpi.h>

#include <memory>

namespace detmpi {

class Plan;
struct PlanDeleter {
  void operator()(Plan* plan) const;
};
using PlanPtr = std::unique_ptr<Plan, PlanDeleter>;

// An operation that does not block: starts it, and makes a request.
int plan_start(PlanPtr plan, MPI_Request* request);
// A persistent one: makes a request that MPI_Start starts.
int plan_keep(PlanPtr plan, MPI_Request* request);
// One that blocks.
int plan_run(PlanPtr plan);

}  // namespace detmpi
