"""A job's files in a scratch directory, with a clock that moves when somebody waits."""

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from reprise._job import Job  # noqa: E402


class Clock:
    def __init__(self):
        self.now = 0.0
        self.on_wait = lambda now: None

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds
        self.on_wait(self.now)


class JobCase(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.place = Path(scratch.name)
        self.clock = Clock()

    def job(self, **more):
        return Job({"REPRISE_JOB_UID": "uid", "REPRISE_ATTEMPT": "3", "REPRISE_NOTICE_FILE": str(self.place / "notice"),
                    "REPRISE_PROGRESS_FILE": str(self.place / "progress.json"), **more}, self.clock, self.clock.sleep)

    def notice(self, reason="Stop", request=1, attempt=3, **more):
        # As the agent writes it: renamed into its place.
        fresh = self.place / "notice.new"
        fresh.write_text(json.dumps({"reason": reason, "deadlineSeconds": 88, "attempt": attempt, "request": request, **more}))
        os.replace(fresh, self.place / "notice")

    def said(self):
        return json.loads((self.place / "progress.json").read_text())
