#!/usr/bin/env python3
"""Generates from the function table: mpi.h, call_ids.hpp, impl.hpp, entry.cpp."""
import re
from pathlib import Path

from kinds import BUFFER, BUFFERS, COMMS, COUNTS, TYPES
from outputs import NOTE, read_options, write_all
from same_memory import behind_first, same_memory_checks
from table import read_table


def mpi_header(functions, template):
    lines, chapter = [], None
    for function in functions:
        if function.chapter != chapter:
            chapter = function.chapter
            lines += ["", f"/* {chapter} */"]
        for prefix in ("MPI_", "PMPI_"):
            lines.append(function.declaration(prefix) + ";")
    return template.replace("@PROTOTYPES@", "\n".join(lines).strip())


def cpp_style(text):
    return re.sub(r" (\*+)(\w)", r"\1 \2", text)


def call_ids(functions):
    large = {f.large_of: f for f in functions if f.is_large}
    ids, names = "", ""
    for number, f in enumerate((f for f in functions if not f.is_large), 1):
        ids += f"  {f.call_id} = {2 * number},\n"
        names += f'    "MPI_{f.name}",\n'
        if f.name in large:
            ids += f"  {large[f.name].call_id},\n"
        names += f'    "MPI_{f.name}_c",\n'
    return f"""// {NOTE}
#pragma once

#include <cstdint>

namespace detmpi {{

// A function has an even number, its form for large counts the next one.
enum class CallId : uint16_t {{
  kNone,
{ids}}};

inline constexpr const char *kCallNames[] = {{
    "MPI",
    "MPI",
{names}}};

inline const char *call_name(CallId id) {{ return kCallNames[static_cast<uint16_t>(id)]; }}

// The function, in whichever form it is called.
constexpr CallId function_of(CallId id) {{ return static_cast<CallId>(static_cast<uint16_t>(id) & ~1u); }}

}}  // namespace detmpi
"""


def impl_params(function):
    out = []
    for p in function.params:
        if p.kind_name != "varargs":
            out.append((p.kind.impl or p.ctype) % p.name)
    return ", ".join(out + ["Form form"] * function.tells_form)


def impl_header(functions):
    functions = [f for f in functions if not f.shares]
    own = [f for f in functions if not f.unsupported and not f.plan_use]
    lines = "".join(f"{f.returns} {f.impl}({impl_params(f)});\n" for f in own)
    planned = [f for f in functions if f.plan and f.plan_use in ("", "run")]
    lines += "".join(f"PlanPtr {f.plan}({impl_params(f)});\n" for f in planned)
    return f"""// {NOTE}
// What implements each MPI function once its arguments are checked and its handles looked up. Returns an
// error code, which the caller raises.
#pragma once

#include <mpi.h>

#include "../coll/plan_calls.hpp"
#include "../object/integers.hpp"

namespace detmpi {{

struct Comm;
struct Datatype;
struct Errhandler;
struct Group;
struct Info;
struct Op;
struct Session;
struct UserFunction;

namespace impl {{

{lines}
}}  // namespace impl
}}  // namespace detmpi
"""


def has_root(function):
    return any(p.kind_name == "root" for p in function.params)


def significant(function, param=None):
    """Where the arguments that are not the root's alone count, or this one does: on an inter-communicator the root itself,
    MPI_ROOT, has none of its own if there are others for the root; MPI_PROC_NULL has none at all. In a reduction the
    root shares all but its buffer with the others."""
    kinds = BUFFERS if param and param.kind_name in BUFFERS else ("datatype",)
    if any(p.at_root and p.kind_name in kinds for p in function.params):
        return "counts_at_leaf(root, *comm_o)"
    return "counts_at_member(root, *comm_o)"


def lenient(function, param):
    """Whether the argument may be insignificant, so that its handle need not be valid."""
    return bool(param.kind.lenient) and (has_root(function) or bool(param.guards))


def count_after(function, buffer):
    """The number of elements in a buffer, or in each of its partitions."""
    return function.after(buffer, (*COUNTS, "part_count"))


def fill(template, function, param):
    values = {"n": param.name, "o": param.name + "_o", "a": param.argument}
    if param.kind_name in BUFFERS:
        count, datatype = count_after(function, param), function.after(param, TYPES)
        values |= {"count": count.name, "type": datatype.name + "_o"}
    for key, value in values.items():
        template = template.replace("{" + key + "}", value)
    return template


def buffer_checks(function, param):
    """Buffers that are no memory, where count and datatype are single values."""
    count, datatype = count_after(function, param), function.after(param, TYPES)
    if not count or not datatype or count.kind_name not in ("count", "part_count") or datatype.kind_name != "datatype":
        return []
    condition, failure, cls = BUFFER
    if count.kind_name == "part_count":
        condition += " && partitions > 0"
    if any(p.kind_name == "topo_comm" for p in function.params):
        condition += f" && edges_{'out' if param.kind_name == 'sbuf' else 'in'}(*comm_o) > 0"
    return [(condition, failure, cls)]


