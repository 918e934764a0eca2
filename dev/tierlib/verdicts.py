"""What tiers have said, in the user's cache: one file for each tier and hash of what it read."""

import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

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
        self.directory = Path(directory or cache / "reprise" / "verdicts")

    def _file(self, tier, key):
        return self.directory / tier.name.replace("/", "_").replace(" ", "-") / f"{key}.json"

    def get(self, tier, key):
        return self._read(self._file(tier, key))

    @staticmethod
    def _read(file):
        try:
            return Verdict(**json.loads(file.read_text()))
        except (OSError, ValueError, TypeError):
            return None

    def put(self, tier, key, verdict):
        """Whole or not at all, whoever is killed in between."""
        file = self._file(tier, key)
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = file.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(asdict(verdict), indent=1) + "\n")
        temporary.replace(file)
        for old in sorted(file.parent.glob("*.json"), key=lambda each: each.stat().st_mtime)[:-KEPT]:
            old.unlink(missing_ok=True)

    def newest(self, tier):
        """The last verdict of that tier, whatever it had read."""
        files = self._file(tier, "x").parent.glob("*.json")
        return self._read(max(files, key=lambda each: each.stat().st_mtime, default=Path("/nonexistent")))

    def parts(self, tier):
        """Where a tier that was stopped finds which of its parts have passed (tierlib/parts.py)."""
        return self._file(tier, "x").parent / "parts"

    def forget_parts(self, tier):
        shutil.rmtree(self.parts(tier), ignore_errors=True)

    def seconds(self, tier):
        """How long the tier took when it last passed or failed; None where nobody knows."""
        last = self.newest(tier)
        return last.seconds if last and last.outcome != NOT_RUN else None
