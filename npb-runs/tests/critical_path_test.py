#!/usr/bin/env python3
"""The replay of traces: written by hand, with times of which the answer is plain."""

import pathlib
import tempfile
import unittest

import runner_support

from runner import critical_path, turns
from runner.critical_path import ALL, BY_ROOT, END, MEMBER, POST, SEND, TO_ROOT, WAIT, Event, Rates, TraceError, least_ns

MIB = 1 << 20
WORLD = 9  # a channel


def event(kind, own_ns=0, peer=-1, channel=1, number=0, size=0):
    return Event(own_ns, size, kind, peer, channel, number)


def members(ranks):
    return [event(MEMBER, peer=rank, channel=WORLD) for rank in range(ranks)]


def receive(own_ns, peer, number=0, work=0):
    """Posted, and waited for after the work."""
    return [event(POST, own_ns, peer, number=number), event(WAIT, work, number=number)]


class Replays(unittest.TestCase):
    def test_a_receive_waits_for_its_message(self):
        sender = [event(SEND, 100, peer=1), event(END, 5)]
        self.assertEqual(least_ns([sender, [*receive(10, 0), event(END, 20)]]), 120)
        self.assertEqual(least_ns([sender, [*receive(300, 0), event(END, 20)]]), 320)

    def test_what_is_done_meanwhile_does_not_count_twice(self):
        sender = [event(SEND, 100, peer=1), event(END)]
        self.assertEqual(least_ns([sender, [*receive(10, 0, work=80), event(END, 20)]]), 120)
        self.assertEqual(least_ns([sender, [*receive(10, 0, work=95), event(END, 20)]]), 125)

    def test_messages_of_a_channel_in_order(self):
        sender = [event(SEND, 10, peer=1), event(SEND, 90, peer=1), event(END)]
        waits = [event(POST, 0, 0, number=0), event(POST, 0, 0, number=1), event(WAIT, number=1), event(END, 1)]
        self.assertEqual(least_ns([sender, waits]), 101)
        waits[2] = event(WAIT, number=0)
        self.assertEqual(least_ns([sender, [*waits, event(WAIT, number=1)]]), 100)

    def test_channels_do_not_mix(self):
        sender = [event(SEND, 10, peer=1, channel=2), event(SEND, 90, peer=1, channel=1), event(END)]
        self.assertEqual(least_ns([sender, [*receive(0, 0), event(END)]]), 100)

    def test_waits_are_handed_on(self):
        traces = [[event(SEND, 50, peer=1), event(END)],
                  [*receive(0, 0), event(SEND, 30, peer=2), event(END)],
                  [*receive(0, 1), event(END, 7)]]
        self.assertEqual(least_ns(traces), 87)

    def collective(self, kind, root, ends):
        """When three ranks that come at 10, 20 and 30 are through; and if the last one comes first."""
        def end_of(rank, times, root):
            traces = [[event(kind, times[other], peer=root, channel=WORLD),
                       event(END, 1000 if other == rank else 0), *members(3)] for other in range(3)]
            return least_ns(traces) - 1000
        for rank, expected in enumerate(ends):
            self.assertEqual(end_of(rank, (10, 20, 30), root), expected, rank)
            self.assertEqual(end_of(2 - rank, (30, 20, 10), root), expected, rank)

    def test_all_for_all(self):
        self.collective(ALL, -1, (30, 30, 30))

    def test_all_for_the_root(self):
        self.collective(BY_ROOT, 1, (20, 20, 30))

    def test_the_root_for_all(self):
        self.collective(TO_ROOT, 1, (10, 30, 30))

    def test_who_has_the_message_of_the_root_goes_on(self):
        """The last rank comes to the operation because another one has left it."""
        everybody = event(BY_ROOT, 10, peer=0, channel=WORLD)
        traces = [[everybody, event(END), *members(3)],
                  [everybody, event(SEND, 5, peer=2), event(END)],
                  [*receive(0, 1), everybody, event(END)]]
        self.assertEqual(least_ns(traces), 25)

    def test_shares_that_change_sides(self):
        """Each has half of the work, but never the lesser part of a phase: 2 x 70, not 100."""
        traces = [[event(ALL, mine, channel=WORLD), event(ALL, 100 - mine, channel=WORLD), event(END), *members(2)]
                  for mine in (30, 70)]
        self.assertEqual(least_ns(traces), 140)

    def test_copies(self):
        rates = Rates(memory=MIB * 1e9 / 500)  # a MiB in 500 ns
        traces = [[event(SEND, 100, peer=1, size=MIB), event(END)], [*receive(0, 0), event(END)]]
        self.assertEqual(least_ns(traces, rates), 600)
        self.assertEqual(critical_path.all_copies_ns(traces, rates), 500)
        self.assertEqual(least_ns([traces[0], [*receive(300, 0), event(END)]], rates), 800)
        traces[0][0] = event(SEND, 100, peer=1, size=MIB - 1)
        self.assertEqual(least_ns(traces, rates), 100)
        everybody = [[event(ALL, 10, channel=WORLD, size=2 * MIB), event(END), *members(2)] for _ in range(2)]
        self.assertEqual(least_ns(everybody, rates), 1010)
        self.assertEqual(critical_path.all_copies_ns(everybody, rates), 2000)

    def test_rates_by_size(self):
        rates = Rates(memory=1e9, cores=2e9)
        for size, expected in ((4095, 0), (4096, 2048), (MIB - 2, MIB / 2 - 1), (MIB, MIB)):
            self.assertEqual(rates.copy_ns(size), expected)

    def test_only_the_timed_part_counts(self):
        after = event(ALL, 500, channel=WORLD, size=MIB)
        traces = [[event(END, 10), event(END, 10), after, *members(2)] for _ in range(2)]
        self.assertEqual(least_ns(traces), 20)
        self.assertEqual(critical_path.all_copies_ns(traces, Rates(1e9, 1e9)), 0)

    def test_what_cannot_be_replayed(self):
        for trace in ([*receive(0, 0), event(END)], [event(ALL, channel=WORLD), *members(2), event(END)], [event(SEND, 1, peer=0)]):
            with self.assertRaises(TraceError):
                least_ns([trace])


