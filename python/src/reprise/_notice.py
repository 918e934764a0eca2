"""The notice that the agent writes into $REPRISE_NOTICE_FILE, and whether to save for it: pure but for the reader."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from enum import Enum
from typing import Optional, Tuple


@dataclass(frozen=True)
class Notice:
    stop: bool  # else a request for a checkpoint, behind which the training goes on
    request: int  # counts the notices of an attempt
    seconds: float  # that were left for the save when it was written
    step: Optional[int] = None  # at which all processes save; None: each behind its next step
    agreed: bool = True  # False: not all agents have that step yet, so that who reaches it waits


class Answer(Enum):
    TRAIN = "train"
    SAVE = "save"
    WAIT = "wait"  # for the agents to agree


def answer(notice: Optional[Notice], answered: int, step: int, world: int) -> Answer:
    """`answered`: the last request that was; `world`: how many processes have to save at one step."""
    if notice is None or notice.request <= answered:
        return Answer.TRAIN
    if notice.step is None:
        # Processes that save at different steps wait for each other for ever: no mere request is worth that.
        return Answer.SAVE if notice.stop or world == 1 else Answer.TRAIN
    if step < notice.step:
        return Answer.TRAIN
    return Answer.SAVE if notice.agreed else Answer.WAIT


def parse(text: str, attempt: Optional[str]) -> Optional[Notice]:
    """None: it is of another attempt, or no notice."""
    try:
        fields = json.loads(text)
        if attempt is not None and str(fields.get("attempt", attempt)) != attempt:
            return None
        step = fields.get("step")
        return Notice(
            stop=fields.get("reason") == "Stop",
            request=int(fields["request"]),
            seconds=float(fields.get("deadlineSeconds", 0)),
            step=None if step is None else int(step),
            agreed=fields.get("agreed", True) is True,
        )
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError):
        return None


class NoticeFile:
    """Reads the file when it has changed. None: there is no notice, or nobody can read it."""

    def __init__(self, path: str, attempt: Optional[str]) -> None:
        self._path = path
        self._attempt = attempt
        self._stamp: Optional[Tuple[int, int, int]] = None
        self._notice: Optional[Notice] = None

    def read(self) -> Optional[Notice]:
        try:
            found = os.stat(self._path)
            stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
            if stamp != self._stamp:
                with open(self._path, encoding="utf-8") as file:
                    self._notice = parse(file.read(), self._attempt)
                # One that was read while it was being written is read again.
                self._stamp = stamp if self._notice else None
        except (OSError, UnicodeDecodeError):
            self._stamp = self._notice = None
        return self._notice
