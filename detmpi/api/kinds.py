"""Kinds of parameters: C type, direction, how the implementation sees the parameter, what is checked.

Check templates use {n} for the parameter, {o} for the object behind a handle, {a} for the kind's argument
(the parameter that holds an array's length), {count} and {type} for what belongs to a buffer.
A check is (condition of failure, failing expression, error class for the reference page).

A function with a parameter of a kind that has a `large` type exists a second time, as MPI_..._c, with the large types.
Both are one implementation, which gets 64 bits: what `impl` says is made from either type.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    ctype: str                 # declaration with %s for the name
    direction: str             # in, out, inout
    text: str                  # for the reference page
    check: tuple = ()          # tuples (condition, failure, class)
    lookup: str = ""           # function that finds the object of a handle
    impl: str = ""             # C++ parameter of the implementation, with %s; default: as in C
    lenient: str = ""          # expression for the implementation when the argument may be insignificant
    nullable: bool = False     # the object is passed as a pointer
    large: str = ""            # declaration in the function for large counts
    length: str = ""           # of an array of counts


def null(cls="MPI_ERR_ARG"):
    return (("{n} == nullptr", 'fail_null(%s, "{n}")' % cls, cls),)


def null_list(cls="MPI_ERR_ARG", length="{a}"):
    return (("{n} == nullptr && %s > 0" % length, 'fail_null(%s, "{n}")' % cls, cls),)


def handle(cls):
    return (("{o} == nullptr", 'fail_handle(%s, "{n}", {n})' % cls, cls),)


def handle_pointer(cls, lookup):
    return null() + ((lookup + "(*{n}) == nullptr", 'fail_handle(%s, "{n}", *{n})' % cls, cls),)


def out(ctype, text, **more):
    return Kind(ctype + " *%s", "out", text, null(), **more)


def not_negative(text, ctype="int %s", cls="MPI_ERR_COUNT", **more):
    check = (("{n} < 0", 'fail(' + cls + ', "{n} is %ld (must not be negative)", MPI_Count({n}))', cls),)
    return Kind(ctype, "in", text, check, **more)


def counts_for(whom, length):
    check = null_list(length=length) + (("bad_counts({n}, %s) >= 0" % length, 'fail_counts("{n}", {n}, %s)' % length,
                                         "MPI_ERR_COUNT"),)
    return Kind("const int %s[]", "in", "one number of elements for each " + whom, check, impl="Integers %s",
                large="const MPI_Count %s[]", length=length)


def displs_for(whom, length):
    return Kind("const int %s[]", "in", "one displacement for each " + whom, null_list(length=length), impl="Integers %s",
                large="const MPI_Aint %s[]")


def types_of(ctype, text, length, committed):
    listed = "{n}, %s, %s" % (length, committed)
    check = null_list(length=length) + (("bad_types(%s) >= 0" % listed, 'fail_types("{n}", %s)' % listed, "MPI_ERR_TYPE"),)
    return Kind(ctype, "in", text, check)


EDGES = "{a}(*comm_o)"  # the number of the neighbours on one side
BUFFER = ("no_buffer({n}, {count}, {type})", 'fail_no_buffer("{n}", {n}, {count})', "MPI_ERR_BUFFER")
STATUS = (("bad_status({n})", 'fail_null(MPI_ERR_ARG, "{n}")', "MPI_ERR_ARG"),)
COMMITTED = (("!{o}->committed", 'fail(MPI_ERR_TYPE, "{n} has not been committed (MPI_Type_commit)")',
              "MPI_ERR_TYPE"),)

KINDS = {
    # buffers; the i forms allow MPI_IN_PLACE
    "sbuf": Kind("const void *%s", "in", "buffer to send from"),
    "sbufi": Kind("const void *%s", "in", "buffer to send from, or MPI_IN_PLACE"),
    "rbuf": Kind("void *%s", "out", "buffer to receive into"),
    "rbufi": Kind("void *%s", "out", "buffer to receive into, or MPI_IN_PLACE"),
    "iobuf": Kind("void *%s", "inout", "buffer"),
    "memory": Kind("void *%s", "in", "address of memory"),
    "cmemory": Kind("const void *%s", "in", "address of memory"),
    "packed": Kind("void *%s", "inout", "buffer to pack into"),  # what lies around the new data stays
    "address": Kind("%s", "in", "address"),  # constness differs: see generate.py
    "address_out": Kind("void *%s", "out", "where to store a pointer", null()),
    # numbers
    "count": not_negative("a number, not negative", impl="MPI_Count %s", large="MPI_Count %s"),
    "number": not_negative("a number, not negative"),
    "bigcount": not_negative("a number, not negative", "MPI_Count %s"),
    "int": Kind("int %s", "in", "integer"),
    "aint": Kind("MPI_Aint %s", "in", "address or distance in bytes"),
    "int_out": out("int", "integer"),
    "int_io": Kind("int *%s", "inout", "integer", null()),
    "flag_out": out("int", "true (1) or false (0)"),
    "aint_io": Kind("MPI_Aint *%s", "inout", "address or distance in bytes", null()),
    "aint_out": out("MPI_Aint", "address or distance in bytes"),
    "count_out": out("MPI_Count", "number"),
    "counts_out": Kind("MPI_Count %s[]", "out", "array of numbers", null_list()),
    # the same for large counts: what is an int or a distance in bytes otherwise
    "step": Kind("int %s", "in", "distance in elements", impl="MPI_Count %s", large="MPI_Count %s"),
    "position": Kind("int *%s", "inout", "position in bytes", null(), impl="Integer %s", large="MPI_Count *%s"),
    "size_out": out("int", "number, or MPI_UNDEFINED if it is too large", impl="Integer %s", large="MPI_Count *%s"),
    "distance": Kind("MPI_Aint %s", "in", "address or distance in bytes", large="MPI_Count %s"),
    "distance_out": out("MPI_Aint", "address or distance in bytes", large="MPI_Count *%s"),
    "distance_io": Kind("MPI_Aint *%s", "inout", "address or distance in bytes", null(), large="MPI_Count *%s"),
    "lengths": Kind("const int %s[]", "in", "array of integers", null_list(), impl="Integers %s",
                    large="const MPI_Count %s[]"),
    "distances": Kind("const MPI_Aint %s[]", "in", "array of distances in bytes", null_list(), impl="Integers %s",
                      large="const MPI_Count %s[]"),
    "unit": Kind("int %s", "in", "bytes that one step of a displacement stands for", impl="MPI_Aint %s",
                 large="MPI_Aint %s"),
    "unit_out": out("int", "bytes that one step of a displacement stands for", impl="Integer %s", large="MPI_Aint *%s"),
    "ints": Kind("const int %s[]", "in", "array of integers", null_list()),
    "ints_out": Kind("int %s[]", "out", "array of integers", null_list()),
    "ints_io": Kind("int %s[]", "inout", "array of integers", null_list()),
    "int_list": Kind("const int %s[]", "in", "array of integers"),
    "aints_out": Kind("MPI_Aint %s[]", "out", "array of distances in bytes", null_list()),
    "aints": Kind("const MPI_Aint %s[]", "in", "array of distances in bytes", null_list()),
    # as MPI-1 declared them
    "old_ints": Kind("int %s[]", "in", "array of integers", null_list()),
    "old_aints": Kind("MPI_Aint %s[]", "in", "array of distances in bytes", null_list()),
    "ranges": Kind("int %s[][3]", "in", "array of (first, last, stride)", null_list()),
    "counts": counts_for("rank", "comm_o->peers"),
    "own_counts": counts_for("rank of the own group", "comm_o->size"),
    "displs": displs_for("rank", "comm_o->peers"),
    "offset": Kind("MPI_Offset %s", "in", "offset or size in a file"),
    "offset_out": out("MPI_Offset", "offset or size in a file"),
    # topologies
    "ndims": not_negative("number of dimensions", cls="MPI_ERR_DIMS"),
    "room": not_negative("length of an array", cls="MPI_ERR_ARG"),
    "coordinates": Kind("const int %s[]", "in", "one integer for each dimension"),
    "weights": Kind("const int %s[]", "in", "one weight for each edge, MPI_UNWEIGHTED, or MPI_WEIGHTS_EMPTY"),
    "weights_out": Kind("int %s[]", "out", "room for the weights, or MPI_UNWEIGHTED"),
    # of a neighbourhood: {a} counts the edges
    "edge_counts": counts_for("neighbour", EDGES),
    "edge_displs": displs_for("neighbour", EDGES),
    "edge_aints": Kind("const MPI_Aint %s[]", "in", "one displacement in bytes for each neighbour",
                       null_list(length=EDGES)),
    "edge_types": types_of("const MPI_Datatype %s[]", "one datatype for each neighbour", EDGES, "true"),
    # ranks and tags
    "dest": Kind("int %s", "in", "rank to send to, or MPI_PROC_NULL",
                 (("bad_dest({n}, *comm_o)", 'fail_rank("{n}", {n}, false)', "MPI_ERR_RANK"),)),
    "source": Kind("int %s", "in", "rank to receive from, MPI_ANY_SOURCE or MPI_PROC_NULL",
                   (("bad_source({n}, *comm_o)", 'fail_rank("{n}", {n}, true)', "MPI_ERR_RANK"),)),
    "root": Kind("int %s", "in", "rank of the root",
                 (("bad_root({n}, *comm_o)", 'fail_root({n})', "MPI_ERR_ROOT"),)),
    "tag": Kind("int %s", "in", "tag, 0 to 2147483647",
                (("{n} < 0", 'fail_tag("{n}", {n}, false)', "MPI_ERR_TAG"),)),
    "partitions": not_negative("number of partitions, not negative", cls="MPI_ERR_ARG"),
    "part_count": not_negative("number of elements in a partition, not negative", "MPI_Count %s"),
    "part_source": Kind("int %s", "in", "rank to receive from, or MPI_PROC_NULL",
                        (("bad_dest({n}, *comm_o)", 'fail_rank("{n}", {n}, false)', "MPI_ERR_RANK"),)),
    "rtag": Kind("int %s", "in", "tag, or MPI_ANY_TAG",
                 (("{n} < 0 && {n} != MPI_ANY_TAG", 'fail_tag("{n}", {n}, true)', "MPI_ERR_TAG"),)),
    # objects
    "comm": Kind("MPI_Comm %s", "in", "communicator", handle("MPI_ERR_COMM"), "comm_from", "Comm& %s"),
    "topo_comm": Kind("MPI_Comm %s", "in", "communicator with a topology",
                      handle("MPI_ERR_COMM") + (("{o}->topology == nullptr", "fail_no_topology(*{o})",
                                                 "MPI_ERR_TOPOLOGY"),), "comm_from", "Comm& %s"),
    "peer_comm": Kind("MPI_Comm %s", "in", "communicator of the two leaders; significant at the local leader alone"),
    "comm_out": out("MPI_Comm", "new communicator"),
    "comm_io": Kind("MPI_Comm *%s", "inout", "communicator; MPI_COMM_NULL afterwards",
                    handle_pointer("MPI_ERR_COMM", "comm_from")),
    "group": Kind("MPI_Group %s", "in", "group", handle("MPI_ERR_GROUP"), "group_from", "Group& %s"),
    "peer_group": Kind("MPI_Group %s", "in", "group of the other leader; significant at the local leader alone"),
    "group_out": out("MPI_Group", "new group"),
    "group_io": Kind("MPI_Group *%s", "inout", "group; MPI_GROUP_NULL afterwards",
                     handle_pointer("MPI_ERR_GROUP", "group_from")),
    "datatype": Kind("MPI_Datatype %s", "in", "datatype, committed", handle("MPI_ERR_TYPE") + COMMITTED,
                     "datatype_from", "const Datatype& %s", "datatype_or_null({n})"),
    "anytype": Kind("MPI_Datatype %s", "in", "datatype", handle("MPI_ERR_TYPE"), "datatype_from",
                    "const Datatype& %s"),
    "datatypes": types_of("const MPI_Datatype %s[]", "one datatype for each rank", "comm_o->peers", "true"),
    "anytypes": types_of("const MPI_Datatype %s[]", "array of datatypes", "{a}", "false"),
    "anytypes_out": Kind("MPI_Datatype %s[]", "out", "array of datatypes", null_list()),
    "old_anytypes": types_of("MPI_Datatype %s[]", "array of datatypes", "{a}", "false"),
    "datatype_out": out("MPI_Datatype", "new datatype"),
    "datatype_io": Kind("MPI_Datatype *%s", "inout", "datatype",
                        handle_pointer("MPI_ERR_TYPE", "datatype_from")),
    "op": Kind("MPI_Op %s", "in", "reduction operation", handle("MPI_ERR_OP"), "op_from", "const Op& %s",
               "op_or_null({n})"),
    "op_out": out("MPI_Op", "new operation"),
    "op_io": Kind("MPI_Op *%s", "inout", "operation; MPI_OP_NULL afterwards",
                  handle_pointer("MPI_ERR_OP", "op_from")),
    "errhandler": Kind("MPI_Errhandler %s", "in", "error handler", handle("MPI_ERR_ARG"), "errhandler_from",
                       "Errhandler& %s"),
    # What the errors of the call itself go to.
    "initial_errhandler": Kind("MPI_Errhandler %s", "in", "error handler of what is made, and of this call",
                               handle("MPI_ERR_ARG"), "errhandler_from", "Errhandler& %s"),
    "errhandler_out": out("MPI_Errhandler", "error handler"),
    "errhandler_io": Kind("MPI_Errhandler *%s", "inout", "error handler; MPI_ERRHANDLER_NULL afterwards",
                          handle_pointer("MPI_ERR_ARG", "errhandler_from")),
    "info": Kind("MPI_Info %s", "in", "info object", handle("MPI_ERR_INFO"), "info_from", "Info& %s"),
    "info_opt": Kind("MPI_Info %s", "in", "info object, or MPI_INFO_NULL",
                     (("{o} == nullptr && {n} != MPI_INFO_NULL", 'fail_handle(MPI_ERR_INFO, "{n}", {n})',
                       "MPI_ERR_INFO"),), "info_from", "Info *%s", nullable=True),
    "info_out": out("MPI_Info", "new info object"),
    "info_io": Kind("MPI_Info *%s", "inout", "info object; MPI_INFO_NULL afterwards",
                    handle_pointer("MPI_ERR_INFO", "info_from")),
    "key": Kind("const char *%s", "in", "key, 1 to 254 characters",
                (("bad_key({n})",
                  'fail(MPI_ERR_INFO_KEY, "{n} is null, empty or longer than 254 characters")',
                  "MPI_ERR_INFO_KEY"),)),
    "string": Kind("const char *%s", "in", "string", null()),
    "env_argv": Kind("char *%s[]", "in", "arguments of main"),
    "cstring_out": Kind("char *%s", "out", "room for a string, or null if its length is 0"),
    "session": Kind("MPI_Session %s", "in", "session", handle("MPI_ERR_SESSION"), "session_from", "Session& %s"),
    "session_out": out("MPI_Session", "new session"),
    "session_io": Kind("MPI_Session *%s", "inout", "session; MPI_SESSION_NULL afterwards",
                       handle_pointer("MPI_ERR_SESSION", "session_from")),
    "session_errhandler_fn": Kind("MPI_Session_errhandler_function *%s", "in", "function", null()),
    "string_out": Kind("char *%s", "out", "room for a string", null()),
    "infos": Kind("const MPI_Info %s[]", "in", "array of info objects"),
    "win": Kind("MPI_Win %s", "in", "window"),
    "win_out": out("MPI_Win", "new window"),
    "win_io": Kind("MPI_Win *%s", "inout", "window"),
    "file": Kind("MPI_File %s", "in", "file"),
    "file_out": out("MPI_File", "opened file"),
    "file_io": Kind("MPI_File *%s", "inout", "file"),
    # requests, messages, statuses
    "request": Kind("MPI_Request %s", "in", "request"),
    "request_out": out("MPI_Request", "new request"),
    "request_io": Kind("MPI_Request *%s", "inout", "request", null("MPI_ERR_REQUEST")),
    "request_ref": Kind("MPI_Request *%s", "in", "request", null("MPI_ERR_REQUEST")),
    "requests": Kind("MPI_Request %s[]", "inout", "array of requests", null_list("MPI_ERR_REQUEST")),
    "message_out": out("MPI_Message", "message"),
    "message_io": Kind("MPI_Message *%s", "inout", "message; MPI_MESSAGE_NULL afterwards", null()),
    "status": Kind("MPI_Status *%s", "out", "status, or MPI_STATUS_IGNORE", null()),
    "status_in": Kind("const MPI_Status *%s", "in", "status", STATUS),
    "status_io": Kind("MPI_Status *%s", "inout", "status", STATUS),
    "statuses": Kind("MPI_Status *%s", "out", "array of statuses, or MPI_STATUSES_IGNORE", null_list()),
    "f_status_in": Kind("const MPI_Fint *%s", "in", "status as Fortran has it, an array of integers", null()),
    "f_status_out": Kind("MPI_Fint *%s", "out", "status as Fortran has it, an array of integers", null()),
    "f08_status_in": Kind("const MPI_F08_status *%s", "in", "status as module mpi_f08 has it", null()),
    "f08_status_out": Kind("MPI_F08_status *%s", "out", "status as module mpi_f08 has it", null()),
    # functions and the command line
    "user_function": Kind("MPI_User_function *%s", "in", "function", null(), impl="UserFunction %s",
                          large="MPI_User_function_c *%s"),
    "comm_errhandler_fn": Kind("MPI_Comm_errhandler_function *%s", "in", "function", null()),
    "comm_copy_attr_fn": Kind("MPI_Comm_copy_attr_function *%s", "in", "function, or MPI_COMM_NULL_COPY_FN"),
    "comm_delete_attr_fn": Kind("MPI_Comm_delete_attr_function *%s", "in",
                                "function, or MPI_COMM_NULL_DELETE_FN"),
    "type_copy_attr_fn": Kind("MPI_Type_copy_attr_function *%s", "in", "function, or MPI_TYPE_NULL_COPY_FN"),
    "type_delete_attr_fn": Kind("MPI_Type_delete_attr_function *%s", "in",
                                "function, or MPI_TYPE_NULL_DELETE_FN"),
    "win_errhandler_fn": Kind("MPI_Win_errhandler_function *%s", "in", "function"),
    "file_errhandler_fn": Kind("MPI_File_errhandler_function *%s", "in", "function"),
    "win_copy_attr_fn": Kind("MPI_Win_copy_attr_function *%s", "in", "function"),
    "win_delete_attr_fn": Kind("MPI_Win_delete_attr_function *%s", "in", "function"),
    "datarep_conversion_fn": Kind("MPI_Datarep_conversion_function *%s", "in", "function",
                                  large="MPI_Datarep_conversion_function_c *%s"),
    "datarep_extent_fn": Kind("MPI_Datarep_extent_function *%s", "in", "function"),
    "spawn_argv": Kind("char *%s[]", "in", "arguments of the program, or MPI_ARGV_NULL"),
    "spawn_commands": Kind("char *%s[]", "in", "programs"),
    "spawn_argvs": Kind("char **%s[]", "in", "arguments of each program, or MPI_ARGVS_NULL"),
    "grequest_query_fn": Kind("MPI_Grequest_query_function *%s", "in", "function that fills the status", null()),
    "grequest_free_fn": Kind("MPI_Grequest_free_function *%s", "in", "function called when the request is freed",
                             null()),
    "grequest_cancel_fn": Kind("MPI_Grequest_cancel_function *%s", "in", "function called by MPI_Cancel",
                               null()),
    "argc": Kind("int *%s", "inout", "number of arguments of main, or null"),
    "argv": Kind("char ***%s", "inout", "arguments of main, or null"),
    "varargs": Kind("...", "in", ""),
}

COMMS = ("comm", "topo_comm")
BUFFERS = {"sbuf": False, "sbufi": True, "rbuf": False, "rbufi": True, "iobuf": False}
COUNTS = ("count", "counts", "own_counts")
TYPES = ("datatype", "datatypes")
