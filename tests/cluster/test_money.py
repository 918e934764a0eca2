"""Money that nobody would see going: machines that never become useful, one machine too many while others boot, and a
capacity type that is taken away under a job."""

import unittest

from harness import manifests, wait
from harness.case import ClusterCase
from harness.watchlog import WatchLog

SPOT = {"type": "Spot", "maxGpus": 4, "noticeSeconds": 20}
TAINT = {"key": "example.com/nobody-removes-it", "effect": "NoSchedule"}


def node_class(name, delay):
    return {"apiVersion": "karpenter.kwok.sh/v1alpha1", "kind": "KWOKNodeClass", "metadata": {"name": name},
            "spec": {"nodeRegistrationDelay": delay}}


def pool(name, node_class_name="default", **spec):
    base = {"sharing": {"mode": "Exclusive"}, "capacity": [SPOT], "instanceTypes": ["g4dn.xlarge"], "scaleDown": {"idleSeconds": 300},
            "nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": node_class_name}}
    return manifests.pool(name, **{**base, **spec})


def pod(name, of_pool, resource="nvidia.com/gpu"):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "vision"}, "spec": {
        "nodeSelector": {"reprise.dev/pool": of_pool}, "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
        "containers": [{"name": "main", "image": "example/bare:1", "resources": {"limits": {resource: 1}}}]}}


class Money(ClusterCase):
    pools = (node_class("never", "24h"), node_class("slow", "60s"),
             pool("never", "never", initializationDeadlineSeconds=60),
             pool("tainted", initializationDeadlineSeconds=60, startupTaints=[TAINT]),
             pool("shared", "slow", sharing={"mode": "TimeSlicing", "replicas": 4}, capacity=[{**SPOT, "maxGpus": 2}]),
             pool("edited", capacity=[{"type": "OnDemand", "maxGpus": 4}, SPOT]))

    def setUp(self):
        self.log = self.enterContext(WatchLog(self.cluster, "nodeclaims"))

    def condition(self, name, kind):
        status = self.cluster.get("gpupool", name)["status"]
        return next(each for each in status["conditions"] if each["type"] == kind)

    def machines(self, name):
        """All that there ever were."""
        return {claim["metadata"]["name"] for _, claim in self.log.of("nodeclaims")
                if claim["metadata"]["labels"].get("reprise.dev/pool") == name}

    def events(self, name, reason):
        return [event for event in self.cluster.list("events.events.k8s.io", "default")
                if event["reason"] == reason and event["regarding"]["name"] == name]

    def test_machines_that_never_become_useful_are_not_rented_in_a_loop(self):
        cluster = self.cluster
        both = ("never", "tainted")
        for name in both:
            cluster.kubectl("wait", "--for=condition=Ready", f"gpupool/{name}", "--timeout=90s")
            cluster.apply(pod(f"wants-{name}", name))
        wait.until("a machine that is not there yet is paid for", lambda: all(
            cluster.get("gpupool", name)["status"]["cost"]["perHour"] not in ("", "0.00") for name in both))
        wait.until("the first of both is given up", lambda: all(
            self.condition(name, "CapacityAvailable")["reason"] == "InitializationDeadlineExceeded" for name in both), 120)
        self.assertIn("NodeNotFound", self.condition("never", "CapacityAvailable")["message"])
        self.assertIn("StartupTaintsExist", self.condition("tainted", "CapacityAvailable")["message"])
        # A pause of a minute, a machine for a minute, a pause of four.
        stays_false = lambda: all(self.condition(name, "CapacityAvailable")["status"] == "False" for name in both)
        self.assertTrue(wait.steady("the condition stays False", stays_false, stretch=150))
        for name in both:
            self.assertEqual(len(self.machines(name)), 2, f"{name}: two in four minutes")
            row, = cluster.get("gpupool", name)["status"]["startup"]["backOff"]
            self.assertEqual((row["tries"], row["machines"]), (2, 2))
            self.assertEqual(len(self.events(name, "InitializationDeadlineExceeded")), 2)
        # Mended, by an edit of the one and by a person's word for the other.
        cluster.kubectl("patch", "gpupool", "never", "--type=merge", "-p", '{"spec":{"nodeClassRef":{"name":"default"}}}')
        cluster.kubectl("annotate", "gpupool", "tainted", "reprise.dev/retry=1")
        wait.until("the mended one has a useful machine", lambda: cluster.get("pod", "wants-never", "vision")["status"].get("phase") == "Running", 60)
        self.assertEqual(self.condition("never", "CapacityAvailable")["status"], "True")
        wait.until("the other one tries at once", lambda: len(self.machines("tainted")) == 3, 30)

    def test_no_more_machines_come_than_the_pool_may_have_while_they_boot(self):
        self.cluster.kubectl("wait", "--for=condition=Ready", "gpupool/shared", "--timeout=90s")
        for number in range(4):
            self.cluster.apply(pod(f"slice-{number}", "shared", "nvidia.com/gpu.shared"))
            wait.steady("the next one comes later", lambda: True, stretch=10)
        wait.until("all run", lambda: all(self.cluster.get("pod", f"slice-{number}", "vision")["status"].get("phase") == "Running"
                                          for number in range(4)), 120)
        self.assertLessEqual(len(self.machines("shared")), 2)

    def test_a_capacity_type_that_is_left_out_runs_dry(self):
        cluster = self.cluster
        cluster.apply(manifests.job("fit", pool="edited"))
        cluster.wait_for_attempt("fit", 1)
        cluster.kubectl("patch", "gpupool", "edited", "--type=merge", "-p", '{"spec":{"capacity":[{"type":"Spot","maxGpus":4}]}}')
        wait.until("the pool says so", lambda: self.condition("edited", "NodePoolsSynced")["reason"] == "RunningDry")
        self.assertIn("ResumableJob vision/fit", self.events("edited", "RunningDry")[0]["note"])
        goes_on = lambda: (cluster.job("fit")["status"]["attempt"] == 1 and cluster.get("nodepool", "edited-on-demand")["spec"]["limits"]["nodes"] == "0"
                           and not cluster.job("fit")["status"].get("interruptionCount"))
        self.assertTrue(wait.steady("the job goes on", goes_on, stretch=20))
        cluster.kubectl("delete", "resumablejob", "fit", "-n", "vision", "--wait=false")
        cluster.kubectl("patch", "nodepool", "edited-on-demand", "--type=merge", "-p", '{"spec":{"disruption":{"consolidateAfter":"5s"}}}')
        wait.until("it goes with its last node", lambda: not cluster.get("nodepool", "edited-on-demand"), 120)


if __name__ == "__main__":
    unittest.main()
