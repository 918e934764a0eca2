"""Parts of a long tier: those that have passed are not run again when the tier was stopped and goes on.

dev/verify names a directory in REPRISE_PARTS, the tier in REPRISE_TIER, and in REPRISE_INPUTS and REPRISE_STAMP the hash and the
stamp of what the tier reads (inputs.py). Without them nothing is remembered.
"""

import hashlib
import os
import time
from pathlib import Path

from . import inputs, table

KEPT_SECONDS = 30 * 24 * 3600


class Parts:
    """`of`: what the parts have read, where that is less than what the whole tier reads."""

    def __init__(self, of=None):
        directory = os.environ.get("REPRISE_PARTS")
        self.directory = Path(directory) if directory else None
        self.of_its_own = bool(of)
        self.of = of or os.environ.get("REPRISE_INPUTS", "")

    def _file(self, name):
        return self.directory / hashlib.sha256(f"{self.of}\0{name}".encode()).hexdigest()[:24]

    def passed(self, name):
        """What was said of that part when it passed, or None."""
        try:
            return self._file(name).read_text() if self.directory else None
        except OSError:
            return None

    def record(self, name, said=""):
        if not self.directory or not self._is_still_what_was_read():
            return
        self.directory.mkdir(parents=True, exist_ok=True)
        temporary = self.directory / f".{os.getpid()}-{self._file(name).name}"
        temporary.write_text(said)
        temporary.replace(self._file(name))
        self._forget_old()

    def _is_still_what_was_read(self):
        """A part that ran while somebody changed the tree has passed for neither."""
        if "REPRISE_STAMP" not in os.environ or self.of_its_own:
            return True
        inputs.forget()
        return inputs.stamp(table.read().tiers[os.environ["REPRISE_TIER"]]) == os.environ["REPRISE_STAMP"]

    def _forget_old(self):
        oldest = time.time() - KEPT_SECONDS
        for file in self.directory.iterdir():
            if file.stat().st_mtime < oldest and file.is_file():
                file.unlink(missing_ok=True)
