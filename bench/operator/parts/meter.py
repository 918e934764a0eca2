"""What processes used during a trial, less what they use anyway."""

import time

from harness.usage import Meter, cpu_seconds

from . import requests

_QUIET_SECONDS, _QUIET_SHARE = 3, 0.02


def settle(cluster, contender, limit=300):
    """Until the contender has asked for nothing and used next to nothing for some seconds.

    Events trail behind, at their own pace: little CPU alone does not say that all is written.
    """
    deadline = time.monotonic() + limit
    asked, before = requests.Requests(cluster.state.audit_log), cpu_seconds(contender.process.pid)
    since = time.monotonic()
    while time.monotonic() - since < _QUIET_SECONDS and time.monotonic() < deadline:
        time.sleep(0.5)
        now, more = cpu_seconds(contender.process.pid), requests.of(asked.more(), contender.users)
        if now - before > _QUIET_SHARE * _QUIET_SECONDS or requests.writes(more):
            since, before = time.monotonic(), now


class Background:
    """The rates at which processes use CPU when nothing happens."""

    def __init__(self, rates):
        self._rates = rates

    @classmethod
    def of(cls, used):
        return cls({key: value / used["wall"] for key, value in used.items() if key.endswith("_cpu")})

    def less(self, used):
        return {key: max(0.0, value - self._rates.get(key, 0.0) * used["wall"]) if key.endswith("_cpu") else value
                for key, value in used.items()}


def meter(cluster, contender=None):
    named = {name.replace("-", "_"): process for name, process in cluster.processes.items()}
    if contender:
        named["operator"] = contender.process.pid
    return Meter(**named)


def restart(contender):
    """Stops and starts it; (CPU seconds, seconds from exec until it came to rest)."""
    contender.stop()
    began = time.monotonic()
    process = contender.start()
    busy_until, before = time.monotonic(), cpu_seconds(process)
    quiet_since, quiet_from = busy_until, before
    while time.monotonic() - quiet_since < _QUIET_SECONDS:
        time.sleep(0.1)
        now, used = time.monotonic(), cpu_seconds(process)
        if used - before > 0.01:  # a tenth of a core
            busy_until = now
        if used - quiet_from > _QUIET_SHARE * _QUIET_SECONDS:
            quiet_since, quiet_from = now, used
        before = used
    return cpu_seconds(process), busy_until - began
