"""No second writer, whatever happens to the pod, the node, its NodeClaim and the operator."""

import re
import shlex
import unittest

from harness import fence_invariant, manifests, wait
from harness.case import ClusterCase
from harness.cluster import condition
from harness.nodes import claim_of, held, only_held
from harness.watchlog import WatchLog

JOBS = ["forced", "confirmed", "nodeless", "claimless", "unseen", "unseen-held", "silent", "shared"]
EVERYTHING = ("pods", "nodes", "nodeclaims", "resumablejobs")


class Fence(ClusterCase):
    """A node for each job, so that what happens to one leaves the others alone."""

    pools = (manifests.pool(sharing={"mode": "Exclusive"}, capacity=[{"type": "Spot", "maxGpus": 40, "noticeSeconds": 15}]),)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.watch = cls.enterClassContext(WatchLog(cls.cluster, *EVERYTHING))
        cls.cluster.apply(*[manifests.job(name) for name in JOBS])
        for name in JOBS:
            cls.cluster.wait_for_attempt(name, 1, seconds=180)
        cls.start_silence()

    @classmethod
    def start_silence(cls):
        """Silence takes its time to be noticed: it runs beside the other tests."""
        cluster = cls.cluster
        cls.silent_pod, = cluster.pods_of("silent")
        cls.silent_claim = claim_of(cluster, cls.silent_pod)
        cls.silence = held(cluster, cls.silent_claim)
        cls.silence.__enter__()
        cluster.kubectl("label", "node", cls.silent_pod["spec"]["nodeName"], "reprise.test/node-silent=true")

    def rank(self, job):
        pod, = self.cluster.pods_of(job, 1)
        return pod, claim_of(self.cluster, pod)

    def assert_waits_for(self, job, pod, claim):
        """The job says what is missing, and goes on saying so when everybody but the test has let the machine go."""
        found = self.cluster.wait_for_state(job, "WriterNotFenced")
        message = condition(found, "PodsReady")["message"]
        for name in (pod["metadata"]["name"], pod["spec"]["nodeName"], claim["metadata"]["name"]):
            self.assertIn(name, message)
        wait.until(f"nothing but the test holds {claim['metadata']['name']}", lambda: only_held(self.cluster, claim))
        self.assertEqual(self.cluster.pods_of(job, 2), [], "no second writer")
        still = condition(self.cluster.job(job), "PodsReady")
        self.assertEqual((still["reason"], still["status"]), ("WriterNotFenced", "False"))
        return still["message"]

    def assert_resumed(self, job, proof):
        self.cluster.wait_for_attempt(job, 2)
        self.assertEqual(self.invariant().get((f"{job}-1-0", 1)), proof)

    def invariant(self):
        return fence_invariant.check(self.watch.up_to_now())

    def test_a_forced_deletion_of_the_pod_proves_nothing(self):
        pod, claim = self.rank("forced")
        with held(self.cluster, claim):
            self.cluster.kubectl("delete", "pod", "forced-1-0", "-n", "vision", "--force", "--grace-period=0")
            self.assert_waits_for("forced", pod, claim)
        self.assert_resumed("forced", "MachineGone")

    def test_a_person_who_runs_the_command_of_the_message_releases_the_job(self):
        pod, claim = self.rank("confirmed")
        with held(self.cluster, claim):
            self.cluster.kubectl("delete", "pod", "confirmed-1-0", "-n", "vision", "--force", "--grace-period=0")
            message = self.assert_waits_for("confirmed", pod, claim)
            command = re.search(r"kubectl (annotate .*)$", message).group(1)
            self.cluster.kubectl(*shlex.split(command))
            self.assert_resumed("confirmed", "PersonConfirmed")

    def test_a_node_object_removed_behind_everybody_proves_nothing(self):
        pod, claim = self.rank("nodeless")
        node = pod["spec"]["nodeName"]
        self.cluster.annotate("pod", "nodeless-1-0", "vision", **{"reprise.test/frozen": "true"})  # it goes on writing
        with held(self.cluster, claim):
            self.cluster.kubectl("delete", "node", node, "--wait=false")
            self.cluster.run("kubectl", "patch", "node", node, "--type=merge", "-p", '{"metadata":{"finalizers":null}}',
                             check=False)
            self.assert_waits_for("nodeless", pod, claim)
        self.assert_resumed("nodeless", "MachineGone")

    def test_a_nodeclaim_deleted_by_somebody_ends_the_pod_in_order_first(self):
        _, claim = self.rank("claimless")
        self.cluster.kubectl("delete", "nodeclaim", claim["metadata"]["name"], "--wait=false")
        self.assert_resumed("claimless", "KubeletReport")
        self.assertEqual(self.cluster.job("claimless")["status"]["interruptionCount"], 1)

    def test_an_operator_that_was_off_during_the_notice_resumes_when_the_machine_is_proven_gone(self):
        _, gone = self.rank("unseen")
        pod, kept = self.rank("unseen-held")
        with held(self.cluster, kept):
            self.operator.kill()
            for claim in (gone, kept):
                self.cluster.kubectl("delete", "nodeclaim", claim["metadata"]["name"], "--wait=false")
            wait.until("the machine has gone unseen", lambda: not self.cluster.get("nodeclaim", gone["metadata"]["name"]))
            wait.until("the pods have gone unseen",
                       lambda: not self.cluster.pods_of("unseen") + self.cluster.pods_of("unseen-held"), seconds=180)
            self.operator.restart()
            self.cluster.wait_for_attempt("unseen", 2)
            self.assert_waits_for("unseen-held", pod, kept)
        self.cluster.wait_for_attempt("unseen-held", 2)
        self.invariant()

    def test_the_machine_of_a_silent_node_is_ended_before_the_job_goes_on(self):
        self.assert_waits_for("silent", self.silent_pod, self.silent_claim)
        self.silence.__exit__(None, None, None)
        self.assert_resumed("silent", "MachineGone")

    def test_a_stranger_that_mounts_the_claim_is_waited_for(self):
        claim = self.cluster.job("shared")["status"]["claims"][0]["name"]
        stranger = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "debug", "namespace": "vision"},
                    "spec": {"nodeName": "system-0", "containers": [{"name": "shell", "image": "example/shell:1"}],
                             "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]}}
        self.cluster.apply(stranger)
        wait.until("the stranger runs", lambda: self.cluster.get("pod", "debug", "vision")["status"]["phase"] == "Running")
        self.cluster.kubectl("delete", "pod", "shared-1-0", "-n", "vision", "--wait=false")
        found = self.cluster.wait_for_state("shared", "ClaimInUse")
        self.assertIn("pod debug mounts", condition(found, "PodsReady")["message"])
        self.assertEqual(self.cluster.pods_of("shared", 2), [])
        self.cluster.kubectl("delete", "pod", "debug", "-n", "vision", "--wait=false")
        self.assert_resumed("shared", "KubeletReport")


if __name__ == "__main__":
    unittest.main()
