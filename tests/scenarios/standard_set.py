"""The seeds that count: what `make test` runs, and what a planted bug must be caught by."""

import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent


class StandardSet:
    def __init__(self, file=HERE / "standard_set.toml"):
        table = tomllib.loads(file.read_text())
        self.left_out = {each["seed"]: each["reason"] for each in table.get("left_out", [])}
        seeds = [*range(table["first"], table["last"] + 1), *table.get("further", [])]
        self.seeds = [seed for seed in seeds if seed not in self.left_out]
        self.replayed = table["replayed"]


def ranges(seeds, longest):
    """Runs of neighbouring seeds as (first, last), none longer than asked for."""
    pieces = []
    for seed in sorted(seeds):
        if pieces and pieces[-1][1] == seed - 1 and seed - pieces[-1][0] < longest:
            pieces[-1] = (pieces[-1][0], seed)
        else:
            pieces.append((seed, seed))
    return pieces
