"""The command line of bench/run."""

import argparse
from pathlib import Path

from .operators import VARIANTS
from .rows import ROWS
from .sizes import SIZES

PEERS = ("cpp", "go", "rust")


def parse(description):
    parser = argparse.ArgumentParser(prog="bench/run", description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", type=_some_of(PEERS), default=PEERS, metavar=",".join(PEERS))
    parser.add_argument("--variants", type=_some_of(VARIANTS), default=VARIANTS, metavar=",".join(VARIANTS))
    parser.add_argument("--rows", type=_some_of(ROWS), default=ROWS, metavar="ROW,...", help=", ".join(ROWS))
    parser.add_argument("--size", choices=SIZES, default="full")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="rounds; the table shows medians")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="all values, of all rounds")
    parser.add_argument("--binary", type=_binary, action="append", default=[], metavar="PEER=FILE",
                        help="use this binary and build nothing for that peer")
    return parser.parse_args()


def _some_of(known):
    def convert(text):
        chosen = tuple(text.split(","))
        for name in chosen:
            if name not in known:
                raise argparse.ArgumentTypeError(f"'{name}' is none of {', '.join(known)}")
        return chosen
    return convert


def _binary(text):
    peer, _, path = text.partition("=")
    if peer not in PEERS or not Path(path).is_file():
        raise argparse.ArgumentTypeError(f"PEER=FILE is expected, PEER one of {', '.join(PEERS)}, and a file that exists")
    return peer, Path(path).resolve()
