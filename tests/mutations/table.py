"""The table of planted bugs: bugs/*.toml."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from planting import PROGRAM, ROOT, CannotPlant

HERE = Path(__file__).resolve().parent
FIELDS = {"name", "file", "old", "new", "also", "seeds", "units", "model", "caught_by", "replayed", "program", "tests"}


@dataclass
class Bug:
    name: str  # a sentence
    file: str
    old: str  # occurs exactly once there
    new: str
    also: list = field(default_factory=list)  # further files, where one defence hides that another is missing
    seeds: list = field(default_factory=list)  # to try first
    units: list = field(default_factory=list)  # what to compile when the file is a header
    caught_by: int = 1  # so many seeds must violate an invariant
    replayed: bool = False  # caught by a seed that is not the same the second time, on a heap of chance
    program: str = PROGRAM  # what it is linked into; another one than the simulator is a program of unit tests,
    tests: str = ""  # of which these must fail (a filter of GoogleTest)
    model: str = ""  # why it is planted in the simulator's model and not in what runs in a cluster

    def edits(self):
        return [{"file": self.file, "old": self.old, "new": self.new}, *self.also]

    def to_compile(self):
        heap = ["tests/scenarios/scattered_heap.cc"] if self.replayed else []
        return (self.units or [edit["file"] for edit in self.edits()]) + heap

    def changed(self):
        """The changed files with their texts. Several edits of one file follow one another."""
        texts = {}
        for edit in self.edits():
            file, old, new = edit["file"], edit["old"].strip("\n"), edit["new"].strip("\n")
            text = texts.get(file) or (ROOT / file).read_text()
            count = text.count(old)
            if count != 1:
                raise CannotPlant(f"the text to replace occurs {count} times in {file}, must be exactly once")
            texts[file] = text.replace(old, new)
        return texts.items()


def read_table():
    bugs = []
    for file in sorted((HERE / "bugs").glob("*/*.toml")):
        for entry in tomllib.loads(file.read_text())["bug"]:
            if unknown := set(entry) - FIELDS:
                raise SystemExit(f"mutations: {file.name}: '{entry.get('name')}' has unknown fields {unknown}")
            bugs.append(Bug(**entry))
            if (bugs[-1].program != PROGRAM) != bool(bugs[-1].tests):
                raise SystemExit(f"mutations: {file.name}: '{entry['name']}' must name program and tests, or neither")
    names = [bug.name for bug in bugs]
    if len(names) != len(set(names)):
        raise SystemExit("mutations: two bugs have the same name")
    return bugs
