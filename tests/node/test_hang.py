"""A trainer that hangs on a real kubelet, with spec.progressTimeoutSeconds."""

import json
import os
import re
import signal
import unittest

from harness import wait
from nodetier.case import NodeCase

TIMEOUT = 60  # seconds: the shortest that the API server takes


class Hang(NodeCase):
    def test_trainers_that_stand_still_are_ended_and_the_next_attempt_goes_on(self):
        volume = self.begin("hung", steps=400, step_milliseconds=50, save_every=10, progress_timeout=TIMEOUT)
        self.wait_for_attempt(1)
        self.wait_for_steps(volume, 2)
        for process, _ in self.trainers.processes(self.job()).values():
            os.kill(process, signal.SIGSTOP)

        job = wait.until("attempt 1 has ended", lambda: self.job()["status"].get("lastEnd") and self.job(), TIMEOUT + 90)
        self.assertEqual((job["status"]["lastEnd"]["cause"], job["status"]["lastEnd"]["reason"]), ("Hung", "TrainerHung"))
        record = self.last_record(1, 0)
        self.assertEqual((record["exitCode"], record["reason"], record["finished"]), (88, "Hung", False), record)
        stood = int(re.search(r"for (\d+) s", record["message"])[1])
        self.assertIn(stood, range(TIMEOUT, 2 * TIMEOUT), record["message"])  # as of the look that has found it
        written = json.loads(volume.record_text(1, 0))
        self.assertEqual((written["exitCode"], written["reason"]), (88, "Hung"), "the record on the volume says the same")

        job = self.wait_until_complete()
        status = job["status"]
        self.assertEqual((status["attempt"], status.get("failures", 0), status.get("interruptionCount", 0)), (2, 0, 0))
        self.assert_uninterrupted_weights(volume)
        self.assert_one_writer_at_a_time(volume)


if __name__ == "__main__":
    unittest.main()