class Turns(unittest.TestCase):
    """Ranks that share cores."""

    def shortest(self, traces, cores=1, switch_ns=0, rates=Rates()):
        return turns.shortest_ns(traces, rates, cores, switch_ns)

    def test_one_after_the_other(self):
        traces = [[event(END, time)] for time in (10, 20, 40)]
        self.assertEqual(self.shortest(traces), 70)
        self.assertEqual(self.shortest(traces, switch_ns=3), 76)
        self.assertEqual(self.shortest(traces, cores=2, switch_ns=3), 40)  # the two shorter ones share a core
        self.assertEqual(self.shortest(traces, cores=3, switch_ns=3), 40)

    def test_a_rank_that_waits_gives_its_core_away(self):
        sender = [event(SEND, 100, peer=1), event(END, 5)]
        receiver = [*receive(10, 0), event(END, 20)]
        # The sender goes on to its end before it gives the core away, or the receiver waits first.
        self.assertEqual(self.shortest([sender, receiver], switch_ns=7), 142)
        self.assertEqual(self.shortest([sender, receiver], cores=2, switch_ns=7), 120)

    def test_handed_to_and_fro(self):
        """Two ranks on a core that wait for each other by turns: each turn is a change."""
        rounds = 10
        ping = [part for n in range(rounds) for part in (event(SEND, 5, peer=1), *receive(0, 1, number=n))] + [event(END)]
        pong = [part for n in range(rounds) for part in (*receive(0, 0, number=n), event(SEND, 5, peer=0))] + [event(END)]
        self.assertEqual(self.shortest([ping, pong]), 2 * rounds * 5)
        self.assertEqual(self.shortest([ping, pong], switch_ns=100), 2 * rounds * (5 + 100))
        self.assertEqual(self.shortest([ping, pong], cores=2, switch_ns=100), 2 * rounds * 5)

    def test_collective_operations(self):
        traces = [[event(ALL, time, channel=WORLD), event(END, 1), *members(3)] for time in (10, 20, 30)]
        self.assertEqual(self.shortest(traces), 63)
        self.assertEqual(self.shortest(traces, switch_ns=2), 63 + 4 * 2)
        by_root = [[event(BY_ROOT, time, peer=1, channel=WORLD), event(END, 1), *members(3)] for time in (10, 20, 30)]
        self.assertEqual(self.shortest(by_root, switch_ns=2), 63 + 3 * 2)  # who comes before the root waits for it

    def test_copies_take_the_time_of_a_core(self):
        rates = Rates(memory=MIB * 1e9 / 500)
        traces = [[event(SEND, 100, peer=1, size=MIB), event(END)], [*receive(0, 0), event(END)]]
        self.assertEqual(self.shortest(traces, rates=rates), 600)
        everybody = [[event(ALL, 10, channel=WORLD, size=MIB), event(END), *members(2)] for _ in range(2)]
        self.assertEqual(self.shortest(everybody, rates=rates), 1020)

    def test_never_shorter_than_with_a_core_for_each(self):
        traces = [[*receive(5, (rank + 1) % 4, work=7 * rank), event(END, 3)] for rank in range(4)]
        for rank in range(4):
            traces[rank].insert(0, event(SEND, 11 * rank, peer=(rank - 1) % 4))
        self.assertGreaterEqual(self.shortest(traces, cores=2, switch_ns=1), least_ns(traces))

    def test_what_cannot_be_replayed(self):
        with self.assertRaises(TraceError):
            self.shortest([[*receive(0, 0), event(END)]])


class Files(unittest.TestCase):
    def test_as_written(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            trace = [event(SEND, 1 << 40, 3, 0xffffffff, 5, 1 << 41), event(END)]
            (folder / "0").write_bytes(b"".join(critical_path.EVENT.pack(*each) for each in trace))
            self.assertEqual(critical_path.read_traces(folder, 1), [trace])
            self.assertIsNone(critical_path.read_traces(folder, 2))
            (folder / "0").write_bytes(b"x" * 33)
            with self.assertRaises(TraceError):
                critical_path.read_traces(folder, 1)


if __name__ == "__main__":
    runner_support.main()
