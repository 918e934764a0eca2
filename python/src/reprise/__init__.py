"""What a training script asks and tells Reprise. Outside of a job nothing here does anything.

    start = load(reprise.resume_from())            # None on a first run: start is 0
    for step in reprise.steps(start, total):       # start + 1 ... total
        train(step)
        if reprise.should_save(step) or step % 1000 == 0:
            save(step)                             # behind the save that a stop asks for, the loop ends the script

`step` counts the steps that are done. All processes of a training call should_save() behind each step: where the
agent names a step ("save at step 1240"), they all save at that one, and nobody communicates for it.
"""

from __future__ import annotations

import os
from typing import Iterator, Optional

from ._job import Job

__all__ = ["deadline", "exit_if_stopping", "report", "resume_from", "should_save", "steps", "stopping"]

_job = Job(os.environ)


def resume_from() -> Optional[str]:
    """The checkpoint to load; None: there is none, begin at step 0."""
    return _job.resume_from()


def should_save(step: int) -> bool:
    """Whether a notice asks for a checkpoint now, behind `step`. True once for each notice, and again for the same step.

    It reads a file of this machine, and waits only where all ranks are about to save together: until their agents agree, 10 s
    at most.
    """
    return _job.should_save(step)


def deadline() -> Optional[float]:
    """The seconds that are left for the save that a notice asks for; None: there is no notice."""
    return _job.deadline()


def report(step: int, total: Optional[int] = None) -> None:
    """Tells how far the training is; should_save() tells the step by itself."""
    _job.report(step, total)


def stopping() -> bool:
    """Whether should_save() has asked for the save of a stop: what comes behind the loop is not to run then."""
    return _job.stopping()


def exit_if_stopping() -> None:
    """Ends the script (SystemExit) when stopping(): with 143, or with 0 where other ranks of this pod may still save."""
    if _job.stopping():
        raise SystemExit(_job.exit_code())


def steps(start: int, total: int) -> Iterator[int]:
    """start + 1 ... total: the steps that are left. Reports each, and ends the script behind the save that a stop asks for."""
    _job.begin(start, total, unless_handled=True)
    for step in range(start + 1, total + 1):
        yield step
        _job.report(step, total)
        if step < total:
            exit_if_stopping()
