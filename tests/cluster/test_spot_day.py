"""A day on the spot market, as it was recorded: each time the zone ran dry the job loses the node it runs on."""

import time
import unittest

from harness import fence_invariant, manifests, spot_trace, wait
from harness.case import ClusterCase
from harness.cluster import is_true
from harness.loss import Loss
from harness.watchlog import WatchLog

TICKS_PER_SECOND = 6  # the day passes in 74 s, unless recovering takes longer
KINDS = ("deleted", "tainted", "announced", "vanished")
REASONS = {"deleted": "NodeClaimDeleted", "tainted": "SpotInterrupted", "announced": "SpotInterrupted", "vanished": "NodeLost"}


class SpotDay(ClusterCase):
    pools = (manifests.pool(sharing={"mode": "Exclusive"}),)  # a node for each rank

    def test_a_job_lives_through_a_recorded_day_and_no_attempt_begins_before_the_last_is_proven_to_have_ended(self):
        drops = spot_trace.falling_edges(spot_trace.read())
        self.assertEqual(len(drops), 8, "the day has its eight edges")
        with WatchLog(self.cluster, "pods", "nodes", "nodeclaims", "resumablejobs", "persistentvolumeclaims") as log:
            self.cluster.apply(manifests.job("finetune", parallelism=2))
            self.live_through(drops)
            self.finish()
            self.scale_to_zero(log)
        status = self.check_what_the_job_says()
        self.check_the_fence(log, status["attempt"])
        claims = [thing["metadata"] for _, thing in log.of("persistentvolumeclaims")]
        self.assertEqual({(claim["name"], claim["uid"]) for claim in claims}, {("finetune-checkpoints", claims[0]["uid"])})

    def live_through(self, drops):
        dawn = time.monotonic()
        for number, tick in enumerate(drops):
            wait.until(f"tick {tick} of the day", lambda: time.monotonic() >= dawn + tick / TICKS_PER_SECOND)
            job = self.running()
            status = job["status"]
            self.assertFalse(is_true(job, "Interrupted"), self.history("finetune"))
            self.assertEqual(status["attempt"], status.get("interruptionCount", 0) + 1)
            kind = KINDS[number % len(KINDS)]
            victim = self.cluster.pods_of("finetune", status["attempt"])[number % 2]
            getattr(Loss(self.cluster, victim), kind)()
            last = wait.until(f"interruption {number + 1} ({kind}) is counted", lambda: self.next_interruption(status))
            self.assertEqual((last["reason"], last["node"]), (REASONS[kind], victim["spec"]["nodeName"]))

    def running(self):
        """The job, when all pods of its attempt run."""
        return wait.until("the job runs", lambda: next(
            (job for job in [self.cluster.job("finetune")] if is_true(job, "PodsReady")), None))

    def next_interruption(self, before):
        now = self.cluster.job("finetune")["status"]
        return now["lastInterruption"] if now.get("interruptionCount", 0) == before.get("interruptionCount", 0) + 1 else None

    def finish(self):
        attempt = self.running()["status"]["attempt"]
        for pod in self.cluster.pods_of("finetune", attempt):
            self.cluster.annotate("pod", pod["metadata"]["name"], "vision", **{"reprise.test/exit-code": "0"})
        self.cluster.kubectl("wait", "--for=condition=Complete", "resumablejob/finetune", "-n", "vision", "--timeout=90s")

    def scale_to_zero(self, log):
        """All nodes go; with that the log holds everything that this test looks at."""
        wait.until("no node is left", lambda: not self.cluster.list("nodeclaims"), seconds=180)
        for kind in ("nodes", "nodeclaims"):
            here = {"system-0"} if kind == "nodes" else set()
            wait.until(f"the log has seen all {kind} go",
                       lambda: {thing["metadata"]["name"] for _, thing in log.of(kind)}
                       - {thing["metadata"]["name"] for type_, thing in log.of(kind) if type_ == "DELETED"} == here)
        log.wait_for("the log has seen the end", lambda kind, _, thing: kind == "resumablejobs" and is_true(thing, "Complete"))

    def check_what_the_job_says(self):
        job = self.cluster.job("finetune")
        status = job["status"]
        by_reason = {one["reason"]: one["count"] for one in status["interruptions"]}
        self.assertEqual(by_reason, {"NodeClaimDeleted": 2, "SpotInterrupted": 4, "NodeLost": 2})
        interruptions = status["interruptionCount"]
        self.assertEqual(interruptions, sum(one["count"] for one in status["interruptions"]))
        self.assertEqual(status["attempt"], interruptions + 1)
        self.assertEqual(status.get("failures", 0), 0)
        self.assertEqual({one["type"]: one["status"] for one in status["conditions"]} | {"CheckpointReady": "", "OnSchedule": ""},
                         {"Complete": "True", "Failed": "False", "Suspended": "False", "PodsReady": "False",
                          "Interrupted": "False", "Stalled": "False", "CheckpointReady": "", "OnSchedule": ""})
        events = self.cluster.list("events.events.k8s.io", "vision")
        count = {}
        for event in events:
            if event["regarding"].get("uid") == job["metadata"]["uid"]:
                count[event["reason"]] = count.get(event["reason"], 0) + event.get("series", {}).get("count", 1)
        self.assertEqual([count[reason] for reason in ("Started", "Interrupted", "Recovered", "Complete")],
                         [1, interruptions, interruptions, 1], count)
        self.assertGreaterEqual(count["CheckpointRequested"], 2, "the Events alone asked for a checkpoint")
        return status

    def check_the_fence(self, log, attempts):
        proofs = fence_invariant.check(log.in_order())
        self.assertEqual(sorted(proofs), sorted((f"finetune-{attempt}-{index}", attempt)
                                                for attempt in range(1, attempts) for index in (0, 1)))
        self.assertEqual({proof for proof in proofs.values()}, {"KubeletReport", "MachineGone"})


if __name__ == "__main__":
    unittest.main()
