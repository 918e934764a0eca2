"""The metrics that the operator has, as its sources and the runtime's page tell them."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def words(cell):
    return [word.strip(" `") for word in cell.split(",") if word.strip(" `")]


def domain_rows():
    """(name, type, stability, labels, meaning), in the order of controllers/metrics/table.cc."""
    folder = ROOT / "controllers/metrics"
    names = dict(re.findall(r'constexpr const char\* (k\w+) =\s*"(\w+)"', (folder / "table.h").read_text()))
    rows = []
    entry = re.compile(r'Info\{\s*(k\w+),\s*(\w+),\s*(\w+),\s*"([^"]*)",\s*((?:"[^"]*"\s*)+)\}')
    for name, kind, stability, labels, meaning in entry.findall((folder / "table.cc").read_text()):
        text = "".join(re.findall(r'"([^"]*)"', meaning))
        rows.append((names[name], kind.lower(), stability.upper(), words(labels), text))
    if len(rows) != len(names) or len(rows) < 20:
        raise SystemExit(f"controllers/metrics/table.cc: {len(rows)} rows were found for {len(names)} names")
    return rows


def runtime_sections():
    """(title, [(name, type, labels, meaning)]) of docs/runtime/metrics.md, which a test of the runtime holds to account."""
    sections = []
    for part in (ROOT / "docs/runtime/metrics.md").read_text().split("\n## ")[1:]:
        rows = []
        for line in part.splitlines():
            if line.startswith("| `"):
                name, kind, labels, meaning = [cell.strip() for cell in line.strip("|").split(" | ", 3)] if line.count(" | ") >= 3 else \
                    [cell.strip() for cell in line.strip("|").split("|", 3)]
                rows.append((name.strip("` "), kind, words(labels), meaning.rstrip(" |")))
        sections.append((part.splitlines()[0], rows))
    return sections


def all_metrics():
    """name -> (type, set of labels)"""
    known = {name: (kind, set(labels)) for name, kind, _, labels, _ in domain_rows()}
    for _, rows in runtime_sections():
        known.update({name: (kind, set(labels)) for name, kind, labels, _ in rows})
    return known


def family(name, known):
    """The family that a series belongs to; None when there is none."""
    for suffix in ("", "_bucket", "_sum", "_count"):
        bare = name.removesuffix(suffix) if suffix else name
        if name.endswith(suffix) and bare in known and (not suffix or known[bare][0] == "histogram"):
            return bare
    return None
