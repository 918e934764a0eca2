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
    minutes: float = 240


@dataclass(frozen=True)
class Tier:
    """Tests with a verdict. `cores` is the work it keeps busy, `reads` are groups of files (inputs.selected)."""
    name: str
    command: str
    reads: tuple
    needs: tuple = ()
    cores: float = 2
    gate: bool = False
    root: bool = False
    minutes: float = 240


@dataclass(frozen=True)
class Table:
    steps: dict
    tiers: dict

    def steps_for(self, tiers):
        """The steps that these tiers need, each after those that it needs itself."""
        ordered = []

        def add(name, *behind):
            if name in behind:
                raise TableError(f"step {name}: needs itself")
            for needed in self.steps[name].needs:
                add(needed, name, *behind)
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


def _groups(where, names, lists, within=()):
    """NAMES as groups, each with the "!patterns" that leave out some of it: those of a list hold for what it names itself, also
    through other lists, and for nothing beside it."""
    own = tuple(sorted(each for each in set(names) if each[0] not in "@!"))
    left_out = tuple(sorted(each for each in set(names) if each[0] == "!"))
    groups = {(*own, *left_out)} if own else set()
    for each in names:
        if each.startswith("@") and each[1:] not in lists:
            raise TableError(f"{where}: reads: found '{each}', must be one of {', '.join(f'@{name}' for name in lists)}")
        if each in within:
            raise TableError(f"{where}: reads: {each} names itself")
        if each.startswith("@"):
            groups |= {(*group, *left_out) for group in _groups(where, lists[each[1:]], lists, (*within, each))}
    return groups


def parse(text):
    """The table that TEXT writes; `@name` in `reads` stands for a list of [reads]."""
    data = tomllib.loads(text)
    if unknown := set(data) - {"reads", "step", "tier"}:
        raise TableError(f"found {', '.join(sorted(unknown))}, must be [reads], [step.NAME] or [tier.NAME]")
    steps = {name: _entry(Step, f"step {name}", {"name": name, **values}) for name, values in data.get("step", {}).items()}
    tiers = {}
    for name, values in data.get("tier", {}).items():
        reads = tuple(sorted(_groups(f"tier {name}", values.get("reads", []), data.get("reads", {}))))
        tiers[name] = _entry(Tier, f"tier {name}", {"name": name, **values, "reads": reads})
        if not reads:
            raise TableError(f"tier {name}: reads is empty; name the folders and files that the tier reads")
    if not tiers:
        raise TableError("found no tier; what runs nothing has not passed")
    for entry in (*steps.values(), *tiers.values()):
        for needed in entry.needs:
            if needed not in steps:
                raise TableError(f"{entry.name}: needs: found '{needed}', must be one of {', '.join(steps)}")
    return Table(steps, tiers)


def read():
    return parse(TABLE.read_text())
