"""What goes with a job and with a pool, what stays, and what a suspended job keeps."""

import unittest

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import OPERATOR_NAMESPACE, condition

MANY = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}


def kept(when_deleted):
    return {"path": "/checkpoints", "graceSeconds": 10, "volume": {"claimTemplate": {"spec": MANY}, "whenDeleted": when_deleted}}


class Deletion(ClusterCase):
    pools = (manifests.pool(), manifests.pool("t4-eight", sharing={"mode": "TimeSlicing", "replicas": 8}))

    def claim_of(self, job):
        return self.cluster.job(job)["status"]["claims"][0]["name"]

    def delete(self, kind, name, namespace="vision"):
        scope = ["-n", namespace] if namespace else []
        self.cluster.kubectl("delete", kind, name, *scope, "--wait=false")

    def keys(self):
        found = self.cluster.get("configmap", "reprise-device-plugin", OPERATOR_NAMESPACE)
        return sorted(found.get("data", {}))

    def test_the_claim_stays_or_goes_with_the_job_as_asked_and_the_rest_goes(self):
        cluster = self.cluster
        cluster.apply(*[manifests.job(name.lower(), checkpoint=kept(name)) for name in ("Retain", "Delete")])
        claims = {}
        for name in ("retain", "delete"):
            cluster.wait_for_attempt(name, 1)
            claims[name] = cluster.get("persistentvolumeclaim", self.claim_of(name), "vision")
        for name in ("retain", "delete"):
            self.delete("resumablejob", name)
        wait.until("pods and Services have gone", lambda: not cluster.pods_of("retain") + cluster.pods_of("delete")
                   and not cluster.get("service", "retain-rj", "vision") and not cluster.get("service", "delete-rj", "vision"))
        wait.until("the claim that was to go has gone",
                   lambda: not cluster.get("persistentvolumeclaim", claims["delete"]["metadata"]["name"], "vision"))
        still = cluster.get("persistentvolumeclaim", claims["retain"]["metadata"]["name"], "vision")
        self.assertEqual(still["metadata"]["uid"], claims["retain"]["metadata"]["uid"])
        self.assertNotIn("deletionTimestamp", still["metadata"])
        self.assertEqual(still["status"]["phase"], "Bound")

        cluster.apply(manifests.job("retain", checkpoint=kept("Retain")))
        found = cluster.wait_for_state("retain", "ClaimExists")
        self.assertIn("spec.checkpoint.volume.claimName", condition(found, "PodsReady")["message"])
        self.delete("resumablejob", "retain")
        cluster.apply(manifests.job("heir", checkpoint={"path": "/checkpoints", "volume": {"claimName": still["metadata"]["name"]}}))
        cluster.wait_for_attempt("heir", 1)
        self.delete("resumablejob", "heir")
        wait.until("the heir's pods have gone", lambda: not cluster.pods_of("heir"))
        self.assertIsNotNone(cluster.get("persistentvolumeclaim", still["metadata"]["name"], "vision"), "what was named is never deleted")

    def test_what_an_orphaning_deletion_left_behind_is_named_to_the_job_that_needs_its_names(self):
        cluster = self.cluster
        cluster.apply(manifests.job("left"))
        cluster.wait_for_attempt("left", 1)
        claim = self.claim_of("left")
        cluster.kubectl("delete", "resumablejob", "left", "-n", "vision", "--cascade=orphan")
        orphans = {pod["metadata"]["uid"] for pod in cluster.pods_of("left")}
        self.assertEqual(len(orphans), 1, "the pods stay")

        cluster.apply(manifests.job("left", checkpoint={"path": "/checkpoints", "volume": {"claimName": claim}}))
        found = cluster.wait_for_state("left", "FailedCreate")
        message = condition(found, "PodsReady")["message"]
        self.assertIn("vision/left-", message)
        self.assertIn("is not this job's", message)
        self.assertEqual({pod["metadata"]["uid"] for pod in cluster.pods_of("left")}, orphans, "nothing is taken over")

        cluster.kubectl("delete", "pod", "left-1-0", "-n", "vision")
        cluster.kubectl("delete", "service", "left-rj", "-n", "vision")
        cluster.wait_for_attempt("left", 1)
        self.assertFalse({pod["metadata"]["uid"] for pod in cluster.pods_of("left")} & orphans)
        self.delete("resumablejob", "left")

    def test_a_suspended_job_keeps_its_claim_and_no_pod_and_may_be_changed(self):
        cluster = self.cluster
        cluster.apply(manifests.job("paused", parallelism=2))
        before = cluster.wait_for_attempt("paused", 1)
        wider = manifests.job("paused", parallelism=3)
        self.assertIn("must not change unless the job is suspended", cluster.rejection(wider))
        self.suspend("paused", True)
        found = cluster.wait_for_state("paused", "Suspended")
        wait.until("it has no pod", lambda: not cluster.pods_of("paused"))
        wait.until("it says so", lambda: condition(cluster.job("paused"), "Suspended")["status"] == "True")
        self.assertEqual(found["status"].get("interruptionCount", 0), 0, "it was asked for, it is no interruption")
        wider["spec"]["suspend"] = True
        cluster.apply(wider)
        self.suspend("paused", False)
        after = cluster.wait_for_attempt("paused", 2)
        self.assertEqual(len(cluster.pods_of("paused", 2)), 3)
        self.assertEqual(after["status"]["claims"], before["status"]["claims"])
        self.assertEqual(condition(after, "Suspended")["status"], "False")
        self.delete("resumablejob", "paused")

    def suspend(self, job, value):
        self.cluster.kubectl("patch", "resumablejob", job, "-n", "vision", "--type=merge",
                             "-p", f'{{"spec":{{"suspend":{str(value).lower()}}}}}')

    def test_a_pool_in_use_cannot_be_deleted_and_an_unused_one_takes_everything_along(self):
        cluster = self.cluster
        cluster.apply(manifests.job("tenant", pool="t4-eight"))
        cluster.wait_for_attempt("tenant", 1)
        wait.until("the pool counts the job", lambda: cluster.get("gpupool", "t4-eight")["status"]["jobs"] == 1)
        rejected = cluster.run("kubectl", "delete", "gpupool", "t4-eight", "--wait=false", check=False)
        self.assertIn("GpuPool t4-eight is used by 1 unfinished ResumableJob", rejected.stderr)
        advised = cluster.kubectl("get", "rj", "-A", "--field-selector", "spec.poolName=t4-eight", "-o", "name")
        self.assertEqual(advised.split(), ["resumablejob.reprise.dev/tenant"], "the command of the message works")
        self.assertNotIn("deletionTimestamp", cluster.get("gpupool", "t4-eight")["metadata"])

        self.assertIn("ts-8", self.keys())
        self.assertTrue(self.made_for("t4-eight"))
        self.delete("resumablejob", "tenant")
        wait.until("the pool counts none", lambda: not cluster.get("gpupool", "t4-eight")["status"].get("jobs"))
        self.delete("gpupool", "t4-eight", None)
        wait.until("the pool has gone", lambda: not cluster.get("gpupool", "t4-eight"))
        wait.until("NodePools, overlays and nodes have gone", lambda: not self.made_for("t4-eight"), seconds=180)
        wait.until("its key has gone", lambda: "ts-8" not in self.keys())

    def made_for(self, pool):
        selector = f"reprise.dev/pool={pool}"
        return [thing["metadata"]["name"] for kind in ("nodepools", "nodeoverlays", "nodeclaims")
                for thing in self.cluster.list(kind, selector=selector)]

    def test_a_key_that_two_pools_share_stays_until_the_second_has_gone(self):
        cluster = self.cluster
        cluster.apply(manifests.pool("left", sharing={"mode": "TimeSlicing", "replicas": 5}),
                      manifests.pool("right", sharing={"mode": "TimeSlicing", "replicas": 5}))
        for name in ("left", "right"):
            wait.until(f"{name} is ready", lambda: condition(cluster.get("gpupool", name), "Ready")["status"] == "True")
        self.assertEqual(self.keys().count("ts-5"), 1)
        self.delete("gpupool", "left", None)
        wait.until("left has taken its NodePools along", lambda: not self.made_for("left"))
        self.assertIn("ts-5", self.keys())
        self.delete("gpupool", "right", None)
        wait.until("the key has gone", lambda: "ts-5" not in self.keys())
        wait.until("right has taken its NodePools along", lambda: not self.made_for("right"))
        self.assertIn("ts-4", self.keys(), "the key of the others is left alone")


if __name__ == "__main__":
    unittest.main()
