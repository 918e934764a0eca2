"""What the script writes into $REPRISE_PROGRESS_FILE (docs/progress.md)."""

from __future__ import annotations

import json
import os
from typing import Dict, Optional, Tuple

SECONDS_BETWEEN = 0.2  # of a process that agrees with nobody; the agent looks once a second
BYTES = 256


class ProgressFile:
    """Written in place, as renaming a file over another costs milliseconds on some file systems, and always as long."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: Optional[int] = None
        self._owner = 0  # a child that was forked opens its own
        self._said: Optional[Tuple[int, Optional[int], int, int, bool]] = None
        self._at = 0.0

    def say(self, step: int, total: Optional[int], world: int, local: int, now: float, reads: bool = True) -> bool:
        """Each step where processes agree on one: their agent must know which steps they have passed. Whether it stands there.

        `reads`: this process asks should_save(), so that a notice reaches it."""
        said = (step, total, world, local, reads)
        if said == self._said:
            return True
        last = step == total
        if self._said and world == 1 and self._said[1:] == said[1:] and now - self._at < SECONDS_BETWEEN and not last:
            return True
        # The step once more at the end: who reads half of another text sees it.
        more: Dict[str, object] = {"totalSteps": total} if total else {}
        if reads:  # as long as this process runs
            more.update(savesOnNotice=True, worldSize=world, localWorldSize=local, pid=os.getpid())
        text = json.dumps({"step": step, **more, "sameStep": step})
        try:
            if self._file is None or self._owner != os.getpid():
                self._file, self._owner = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644), os.getpid()
            os.pwrite(self._file, text.ljust(BYTES).encode(), 0)
        except OSError:
            return False  # training needs none of this
        self._said, self._at = said, now
        return True
