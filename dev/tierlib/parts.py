"""Parts of a long tier: those that have passed are not run again when the tier was stopped and goes on.

dev/verify names a directory in REPRISE_PARTS, the tier in REPRISE_TIER, and in REPRISE_INPUTS and REPRISE_STAMP the hash and the
stamp of what the tier reads (inputs.py). Without them nothing is remembered.
"""

import hashlib
import os
import shutil
import sys
import time
from pathlib import Path

from . import inputs, table, whole

KEPT_SECONDS = 30 * 24 * 3600
OWN = "own"  # the folder of parts that say themselves what they have read


class Parts:
    """`of`: what the parts have read, where that is less than what the whole tier reads."""

    def __init__(self, of=None):
        place = os.environ.get("REPRISE_PARTS")
        self.of, self.of_its_own = of or os.environ.get("REPRISE_INPUTS", ""), bool(of)
        self.directory = Path(place) / (OWN if of else self.of or "unknown") if place else None

    def _file(self, name):
        return self.directory / hashlib.sha256(f"{self.of}\0{name}".encode()).hexdigest()[:24]

    def passed(self, name):
        """What was said of that part when it passed, or None."""
        try:
            return self._file(name).read_text() if self.directory else None
        except (OSError, ValueError):
            return None

    def record(self, name, said=""):
        if not self.directory or not self._is_still_what_was_read():
            return
        try:
            whole.write(self._file(name), said)
            self._forget_old()
        except OSError as problem:  # it has passed all the same
            print(f"not remembered: {name}: {problem}", file=sys.stderr)

    def forget(self):
        """All parts of this tree."""
        if self.directory:
            shutil.rmtree(self.directory, ignore_errors=True)

    def _is_still_what_was_read(self):
        """A part that ran while somebody changed the tree has passed for neither."""
        if "REPRISE_STAMP" not in os.environ or self.of_its_own:
            return True
        inputs.forget()
        return inputs.stamp(table.read().tiers[os.environ["REPRISE_TIER"]]) == os.environ["REPRISE_STAMP"]

    def _forget_old(self):
        oldest = time.time() - KEPT_SECONDS
        for when, each in whole.by_age([*self.directory.parent.iterdir(), *self.directory.iterdir()]):
            if when < oldest and each != self.directory:
                shutil.rmtree(each, ignore_errors=True) if each.is_dir() else whole.remove(each)
        whole.remove_unfinished(self.directory)
