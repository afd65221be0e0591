"""What generators that make C or Fortran from the function table share: their arguments, and how they write."""
import argparse
from pathlib import Path

NOTE = "Generated from the function table; do not edit."


def read_options(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--functions", required=True, help="folder of the table")
    parser.add_argument("--header-template", required=True, help="mpi.h.in")
    parser.add_argument("--out", required=True, help="folder to write to")
    return parser.parse_args()


def write_all(folder, texts):
    """`texts` by name. What is the same stays as it is, with its time: what depends on it need not be built again."""
    for name, text in texts.items():
        path = Path(folder) / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