def counts_with_type(function):
    """The counts of elements of one type."""
    types = {p.name: function.after(p, TYPES) for p in function.params if p.kind_name == "count"}
    return [p for p in function.params if types.get(p.name) and types[p.name].kind_name == "datatype"]


def guards_of(function, param):
    """What has to hold for the parameter to be significant."""
    guards = []
    if param.at_root:
        guards.append("at_root(root, *comm_o)")
    elif param.after_first:
        guards.append(behind_first(function))
    elif has_root(function) and param.kind_name not in ("root", *COMMS):
        guards.append(significant(function, param))
    if param.guards:
        guards.append("!(" + " && ".join(f"{g} == MPI_IN_PLACE" for g in param.guards) + ")")
    return guards


def with_somebody(function, param):
    """There is a message if there is somebody to send it to, or to receive it from; one buffer may be for both."""
    kinds = {"sbuf": ("dest",), "rbuf": ("source", "message_io"), "iobuf": ("dest", "source")}.get(param.kind_name, ())
    nobody = {"message_io": "*{} != MPI_MESSAGE_NO_PROC"}
    ends = [nobody.get(p.kind_name, "{} != MPI_PROC_NULL").format(p.name) for p in function.params if p.kind_name in kinds]
    return [f"({' || '.join(ends)})" if len(ends) > 1 else ends[0]] if ends else []


def block_checks(function):
    """Null buffers of operations with a count for each block: none that has data may be where no memory is."""
    rows = []
    for buffer in [p for p in function.params if p.kind_name in BUFFERS]:
        counts, types = function.after(buffer, (*COUNTS, "edge_counts")), function.after(buffer, (*TYPES, "edge_types"))
        if not counts or not counts.kind.length:
            continue
        displs = function.after(counts, ("displs", "edge_displs", "edge_aints"))
        places = f"Integers({displs.name})" if displs else "{}"
        of = f"*{types.name}_o" if types.kind_name == "datatype" else types.name
        first, length = "0", counts.kind.length
        if counts.kind_name == "own_counts" and buffer.kind_name == "rbuf":  # it holds the block of this rank alone
            first, length = "comm_o->rank", "comm_o->rank + 1"
        blocks = fill(f"{{n}}, {places}, {first}, {length}, {of}", function, counts)
        guards = guards_of(function, buffer) + [f"{buffer.name} == nullptr"]
        rows.append((" && ".join(guards), f"first_nowhere({blocks}) >= 0",
                     f'fail_nowhere("{buffer.name}", "{counts.name}", {blocks})', "MPI_ERR_BUFFER", buffer.name))
    return rows


def length_checks(function):
    """More bytes than there are: once the types are known to be good."""
    rows = []
    for count in counts_with_type(function):
        datatype = function.after(count, TYPES)
        both = f"{count.name}, *{datatype.name}_o"
        rows.append((" && ".join(guards_of(function, datatype)), f"too_long({both})",
                     f'fail_too_long("{count.name}", {both})', "MPI_ERR_COUNT", count.name))
    for counts in [p for p in function.params if p.kind.length]:
        types = function.after(counts, (*TYPES, "edge_types"))
        of = f"*{types.name}_o" if types.kind_name == "datatype" else types.name
        all_of = fill("{n}, " + counts.kind.length + ", " + of, function, counts)
        rows.append((" && ".join(guards_of(function, types)), f"first_too_long({all_of}) >= 0",
                     f'fail_too_long_at("{counts.name}", {all_of})', "MPI_ERR_COUNT", counts.name))
    return rows


def checks(function):
    """(guard, condition, failure, class, parameter) in the order in which they are made."""
    order = {"comm": 0, "topo_comm": 0, "root": 1}
    has = {p.kind_name for p in function.params}
    rows = []
    for param in sorted(function.params, key=lambda p: (order.get(p.kind_name, 2), p.kind_name in BUFFERS)):
        guards = guards_of(function, param)
        found = list(param.kind.check)
        if param.kind_name == "comm" and function.within_group:
            found.append(("{o}->inter", 'fail(MPI_ERR_COMM, "{n} is an inter-communicator")', "MPI_ERR_COMM"))
        if param.kind_name in BUFFERS:
            found += buffer_checks(function, param)
            if BUFFERS[param.kind_name]:
                guards.append(f"{param.name} != MPI_IN_PLACE")
            guards += with_somebody(function, param)
        for condition, failure, cls in found:
            guard = " && ".join(guards)
            filled = [fill(text, function, param) for text in (condition, failure)]
            rows.append((guard, *filled, cls, param.name))
    if "op" in has and "datatype" in has:
        guard = significant(function) if has_root(function) else ""
        rows.append((guard, "!op_allows(*op_o, *datatype_o)", "fail_op(*op_o, *datatype_o)", "MPI_ERR_OP",
                     "op"))
    return rows + block_checks(function) + length_checks(function) + same_memory_checks(function)


