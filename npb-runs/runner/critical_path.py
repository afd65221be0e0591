"""How long a run would have taken at least, by what its ranks did when (trace.h): replayed with MPI calls that take no time,
but wait for what they need. Another library can end earlier only if the programs' own code runs faster with it."""

import collections
import itertools
import struct

SEND, POST, WAIT, ALL, BY_ROOT, TO_ROOT, MEMBER, END = range(8)
EVENT = struct.Struct("qqiiIi")
Event = collections.namedtuple("Event", "own_ns bytes kind peer channel number")
# Smaller ones may be copied within caches.
LEAST_COPIED_BYTES = 1 << 20


class TraceError(Exception):
    """A trace that cannot be replayed; the text says why."""


def read_trace(path):
    data = path.read_bytes()
    if len(data) % EVENT.size:
        raise TraceError(f"{path}: cut off")
    return [Event(*fields) for fields in EVENT.iter_unpack(data)]


def read_traces(folder, ranks):
    """Those of all ranks, None if one is not there."""
    paths = [folder / str(rank) for rank in range(ranks)]
    return [read_trace(path) for path in paths] if all(path.is_file() for path in paths) else None


def copy_ns(size, bytes_per_s):
    """What one copy of a message takes."""
    return size / bytes_per_s * 1e9 if bytes_per_s and size >= LEAST_COPIED_BYTES else 0


def all_copies_ns(traces, bytes_per_s):
    """Processor time of one copy of each message, in the timed part of all ranks."""
    return sum(copy_ns(event.bytes, bytes_per_s) for trace in traces for event in timed_part(trace)
               if event.kind in (SEND, ALL, BY_ROOT, TO_ROOT))


def timed_part(trace):
    ends = [place for place, event in enumerate(trace) if event.kind == END]
    return trace[:ends[-1]] if ends else trace


class Messages:
    """From point to point: the n-th sent to a rank on a channel is the n-th that a receive there was posted for."""

    def __init__(self):
        self.sent = collections.defaultdict(list)    # (time, bytes)
        self.posted = collections.defaultdict(int)   # how many
        self.receives = {}                           # (rank, number) -> (lane, place in it, time of the post)

    def send(self, rank, event, time):
        self.sent[rank, event.peer, event.channel].append((time, event.bytes))

    def post(self, rank, event, time):
        lane = event.peer, rank, event.channel
        self.receives[rank, event.number] = lane, self.posted[lane], time
        self.posted[lane] += 1

    def arrival(self, rank, event, copy_time):
        """When the message is in the receive's buffer, None if it was not sent yet."""
        lane, place, posted = self.receives[rank, event.number]
        if place >= len(self.sent[lane]):
            return None
        del self.receives[rank, event.number]
        sent, size = self.sent[lane][place]
        return max(sent, posted) + copy_time(size)


class Meetings:
    """Collective operations: the n-th of a rank on a communicator is the n-th of all its members."""

    def __init__(self, members):
        self.members = members
        self.entered = collections.defaultdict(dict)  # (channel, n) -> rank -> time
        self.count = collections.defaultdict(int)     # (channel, rank) -> entered

    def enter(self, rank, event, time):
        """The key of the operation."""
        key = event.channel, self.count[event.channel, rank]
        self.count[event.channel, rank] += 1
        self.entered[key][rank] = time
        return key

    def end(self, rank, event, key):
        """When the call returns, None if it is not known yet."""
        entered = self.entered[key]
        if event.kind == BY_ROOT:
            return max(entered[rank], entered[event.peer]) if event.peer in entered else None
        if event.kind == TO_ROOT and event.peer != rank:
            return entered[rank]
        return max(entered.values()) if len(entered) == len(self.members[event.channel]) else None


class Replay:
    def __init__(self, traces, bytes_per_s):
        self.traces = traces
        self.bytes_per_s = bytes_per_s
        members = collections.defaultdict(set)
        for event in itertools.chain(*traces):
            if event.kind == MEMBER:
                members[event.channel].add(event.peer)
        self.messages = Messages()
        self.meetings = Meetings(members)
        self.places = [0] * len(traces)
        self.times = [0] * len(traces)
        self.meeting = [None] * len(traces)  # that the rank is in
        self.started = [False] * len(traces)  # the call at its place: its own time was added
        self.ends = [None] * len(traces)

    def copy_time(self, size):
        return copy_ns(size, self.bytes_per_s)

    def leave(self, rank, event):
        """When the call returns, None if it waits for a rank that has not come as far."""
        time = self.times[rank]
        if event.kind == SEND:
            self.messages.send(rank, event, time)
        elif event.kind == POST:
            self.messages.post(rank, event, time)
        elif event.kind == WAIT:
            arrival = self.messages.arrival(rank, event, self.copy_time)
            return None if arrival is None else max(time, arrival)
        elif event.kind in (ALL, BY_ROOT, TO_ROOT):
            if self.meeting[rank] is None:
                self.meeting[rank] = self.meetings.enter(rank, event, time)
            end = self.meetings.end(rank, event, self.meeting[rank])
            if end is None:
                return None
            self.meeting[rank] = None
            return max(time, end) + self.copy_time(event.bytes)
        elif event.kind == END:
            self.ends[rank] = time
        return time

    def advance(self, rank):
        """As far as the rank comes; true if it did anything."""
        trace, began = self.traces[rank], self.places[rank]
        while self.places[rank] < len(trace):
            event = trace[self.places[rank]]
            if not self.started[rank]:
                self.times[rank] += event.own_ns
                self.started[rank] = True
            end = self.leave(rank, event)
            if end is None:
                break
            self.times[rank] = end
            self.started[rank] = False
            self.places[rank] += 1
        return self.places[rank] > began

    def run(self):
        ranks = range(len(self.traces))
        while any([self.advance(rank) for rank in ranks]):
            pass
        for rank in ranks:
            if self.places[rank] < len(self.traces[rank]):
                raise TraceError(f"rank {rank} waits for what does not come")
        if None in self.ends:
            raise TraceError(f"rank {self.ends.index(None)} never ended its timed part")
        return max(self.ends)


def least_ns(traces, bytes_per_s=None):
    """From the begin of the timed part to its end on the last rank, if the code between calls takes as long as it did. With a rate,
    a library that copies every message of LEAST_COPIED_BYTES and more once, and not faster than that."""
    return Replay(traces, bytes_per_s).run()
