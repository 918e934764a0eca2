"""What the script writes into $REPRISE_PROGRESS_FILE (docs/progress.md)."""

from __future__ import annotations

import json
import os
from typing import Dict, Optional, Tuple

SECONDS_BETWEEN = 0.2  # of a process that agrees with nobody; the agent looks once a second


class ProgressFile:
    def __init__(self, path: str) -> None:
        self._path = path
        self._said: Optional[Tuple[int, Optional[int], int, int]] = None
        self._at = 0.0

    def say(self, step: int, total: Optional[int], world: int, local: int, now: float) -> bool:
        """Each step where processes agree on one: their agent must know which steps they have passed. Whether it stands there."""
        said = (step, total, world, local)
        if said == self._said:
            return True
        last = step == total
        if self._said and world == 1 and self._said[1:] == said[1:] and now - self._at < SECONDS_BETWEEN and not last:
            return True
        text: Dict[str, object] = {"step": step, "savesOnNotice": True, "worldSize": world, "localWorldSize": local}
        if total:
            text["totalSteps"] = total
        try:
            scratch = f"{self._path}.{os.getpid()}"
            with open(scratch, "w", encoding="utf-8") as file:
                file.write(json.dumps(text))
            os.replace(scratch, self._path)
        except OSError:
            return False  # training needs none of this
        self._said, self._at = said, now
        return True
