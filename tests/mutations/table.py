"""The table of planted bugs: bugs/*.toml."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from planting import ROOT, CannotPlant

HERE = Path(__file__).resolve().parent
FIELDS = {"name", "file", "old", "new", "seeds", "units", "model"}


@dataclass
class Bug:
    name: str  # a sentence
    file: str
    old: str  # occurs exactly once there
    new: str
    seeds: list = field(default_factory=list)  # to try first
    units: list = field(default_factory=list)  # what to compile when the file is a header
    model: str = ""  # why it is planted in the simulator's model and not in what runs in a cluster

    def __post_init__(self):
        self.units = self.units or [self.file]

    def changed(self):
        text = (ROOT / self.file).read_text()
        count = text.count(self.old)
        if count != 1:
            raise CannotPlant(f"the text to replace occurs {count} times in {self.file}, must be exactly once")
        return text.replace(self.old, self.new)


def read_table():
    bugs = []
    for file in sorted((HERE / "bugs").glob("*.toml")):
        for entry in tomllib.loads(file.read_text())["bug"]:
            if unknown := set(entry) - FIELDS:
                raise SystemExit(f"mutations: {file.name}: '{entry.get('name')}' has unknown fields {unknown}")
            bugs.append(Bug(**{key: value.strip("\n") if key in ("old", "new") else value
                               for key, value in entry.items()}))
    names = [bug.name for bug in bugs]
    if len(names) != len(set(names)):
        raise SystemExit("mutations: two bugs have the same name")
    return bugs
