"""Reads recorded spot capacity (examples/traces). A number is what could be had: 0 is none, -1 is not known."""

from .cluster import ROOT

DAY = ROOT / "examples" / "traces" / "v100-us-west-2c-day.csv"


def read(path=DAY):
    """Nodes available in the file's zone, by tick."""
    rows = [line.split(",") for line in path.read_text().splitlines() if not line.startswith("#")]
    return [int(available) for _, available in rows[1:]]


def falling_edges(available):
    """The ticks at which the last node was lost; what is not known changes nothing."""
    edges = []
    before = 0
    for tick, now in enumerate(available):
        if now < 0:
            continue
        if before > 0 and now == 0:
            edges.append(tick)
        before = now
    return edges
