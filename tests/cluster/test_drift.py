"""A pool whose template changes under nodes in use: what is idle goes, a job when it has just saved, and nothing is lost."""

import unittest

from harness import manifests, wait
from harness.cluster import condition
from harness.reporting import ReportingCase, report

# What the agent writes when it is asked to stop: the trainer has saved once more.
RECORD = ('{"attempt":1,"index":0,"exitCode":143,"finished":false,"asked":true,"saved":true,"step":340,"path":"checkpoint-340",'
          '"sizeBytes":10,"durable":true}')


class Drift(ReportingCase):
    pools = (manifests.pool(sharing={"mode": "Exclusive"}, scaleDown={"idleSeconds": 3600}),)

    def claims(self):
        return {claim["status"]["nodeName"]: claim for claim in self.cluster.list("nodeclaims") if claim.get("status", {}).get("nodeName")}

    def state(self, reason):
        found = condition(self.cluster.get("gpupool", "t4"), "NodesUpToDate")
        if found["reason"] != reason:
            raise LookupError(f"{found['reason']}: {found['message']}")
        return found["message"]

    def job_s_node(self, name):
        pod, = self.cluster.pods_of(name, self.cluster.job(name)["status"]["attempt"])
        return pod["spec"]["nodeName"]

    def test_nodes_are_rolled_one_after_the_other_and_a_trainer_when_it_has_just_saved(self):
        cluster = self.cluster
        cluster.apply(manifests.job("short"),
                      manifests.job("fit", interruption={"limit": 1}, annotations={"reprise.test/termination-message": RECORD}))
        for name in ("short", "fit"):
            cluster.wait_for_attempt(name, 1)
        idle, used = self.job_s_node("short"), self.job_s_node("fit")
        cluster.annotate("pod", "short-1-0", "vision", **{"reprise.test/exit-code": "0"})
        cluster.wait_for_state("short", "Complete")
        self.assertEqual(self.state("NoDriftSeen"), "Karpenter calls no node of this pool drifted")

        cluster.kubectl("patch", "gpupool", "t4", "--type=merge", "-p", '{"spec":{"labels":{"example.com/driver":"580"}}}')
        wait.until("the idle node is gone", lambda: idle not in self.claims(), seconds=180)
        message = wait.until("the job's node waits", lambda: self.state("WaitingForCheckpoint"))
        self.assertEqual(message, f"node {used}: job vision/fit, which has reported no checkpoint in its attempt")
        left_alone = lambda: cluster.job("fit")["status"]["attempt"] == 1 and used in self.claims()
        self.assertTrue(wait.steady("the trainer is left alone", left_alone, stretch=15))

        self.accepted(report(300, age_seconds=0), self.token())
        cluster.wait_for_attempt("fit", 2, seconds=180)
        self.assertNotEqual(self.job_s_node("fit"), used)
        node = cluster.get("node", self.job_s_node("fit"))
        self.assertEqual(node["metadata"]["labels"]["example.com/driver"], "580")
        status = cluster.job("fit")["status"]
        last = status["lastInterruption"]
        self.assertEqual((last["reason"], last["node"], last["saved"]), ("NodeDrifted", used, True))
        self.assertEqual((status["interruptionCount"], status["plannedInterruptions"]), (1, 1), "its limit is one")
        self.assertEqual((status.get("failures", 0), status["checkpoint"]["step"]), (0, 340))

        wait.until("all is up to date", lambda: self.state("NoDriftSeen"), seconds=180)
        rolled = cluster.get("gpupool", "t4")["status"]["drift"]["rolled"]
        self.assertEqual([one["node"] for one in rolled], [idle, used])
        events = [event["reason"] for event in cluster.list("events", "default") if event["involvedObject"].get("name") == "t4"]
        self.assertIn("RollingDriftedNode", events)
        self.assertIn("WaitingForCheckpoint", events)


if __name__ == "__main__":
    unittest.main()
