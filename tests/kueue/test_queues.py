"""Jobs in queues of the real Kueue: quota is honoured, and given back when nothing of a job writes any more."""

import json
import unittest
from datetime import datetime, timedelta, timezone

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import ROOT, condition, is_true
from harness.nodes import claim_of
from harness.operator import Operator
from kueue import Kueue, cluster_queue, flavor, local_queue, priority_class

FEATURE_GATES = "--feature-gates=Kueue=true,KueuePriorityBoost=true"
UNITS = 2  # of each job, one for each of its ranks, and of the whole queue


def queued(name, queue="team-a", priority=None, annotations=None):
    job = manifests.job(name, annotations=annotations, parallelism=UNITS)
    job["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": queue}
    if priority:
        job["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = priority
    return job


class Queues(ClusterCase):
    with_operator = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster.run("helm", "upgrade", "reprise", str(ROOT / "charts/reprise"), "--namespace", "reprise-system",
                        "--set", "featureGates.Kueue=true,featureGates.KueuePriorityBoost=true",
                        "--set", "statusProtection.enabled=false", "--wait", "--timeout", "180s")
        cls.kueue = cls.enterClassContext(Kueue(cls.cluster))
        cls.cluster.apply(flavor("t4", **{"reprise.dev/pool": "t4"}), cluster_queue("gpus", UNITS), local_queue("team-a", "gpus"),
                          priority_class("urgent", 1000))
        cls.operator = Operator(cls.cluster)
        cls.addClassCleanup(cls.operator.__exit__)
        cls.operator.start(FEATURE_GATES)

    def tearDown(self):
        self.cluster.kubectl("delete", "resumablejobs", "-n", "vision", "--all", "--timeout=90s")
        wait.until("no pod is left", lambda: not self.cluster.list("pods", "vision"))
        wait.until("no Workload is left", lambda: not self.cluster.list("workloads", "vision"))
        self.cluster.kubectl("delete", "persistentvolumeclaims", "-n", "vision", "--all", "--timeout=90s")

    def workload(self, job):
        found = self.cluster.list("workloads", "vision", f"reprise.dev/job={job}")
        if len(found) != 1:
            raise LookupError(f"{len(found)} Workloads of {job}")
        return found[0]

    def train(self, job):
        """Begins it, and waits until its quota is counted: the ClusterQueue's status comes after the admission."""
        self.cluster.apply(queued(job))
        self.cluster.wait_for_attempt(job, 1)
        wait.until("its quota is counted", lambda: self.used() == UNITS)

    def used(self):
        """Units for which the ClusterQueue has reserved quota."""
        flavors = self.cluster.get("clusterqueue", "gpus")["status"].get("flavorsReservation", [])
        return sum(int(resource.get("total", "0")) for each in flavors for resource in each["resources"])

    def training(self, job):
        """Pods of which a container runs."""
        return [pod for pod in self.cluster.pods_of(job)
                if any("running" in each["state"] for each in pod["status"].get("containerStatuses", []))]

    def boost(self, job):
        return self.workload(job)["metadata"].get("annotations", {}).get("kueue.x-k8s.io/priority-boost")

    def has_trained(self, job, minutes):
        """Says so in the job's status, as if its ranks had reported ever since: nobody waits for so long here."""
        status = self.cluster.job(job)["status"]
        begun = (datetime.now(timezone.utc) - timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")
        conditions = [dict(each, lastTransitionTime=begun) if each["type"] == "PodsReady" else each for each in status["conditions"]]
        patch = {"status": {"attemptStartTime": begun, "conditions": conditions, "progress": {"activity": "Training", "step": 1, "lastUpdatedTime": begun}}}
        self.cluster.kubectl("patch", "resumablejob", job, "-n", "vision", "--subresource=status", "--type=merge", "-p", json.dumps(patch))

    def end(self, job, code="0"):
        for pod in self.cluster.pods_of(job):
            self.cluster.annotate("pod", pod["metadata"]["name"], "vision", **{"reprise.test/exit-code": code})

    def test_a_job_waits_for_quota_and_begins_when_another_has_given_it_back(self):
        self.train("first")
        self.cluster.apply(queued("second"))
        job = self.cluster.wait_for_state("second", "WaitForQuota")
        wait.until("Kueue says why", lambda: "insufficient" in condition(self.cluster.job("second"), "PodsReady")["message"])
        self.assertEqual(self.cluster.pods_of("second"), [], self.history("second"))
        self.assertFalse(is_true(job, "QuotaReserved"))
        self.end("first")
        self.cluster.wait_for_attempt("second", 1)
        self.assertTrue(is_true(self.cluster.job("second"), "QuotaReserved"))
        self.assertEqual(condition(self.workload("first"), "Finished")["reason"], "Succeeded")

    def test_a_preempted_job_keeps_its_quota_until_its_pods_have_ended_and_goes_on_from_its_checkpoint(self):
        self.cluster.apply(queued("training", annotations={"reprise.test/stop-after-milliseconds": "15000"}))
        self.cluster.wait_for_attempt("training", 1)
        self.cluster.apply(queued("urgent", priority="urgent"))
        wait.until("training is evicted", lambda: is_true(self.workload("training"), "Evicted"))
        wait.until("its pods are being stopped", lambda: self.cluster.pods_of("training")[0]["metadata"].get("deletionTimestamp"))
        # What was said while a trainer ran before and after was said while it ran.
        seen = 0
        while self.training("training"):
            reserved = is_true(self.workload("training"), "QuotaReserved")
            if self.training("training"):
                seen += 1
                self.assertTrue(reserved, "the quota was given back while a trainer had not ended")
        self.assertGreater(seen, 0, "nobody looked while the pod was ending")
        self.cluster.wait_for_attempt("urgent", 1)
        self.cluster.wait_for_state("training", "WaitForQuota")
        job = self.cluster.job("training")
        self.assertEqual(job["status"]["lastEnd"]["reason"], "Evicted")
        self.assertEqual(job["status"].get("interruptionCount", 0), 0, "an eviction by a queue is no interruption")
        self.end("urgent")
        self.cluster.wait_for_attempt("training", 2)

    def test_admission_survives_an_interruption(self):
        self.cluster.apply(queued("training"))
        self.cluster.wait_for_attempt("training", 1)
        before = condition(self.workload("training"), "Admitted")
        claim = claim_of(self.cluster, self.cluster.pods_of("training")[0])
        self.cluster.kubectl("delete", "nodeclaim", claim["metadata"]["name"], "--wait=false", "--ignore-not-found")
        self.cluster.wait_for_attempt("training", 2, seconds=120)
        self.assertEqual(condition(self.workload("training"), "Admitted"), before)

    def test_a_deactivated_workload_stops_the_job_until_it_is_active_again(self):
        self.train("training")
        name = self.workload("training")["metadata"]["name"]
        patch = ("patch", "workload", name, "-n", "vision", "--type=merge", "-p")
        self.cluster.kubectl(*patch, json.dumps({"spec": {"active": False}}))
        self.cluster.wait_for_state("training", "WaitForQuota")
        wait.until("no quota is used", lambda: self.used() == 0)
        wait.until("no pod is left", lambda: not self.cluster.pods_of("training"))
        self.cluster.kubectl(*patch, json.dumps({"spec": {"active": True}}))
        self.cluster.wait_for_attempt("training", 2)

    def test_a_drained_queue_stops_its_jobs_and_a_filled_one_brings_them_back(self):
        self.train("training")
        self.cluster.apply(cluster_queue("gpus", UNITS, stopPolicy="HoldAndDrain"))
        self.cluster.wait_for_state("training", "WaitForQuota")
        wait.until("no quota is used", lambda: self.used() == 0)
        self.cluster.apply(cluster_queue("gpus", UNITS, stopPolicy="None"))
        self.cluster.wait_for_attempt("training", 2)

    def test_a_suspended_job_gives_its_quota_back(self):
        self.train("training")
        self.cluster.kubectl("patch", "resumablejob", "training", "-n", "vision", "--type=merge", "-p", '{"spec": {"suspend": true}}')
        self.cluster.wait_for_state("training", "Suspended")
        wait.until("its Workload is deleted", lambda: not self.cluster.list("workloads", "vision"))
        wait.until("no quota is used", lambda: self.used() == 0)
        self.cluster.kubectl("patch", "resumablejob", "training", "-n", "vision", "--type=merge", "-p", '{"spec": {"suspend": false}}')
        self.cluster.wait_for_attempt("training", 2)

    def test_a_deleted_workload_is_made_anew_and_waits_like_any_other(self):
        self.cluster.apply(queued("training"))
        self.cluster.wait_for_attempt("training", 1)
        before = self.workload("training")
        self.cluster.kubectl("delete", "workload", before["metadata"]["name"], "-n", "vision")
        self.cluster.wait_for_attempt("training", 2)
        self.assertNotEqual(self.workload("training")["metadata"]["uid"], before["metadata"]["uid"])

    def test_among_equals_the_job_goes_that_would_lose_less(self):
        self.cluster.apply(cluster_queue("gpus", 2 * UNITS))
        self.addCleanup(self.cluster.apply, cluster_queue("gpus", UNITS))
        for name in ("saved", "unsaved"):
            self.cluster.apply(queued(name))
            self.cluster.wait_for_attempt(name, 1)
        self.has_trained("unsaved", minutes=70)
        wait.until("Kueue is told", lambda: self.boost("unsaved") == "2")
        self.cluster.apply(queued("urgent", priority="urgent"))
        # Without a boost it would be the one that was admitted last.
        wait.until("a job is evicted", lambda: any(is_true(self.workload(name), "Evicted") for name in ("saved", "unsaved")))
        self.assertTrue(is_true(self.workload("saved"), "Evicted"))
        self.cluster.wait_for_attempt("urgent", 1)
        self.assertFalse(is_true(self.workload("unsaved"), "Evicted"))
        self.assertIsNone(self.boost("saved"))
        name = self.workload("unsaved")["metadata"]["name"]
        self.cluster.kubectl("patch", "workload", name, "-n", "vision", "--type=merge", "-p", '{"spec": {"active": false}}')
        wait.until("who waits has no boost", lambda: self.boost("unsaved") is None)

    def test_the_pods_run_where_the_quota_was_counted(self):
        self.cluster.apply(queued("training"))
        self.cluster.wait_for_attempt("training", 1)
        self.assertEqual(self.cluster.pods_of("training")[0]["spec"]["nodeSelector"]["reprise.dev/pool"], "t4")

    def test_a_job_without_a_queue_waits_for_nobody(self):
        self.cluster.apply(manifests.job("free"))
        self.cluster.wait_for_attempt("free", 1)
        self.assertEqual(self.cluster.list("workloads", "vision", "reprise.dev/job=free"), [])

    def test_the_example_runs_in_its_queue(self):
        for name in ("queue.yaml", "job.yaml"):
            self.cluster.kubectl("apply", "-f", str(ROOT / "examples/kueue" / name))
        self.addCleanup(self.cluster.apply, cluster_queue("gpus", UNITS))
        self.cluster.wait_for_attempt("queued", 1)
        self.assertTrue(is_true(self.workload("queued"), "Admitted"))

    def test_a_restarted_operator_stops_nothing_and_goes_on(self):
        self.cluster.apply(queued("training"))
        self.cluster.wait_for_attempt("training", 1)
        pod = self.cluster.pods_of("training")[0]["metadata"]["uid"]
        self.operator.kill()
        self.operator.start(FEATURE_GATES)
        self.cluster.apply(queued("second"))
        self.cluster.wait_for_state("second", "WaitForQuota")
        self.assertEqual(self.cluster.pods_of("training")[0]["metadata"]["uid"], pod)


if __name__ == "__main__":
    unittest.main()
