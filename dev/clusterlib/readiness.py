"""Waiting for conditions, with a deadline and an error that names what was awaited."""

import time

from .errors import ClusterError


def wait_until(what, condition, seconds, every=0.05):
    """Returns the first true value of condition(); `what` completes "waited for …".

    A condition may raise ClusterError to give up at once. The last text it returned through
    `Unmet` is shown when the time is over.
    """
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value and not isinstance(value, Unmet):
            return value
        if time.monotonic() > deadline:
            seen = f"; last seen: {value.seen}" if isinstance(value, Unmet) else ""
            raise ClusterError(f"waited {seconds:g} s in vain for {what}{seen}")
        time.sleep(every)


class Unmet:
    """Not yet, and what was seen instead."""

    def __init__(self, seen):
        self.seen = seen
