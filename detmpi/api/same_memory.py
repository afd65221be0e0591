"""Checks of the buffers of a collective operation: MPI_IN_PLACE where it says nothing, and the same memory for both."""
from kinds import BUFFERS, COUNTS, TYPES

# Operations whose buffer holds a block for each rank, of one size: the others have arrays of counts.
BLOCKS = {
    "allgather": ("recvbuf",),
    "alltoall": ("sendbuf", "recvbuf"),
    "gather": ("recvbuf",),
    "scatter": ("sendbuf",),
}


def behind_first(function):
    """Where a buffer counts that is marked @after_first."""
    other = next(p.name for p in function.params if BUFFERS.get(p.kind_name))
    return f"(comm_o->rank != 0 || {other} == MPI_IN_PLACE)"


def in_place_checks(function):
    """MPI_IN_PLACE for a buffer that is significant: those that may be in place are so at the root, or within a group."""
    has_root = any(p.kind_name == "root" for p in function.params)
    rows = []
    for p in (p for p in function.params if p.kind_name in BUFFERS):
        wrong, why = [], ""
        if BUFFERS[p.kind_name] and has_root:
            wrong, why = ["counts_at_leaf(root, *comm_o)", "!at_root(root, *comm_o)"], " at a rank that is not the root"
        elif BUFFERS[p.kind_name]:
            wrong, why = ["comm_o->inter"], " on an inter-communicator"
            if function.within_group:
                continue
        elif p.at_root:
            wrong = ["at_root(root, *comm_o)"]
        elif has_root:
            wrong = ["counts_at_member(root, *comm_o)"]
        elif p.after_first:
            wrong = [behind_first(function)]
        rows.append(("", " && ".join([f"{p.name} == MPI_IN_PLACE", *wrong]),
                     f'fail(MPI_ERR_BUFFER, "{p.name} is MPI_IN_PLACE{why}")', "MPI_ERR_BUFFER", p.name))
    return rows


def same_memory_checks(function):
    """Rows as those of generate.checks."""
    if not function.plan and not function.name.startswith("Reduce_local"):
        return []
    rows = in_place_checks(function)
    buffers = [p for p in function.params if p.kind_name in BUFFERS]
    in_place = [p for p in buffers if BUFFERS[p.kind_name]]
    if len(buffers) != 2 or (function.plan and not in_place):
        return rows
    guards = ["!comm_o->inter"] * bool(function.plan and not function.within_group)
    guards += ["at_root(root, *comm_o)"] * any(p.at_root for p in buffers)
    guards += [f"{p.name} != MPI_IN_PLACE" for p in in_place]
    guards += [behind_first(function) for p in buffers if p.after_first]
    sent, received = (own_data(function, p) for p in buffers)
    same = f"same_data({sent}, {received})"
    if function.after(buffers[0], ("op",)):  # the quicker test comes first
        same = f"{buffers[0].name} == {buffers[1].name} && {sent} != 0"
    rows.append((" && ".join(guards), same,
                 f'fail_same_memory("{buffers[0].name}", "{buffers[1].name}")', "MPI_ERR_BUFFER", buffers[1].name))
    return rows


def own_data(function, buffer):
    """The first byte of what the rank sends to itself, or gets from itself."""
    count, datatype = function.after(buffer, COUNTS), function.after(buffer, TYPES)
    displs = function.after(buffer, ("displs",))
    many = datatype.kind_name == "datatypes"
    rank = "comm_o->rank"
    if count.kind_name in ("counts", "own_counts") and displs:
        types = f"datatype_from({datatype.name}[{rank}])" if many else f"{datatype.name}_o"
        step = "1" if many else f"{types}->extent"
        return f"data_at({buffer.name}, {displs.name}[{rank}], {step}, {count.name}[{rank}], {types})"
    number = f"{count.name}[{rank}]" if count.kind_name in ("counts", "own_counts") else count.name
    blocks = BLOCKS.get(function.plan.removeprefix("plan_"), ())
    before = f"int64_t{{{rank}}} * {number}" if buffer.name in blocks else "0"
    return f"data_at({buffer.name}, {before}, {datatype.name}_o->extent, {number}, {datatype.name}_o)"
