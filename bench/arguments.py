"""Types of command line options."""

import argparse


def name_list(allowed):
    def parse(text):
        names = [name for name in text.split(",") if name]
        for name in names:
            if name not in allowed:
                raise argparse.ArgumentTypeError(f"unknown name '{name}', one of {', '.join(allowed)}")
        return names

    return parse


def rank_list(text):
    try:
        ranks = [int(word) for word in text.split(",") if word]
    except ValueError:
        ranks = []
    if not ranks or min(ranks) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of rank counts")
    return ranks


def positive(kind):
    def parse(text):
        value = kind(text)
        if value <= 0:
            raise argparse.ArgumentTypeError(f"'{text}' is not above zero")
        return value

    return parse
