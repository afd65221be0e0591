"""How long a run would have taken at least, by what its ranks did when (trace.h): replayed with MPI calls that take no time,
but wait for what they need. Another library can end earlier only if the programs' own code runs faster with it."""

import collections
import itertools
import struct

SEND, POST, WAIT, ALL, BY_ROOT, TO_ROOT, MEMBER, END = range(8)
EVENT = struct.Struct("qqiiIi")
Event = collections.namedtuple("Event", "own_ns bytes kind peer channel number")
LARGE_BYTES = 1 << 20  # and more do not fit into caches beside what the programs work on
SMALL_BYTES = 4 << 10  # what is shorter may as well take no time


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


class Rates:
    """Bytes a second, None for no time at all: of messages that go through memory, and of those from core to core."""

    def __init__(self, memory=None, cores=None):
        self.memory = memory
        self.cores = cores

    def copy_ns(self, size):
        """What one copy of a message takes."""
        rate = self.memory if size >= LARGE_BYTES else self.cores if size >= SMALL_BYTES else None
        return size / rate * 1e9 if rate else 0


def all_copies_ns(traces, rates):
    """Processor time of one copy of each message, in the timed part of all ranks."""
    return sum(rates.copy_ns(event.bytes) for trace in traces for event in timed_part(trace)
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

    def arrival(self, rank, event, rates):
        """When the message is in the receive's buffer, None if it was not sent yet."""
        lane, place, posted = self.receives[rank, event.number]
        if place >= len(self.sent[lane]):
            return None
        del self.receives[rank, event.number]
        sent, size = self.sent[lane][place]
        return max(sent, posted) + rates.copy_ns(size)


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
    def __init__(self, traces, rates):
        self.traces = traces
        self.rates = rates
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

    def leave(self, rank, event):
        """When the call returns, None if it waits for a rank that has not come as far."""
        time = self.times[rank]
        if event.kind == SEND:
            self.messages.send(rank, event, time)
        elif event.kind == POST:
            self.messages.post(rank, event, time)
        elif event.kind == WAIT:
            arrival = self.messages.arrival(rank, event, self.rates)
            return None if arrival is None else max(time, arrival)
        elif event.kind in (ALL, BY_ROOT, TO_ROOT):
            if self.meeting[rank] is None:
                self.meeting[rank] = self.meetings.enter(rank, event, time)
            end = self.meetings.end(rank, event, self.meeting[rank])
            if end is None:
                return None
            self.meeting[rank] = None
            return max(time, end) + self.rates.copy_ns(event.bytes)
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
        while any([self.advance(rank) for rank in ranks]):  # a list: all of them, each time
            pass
        for rank in ranks:
            if self.places[rank] < len(self.traces[rank]):
                raise TraceError(f"rank {rank} waits for what does not come")
        if None in self.ends:
            raise TraceError(f"rank {self.ends.index(None)} never ended its timed part")
        return max(self.ends)


def least_ns(traces, rates=Rates()):
    """From the begin of the timed part to its end on the last rank, if the code between calls takes as long as it did. With rates,
    a library that copies every message once, and not faster than that."""
    return Replay(traces, rates).run()
