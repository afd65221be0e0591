// The tools interface: control and performance variables, their categories, and events, of which there are none.
#include <cstring>

#include "testing.hpp"

using namespace mpi_test;

namespace {

int control(const char* name) {
  int index = -1;
  EXPECT(MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS);
  return index;
}
int performance(const char* name, int variable_class) {
  int index = -1;
  EXPECT(MPI_T_pvar_get_index(name, variable_class, &index) == MPI_SUCCESS);
  return index;
}

template <typename T>
T read_control(const char* name) {
  MPI_T_cvar_handle handle;
  int count = 0;
  T value{};
  EXPECT(MPI_T_cvar_handle_alloc(control(name), nullptr, &handle, &count) == MPI_SUCCESS && count == 1);
  EXPECT(MPI_T_cvar_read(handle, &value) == MPI_SUCCESS);
  EXPECT(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS && handle == MPI_T_CVAR_HANDLE_NULL);
  return value;
}

void before_init() {
  int number = 0, provided = -1;
  EXPECT(MPI_T_cvar_get_num(&number) == MPI_T_ERR_NOT_INITIALIZED);
  EXPECT(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS && provided == MPI_THREAD_SERIALIZED);
  EXPECT(MPI_T_init_thread(-1, &provided) == MPI_SUCCESS && provided == MPI_THREAD_SINGLE);
  EXPECT(MPI_T_finalize() == MPI_SUCCESS);
  EXPECT(MPI_T_cvar_get_num(&number) == MPI_SUCCESS && number > 5);
  EXPECT(read_control<unsigned long long>("lookahead") == 0);
  EXPECT(MPI_T_cvar_get_index("nonsense", &number) == MPI_T_ERR_INVALID_NAME);
}

void controls() {
  EXPECT(read_control<unsigned long long>("lookahead") == 256);
  EXPECT(read_control<unsigned long long>("window_bytes") > 0);
  char name[6];
  int length = sizeof name, scope = 0, number = 0, value = -1;
  MPI_Datatype type;
  MPI_T_enum values;
  EXPECT(MPI_T_cvar_get_info(control("lookahead"), name, &length, nullptr, &type, nullptr, nullptr, nullptr, nullptr,
                             &scope) == MPI_SUCCESS);
  EXPECT(std::string(name) == "looka" && length == 10 && type == MPI_UNSIGNED_LONG_LONG);
  EXPECT(scope == MPI_T_SCOPE_READONLY);
  MPI_T_cvar_get_info(control("order"), nullptr, nullptr, nullptr, &type, &values, nullptr, nullptr, nullptr, nullptr);
  EXPECT(type == MPI_INT && MPI_T_enum_get_info(values, &number, nullptr, nullptr) == MPI_SUCCESS && number == 2);
  char item[16];
  length = sizeof item;
  EXPECT(MPI_T_enum_get_item(values, read_control<int>("order"), &value, item, &length) == MPI_SUCCESS);
  EXPECT(value == 0 && std::string(item) == "logical");
  EXPECT(MPI_T_enum_get_item(values, 2, &value, item, &length) == MPI_T_ERR_INVALID_INDEX);
  EXPECT(MPI_T_cvar_get_info(1000, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) ==
         MPI_T_ERR_INVALID_INDEX);
}

// Without checks a negative count of nothing goes unnoticed.
void checks() {
  MPI_T_cvar_handle handle;
  int count = 0, off = 0, on = 1;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_T_cvar_handle_alloc(control("checks"), nullptr, &handle, &count);
  EXPECT(MPI_Send(nullptr, 0, MPI_INT, MPI_PROC_NULL, -5, MPI_COMM_WORLD) != MPI_SUCCESS);
  EXPECT(MPI_T_cvar_write(handle, &off) == MPI_SUCCESS && read_control<int>("checks") == 0);
  EXPECT(MPI_Send(nullptr, 0, MPI_INT, MPI_PROC_NULL, -5, MPI_COMM_WORLD) == MPI_SUCCESS);
  EXPECT(MPI_T_cvar_write(handle, &on) == MPI_SUCCESS && read_control<int>("checks") == 1);
  MPI_T_cvar_handle_free(&handle);
  EXPECT(MPI_T_cvar_write(handle, &on) == MPI_T_ERR_INVALID_HANDLE);
  MPI_T_cvar_handle_alloc(control("seed"), nullptr, &handle, &count);
  EXPECT(MPI_T_cvar_write(handle, &on) == MPI_T_ERR_CVAR_SET_NEVER);
  MPI_T_cvar_handle_free(&handle);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

struct Session {
  MPI_T_pvar_session session;
  MPI_T_pvar_handle clock, requests;

  Session() {
    int count;
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_handle_alloc(session, performance("clock", MPI_T_PVAR_CLASS_COUNTER), nullptr, &clock, &count);
    MPI_T_pvar_handle_alloc(session, performance("requests", MPI_T_PVAR_CLASS_LEVEL), nullptr, &requests, &count);
  }
  unsigned long long read(MPI_T_pvar_handle handle) const {
    unsigned long long value = ~0ULL;
    EXPECT(MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS);
    return value;
  }
};

void calls(int n) {
  for (int size; n > 0; --n) MPI_Comm_size(MPI_COMM_WORLD, &size);
}

void counters() {
  Session own;
  unsigned long long value = 7;
  calls(5);
  EXPECT(own.read(own.clock) == 0);
  MPI_T_pvar_start(own.session, own.clock);
  calls(5);
  EXPECT(own.read(own.clock) == 5 && own.read(own.clock) == 5);
  MPI_T_pvar_stop(own.session, own.clock);
  calls(5);
  EXPECT(own.read(own.clock) == 5);
  MPI_T_pvar_start(own.session, MPI_T_PVAR_ALL_HANDLES);
  calls(2);
  EXPECT(MPI_T_pvar_readreset(own.session, own.clock, &value) == MPI_SUCCESS && value == 7);
  calls(3);
  EXPECT(own.read(own.clock) == 3);
  MPI_T_pvar_write(own.session, own.clock, &value);
  calls(1);
  EXPECT(own.read(own.clock) == 8);
  MPI_T_pvar_reset(own.session, MPI_T_PVAR_ALL_HANDLES);
  EXPECT(own.read(own.clock) == 0);
  EXPECT(MPI_T_pvar_start(own.session, own.requests) == MPI_T_ERR_PVAR_NO_STARTSTOP);
  EXPECT(MPI_T_pvar_reset(own.session, own.requests) == MPI_T_ERR_PVAR_NO_WRITE);
  EXPECT(MPI_T_pvar_readreset(own.session, own.requests, &value) == MPI_T_ERR_PVAR_NO_ATOMIC);
  EXPECT(MPI_T_pvar_handle_free(own.session, &own.clock) == MPI_SUCCESS);
  EXPECT(MPI_T_pvar_read(own.session, own.clock, &value) == MPI_T_ERR_INVALID_HANDLE);
  EXPECT(MPI_T_pvar_session_free(&own.session) == MPI_SUCCESS && own.session == MPI_T_PVAR_SESSION_NULL);
  EXPECT(MPI_T_pvar_session_free(&own.session) == MPI_T_ERR_INVALID_SESSION);
}

void datatypes() {
  Session own;
  MPI_T_pvar_handle datatypes;
  int count;
  MPI_T_pvar_handle_alloc(own.session, performance("datatypes", MPI_T_PVAR_CLASS_LEVEL), nullptr, &datatypes, &count);
  EXPECT(own.read(datatypes) == 0);
  MPI_Datatype pair, real;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_create_f90_real(6, 30, &real);  // a predefined one
  EXPECT(own.read(datatypes) == 1);
  MPI_Type_free(&pair);
  EXPECT(own.read(datatypes) == 0);
  MPI_T_pvar_session_free(&own.session);
}

void levels() {
  Session own;
  int got = 0;
  MPI_Request request;
  EXPECT(own.read(own.requests) == 0);
  MPI_Irecv(&got, 1, MPI_INT, left(), 3, MPI_COMM_WORLD, &request);
  EXPECT(own.read(own.requests) == 1);
  MPI_Send(&g_rank, 1, MPI_INT, right(), 3, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(own.read(own.requests) == 0 && got == left());
}

void categories() {
  int number = 0, controls = 0, performances = 0, index = -1, variables = 0;
  MPI_T_category_get_num(&number);
  EXPECT(MPI_T_category_get_index("job", &index) == MPI_SUCCESS && index < number);
  for (int i = 0; i < number; ++i) {
    int own[2] = {0, 0}, listed[64];
    EXPECT(MPI_T_category_get_info(i, nullptr, nullptr, nullptr, nullptr, &own[0], &own[1], nullptr) == MPI_SUCCESS);
    controls += own[0];
    performances += own[1];
    EXPECT(MPI_T_category_get_cvars(i, 64, listed) == MPI_SUCCESS && MPI_T_category_get_pvars(i, 0, nullptr) == 0);
    if (i == index) EXPECT(listed[0] == control("order"));
  }
  MPI_T_cvar_get_num(&variables);
  EXPECT(controls == variables);
  MPI_T_pvar_get_num(&variables);
  EXPECT(performances == variables);
  EXPECT(MPI_T_category_get_cvars(number, 1, &index) == MPI_T_ERR_INVALID_INDEX);
  EXPECT(MPI_T_event_get_num(&number) == MPI_SUCCESS && number == 0);
  EXPECT(MPI_T_source_get_num(&number) == MPI_SUCCESS && number == 0);
  EXPECT(MPI_T_event_get_index("x", &number) == MPI_T_ERR_INVALID_NAME);
}

}  // namespace

int main(int argc, char** argv) {
  before_init();
  {
    Mpi mpi(argc, argv);
    controls();
    checks();
    counters();
    levels();
    datatypes();
    categories();
    Report report;
    report.line("done");
    report.print();
  }
  EXPECT(read_control<unsigned long long>("lookahead") == 256);
  EXPECT(MPI_T_finalize() == MPI_SUCCESS);
  EXPECT(MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED);
}