def unsupported_entry(function):
    """Fails on the communicator's error handler. An operation on a file returns the error: so does what stands for files
    without a handler of their own."""
    lines = [f"DETMPI_ENTRY({function.returns}, {function.name}, "
             f"({', '.join('[[maybe_unused]] ' + p.declaration for p in function.params)})) {{",
             f"  CallScope scope(CallId::{function.call_id});",
             "  if (g_job_state != JobState::kRunning) [[unlikely]] return fail_not_running();"]
    if any(p.kind_name == "comm" for p in function.params):
        lines.append("  g_call.comm = comm_from(comm);")
    raised = "false" if function.chapter == "Files" else "true"
    first = "true" if not {p.kind_name for p in function.params} & {"win", "win_io", "file", "file_io"} else "false"
    lines.append(f'  return fail_unsupported("{function.chapter}", {raised}, {first});')
    return "\n".join(lines + ["}"])


def tool_entry(function):
    """Returns what the implementation does. Needs no checks: whatever may be null is looked at there."""
    lines = [f"DETMPI_ENTRY({function.returns}, {function.name}, "
             f"({', '.join(p.declaration for p in function.params)})) {{"]
    if function.name != "T_init_thread":
        lines.append("  if (!tool::is_initialized()) return MPI_T_ERR_NOT_INITIALIZED;")
    lines.append(f"  return impl::{function.impl}({', '.join(p.name for p in function.params)});")
    return "\n".join(lines + ["}"])


def entry(function):
    if function.unsupported:
        return unsupported_entry(function)
    if function.tool:
        return tool_entry(function)
    scope = ", Outside{}" if function.outside or function.anytime else ""
    lines = [f"DETMPI_ENTRY({function.returns}, {function.name}, "
             f"({', '.join(p.declaration for p in function.params)})) {{",
             f"  CallScope scope(CallId::{function.call_id}{scope});"]
    if function.collective:
        lines.append("  g_call_site = call_site(__builtin_return_address(0));")
    if function.sends:
        lines.append("  g_send_site = call_site(__builtin_return_address(0));")
    for p in function.params:
        if p.kind.lookup:
            lines.append(f"  auto* {p.name}_o = {p.kind.lookup}({p.name});")
    comms = [p for p in function.params if p.kind_name in COMMS]
    if comms:
        lines.append(f"  g_call.comm = {comms[0].name}_o;")
    for p in function.params:
        if p.kind_name == "comm_io":
            lines.append(f"  g_call.comm = {p.name} == nullptr ? nullptr : comm_from(*{p.name});")
        elif p.kind_name == "session":
            lines.append(f"  g_call.session = {p.name}_o;")
        elif p.kind_name == "initial_errhandler":
            lines.append(f"  g_call.errhandler = {p.name}_o;")
    if function.anytime:
        lines.append("  if (g_job_state == JobState::kRunning) engine_tick();")
    body = []
    if not function.outside and not function.anytime:
        body.append("    if (g_job_state != JobState::kRunning) [[unlikely]] return fail_not_running();")
    if function.returns == "int":
        for guard, condition, failure, *_ in checks(function):
            test = f"{guard} && ({condition})" if guard else condition
            body.append(f"    if ({test}) [[unlikely]] return {failure};")
    if body:
        lines += ["  if (g_checks) [[likely]] {"] + body + ["  }"]
    arguments = [argument(function, p) for p in function.params if p.kind_name != "varargs"]
    if function.tells_form:
        arguments.append("Form::kLarge" if function.is_large else "Form::kShort")
    call = f"impl::{function.impl}({', '.join(arguments)})"
    if function.plan:
        planned = plan_call(function, arguments)
        if function.plan_use:
            call = planned
        elif not function.within_group:
            lines.append(f"  if (comm_o->inter) [[unlikely]] return finish({planned});")
    lines.append(f"  return finish({call});" if function.returns == "int" else f"  return {call};")
    return "\n".join(lines + ["}"])


def plan_call(function, arguments):
    """The plan's own parameters are those of the operation that blocks."""
    extra = {"start": 1, "keep": 2}.get(function.plan_use, 0)
    plan = f"impl::{function.plan}({', '.join(arguments[:len(arguments) - extra])})"
    request = ", request" if extra else ""
    return f"plan_{function.plan_use or 'run'}({plan}{request})"


def argument(function, param):
    if lenient(function, param):
        return param.kind.lenient.replace("{n}", param.name)
    if param.kind.lookup:
        return param.name + "_o" if param.kind.nullable else "*" + param.name + "_o"
    return param.name


def entry_source(functions):
    body = "\n\n".join(entry(f) for f in functions)
    return f"""// {NOTE}
// The MPI functions: each looks up handles, checks arguments, calls what implements it and raises errors.
#include "../coll/plan_calls.hpp"
#include "../object/call_site.hpp"
#include "entry.hpp"
#include "impl.hpp"

namespace detmpi {{

{body}

}}  // namespace detmpi
"""


def main():
    options = read_options(__doc__)
    functions = read_table(options.functions)
    template = Path(options.header_template).read_text()
    write_all(options.out, {
        "mpi.h": mpi_header(functions, template),
        "call_ids.hpp": cpp_style(call_ids(functions)),
        "impl.hpp": cpp_style(impl_header(functions)),
        "entry.cpp": cpp_style(entry_source(functions)),
    })


if __name__ == "__main__":
    main()
