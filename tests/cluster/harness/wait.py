"""Tests wait for conditions, never for time."""

import time
import urllib.request

DEADLINE_SECONDS = 90


class NotSeen(AssertionError):
    """What was awaited did not come; the message says what was there instead."""


def until(what, look, seconds=DEADLINE_SECONDS, every=0.1):
    """Calls look() until it returns something true and returns that. `what` is a sentence for the error."""
    end = time.monotonic() + seconds
    last = None
    while True:
        try:
            last = look()
            if last:
                return last
        except (KeyError, IndexError, LookupError) as missing:
            last = f"{type(missing).__name__}: {missing}"
        if time.monotonic() > end:
            raise NotSeen(f"not within {seconds} s: {what}; last seen: {last!r}")
        time.sleep(every)


def steady(what, look, stretch, seconds=DEADLINE_SECONDS, every=0.5):
    """Waits until look() has given the same answer for `stretch` seconds and returns it."""
    end = time.monotonic() + seconds + stretch
    seen, since = look(), time.monotonic()
    while time.monotonic() < since + stretch:
        if time.monotonic() > end:
            raise NotSeen(f"not within {seconds} s: {what}; last seen: {seen!r}")
        time.sleep(every)
        now = look()
        if now != seen:
            seen, since = now, time.monotonic()
    return seen


def is_ready(name, process, address, tail):
    """Whether /readyz there says so; a process that has ended will never be, which is an AssertionError with its log."""
    if process.poll() is not None:
        raise AssertionError(f"{name} ended with {process.returncode}:\n{tail()}")
    try:
        with urllib.request.urlopen(f"http://{address}/readyz", timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False
