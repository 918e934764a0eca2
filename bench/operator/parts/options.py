"""The command line of bench/operator/run."""

import argparse
import math
from dataclasses import dataclass
from pathlib import Path

PODS_PER_NODE = 30


@dataclass(frozen=True)
class Plan:
    jobs: int
    ranks: int
    nodes: int
    interruptions: int
    storms: tuple
    idle: float


def parse(description):
    parser = argparse.ArgumentParser(prog="bench/operator/run", description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=_positive, default=1000, metavar="N")
    parser.add_argument("--ranks", type=_positive, default=1, metavar="N", help="pods of a job (default: 1)")
    parser.add_argument("--nodes", type=_positive, metavar="N", help=f"default: one for {PODS_PER_NODE} pods")
    parser.add_argument("--interruptions", type=int, default=50, metavar="N", help="one at a time (default: 50)")
    parser.add_argument("--storms", type=_numbers, default=(500,), metavar="N,...",
                        help="so many jobs interrupted at once, one storm after the other (default: 500)")
    parser.add_argument("--idle", type=float, default=60, metavar="SECONDS", help="how long nothing happens (default: 60)")
    parser.add_argument("--peer", choices=("jobset",), help="measure this one beside, in a cluster of its own")
    parser.add_argument("--only", choices=("reprise", "jobset"), help="measure this one alone")
    parser.add_argument("--pools", type=_positive, metavar="N",
                        help="instead of jobs: so many pools over --nodes nodes (default: 100 nodes each) that nobody plays")
    parser.add_argument("--binary", type=Path, metavar="FILE", help="use this operator and build nothing for it")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="all values")
    chosen = parser.parse_args()
    chosen.plan = _plan(chosen)
    return chosen


def _plan(chosen):
    nodes = chosen.nodes or (100 * chosen.pools if chosen.pools else math.ceil(chosen.jobs * chosen.ranks / PODS_PER_NODE) + 1)
    return Plan(chosen.jobs, chosen.ranks, nodes, min(chosen.interruptions, chosen.jobs),
                tuple(sorted({min(storm, chosen.jobs) for storm in chosen.storms})), chosen.idle)


def _positive(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no positive number")
    return int(text)


def _numbers(text):
    return tuple(_positive(word) for word in text.split(",") if word)
