"""examples/plain-loop as a process of its own, without a job and in one that is stopped."""

import json
import os
import subprocess
import sys
import time
import unittest

from pathlib import Path

from job_case import JobCase

ROOT = Path(__file__).resolve().parents[2]


class PlainLoop(JobCase):
    def start(self, seconds, **job):
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "python/src"), "SECONDS_A_STEP": seconds, **job}
        return subprocess.Popen([sys.executable, "-B", str(ROOT / "examples/plain-loop/train.py")], cwd=self.place, env=environment)

    def weight(self, step, place="checkpoints"):
        self.assertTrue((self.place / place / f"step-{step}/_COMPLETE").exists())
        return json.loads((self.place / place / f"step-{step}/state.json").read_text())["weight"]

    def test_trains_to_its_end_without_a_job(self):
        self.assertEqual(self.start("0").wait(), 0)
        self.assertAlmostEqual(self.weight(200), 0.99**200)

    def test_saves_at_a_notice_or_a_signal_and_goes_on_from_there(self):
        for kind in ("notice", "signal"):
            volume = self.place / f"volume-by-{kind}"
            job = {"REPRISE_JOB_UID": "uid", "REPRISE_ATTEMPT": "1", "REPRISE_CHECKPOINT_DIR": str(volume),
                   "REPRISE_PROGRESS_FILE": str(self.place / f"{kind}.json")}
            if kind == "notice":
                job["REPRISE_NOTICE_FILE"] = str(self.place / "notice")
            with self.start("0.01", **job) as trainer:
                while not Path(job["REPRISE_PROGRESS_FILE"]).exists():
                    self.assertIsNone(trainer.poll())
                    time.sleep(0.01)
                self.notice(attempt=1) if kind == "notice" else trainer.terminate()
                self.assertEqual(trainer.wait(), 143, kind)
            saved, = volume.iterdir()
            with self.start("0", **{**job, "REPRISE_ATTEMPT": "2", "REPRISE_RESUME_FROM": str(saved)}) as trainer:
                self.assertEqual(trainer.wait(), 0)
            self.assertAlmostEqual(self.weight(200, volume.name), 0.99**200, msg=kind)


if __name__ == "__main__":
    unittest.main()
