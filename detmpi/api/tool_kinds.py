"""Kinds of parameters of the tools interface. Nothing is checked here: its functions return error codes of their
own, and what a caller does not want may be null."""
from kinds import Kind


def out(ctype, text):
    return Kind(ctype + " *%s", "out", text + ", or null")


TOOL_KINDS = {
    "tool_name": Kind("const char *%s", "in", "name"),
    "tool_text": Kind("char *%s", "out", "room for a text, or null"),
    "tool_length": Kind("int *%s", "inout", "size of that room; afterwards that of the text with its end, or null"),
    "tool_int_out": out("int", "integer"),
    "tool_flag_out": out("int", "true (1) or false (0)"),
    "tool_count_out": out("MPI_Count", "number"),
    "tool_ints_out": Kind("int %s[]", "out", "array of indices"),
    "tool_type_out": out("MPI_Datatype", "datatype of the values"),
    "tool_types_out": Kind("MPI_Datatype %s[]", "out", "array of datatypes"),
    "tool_aints_out": Kind("MPI_Aint %s[]", "out", "array of distances in bytes"),
    "tool_info": Kind("MPI_Info %s", "in", "info object, or MPI_INFO_NULL"),
    "tool_info_out": out("MPI_Info", "info object"),
    "tool_object": Kind("void *%s", "in", "address of the handle of an object, ignored"),
    "tool_enum": Kind("MPI_T_enum %s", "in", "enumeration"),
    "tool_enum_out": out("MPI_T_enum", "enumeration of the values, or MPI_T_ENUM_NULL"),
    "cvar_handle": Kind("MPI_T_cvar_handle %s", "in", "handle of a control variable"),
    "cvar_handle_out": Kind("MPI_T_cvar_handle *%s", "out", "new handle"),
    "cvar_handle_io": Kind("MPI_T_cvar_handle *%s", "inout", "handle; MPI_T_CVAR_HANDLE_NULL afterwards"),
    "pvar_session": Kind("MPI_T_pvar_session %s", "in", "session of performance variables"),
    "pvar_session_out": Kind("MPI_T_pvar_session *%s", "out", "new session"),
    "pvar_session_io": Kind("MPI_T_pvar_session *%s", "inout", "session; MPI_T_PVAR_SESSION_NULL afterwards"),
    "pvar_handle": Kind("MPI_T_pvar_handle %s", "in", "handle of a performance variable"),
    "pvar_handles": Kind("MPI_T_pvar_handle %s", "in", "handle, or MPI_T_PVAR_ALL_HANDLES"),
    "pvar_handle_out": Kind("MPI_T_pvar_handle *%s", "out", "new handle"),
    "pvar_handle_io": Kind("MPI_T_pvar_handle *%s", "inout", "handle; MPI_T_PVAR_HANDLE_NULL afterwards"),
    "source_order_out": out("MPI_T_source_order", "order of the source's events"),
    "cb_safety": Kind("MPI_T_cb_safety %s", "in", "what a callback may do"),
    "event_registration": Kind("MPI_T_event_registration %s", "in", "registration of an event"),
    "event_registration_out": out("MPI_T_event_registration", "new registration"),
    "event_instance": Kind("MPI_T_event_instance %s", "in", "event that has happened"),
    "event_cb_fn": Kind("MPI_T_event_cb_function %s", "in", "function called at an event"),
    "event_free_cb_fn": Kind("MPI_T_event_free_cb_function %s", "in", "function called at the end"),
    "event_dropped_cb_fn": Kind("MPI_T_event_dropped_cb_function %s", "in", "function called for lost events"),
}
