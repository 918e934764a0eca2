"""`kubectl reprise why` names what blocks, in the words that the real parts of a cluster use."""

import datetime
import json
import os
import subprocess
import unittest

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import ROOT
from harness.manifests import job, pool

BLOCKED = 7
PLUGIN = ROOT / "build" / os.environ.get("PRESET", "dev") / "bin" / "kubectl-reprise"
ONE_GPU = pool("small", capacity=[{"type": "Spot", "maxGpus": 1, "noticeSeconds": 20}], sharing={"mode": "Exclusive"})
# Its machines keep a taint: each is given up after a minute, and the next one waits for 1, 4, 16 minutes.
STUCK = pool("stuck", capacity=[{"type": "Spot", "maxGpus": 4, "noticeSeconds": 20}], sharing={"mode": "Exclusive"},
             instanceTypes=["g4dn.xlarge"], initializationDeadlineSeconds=60,
             startupTaints=[{"key": "example.com/nobody-removes-it", "effect": "NoSchedule"}])
COSTLY = pool("costly", capacity=[{"type": "Spot", "noticeSeconds": 20}], sharing={"mode": "Exclusive"}, instanceTypes=["g4dn.xlarge"],
              prices=[{"instanceType": "g4dn.xlarge", "capacityType": "Spot", "perHour": "0.40"}], maxCostPerHour="0.10")
ONE_AT_A_TIME = pool("one-at-a-time", capacity=[{"type": "Spot", "noticeSeconds": 20}], sharing={"mode": "Exclusive"},
                     instanceTypes=["g4dn.xlarge"], maxCostPerHour="0.50",
                     prices=[{"instanceType": "g4dn.xlarge", "capacityType": "Spot", "perHour": "0.40"}])
# No machine of Karpenter's has that model, which the table of machines lacks: Karpenter leaves its NodePools out.
EXOTIC = pool("exotic", gpu={"models": ["gb200"]}, capacity=[{"type": "Spot", "maxGpus": 4, "noticeSeconds": 20}],
              sharing={"mode": "Exclusive"})


def plain_node_pool(name, **spec):
    node_class = {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"}
    linux = {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]}
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": name},
            "spec": {"template": {"spec": {"nodeClassRef": node_class, "requirements": [linux], **spec}}}}


NEIGHBOURS = (plain_node_pool("web"), plain_node_pool("tainted-web", taints=[{"key": "dedicated", "value": "web", "effect": "NoSchedule"}]))


def trainer(pod=None, requests=None, **container):
    resources = {"limits": {"reprise.dev/gpu": 1}, **({"requests": requests} if requests else {})}
    return {"spec": {"containers": [{"name": "trainer", "image": "example/trainer:1", "command": ["train"],
                                     "resources": resources, **container}], **(pod or {})}}


