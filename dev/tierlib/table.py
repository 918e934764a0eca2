"""dev/tiers.toml as values: what can be run, what it needs and what it reads."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "dev" / "tiers.toml"


class TableError(Exception):
    """The table is wrong; the message names the entry and the field."""


@dataclass(frozen=True)
class Step:
    """Something to prepare. It has no verdict: it is quick where nothing is missing."""
    name: str
    command: str
    needs: tuple = ()
    cores: float = 2


@dataclass(frozen=True)
class Tier:
    """Tests with a verdict. `cores` is the work it keeps busy, `reads` are pathspecs of git."""
    name: str
    command: str
    reads: tuple
    needs: tuple = ()
    cores: float = 2
    gate: bool = False
    root: bool = False


@dataclass(frozen=True)
class Table:
    steps: dict
    tiers: dict

    def steps_for(self, tiers):
        """The steps that these tiers need, each after those that it needs itself."""
        ordered = []

        def add(name):
            for needed in self.steps[name].needs:
                add(needed)
            if self.steps[name] not in ordered:
                ordered.append(self.steps[name])

        for tier in tiers:
            for name in tier.needs:
                add(name)
        return ordered


def _entry(kind, where, values):
    unknown = set(values) - set(kind.__dataclass_fields__)
    if unknown:
        raise TableError(f"{where}: unknown field {', '.join(sorted(unknown))}")
    try:
        return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in values.items()})
    except TypeError as problem:
        raise TableError(f"{where}: {problem}") from None


def parse(text):
    """The table that TEXT writes; `@name` in `reads` stands for a list of [reads]."""
    data = tomllib.loads(text)
    lists = data.get("reads", {})

    def expanded(where, reads):
        for each in reads:
            if not each.startswith("@"):
                yield each
            elif each[1:] in lists:
                yield from expanded(where, lists[each[1:]])
            else:
                raise TableError(f"{where}: reads: found '{each}', must be one of {', '.join(f'@{name}' for name in lists)}")

    steps = {name: _entry(Step, f"step {name}", {"name": name, **values}) for name, values in data.get("step", {}).items()}
    tiers = {}
    for name, values in data.get("tier", {}).items():
        reads = sorted(set(expanded(f"tier {name}", values.get("reads", []))))
        tiers[name] = _entry(Tier, f"tier {name}", {"name": name, **values, "reads": reads})
        if not reads:
            raise TableError(f"tier {name}: reads is empty; name the folders and files that the tier reads")
    for entry in (*steps.values(), *tiers.values()):
        for needed in entry.needs:
            if needed not in steps:
                raise TableError(f"{entry.name}: needs: found '{needed}', must be one of {', '.join(steps)}")
    return Table(steps, tiers)


def read():
    return parse(TABLE.read_text())
