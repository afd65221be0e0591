// Generalized requests: complete when the program says so, waited for and tested with others in every form; the
// program's functions are called when MPI says.
#include <utility>

#include "testing.hpp"

using namespace mpi_test;

namespace {

std::string g_log;  // the functions that were called

struct Operation {
  int number = 0;
  int answer = MPI_SUCCESS;  // of the query function
  MPI_Request request = MPI_REQUEST_NULL;
};

int query(void* extra, MPI_Status* status) {
  const auto& operation = *static_cast<Operation*>(extra);
  g_log += "query" + std::to_string(operation.number) + " ";
  MPI_Status_set_elements(status, MPI_INT, operation.number);
  MPI_Status_set_cancelled(status, operation.number == 9);
  status->MPI_SOURCE = operation.number;
  status->MPI_TAG = 100 + operation.number;
  return operation.answer;
}
int free_operation(void* extra) {
  g_log += "free" + std::to_string(static_cast<Operation*>(extra)->number) + " ";
  return MPI_SUCCESS;
}
int cancel(void* extra, int complete) {
  g_log += "cancel" + std::to_string(static_cast<Operation*>(extra)->number) + (complete ? "! " : "? ");
  return MPI_SUCCESS;
}

void start(Operation& operation, int number) {
  operation.number = number;
  MPI_Grequest_start(query, free_operation, cancel, &operation, &operation.request);
  EXPECT(operation.request != MPI_REQUEST_NULL);
}
bool called(const std::string& functions) { return std::exchange(g_log, "") == functions; }

void one() {
  Operation a;
  MPI_Status status;
  int flag = 1;
  start(a, 3);
  MPI_Test(&a.request, &flag, &status);
  EXPECT(!flag && called(""));
  MPI_Grequest_complete(a.request);
  MPI_Request_get_status(a.request, &flag, &status);
  EXPECT(flag && a.request != MPI_REQUEST_NULL && called("query3 "));
  MPI_Wait(&a.request, &status);
  EXPECT(a.request == MPI_REQUEST_NULL && called("query3 free3 "));
  EXPECT(status.MPI_SOURCE == 3 && status.MPI_TAG == 103 && count_of(status, MPI_INT) == 3);
  start(a, 4);
  MPI_Grequest_complete(a.request);
  MPI_Test(&a.request, &flag, MPI_STATUS_IGNORE);
  EXPECT(flag && called("query4 free4 "));
}

// With a message from the left rank, which is complete later than one operation and earlier than the other.
void several() {
  Operation a, b;
  MPI_Request requests[3];
  MPI_Status statuses[3];
  int value = -1, count = 0, indices[3], flag = 1;
  start(a, 1);
  start(b, 2);
  requests[0] = a.request;
  requests[2] = b.request;
  MPI_Irecv(&value, 1, MPI_INT, left(), 7, MPI_COMM_WORLD, &requests[1]);
  MPI_Testall(3, requests, &flag, statuses);
  EXPECT(!flag);
  MPI_Grequest_complete(b.request);
  MPI_Waitsome(3, requests, &count, indices, statuses);
  EXPECT(count == 1 && indices[0] == 2 && called("query2 free2 "));
  MPI_Send(&g_rank, 1, MPI_INT, right(), 7, MPI_COMM_WORLD);
  MPI_Waitany(3, requests, indices, statuses);
  EXPECT(indices[0] == 1 && value == left());
  MPI_Testany(3, requests, indices, &flag, statuses);
  EXPECT(!flag);
  MPI_Testsome(3, requests, &count, indices, statuses);
  EXPECT(count == 0);
  MPI_Grequest_complete(a.request);
  MPI_Waitall(3, requests, statuses);
  EXPECT(called("query1 free1 ") && statuses[0].MPI_TAG == 101);
}

void errors() {
  Operation a, b;
  MPI_Status statuses[2];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  start(a, 1);
  start(b, 2);
  a.answer = MPI_ERR_IO;
  EXPECT(MPI_Grequest_complete(a.request) == MPI_SUCCESS);
  EXPECT(error_class(MPI_Grequest_complete(a.request)) == MPI_ERR_REQUEST);
  EXPECT(error_class(MPI_Grequest_complete(MPI_REQUEST_NULL)) == MPI_ERR_REQUEST);
  MPI_Grequest_complete(b.request);
  MPI_Request requests[] = {a.request, b.request};
  EXPECT(error_class(MPI_Waitall(2, requests, statuses)) == MPI_ERR_IN_STATUS);
  EXPECT(statuses[0].MPI_ERROR == MPI_ERR_IO && statuses[1].MPI_ERROR == MPI_SUCCESS);
  EXPECT(called("query1 free1 query2 free2 "));
  int value = 0;
  MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, requests);
  EXPECT(error_class(MPI_Grequest_complete(requests[0])) == MPI_ERR_REQUEST);
  MPI_Cancel(requests);
  MPI_Wait(requests, MPI_STATUS_IGNORE);
  EXPECT(error_class(MPI_Cancel(requests)) == MPI_ERR_REQUEST);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

void cancelled_and_freed() {
  Operation a, b, c;
  MPI_Status status;
  int flag = 0;
  start(a, 9);
  MPI_Cancel(&a.request);
  MPI_Grequest_complete(a.request);
  MPI_Cancel(&a.request);
  MPI_Wait(&a.request, &status);
  MPI_Test_cancelled(&status, &flag);
  EXPECT(flag && called("cancel9? cancel9! query9 free9 "));
  start(b, 5);
  const MPI_Request pending = b.request;
  MPI_Request_free(&b.request);
  EXPECT(b.request == MPI_REQUEST_NULL && called(""));
  MPI_Grequest_complete(pending);
  EXPECT(called("free5 "));
  start(c, 6);
  MPI_Grequest_complete(c.request);
  MPI_Request_free(&c.request);
  EXPECT(called("free6 "));
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  one();
  several();
  errors();
  cancelled_and_freed();
  Report report;
  report.line("done");
  report.print();
}