def volume(**spec):
    claim = {"spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}, **spec}}
    return {"path": "/checkpoints", "volume": {"claimTemplate": claim}}


def bound(claim):
    return {"path": "/checkpoints", "volume": {"claimName": claim}}


BLOCKS = {  # name of the job: (manifest, cause, kind of the object that blocks, what was found, what to do)
    "nowhere": (job("nowhere", pool="t5"), "PoolNotFound", "ResumableJob", 'found "t5"', "kubectl get gpupools"),
    "paused": (job("paused", suspend=True), "Suspended", "ResumableJob", "spec.suspend is true", "kubectl patch"),
    "full": (job("full", namespace="tight"), "QuotaExceeded", "ResourceQuota", "exceeded quota: team",
             "kubectl describe resourcequota team -n tight"),
    "open": (job("open", namespace="restricted"), "PodSecurityViolated", "Namespace", 'violates PodSecurity "restricted',
             "--show-labels"),
    "stranger": (job("stranger", template=trainer({"serviceAccountName": "nobody"})), "ServiceAccountMissing",
                 "ServiceAccount", 'serviceaccount "nobody" not found', "kubectl create serviceaccount nobody"),
    "classless": (job("classless", checkpoint=volume(storageClassName="nowhere")), "StorageClassMissing",
                  "PersistentVolumeClaim", "nowhere", "kubectl get storageclasses"),
    "choosy": (job("choosy", checkpoint=bound("choosy"), template=trainer({"nodeSelector": {"example.com/rack": "r7"}})), "NodeSelectorMatchesNone",
               "Pod", "no machine of GpuPool t4 bears that label", "nodeSelector"),
    "huge": (job("huge", checkpoint=bound("huge"), template=trainer(requests={"cpu": "4000"})), "NoInstanceTypeFits", "GpuPool", "no instance type",
             "kubectl edit gpupool t4"),
    "wide": (job("wide", checkpoint=bound("wide"), pool="small", parallelism=2), "NeverFits", "ResumableJob", "room for 1 rank of 1 unit",
             "kubectl edit gpupool small"),
    "dear": (job("dear", checkpoint=bound("dear"), pool="costly"), "NeverFits", "ResumableJob", "raise it to 0.40 or more",
             "kubectl edit gpupool costly"),
    "rare": (job("rare", checkpoint=bound("rare"), pool="exotic"), "NoInstanceTypeFits", "GpuPool", "NodePools of other pools alone",
             "kubectl edit gpupool exotic"),
    "rare-spot": (job("rare-spot", checkpoint=bound("rare-spot"), pool="exotic", placement={"capacity": "SpotOnly"}), "NoInstanceTypeFits",
                  "GpuPool", "NodePools of other pools alone", "kubectl edit gpupool exotic"),
}


class Why(ClusterCase):
    pools = (pool(), ONE_GPU, STUCK, COSTLY, ONE_AT_A_TIME, EXOTIC, *NEIGHBOURS)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team", "namespace": "tight"},
                 "spec": {"hard": {"pods": "0"}}}
        cls.cluster.apply(manifests.namespace("tight"), quota,
                          manifests.namespace("restricted", **{"pod-security.kubernetes.io/enforce": "restricted"}))
        cls.bind_claims("choosy", "huge", "wide", "dear", "rare", "rare-spot", "lost", "second")
        cls.cluster.apply(job("fine"), job("lost", checkpoint=bound("lost"), pool="stuck"), *(manifest for manifest, *_ in BLOCKS.values()))

    @classmethod
    def bind_claims(cls, *names):
        """Karpenter speaks once in 5 minutes of a pod: it must not do so because the claim is not bound yet."""
        cls.cluster.apply(*[{"apiVersion": "v1", "kind": "PersistentVolumeClaim",
                             "metadata": {"name": name, "namespace": "vision"},
                             "spec": volume()["volume"]["claimTemplate"]["spec"]} for name in names])
        for name in names:
            wait.until(f"claim {name} is bound",
                       lambda: cls.cluster.get("persistentvolumeclaim", name, "vision")["status"].get("phase") == "Bound")

    def why(self, name, namespace="vision", *flags):
        done = subprocess.run([PLUGIN, "why", name, "-n", namespace, "-o", "json", *flags], capture_output=True, text=True,
                              env=dict(os.environ, KUBECONFIG=self.cluster.kubeconfig), timeout=60)
        self.assertIn(done.returncode, (0, BLOCKED), done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual(done.returncode, BLOCKED if told["blocked"] else 0)
        return told

    def test_a_each_cause_is_named_as_the_real_parts_word_it(self):
        for name, (manifest, cause, kind, found, to_do) in BLOCKS.items():
            with self.subTest(name):
                told = wait.until(f"{cause} blocks {name}",
                                  lambda: self.worded(found, self.named(f"job/{name}", cause, manifest["metadata"]["namespace"])), seconds=120)
                self.assertTrue(told["blocked"])
                self.assertEqual(told["object"]["kind"], kind, told)
                self.assertTrue(any(to_do in each for each in told["toDo"]), told["toDo"])

    def test_a_pool_that_costs_as_much_as_it_may_is_named(self):
        self.cluster.apply(job("first", pool="one-at-a-time"))
        self.cluster.wait_for_attempt("first", 1)
        self.cluster.apply(job("second", checkpoint=bound("second"), pool="one-at-a-time"))
        told = wait.until("the money of the pool is what second waits for",
                          lambda: self.worded("of at most 0.50", self.named("job/second", "PoolMaxCostReached")), seconds=120)
        self.assertEqual(told["object"]["kind"], "GpuPool", told)
        self.assertTrue(any("raise spec.maxCostPerHour" in each for each in told["toDo"]), told["toDo"])
        self.cluster.kubectl("delete", "resumablejob", "first", "second", "-n", "vision")

    @staticmethod
    def worded(found, told):
        """A NodePool is seen to be full before Karpenter has said so in an Event."""
        if told and found not in told["found"]:
            raise LookupError(told["found"])
        return told

    def test_a_pause_of_the_pool_is_named_and_no_edit_that_would_end_it(self):
        """Asked again and again for as long as no machine comes: Karpenter speaks meanwhile of limits, which the pause has lowered to 0."""
        wait.until("it is asked after Karpenter has said that the limit is reached", self.asked_in_a_pause, seconds=420)

    def asked_in_a_pause(self):
        row, spoken = self.in_pause(), self.spoken_of_limits()
        if not row:
            return False
        for name in ("job/lost", "gpupool/stuck"):
            told = self.why(name)
            if not self.in_pause():
                return False
            self.assertEqual((told.get("cause"), told.get("object", {}).get("kind")), ("InitializationDeadlineExceeded", "GpuPool"), told)
            for words in (row["nextTime"], "StartupTaint", "kubectl annotate gpupool stuck --overwrite reprise.dev/retry="):
                self.assertTrue(any(words in each for each in told["toDo"]), (words, told["toDo"]))
            self.assertFalse([each for each in told["toDo"] if "edit" in each or "raise" in each], told["toDo"])
        return spoken

    def spoken_of_limits(self):
        return [event for event in self.cluster.list("events.events.k8s.io", "vision") if event["regarding"]["name"].startswith("lost-")
                and any(words in event.get("note", "") for words in ("exceed limits for nodepool", "limits have been exhausted"))]

    def in_pause(self):
        rows = self.cluster.get("gpupool", "stuck")["status"].get("startup", {}).get("backOff", [])
        coming = [claim for claim in self.cluster.list("nodeclaims") if claim["metadata"]["labels"].get("reprise.dev/pool") == "stuck"]
        return rows[0] if rows and not coming and datetime.datetime.fromisoformat(rows[0]["nextTime"]) > datetime.datetime.now(datetime.timezone.utc) else None

    def test_b_nothing_blocks_a_job_that_runs_nor_its_pool(self):
        self.cluster.wait_for_attempt("fine", 1, seconds=180)
        self.assertEqual(wait.until("nothing blocks it", lambda: self.clear("job/fine")), "nothing blocks ResumableJob vision/fine")
        self.assertEqual(wait.until("nothing blocks it", lambda: self.clear("pool/t4")), "nothing blocks GpuPool t4")

    def clear(self, name):
        told = self.why(name)
        return None if "cause" in told else told["summary"]

    def test_c_who_sees_a_namespace_alone_gets_the_answer_that_lies_there(self):
        self.cluster.kubectl("create", "rolebinding", "ann", "-n", "vision", "--clusterrole=view", "--user=ann")
        told = wait.until("the role reaches ann", lambda: self.as_ann("job/paused"))
        self.assertEqual(told["cause"], "Suspended")
        unseen = {step["lookedAt"] for step in told["chain"] if step["mark"] == "Unseen"}
        self.assertLessEqual({"Lease", "Deployment"}, unseen)

    def as_ann(self, name):
        done = subprocess.run([PLUGIN, "why", name, "-n", "vision", "-o", "json", "--as=ann"], capture_output=True, text=True,
                              env=dict(os.environ, KUBECONFIG=self.cluster.kubeconfig), timeout=60)
        return json.loads(done.stdout) if done.returncode == BLOCKED else None

    def test_d_an_operator_that_has_gone_is_named_first(self):
        self.operator.__exit__()
        told = wait.until("the operator is missed", lambda: self.named("job/wide", "OperatorNotLeading"), seconds=120)
        self.assertEqual(told["object"]["kind"], "Deployment")

    def named(self, name, cause, namespace="vision"):
        told = self.why(name, namespace)
        if told.get("cause") != cause:
            raise LookupError(told)
        return told


if __name__ == "__main__":
    unittest.main()
