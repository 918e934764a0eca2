"""What processes and the machine have used, from the kernel's own accounting."""

import os
import time
from pathlib import Path

from .errors import BenchError

_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(process):
    """User and system time of a running process, all its threads, to the nanosecond."""
    # The number of a process's CPU clock, as clock_getcpuclockid(3) makes it.
    return time.clock_gettime(~process << 3 | 2)


def memory_mib(process):
    """(resident now, highest so far) in MiB."""
    values = {}
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        key, _, value = line.partition(":")
        if key in ("VmRSS", "VmHWM"):
            values[key] = int(value.split()[0]) / 1024
    if len(values) != 2:
        raise BenchError(f"process {process} has ended")
    return values["VmRSS"], values["VmHWM"]


class Meter:
    """What named processes used between its making and read(), and what all others did."""

    def __init__(self, **processes):
        self._processes = processes
        self._before = self._used()
        self._busy = _busy_seconds()
        self._started = time.monotonic()
        self._extra = 0.0

    def add(self, seconds):
        """Counts CPU time of a child that has ended as ours."""
        self._extra += seconds

    def read(self):
        used = {name: after - self._before[name] for name, after in self._used().items()}
        wall = time.monotonic() - self._started
        others = _busy_seconds() - self._busy - sum(used.values()) - self._extra
        result = {f"{name}_cpu": used[name] for name in self._processes}
        result["wall"] = wall
        result["other"] = max(0.0, others / (wall * os.cpu_count()))
        return result

    def _used(self):
        used = {name: cpu_seconds(process) for name, process in self._processes.items()}
        used["ourselves"] = time.process_time()
        return used


def _busy_seconds():
    fields = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    user, nice, system, _, _, irq, softirq = map(int, fields[:7])
    return (user + nice + system + irq + softirq) / _TICKS
