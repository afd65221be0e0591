"""How long a run would have taken where ranks share cores, by what they did when: replayed as critical_path.py does, but on so
many cores, each of which runs one of its ranks at a time, until that must wait, and takes some time to change to the next. An
estimate of what a library could reach, and no bound: of all schedules a few are tried."""

import collections
import heapq

from runner.critical_path import ALL, BY_ROOT, END, SEND, TO_ROOT, Rates, Replay, TraceError

COLLECTIVE = (ALL, BY_ROOT, TO_ROOT)


class Core:
    def __init__(self):
        self.ready = collections.deque()  # ranks, in the order in which they have become so
        self.running = None
        self.latest = None  # the rank that ran last
        self.free = 0       # since when, if none runs


class Turns(Replay):
    """`core_of[rank]`; `pick(ready)` takes one out. Copies are made by the sender, on its core."""

    def __init__(self, traces, rates, core_of, switch_ns, pick):
        super().__init__(traces, Rates())
        self.copies = rates
        self.core_of = core_of
        self.switch_ns = switch_ns
        self.pick = pick
        self.cores = [Core() for _ in range(max(core_of) + 1)]
        self.blocked = set()
        self.events = []  # (time, rank): when the rank comes to the call at its place

    def run(self):
        for rank, core in enumerate(self.core_of):
            self.cores[core].ready.append(rank)
        for core in self.cores:
            if core.ready:
                self.start_next(core, 0)
        while self.events:
            time, rank = heapq.heappop(self.events)
            self.reach(rank, time)
        if None in self.ends:
            raise TraceError(f"rank {self.ends.index(None)} waits for what does not come")
        return max(self.ends)

    def reach(self, rank, time):
        """The rank comes to a call."""
        event = self.traces[rank][self.places[rank]]
        self.times[rank] = time
        may_leave = self.leave(rank, event) is not None
        if may_leave and event.kind != END:
            self.go_on(rank, time)
        else:
            if not may_leave:
                self.blocked.add(rank)
            self.give_away(self.cores[self.core_of[rank]], time)
        self.wake_for(rank, event, time)

    def go_on(self, rank, time):
        """It has left the call at its place, but for the copy."""
        event = self.traces[rank][self.places[rank]]
        if event.kind in (SEND, *COLLECTIVE):
            time += self.copies.copy_ns(event.bytes)
        self.places[rank] += 1
        heapq.heappush(self.events, (time + self.traces[rank][self.places[rank]].own_ns, rank))

    def wake_for(self, rank, event, time):
        """Those that waited for this."""
        if event.kind == SEND:
            others = (event.peer,)
        elif event.kind in COLLECTIVE:
            others = sorted(self.meetings.members[event.channel])
        else:
            return
        for other in others:
            if other in self.blocked and self.leave(other, self.traces[other][self.places[other]]) is not None:
                self.blocked.remove(other)
                self.make_ready(other, time)

    def make_ready(self, rank, time):
        core = self.cores[self.core_of[rank]]
        core.ready.append(rank)
        if core.running is None:
            self.start_next(core, max(time, core.free))

    def give_away(self, core, time):
        core.running, core.free = None, time
        if core.ready:
            self.start_next(core, time)

    def start_next(self, core, time):
        rank = self.pick(core.ready)
        if core.latest not in (None, rank):
            time += self.switch_ns
        core.running = core.latest = rank
        if self.started[rank]:  # it comes out of a call
            self.go_on(rank, time)
        else:
            self.started[rank] = True
            heapq.heappush(self.events, (time + self.traces[rank][0].own_ns, rank))


def longest_ready(ready):
    return ready.popleft()


def latest_ready(ready):
    return ready.pop()


def shortest_ns(traces, rates, cores, switch_ns):
    """Of ranks dealt out to the cores in turn and in blocks, that go on as they have become ready or the other way round. Each
    core has equally many ranks, or this means little: no rank changes its core here."""
    ranks = len(traces)
    deals = [[rank % cores for rank in range(ranks)], [rank * cores // ranks for rank in range(ranks)]]
    return min(Turns(traces, rates, deal, switch_ns, pick).run() for deal in deals for pick in (longest_ready, latest_ready))
