"""What tiers have said, in the user's cache: one file for each tier and hash of what it read."""

import json
import os
import shutil
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from . import table, whole
from .parts import OWN

PASSED, FAILED, NOT_RUN = "passed", "failed", "not run"
KEPT = 20  # verdicts of a tier; older ones go


@dataclass(frozen=True)
class Verdict:
    outcome: str
    seconds: float
    when: str  # UTC, as of ISO 8601
    tree: str  # the commit, with a "+" where files were changed
    said: str = ""  # the last lines that matter: flaky tests, why it did not run


class Verdicts:
    def __init__(self, directory=None):
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        self.directory = Path(directory or cache / "reprise" / "verdicts").absolute()

    def _file(self, tier, key):
        return self.directory / tier.name.replace("/", "_").replace(" ", "-") / f"{key}.json"

    def get(self, tier, key):
        return self._read(self._file(tier, key))

    @staticmethod
    def _read(file):
        try:
            found = Verdict(**json.loads(file.read_text()))
            right = all(isinstance(getattr(found, each.name), (float, int) if each.type is float else each.type) for each in fields(found))
            return found if right else None
        except (OSError, ValueError, TypeError):
            return None

    def why_not_kept(self):
        """Why nothing can be kept here, or None."""
        try:
            whole.write(self.directory / ".tried", "")
            whole.remove(self.directory / ".tried")
        except OSError as problem:
            return f"verdicts cannot be kept in {self.directory}: {problem.strerror}"
        return None

    def put(self, tier, key, verdict):
        """Whole or not at all, whoever is killed in between. OSError where nothing can be written."""
        file = self._file(tier, key)
        whole.write(file, json.dumps(asdict(verdict), indent=1) + "\n")
        others = [each for _, each in whole.by_age(file.parent.glob("*.json")) if each != file]
        for old in others[:1 - KEPT]:
            whole.remove(old)
        whole.remove_unfinished(file.parent)

    def newest(self, tier):
        """The last verdict of that tier, whatever it had read."""
        files = whole.by_age(self._file(tier, "x").parent.glob("*.json"))
        return self._read(files[-1][1]) if files else None

    def parts(self, tier):
        """Where a tier that was stopped finds which of its parts have passed (tierlib/parts.py)."""
        return self._file(tier, "x").parent / "parts"

    def remember_parts(self, name):
        """For a program of that tier which somebody calls without dev/verify."""
        os.environ.setdefault("REPRISE_PARTS", str(self.parts(table.read().tiers[name])))

    def forget_parts(self, tier, key):
        """Nothing is recalled of a run on that tree, nor of what says by itself what it has read."""
        for each in (key, OWN):
            shutil.rmtree(self.parts(tier) / each, ignore_errors=True)

    def seconds(self, tier):
        """How long the tier took when it last passed or failed; None where nobody knows."""
        last = self.newest(tier)
        return last.seconds if last and last.outcome != NOT_RUN else None
