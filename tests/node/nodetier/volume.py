"""What lies on a checkpoint volume, read beside the pods: the truth that the API server only hears about."""

import json
import re

from harness import wait


class Volume:
    def __init__(self, directory):
        self.directory = directory
        self.directory.mkdir()

    def steps(self):
        """The complete checkpoints' steps, oldest first."""
        return sorted(int(re.search(r"\d+$", marker.parent.name)[0])
                      for marker in self.directory.glob("step-*/_COMPLETE"))

    def weights(self):
        return (self.directory / "final/weights.txt").read_bytes()

    def resume_point(self, attempt):
        """What the attempt's ranks load; its agent may first watch for other writers."""
        file = self._attempt(attempt) / "resume.json"
        wait.until(f"attempt {attempt} says what it resumes from", file.exists)
        return json.loads(file.read_text())

    def record_text(self, attempt, index):
        return (self._attempt(attempt) / f"{index}.json").read_text()

    def last_heartbeat(self, attempt):
        """When any rank of the attempt last wrote its heartbeat, by the clock of the one kernel below all machines."""
        return max(file.stat().st_mtime for file in self._attempt(attempt).glob("*.alive"))

    def first_choice(self, attempt):
        """When the attempt chose what to load: before any trainer of it could start."""
        return (self._attempt(attempt) / "resume.json").stat().st_mtime

    def attempts(self):
        """The attempts that chose what to load; others were rejected before."""
        return sorted(int(found.parent.name) for found in self.directory.glob(".reprise/attempts/*/resume.json"))

    def _attempt(self, number):
        return self.directory / ".reprise/attempts" / str(number)
