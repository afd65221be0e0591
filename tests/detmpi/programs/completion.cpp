// Completing requests: the any, all and some forms, their null and inactive cases, freed and looked-at
// requests.
#include "testing.hpp"

#include <algorithm>

using namespace mpi_test;

namespace {

constexpr int kCount = 6;
constexpr auto kComm = MPI_COMM_WORLD;

struct Batch {  // receives from the left-hand neighbour with tags 0 to 5
  int in[kCount];
  MPI_Request requests[kCount];
  Batch() {
    for (int i = 0; i < kCount; ++i) {
      in[i] = -1;
      MPI_Irecv(&in[i], 1, MPI_INT, left(), i, kComm, &requests[i]);
    }
  }
  void expect(int i, const MPI_Status& status) const {
    EXPECT(in[i] == left() * 100 + i && status.MPI_SOURCE == left() && status.MPI_TAG == i);
    EXPECT(count_of(status, MPI_INT) == 1);
  }
};

void send_all() {
  for (int i = 0; i < kCount; ++i) {
    const int value = g_rank * 100 + i;
    MPI_Request request;
    MPI_Isend(&value, 1, MPI_INT, right(), i, kComm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

void nothing_to_wait_for() {
  MPI_Request none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[2];
  int flag = 0;
  int index = 0;
  int indices[2];
  MPI_Wait(&none[0], &statuses[0]);
  EXPECT(statuses[0].MPI_SOURCE == MPI_ANY_SOURCE && statuses[0].MPI_TAG == MPI_ANY_TAG);
  EXPECT(count_of(statuses[0], MPI_INT) == 0);
  MPI_Test(&none[0], &flag, &statuses[0]);
  EXPECT(flag == 1);
  MPI_Waitall(2, none, statuses);
  EXPECT(count_of(statuses[1], MPI_BYTE) == 0 && statuses[1].MPI_SOURCE == MPI_ANY_SOURCE);
  flag = 0;
  MPI_Testall(2, none, &flag, statuses);
  EXPECT(flag == 1);
  MPI_Waitany(2, none, &index, &statuses[0]);
  EXPECT(index == MPI_UNDEFINED);
  flag = index = 0;
  MPI_Testany(2, none, &index, &flag, &statuses[0]);
  EXPECT(flag == 1 && index == MPI_UNDEFINED);
  MPI_Waitsome(2, none, &index, indices, statuses);
  EXPECT(index == MPI_UNDEFINED);
  index = 0;
  MPI_Testsome(2, none, &index, indices, statuses);
  EXPECT(index == MPI_UNDEFINED);
  MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE);
  flag = 0;
  MPI_Request_get_status(MPI_REQUEST_NULL, &flag, &statuses[0]);
  EXPECT(flag == 1);
}

// Calls that complete one request leave MPI_ERROR alone, unless there is none to complete.
void errors_in_statuses() {
  constexpr int kBefore = 12345;
  MPI_Request requests[2], none = MPI_REQUEST_NULL;
  int value = g_rank;
  MPI_Isend(&value, 1, MPI_INT, right(), 10, kComm, &requests[0]);
  MPI_Ibarrier(kComm, &requests[1]);
  for (MPI_Request& request : requests) {
    MPI_Status status;
    status.MPI_ERROR = kBefore;
    MPI_Wait(&request, &status);
    EXPECT(status.MPI_ERROR == kBefore && status.MPI_SOURCE == MPI_ANY_SOURCE && count_of(status, MPI_INT) == 0);
    MPI_Wait(&none, &status);
    EXPECT(status.MPI_ERROR == MPI_SUCCESS);
  }
  MPI_Recv(&value, 1, MPI_INT, left(), 10, kComm, MPI_STATUS_IGNORE);
}

void one_by_one() {
  Batch batch;
  send_all();
  MPI_Status status;
  for (int i = kCount - 1; i >= 0; --i) {
    int flag = 0;
    if (i % 2 == 0) {
      while (!flag) MPI_Test(&batch.requests[i], &flag, &status);
    } else {
      while (!flag) MPI_Request_get_status(batch.requests[i], &flag, &status);
      EXPECT(batch.requests[i] != MPI_REQUEST_NULL);
      batch.expect(i, status);
      MPI_Wait(&batch.requests[i], &status);
    }
    EXPECT(batch.requests[i] == MPI_REQUEST_NULL);
    batch.expect(i, status);
  }
}

void all() {
  for (int test = 0; test < 2; ++test) {
    Batch batch;
    MPI_Status statuses[kCount];
    send_all();
    int flag = 0;
    if (test == 0) MPI_Waitall(kCount, batch.requests, statuses);
    while (test == 1 && !flag) MPI_Testall(kCount, batch.requests, &flag, statuses);
    for (int i = 0; i < kCount; ++i) {
      EXPECT(batch.requests[i] == MPI_REQUEST_NULL);
      batch.expect(i, statuses[i]);
    }
  }
}

void any() {
  for (int test = 0; test < 2; ++test) {
    Batch batch;
    send_all();
    bool seen[kCount] = {};
    for (int i = 0; i < kCount; ++i) {
      MPI_Status status;
      int index = MPI_UNDEFINED;
      int flag = 0;
      if (test == 0) MPI_Waitany(kCount, batch.requests, &index, &status);
      while (test == 1 && !flag) MPI_Testany(kCount, batch.requests, &index, &flag, &status);
      EXPECT(index >= 0 && index < kCount && !seen[index] && batch.requests[index] == MPI_REQUEST_NULL);
      seen[index] = true;
      batch.expect(index, status);
    }
  }
}

void some() {
  for (int test = 0; test < 2; ++test) {
    Batch batch;
    send_all();
    int done = 0;
    bool seen[kCount] = {};
    while (done < kCount) {
      int count = 0;
      int indices[kCount];
      MPI_Status statuses[kCount];
      if (test == 0) MPI_Waitsome(kCount, batch.requests, &count, indices, statuses);
      else MPI_Testsome(kCount, batch.requests, &count, indices, statuses);
      EXPECT(count != MPI_UNDEFINED && count >= (test == 0 ? 1 : 0));
      for (int i = 0; i < count; ++i) {
        EXPECT(!seen[indices[i]]);
        seen[indices[i]] = true;
        batch.expect(indices[i], statuses[i]);
      }
      done += count;
    }
  }
}

// Only one of the receives has a message: the others must not be reported.
void only_one_is_ready() {
  Batch batch;
  const int value = g_rank * 100 + 4;
  MPI_Request send;
  MPI_Isend(&value, 1, MPI_INT, right(), 4, kComm, &send);
  MPI_Status status;
  int index = -1;
  MPI_Waitany(kCount, batch.requests, &index, &status);
  EXPECT(index == 4);
  batch.expect(4, status);
  int flag = 1;
  MPI_Testall(kCount, batch.requests, &flag, MPI_STATUSES_IGNORE);
  EXPECT(!flag);
  MPI_Testany(kCount, batch.requests, &index, &flag, &status);
  EXPECT(!flag && index == MPI_UNDEFINED);
  int count = -1;
  int indices[kCount];
  MPI_Testsome(kCount, batch.requests, &count, indices, MPI_STATUSES_IGNORE);
  EXPECT(count == 0);
  MPI_Test(&batch.requests[0], &flag, &status);
  EXPECT(!flag && batch.requests[0] != MPI_REQUEST_NULL);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Barrier(kComm);
  send_all();  // tag 4 finds no posted receive
  MPI_Waitall(kCount, batch.requests, MPI_STATUSES_IGNORE);
  int extra = -1;
  MPI_Recv(&extra, 1, MPI_INT, left(), 4, kComm, MPI_STATUS_IGNORE);
  EXPECT(extra == left() * 100 + 4);
}

// Freed requests complete all the same: short and long sends, and a receive.
void freed() {
  for (const int bytes : {4, 20000, 900000, 12000000}) {
    if (bytes > 1000000 && g_size > 4) continue;
    const auto out = message(static_cast<size_t>(bytes), static_cast<uint64_t>(g_rank));
    std::vector<unsigned char> in(out.size());
    MPI_Request request;
    MPI_Isend(out.data(), bytes, MPI_BYTE, right(), 20, kComm, &request);
    MPI_Request_free(&request);
    EXPECT(request == MPI_REQUEST_NULL);
    MPI_Recv(in.data(), bytes, MPI_BYTE, left(), 20, kComm, MPI_STATUS_IGNORE);
    EXPECT(holds(in.data(), in.size(), static_cast<uint64_t>(left())));
    std::fill(in.begin(), in.end(), static_cast<unsigned char>(0));
    MPI_Irecv(in.data(), bytes, MPI_BYTE, left(), 21, kComm, &request);
    MPI_Request_free(&request);
    MPI_Issend(out.data(), bytes, MPI_BYTE, right(), 21, kComm, &request);
    MPI_Request_free(&request);
    // The message behind it cannot be received in its place. When all of it is there nobody tells.
    int last = g_rank;
    MPI_Sendrecv_replace(&last, 1, MPI_INT, right(), 21, left(), 21, kComm, MPI_STATUS_IGNORE);
    EXPECT(last == left());
    for (int flag = 0; !holds(in.data(), in.size(), static_cast<uint64_t>(left()));) {
      MPI_Iprobe(left(), 22, kComm, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(kComm);
  }
}

// A synchronous send is not complete before its receive has been posted.
void synchronous() {
  if (g_size < 2) return;
  int value = 5;
  if (g_rank == 0) {
    MPI_Request request;
    int flag = 1;
    MPI_Issend(&value, 1, MPI_INT, 1, 30, kComm, &request);
    for (int i = 0; i < 100; ++i) {
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      EXPECT(!flag);
    }
    MPI_Send(&value, 1, MPI_INT, 1, 31, kComm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (g_rank == 1) {
    MPI_Recv(&value, 1, MPI_INT, 0, 31, kComm, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 0, 30, kComm, MPI_STATUS_IGNORE);
  }
}

// An error before anything is waited for: the requests are as they were.
void listed_twice() {
  int in = -1, count = 0, flag = 0, indices[3];
  MPI_Status statuses[3];
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, left(), 0, kComm, &request);
  MPI_Request requests[] = {request, MPI_REQUEST_NULL, request};
  MPI_Comm_set_errhandler(kComm, MPI_ERRORS_RETURN);
  const int codes[] = {MPI_Waitall(3, requests, statuses),
                       MPI_Testall(3, requests, &flag, statuses),
                       MPI_Waitany(3, requests, &count, statuses),
                       MPI_Testany(3, requests, &count, &flag, statuses),
                       MPI_Waitsome(3, requests, &count, indices, statuses),
                       MPI_Testsome(3, requests, &count, indices, statuses)};
  MPI_Comm_set_errhandler(kComm, MPI_ERRORS_ARE_FATAL);
  for (const int code : codes) {
    EXPECT(error_class(code) == MPI_ERR_REQUEST && error_text(code).find("requests 0 and 2 of 3") == 0);
  }
  MPI_Request many[20];
  std::fill(std::begin(many), std::end(many), MPI_REQUEST_NULL);
  many[3] = many[19] = request;
  MPI_Comm_set_errhandler(kComm, MPI_ERRORS_RETURN);
  const int code = MPI_Waitall(20, many, MPI_STATUSES_IGNORE);
  MPI_Comm_set_errhandler(kComm, MPI_ERRORS_ARE_FATAL);
  EXPECT(error_class(code) == MPI_ERR_REQUEST && error_text(code).find("requests 3 and 19 of 20") == 0);
  const int value = g_rank;
  MPI_Send(&value, 1, MPI_INT, right(), 0, kComm);
  requests[2] = MPI_REQUEST_NULL;
  MPI_Waitall(3, requests, statuses);
  EXPECT(in == left() && requests[0] == MPI_REQUEST_NULL);
}

// It stays when it has been waited for, so nothing is wrong; nor is it where nothing is waited for.
void persistent_listed_twice() {
  int in = -1;
  MPI_Request request;
  MPI_Recv_init(&in, 1, MPI_INT, left(), 0, kComm, &request);
  MPI_Request requests[] = {request, request};
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Start(&request);
  MPI_Send(&g_rank, 1, MPI_INT, right(), 0, kComm);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  EXPECT(in == left());
  MPI_Request_free(&request);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  nothing_to_wait_for();
  listed_twice();
  persistent_listed_twice();
  errors_in_statuses();
  one_by_one();
  all();
  any();
  some();
  only_one_is_ready();
  freed();
  synchronous();
  if (g_rank == 0) std::puts("completed");
}
