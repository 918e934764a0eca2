"""`kubectl reprise why` names what blocks, in the words that the real parts of a cluster use."""

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
}


class Why(ClusterCase):
    pools = (pool(), ONE_GPU)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team", "namespace": "tight"},
                 "spec": {"hard": {"pods": "0"}}}
        cls.cluster.apply(manifests.namespace("tight"), quota,
                          manifests.namespace("restricted", **{"pod-security.kubernetes.io/enforce": "restricted"}))
        cls.bind_claims("choosy", "huge", "wide")
        cls.cluster.apply(job("fine"), *(manifest for manifest, *_ in BLOCKS.values()))

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

    @staticmethod
    def worded(found, told):
        """A NodePool is seen to be full before Karpenter has said so in an Event."""
        if told and found not in told["found"]:
            raise LookupError(told["found"])
        return told

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
