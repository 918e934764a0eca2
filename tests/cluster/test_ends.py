"""What an end means: trainers that end with 0, 85, 143, 1 and 137, asked to stop or by themselves. None is Complete early."""

import json
import unittest

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import condition, is_true
from harness.complete_invariant import check_complete
from harness.loss import Loss
from harness.watchlog import WatchLog

CODES = (0, 85, 143, 1, 137)


def record(**said):
    """What an agent leaves as its termination message."""
    return json.dumps({"attempt": 1, "index": 0, "exitCode": 0} | said)


class Ends(ClusterCase):
    """Jobs of pool `calm` are left alone; those of `deleted` and `tainted` lose their nodes in that way."""

    pools = tuple(manifests.pool(name) for name in ("calm", "deleted", "tainted"))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.log = cls.enterClassContext(WatchLog(cls.cluster, "pods", "resumablejobs"))

    def start(self, *jobs):
        self.cluster.apply(*jobs)
        for job in jobs:
            self.cluster.wait_for_attempt(job["metadata"]["name"], 1)

    def exit(self, name, attempt, code, message="", index=None):
        """The trainers of an attempt end by themselves."""
        said = {"reprise.test/exit-code": str(code)} | ({"reprise.test/termination-message": message} if message else {})
        self.cluster.wait_for_attempt(name, attempt)
        for pod in self.cluster.pods_of(name, attempt):
            if index in (None, int(pod["metadata"]["name"].rsplit("-", 1)[1])):
                self.cluster.annotate("pod", pod["metadata"]["name"], "vision", **said)

    def take_nodes(self, pool):
        """Every node of a pool is taken back, all at one moment: what has to leave one may not come to another that goes later."""
        victims = {}
        for pod in self.cluster.list("pods", "vision", "reprise.dev/attempt"):
            if pod["spec"]["nodeSelector"]["reprise.dev/pool"] == pool and pod["status"]["phase"] == "Running":
                victims[pod["spec"]["nodeName"]] = pod
        self.assertTrue(victims)
        first, *others = [Loss(self.cluster, victim) for victim in victims.values()]
        getattr(first, pool)(*others)

    def assert_goes_on(self, job, attempt=2, interruptions=0, failures=0):
        """The job runs again, says why, and was Complete at no time."""
        seen = self.cluster.wait_for_attempt(job, attempt)
        counted = seen["status"].get("interruptionCount", 0), seen["status"].get("failures", 0)
        self.assertEqual(counted, (interruptions, failures), self.history(job))
        self.assertFalse(is_true(seen, "Complete"), job)

    def assert_completes(self, *jobs):
        for job, attempt in jobs:
            self.exit(job, attempt, 0)
        for job, attempt in jobs:
            self.cluster.kubectl("wait", "--for=condition=Complete", f"resumablejob/{job}", "-n", "vision", "--timeout=90s")
            done = self.cluster.job(job)
            self.assertEqual(done["status"]["attempt"], attempt, job)
        completed = check_complete(self.log.up_to_now())
        self.assertLessEqual({job for job, _ in jobs}, set(completed))

    def test_unasked_0_succeeds_and_85_runs_again_and_any_other_exit_is_a_failure_that_counts(self):
        self.start(*(manifests.job(f"ends-{code}", pool="calm") for code in CODES),
                   manifests.job("at-limit", pool="calm", backoffLimit=0),
                   manifests.job("short-lived", pool="calm", ttlSecondsAfterFinished=1))
        for code in CODES:
            self.exit(f"ends-{code}", 1, code)
        self.exit("at-limit", 1, 1)
        self.exit("short-lived", 1, 0)
        self.cluster.kubectl("wait", "--for=condition=Complete", "resumablejob/ends-0", "-n", "vision", "--timeout=90s")
        self.cluster.kubectl("wait", "--for=condition=Failed", "resumablejob/at-limit", "-n", "vision", "--timeout=90s")
        self.assertEqual(condition(self.cluster.job("at-limit"), "Failed")["reason"], "BackoffLimitExceeded")
        self.assert_goes_on("ends-85", failures=0)
        for code in (143, 1, 137):
            self.assert_goes_on(f"ends-{code}", failures=1)
        self.assert_completes(*((f"ends-{code}", 2) for code in CODES if code))
        wait.until("what has ended goes after ttlSecondsAfterFinished", lambda: not self.cluster.job("short-lived"))

    def test_when_asked_to_stop_every_exit_is_an_interruption_and_none_a_failure(self):
        losses = ("deleted", "tainted")
        self.start(*(manifests.job(f"{loss}-{code}", pool=loss, annotations={"reprise.test/stop-exit-code": str(code)})
                     for loss in losses for code in CODES))
        for loss in losses:
            self.take_nodes(loss)
        for loss in losses:
            for code in CODES:
                self.assert_goes_on(f"{loss}-{code}", interruptions=1, failures=0)
        self.assert_completes(*((f"{loss}-{code}", 2) for loss in losses for code in CODES))

    def test_a_gang_of_which_all_save_and_end_with_0_at_a_notice_is_not_complete(self):
        self.start(manifests.job("gang", parallelism=4, pool="deleted", annotations={"reprise.test/stop-exit-code": "0"}))
        self.take_nodes("deleted")
        self.assert_goes_on("gang", interruptions=1)
        self.assert_completes(("gang", 2))

    def test_a_gang_of_which_one_has_finished_runs_again_as_a_whole_when_the_other_is_interrupted(self):
        self.start(manifests.job("half", parallelism=2, pool="tainted", annotations={"reprise.test/stop-exit-code": "0"}))
        self.exit("half", 1, 0, index=0)
        wait.until("the finished rank is known", lambda: self.cluster.job("half")["status"]["members"][0].get("finished"))
        self.take_nodes("tainted")
        self.assert_goes_on("half", interruptions=1)
        self.assert_completes(("half", 2))

    def test_the_agents_record_decides_where_the_exit_code_cannot(self):
        saved = record(asked=True, saved=True, step=300, durable=True)
        self.start(manifests.job("saved", pool="calm"), manifests.job("lost", pool="calm"))
        self.exit("saved", 1, 0, saved)
        self.exit("lost", 1, 86, record(exitCode=86, reason="CheckpointLost", message="step 300 is expected"))
        self.assert_goes_on("saved", interruptions=0)  # nothing took its place away: it was only asked to save
        self.assertEqual(self.cluster.job("saved")["status"]["checkpoint"]["step"], 300)
        lost = wait.until("a lost checkpoint waits for a person", lambda: self.stalled("lost"))
        self.assertEqual((condition(lost, "Stalled")["reason"], lost["status"].get("failures", 0)), ("CheckpointLost", 0))
        self.assert_completes(("saved", 2))
        self.assertEqual(self.cluster.job("lost")["status"]["attempt"], 1, "it did not start anew in silence")

    def stalled(self, name):
        job = self.cluster.job(name)
        return job if is_true(job, "Stalled") else None


if __name__ == "__main__":
    unittest.main()
