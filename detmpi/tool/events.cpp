// Events of the tools interface: there are none, so no index, name or handle is valid.
#include "impl.hpp"
#include "tool.hpp"

namespace detmpi::impl {

int t_source_get_num(int* num_sources) {
  tool::give(num_sources, 0);
  return MPI_SUCCESS;
}

int t_source_get_info(int, char*, int*, char*, int*, MPI_T_source_order*, MPI_Count*, MPI_Count*, MPI_Info*) {
  return MPI_T_ERR_INVALID_INDEX;
}

int t_source_get_timestamp(int, MPI_Count*) { return MPI_T_ERR_INVALID_INDEX; }

int t_event_get_num(int* num_events) {
  tool::give(num_events, 0);
  return MPI_SUCCESS;
}

int t_event_get_info(int, char*, int*, int*, MPI_Datatype[], MPI_Aint[], int*, MPI_T_enum*, MPI_Info*, char*, int*,
                     int*) {
  return MPI_T_ERR_INVALID_INDEX;
}

int t_event_get_index(const char*, int*) { return MPI_T_ERR_INVALID_NAME; }

int t_event_handle_alloc(int, void*, MPI_Info, MPI_T_event_registration*) { return MPI_T_ERR_INVALID_INDEX; }

int t_event_handle_free(MPI_T_event_registration, void*, MPI_T_event_free_cb_function) {
  return MPI_T_ERR_INVALID_HANDLE;
}

int t_event_handle_set_info(MPI_T_event_registration, MPI_Info) { return MPI_T_ERR_INVALID_HANDLE; }

int t_event_handle_get_info(MPI_T_event_registration, MPI_Info*) { return MPI_T_ERR_INVALID_HANDLE; }

int t_event_register_callback(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info, void*, MPI_T_event_cb_function) {
  return MPI_T_ERR_INVALID_HANDLE;
}

int t_event_callback_set_info(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info) { return MPI_T_ERR_INVALID_HANDLE; }

int t_event_callback_get_info(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info*) { return MPI_T_ERR_INVALID_HANDLE; }

int t_event_set_dropped_handler(MPI_T_event_registration, MPI_T_event_dropped_cb_function) {
  return MPI_T_ERR_INVALID_HANDLE;
}

int t_event_read(MPI_T_event_instance, int, void*) { return MPI_T_ERR_INVALID_HANDLE; }

int t_event_copy(MPI_T_event_instance, void*) { return MPI_T_ERR_INVALID_HANDLE; }

int t_event_get_timestamp(MPI_T_event_instance, MPI_Count*) { return MPI_T_ERR_INVALID_HANDLE; }

int t_event_get_source(MPI_T_event_instance, int*) { return MPI_T_ERR_INVALID_HANDLE; }

}  // namespace detmpi::impl
