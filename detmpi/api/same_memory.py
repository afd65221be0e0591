"""Checks of the two buffers of a collective operation: MPI_IN_PLACE where it says nothing, and the same memory for both."""
from kinds import BUFFERS, COUNTS, TYPES

# Operations whose buffer holds a block for each rank, of one size: the others have arrays of counts.
BLOCKS = {
    "allgather": ("recvbuf",),
    "alltoall": ("sendbuf", "recvbuf"),
    "gather": ("recvbuf",),
    "scatter": ("sendbuf",),
}


def same_memory_checks(function):
    """Rows as those of generate.checks."""
    buffers = [p for p in function.params if p.kind_name in BUFFERS]
    in_place = [p for p in buffers if BUFFERS[p.kind_name]]
    collective = function.plan and len(in_place) == 1
    if len(buffers) != 2 or not (collective or function.name.startswith("Reduce_local")):
        return []
    at_root = ["at_root(root, *comm_o)"] * any(p.at_root for p in buffers)
    rows = []
    for p in buffers:
        if p not in in_place:
            guard = " && ".join(at_root * p.at_root)
            rows.append((guard, f"{p.name} == MPI_IN_PLACE",
                         f'fail(MPI_ERR_BUFFER, "{p.name} is MPI_IN_PLACE")', "MPI_ERR_BUFFER", p.name))
    guards = ["!comm_o->inter"] * bool(collective) + at_root + [f"{p.name} != MPI_IN_PLACE" for p in in_place]
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
