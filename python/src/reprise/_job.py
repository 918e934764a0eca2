"""The job that this process trains for, as its environment variables say; the clock is handed in."""

from __future__ import annotations

import os
import signal
import threading
import time
from types import FrameType
from typing import Callable, Mapping, Optional

from ._notice import Answer, Notice, NoticeFile, answer
from ._progress import ProgressFile
from ._world import world

SECONDS_TO_AGREE = 10.0  # behind a step that no agent has taken back
SECONDS_A_LOOK = 0.005
BY_SIGNAL = 2**31  # behind all requests of the file


class Job:
    def __init__(
        self,
        environment: Mapping[str, str],
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._environment = environment
        self._clock = clock
        self._sleep = sleep
        notice = environment.get("REPRISE_NOTICE_FILE") or environment.get("REPRISE_STEP_FILE")
        progress = environment.get("REPRISE_PROGRESS_FILE")
        self._file = NoticeFile(notice, environment.get("REPRISE_ATTEMPT")) if notice else None
        self._progress = ProgressFile(progress) if progress else None
        self._in_job = "REPRISE_JOB_UID" in environment
        self._signalled = False
        self._notice: Optional[Notice] = None
        self._since = 0.0  # when that one was first seen
        self._answered = 0
        self._saved_at: Optional[int] = None  # the step that answered the last notice
        self._stopping = False
        self._reads = False  # the script asks should_save()
        self._total: Optional[int] = None

    def resume_from(self) -> Optional[str]:
        return self._environment.get("REPRISE_RESUME_FROM") or None

    def should_save(self, step: int) -> bool:
        if not self._in_job:
            return False
        self._reads = True
        # Before the notice is read: what the agent has not heard of when it has written one is behind it.
        self.report(step, self._total)
        if step == self._saved_at:
            return True
        size, _ = world(self._environment)
        notice = self._look()
        found = answer(notice, self._answered, step, size)
        until = self._clock() + SECONDS_TO_AGREE
        while found is Answer.WAIT and self._clock() < until:
            self._sleep(SECONDS_A_LOOK)
            notice = self._look()
            found = answer(notice, self._answered, step, size)
        # The agents have gone quiet: a stop is worth a try, a mere request is not.
        if notice is None or not (found is Answer.SAVE or (found is Answer.WAIT and notice.stop)):
            return False
        self._answered, self._saved_at = notice.request, step
        self._stopping = self._stopping or notice.stop
        return True

    def deadline(self) -> Optional[float]:
        notice = self._look()
        return max(0.0, self._since + notice.seconds - self._clock()) if notice else None

    def begin(self, step: int, total: Optional[int], unless_handled: bool = False) -> None:
        """Before the first should_save(): notices are read from here on; `unless_handled`: not where the script handles SIGTERM itself."""
        self._reads = self._reads or not unless_handled or signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        self.report(step, total)

    def report(self, step: int, total: Optional[int]) -> None:
        self._total = total or self._total
        told = bool(self._progress and self._progress.say(step, self._total, *world(self._environment), self._clock(), self._reads))
        # Where the agent does not hear who reads its notices, SIGTERM is the notice. A script that reads none has its own way to stop.
        if self._reads and self._in_job and not (self._file and told):
            self._handle_sigterm()

    def stopping(self) -> bool:
        # A stop that comes during the save of a step asks for that very save.
        notice = self._look() if self._saved_at is not None else None
        if notice is not None and notice.stop and notice.agreed and notice.step == self._saved_at:
            self._answered, self._stopping = notice.request, True
        return self._stopping

    def exit_code(self) -> int:
        """A launcher takes another code than 0 for a failure, and ends the other ranks in their save."""
        return 143 if world(self._environment)[1] == 1 else 0

    def _look(self) -> Optional[Notice]:
        notice = (self._file.read() if self._file else None) or self._by_signal()
        if notice is not None and (self._notice is None or notice.request != self._notice.request):
            self._since = self._clock()
        self._notice = notice
        return notice

    def _by_signal(self) -> Optional[Notice]:
        if not self._signalled:
            return None
        grace = float(self._environment.get("REPRISE_CHECKPOINT_GRACE_SECONDS") or 30)
        return Notice(stop=True, request=BY_SIGNAL, seconds=grace - min(grace / 5, 10))

    def _handle_sigterm(self) -> None:
        """Where nobody else does, and a script may: in its main thread."""
        if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
            return
        own = os.getpid()

        def on_sigterm(number: int, _: Optional[FrameType]) -> None:
            if os.getpid() == own and not self._signalled:
                self._signalled = True
                return
            # A child that was forked, or a second one.
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

        signal.signal(signal.SIGTERM, on_sigterm)
