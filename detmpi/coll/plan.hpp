// Collective operations as messages that are all under way from the start: every member sends its contribution to all
// who need it, and what is left to do at the end is local. So nobody waits for what another member does after its
// start, whenever that one looks at its request again, and the time at which an operation is complete follows from the
// times of the starts alone. Costs n messages at each member; operations that block go through the board (rounds.hpp).
//
// Plans stand for everything that the board cannot do: operations that do not block, persistent ones, those on
// inter-communicators, and those on neighbourhoods.
#pragma once

#include <functional>
#include <vector>

#include "../engine/operation.hpp"
#include "../object/comm.hpp"
#include "../types/typed_room.hpp"
#include "lost.hpp"
#include "messages.hpp"
#include "plan_calls.hpp"

namespace detmpi {

class Plan final : public Operation {
 public:
  Plan(Comm& comm, const Signature& signature);

  // One message; `peer` is a rank of those that the communicator addresses. Messages to MPI_PROC_NULL are left out.
  void send(int peer, const void* base, int64_t count, const Datatype& type) { send(peer, base, count, type, comm_); }
  void receive(int peer, void* base, int64_t count, const Datatype& type) { receive(peer, base, count, type, comm_); }
  // On another communicator: that of the own group, of an inter-communicator.
  void send(int peer, const void* base, int64_t count, const Datatype& type, Comm& on);
  void receive(int peer, void* base, int64_t count, const Datatype& type, Comm& on);
  // Memory that lives as long as the plan.
  char* room(const Datatype& type, int64_t count);
  // What is done at each start, before anything is sent; and at each end, with its error code.
  void at_start(std::function<void()> what) { at_start_ = std::move(what); }
  void at_end(std::function<int()> what) { at_end_ = std::move(what); }
  // The messages hold what is an accident of timing: not for comparison with other runs.
  void hide_contents() { hide_contents_ = true; }

  Comm& comm() const { return comm_; }
  // The rank has quit: an error code, and nothing can be done with it.
  int refusal() const { return refusal_; }
  // Who can be addressed.
  int peers() const { return comm_.peers; }
  bool inter() const { return comm_.inter; }

  void start() override;
  void await_or_lose_parts() override;
  void look_for_lost_parts() override;
  void add_marks(std::vector<chan::match::Need::Source>& marks) const override;
  void want_marks(bool yes) override;
  bool hides_contents() const override { return hide_contents_; }

 private:
  struct Message {
    bool send;
    Comm* comm;
    int peer;
    void* base;
    int64_t count;
    TypeRef type;
  };
  int conclude() override { return at_end_ ? at_end_() : MPI_SUCCESS; }
  int status_of(Request& part) override { return received(part, comm_, operation_); }

  Comm& comm_;
  int refusal_;
  int tag_;
  uint64_t operation_;  // its number among those on the communicator
  chan::UnderWay under_way_;
  std::vector<Message> messages_;
  std::vector<TypedRoom> rooms_;
  std::vector<Request*> doubtful_;  // receives of which it is not known that their message comes
  bool hide_contents_ = false;
  std::function<void()> at_start_;
  std::function<int()> at_end_;
};

inline PlanPtr make_plan(Comm& comm, const Signature& signature) { return PlanPtr(new Plan(comm, signature)); }

}  // namespace detmpi
