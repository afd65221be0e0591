// Generalized requests: operations of the program's own that are waited for and tested like MPI's. Nothing but
// MPI_Grequest_complete completes one, at the clock of that call; until then its time of completion is never, so that
// a wait for it alone is a deadlock, and found as one.
#pragma once

#include <mpi.h>

namespace detmpi {

struct Request;

struct GeneralRequest {
  MPI_Grequest_query_function* query = nullptr;
  MPI_Grequest_free_function* free = nullptr;
  MPI_Grequest_cancel_function* cancel = nullptr;
  void* extra = nullptr;
};

// What the program's functions do and return, each called where MPI says.
int general_query(const Request& request, MPI_Status* status);
int general_free(const Request& request);
int general_cancel(const Request& request);

// MPI_Request_free: the request goes as soon as it is complete.
int general_give_up(Request& request);

}  // namespace detmpi
