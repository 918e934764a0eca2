"""A job that got an on-demand node for want of a spot one goes back to spot when it has just saved, and loses nothing by it."""

import unittest

from harness import manifests, wait
from harness.reporting import ReportingCase, report

# What the agent writes when it is asked to stop: the trainer has saved once more.
RECORD = ('{"attempt":1,"index":0,"exitCode":143,"finished":false,"asked":true,"saved":true,"step":440,"path":"checkpoint-440",'
          '"sizeBytes":10,"durable":true}')


def capacity(spot):
    return [{"type": "Spot", "maxGpus": spot, "noticeSeconds": 20}, {"type": "OnDemand", "maxGpus": 4}]


class Fallback(ReportingCase):
    # A spot machine in another zone would say nothing of this one.
    pools = (manifests.pool(zones=["test-zone-a"], sharing={"mode": "Exclusive"}, scaleDown={"idleSeconds": 3600}, capacity=capacity(1),
                            fallback={"policy": "ReturnAtCheckpoint"}),)

    def begun(self, name, **options):
        """The job's node, by a job that trains."""
        self.cluster.apply(manifests.job(name, **options))
        self.cluster.wait_for_attempt(name, 1)
        return self.node_of(name)

    def node_of(self, name):
        pod, = self.cluster.pods_of(name)
        return self.cluster.get("node", pod["spec"]["nodeName"])["metadata"]

    def capacity_of(self, name):
        return self.node_of(name)["labels"]["karpenter.sh/capacity-type"]

    def reports(self, step, age_seconds):
        """Says it again and again, as an agent does: what comes soon after another report is taken up with the next one."""
        token = self.token()

        def known():
            self.accepted(report(step, age_seconds=age_seconds), token)
            return self.cluster.job("fit")["status"].get("progress", {}).get("checkpoint", {}).get("step") == step
        wait.until("the checkpoint is known", known)

    def test_a_job_goes_back_to_spot_when_it_has_just_saved(self):
        cluster = self.cluster
        self.begun("first")
        makeshift = self.begun("fit", interruption={"limit": 1}, annotations={"reprise.test/termination-message": RECORD})
        self.assertEqual((self.capacity_of("first"), self.capacity_of("fit")), ("spot", "on-demand"))

        self.reports(200, age_seconds=0)
        left_alone = lambda: cluster.job("fit")["status"]["attempt"] == 1
        self.assertTrue(wait.steady("there is no room for it on spot", left_alone, stretch=10))
        patch = '{"spec":{"capacity":[{"type":"Spot","maxGpus":3,"noticeSeconds":20},{"type":"OnDemand","maxGpus":4}]}}'
        cluster.kubectl("patch", "gpupool", "t4", "--type=merge", "-p", patch)
        self.assertTrue(wait.steady("nobody has seen spot since", left_alone, stretch=10))
        self.reports(300, age_seconds=600)
        self.begun("second")
        self.assertEqual(self.capacity_of("second"), "spot")
        self.assertTrue(wait.steady("it has not just saved", left_alone, stretch=5))

        self.reports(400, age_seconds=0)
        cluster.wait_for_attempt("fit", 2)
        self.assertEqual(self.capacity_of("fit"), "spot")
        status = cluster.job("fit")["status"]
        last = status["lastInterruption"]
        self.assertEqual((last["reason"], last["node"], last["saved"]), ("PreferredCapacity", makeshift["name"], True))
        self.assertEqual((status["interruptionCount"], status["plannedInterruptions"]), (1, 1), "its limit is one")
        self.assertEqual((status.get("failures", 0), status["checkpoint"]["step"]), (0, 440))
        rolled, = cluster.get("gpupool", "t4")["status"]["drift"]["rolled"]
        self.assertEqual((rolled["node"], rolled["reason"]), (makeshift["name"], "PreferredCapacity"))
        said = lambda: "ReturningToPreferredCapacity" in {event["reason"] for event in cluster.list("events", "default")
                                                          if event["involvedObject"].get("name") == "t4"}
        wait.until("an Event says so", said)


if __name__ == "__main__":
    unittest.main()
