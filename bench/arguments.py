"""Types of command line options."""

import argparse
import sys


def name_list(allowed):
    def parse(text):
        names = [name for name in text.split(",") if name]
        for name in names:
            if name not in allowed:
                raise argparse.ArgumentTypeError(f"unknown name '{name}', one of {', '.join(allowed)}")
        return names

    return parse


MOST_RANKS = 2**31 - 1  # an int, as MPI counts them


def rank_list(text):
    try:
        ranks = [int(word) for word in text.split(",") if word]
    except ValueError:
        ranks = []
    if not ranks or min(ranks) < 1 or max(ranks) > MOST_RANKS:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of rank counts")
    return ranks


def positive(kind, most=sys.float_info.max):
    """A number of this kind, int or float. Neither infinity nor NaN, which compares with nothing."""
    limit = "" if most == sys.float_info.max else f", {most:.0f} at most"

    def parse(text):
        try:
            value = kind(text)
        except ValueError:
            value = 0
        if not 0 < value <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is not a {'whole ' if kind is int else ''}number above zero{limit}")
        return value

    return parse


time_limit = positive(float, most=1e6)  # seconds; poll(2) takes milliseconds as an int
