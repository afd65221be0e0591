// A message and one back, as one request: an operation of a receive and a send. Other than those of a collective
// operation they are the program's own messages, so the receive may name any source, and the send may be synchronous
// (--strict-sends).
#include "../object/call.hpp"
#include "impl.hpp"
#include "operation.hpp"
#include "p2p.hpp"

#include <utility>

namespace detmpi {
namespace {

struct End {
  const void* buf;
  int64_t count;
  const Datatype& type;
  int peer;
  int tag;
};

class Exchange final : public Operation {
 public:
  Exchange(Comm& comm, const End& in, const End& out) : comm_(comm), in_(in), out_(out) {}
  // What is sent is a copy of a message.
  Exchange(Comm& comm, const End& in, const End& out, PackedCopy copy) : Exchange(comm, in, out) {
    copy_ = std::move(copy);
  }

  // The receive first, as in MPI_Sendrecv.
  void start() override {
    Request& receive = parts().emplace_back();
    if (in_.peer == MPI_PROC_NULL) p2p_start_with_nobody(receive, RequestKind::kRecv);
    else p2p_start_recv(receive, const_cast<void*>(in_.buf), in_.count, in_.type, comm_, peer(in_));
    if (out_.peer == MPI_PROC_NULL) return;
    p2p_start_send(parts().emplace_back(), out_.buf, out_.count, out_.type, comm_, peer(out_), SendMode::kStandard);
  }
  bool collective() const override { return false; }
  bool freeable() const override { return true; }
  void tell(MPI_Status* status) const override { p2p_tell(parts().front(), status); }

 private:
  Peer peer(const End& end) const { return {end.peer, end.tag, user_context(comm_)}; }
  int conclude() override { return MPI_SUCCESS; }

  Comm& comm_;
  PackedCopy copy_;
  End in_, out_;
};

int replace(const End& in, const End& out, Comm& comm, MPI_Request* request) {
  PackedCopy copy;
  if (out.peer != MPI_PROC_NULL) {
    if (const int code = p2p_pack(out.buf, out.count, out.type, &copy); code != MPI_SUCCESS) return code;
  }
  const End packed{copy.get(), static_cast<int64_t>(out.type.size) * out.count, *datatype_from(MPI_BYTE), out.peer,
                   out.tag};
  operation_start(OperationPtr(new Exchange(comm, in, packed, std::move(copy))), comm, request);
  return MPI_SUCCESS;
}

}  // namespace

namespace impl {

int isendrecv(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, int dest, int sendtag, void* recvbuf,
              MPI_Count recvcount, const Datatype& recvtype, int source, int recvtag, Comm& comm,
              MPI_Request* request) {
  const End in{recvbuf, recvcount, recvtype, source, recvtag}, out{sendbuf, sendcount, sendtype, dest, sendtag};
  if (p2p_overlap(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype)) return replace(in, out, comm, request);
  operation_start(OperationPtr(new Exchange(comm, in, out)), comm, request);
  return MPI_SUCCESS;
}

int isendrecv_replace(void* buf, MPI_Count count, const Datatype& type, int dest, int sendtag, int source, int recvtag,
                      Comm& comm, MPI_Request* request) {
  return replace({buf, count, type, source, recvtag}, {buf, count, type, dest, sendtag}, comm, request);
}

}  // namespace impl
}  // namespace detmpi
