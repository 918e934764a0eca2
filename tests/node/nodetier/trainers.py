"""Watches the trainers themselves: processes of every machine are processes of this host."""

import threading
from pathlib import Path


_PROGRAMS = ("trainer\n", "python\n")


class Trainers(threading.Thread):
    """Looks all the time which attempts of which job have a living trainer."""

    def __init__(self):
        super().__init__(daemon=True)
        self._overlaps = []
        self._alive = {}
        self._over = threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self.join()

    def run(self):
        while not self._over.wait(0.05):
            alive = {}
            for _, variables in _trainers():
                alive.setdefault(variables["REPRISE_JOB_UID"], set()).add(int(variables["REPRISE_ATTEMPT"]))
            self._overlaps += [(job, sorted(attempts)) for job, attempts in alive.items() if len(attempts) > 1]
            self._alive = alive

    def of(self, job):
        """The attempts of which a trainer lived at the last look."""
        return self._alive.get(job["metadata"]["uid"], set())

    def processes(self, job):
        """(process id, when it began) of each trainer of the job that lives now, by rank."""
        return {int(variables["JOB_COMPLETION_INDEX"]): (process, _began(process)) for process, variables in _trainers()
                if variables["REPRISE_JOB_UID"] == job["metadata"]["uid"]}

    def environment(self, job, index):
        """The variables of the trainer of a rank that lives now."""
        return next((variables for _, variables in _trainers() if (variables["REPRISE_JOB_UID"], variables["JOB_COMPLETION_INDEX"])
                     == (job["metadata"]["uid"], str(index))), None)

    def overlaps(self, job):
        """Attempts of which trainers lived at the same time. Others may train on this host too."""
        return [attempts for uid, attempts in self._overlaps if uid == job["metadata"]["uid"]]

    def keeper(self, job, index):
        """The process that keeps the container of a rank: the runtime's shim, the parent of its agent."""
        for process, variables in _trainers():
            if (variables["REPRISE_JOB_UID"], variables.get("JOB_COMPLETION_INDEX")) == (job["metadata"]["uid"], str(index)):
                return _parent(_parent(process))
        raise LookupError(f"no trainer of rank {index} is alive")


def _began(process):
    """In clock ticks since the kernel's start: another process with the same id began at another time."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19])


def _parent(process):
    status = Path(f"/proc/{process}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("PPid:")))


def _trainers():
    """(process id, environment) of each trainer that an agent has started."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if (entry / "comm").read_text() not in _PROGRAMS:
                continue
            pairs = (entry / "environ").read_text(errors="replace").split("\0")
        except OSError:
            continue  # gone
        variables = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
        if "REPRISE_ATTEMPT" in variables:
            yield int(entry.name), variables
