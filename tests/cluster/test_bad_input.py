"""Wrong manifests are rejected by the API server, or shown as a condition that names the field; nobody crashes or loops."""

import unittest

from harness import audit, manifests, wait
from harness.case import ClusterCase
from harness.cluster import OPERATOR_USER, condition
from harness.manifests import job, pool

CLAIM = {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
MANY = {"spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}}


def checkpoint(**given):
    return {"path": "/checkpoints", "volume": {"claimTemplate": MANY}, **given}


def trainer(limits=None, pod=None, **given):
    container = {"name": "trainer", "image": "example/trainer:1", "command": ["train"],
                 "resources": {"limits": limits or {"reprise.dev/gpu": 1}}, **given}
    return {"spec": {"containers": [container], **(pod or {})}}


REJECTED = {  # what is wrong: (manifest, what the API server's answer contains)
    "an unknown format": (job("w", checkpoint=checkpoint(format="Pickle")), 'spec.checkpoint.format: Unsupported value: "Pickle"'),
    "a misspelt field": (job("w", paralelism=2), 'unknown field "spec.paralelism"'),
    "no path": (job("w", checkpoint={"volume": {"claimTemplate": MANY}}), "spec.checkpoint.path: Required value"),
    "a path that climbs": (job("w", checkpoint=checkpoint(path="/a/../b")), "must not contain '..'"),
    "a relative path": (job("w", checkpoint=checkpoint(path="checkpoints")), "spec.checkpoint.path"),
    "no rank": (job("w", parallelism=0), "spec.parallelism: Invalid value: 0"),
    "a hundred thousand ranks": (job("w", parallelism=100000), "spec.parallelism: Invalid value: 100000"),
    "one ReadWriteOnce claim for two": (job("w", parallelism=2, checkpoint=checkpoint(volume={"claimTemplate": CLAIM})),
                                        "spec.checkpoint.volume.claimTemplate.spec.accessModes"),
    "a claim by name for each of two": (job("w", parallelism=2, checkpoint=checkpoint(volume={"claimName": "c", "access": "PerIndex"})),
                                        "spec.checkpoint.volume.claimName"),
    "a claim by name and by template": (job("w", checkpoint=checkpoint(volume={"claimName": "c", "claimTemplate": MANY})),
                                        "exactly one of claimTemplate and claimName"),
    "a grace of thirty years": (job("w", checkpoint=checkpoint(graceSeconds=10**9)), "spec.checkpoint.graceSeconds"),
    "a signal without SIG": (job("w", checkpoint=checkpoint(onNotice={"signal": "USR1"})), "spec.checkpoint.onNotice.signal"),
    "no command": (job("w", template=trainer(command=[])), "the training container must set command"),
    "no container": (job("w", template={"spec": {"containers": []}}), "spec.template.spec.containers"),
    "a container that is not there": (job("w", container="other"), "spec.container"),
    "a dot in the name": (job("fine.tune"), "metadata.name"),
    "a digit first": (job("1st"), "metadata.name"),
    "a name of 49 letters": (job("n" * 49), "must be at most 48 characters"),
    "exit code 0 as a failure": (job("w", podFailurePolicy={"rules": [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [0]}}]}),
                                 "must not contain 0"),
    "money as text": (job("w", placement={"maxCost": "cheap"}), "spec.placement.maxCost"),
    "a pool with an unknown mode": (pool("w", sharing={"mode": "Magic"}), "spec.sharing.mode: Unsupported value"),
    "slices without a number": (pool("w", sharing={"mode": "TimeSlicing"}), "must be set (2 to 48)"),
    "a thousand slices": (pool("w", sharing={"mode": "TimeSlicing", "replicas": 1000}), "spec.sharing.replicas"),
    "slices of whole GPUs": (pool("w", sharing={"mode": "Exclusive", "replicas": 2}), "must be set only when mode is"),
    "a pool without capacity": (pool("w", capacity=[]), "must list at least one capacity type"),
    "no GPU at most": (pool("w", capacity=[{"type": "Spot", "maxGpus": 0}]), "spec.capacity[0].maxGpus"),
    "the capacity type as requirement": (pool("w", requirements=[{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]}]),
                                         "say it in spec.capacity"),
    "money with a comma": (pool("w", maxCostPerHour="12,50"), "spec.maxCostPerHour"),
}

SHOWN = {  # name of the job: (its spec, reason, what the message contains)
    "unknown-pool": (dict(pool="nowhere"), "PoolNotFound", 'spec.poolName: found "nowhere"'),
    "pool-of-another-team": (dict(pool="closed"), "NamespaceNotAllowed", "spec.poolName: GpuPool closed does not allow namespace vision"),
    "whole-gpu": (dict(template=trainer({"nvidia.com/gpu": 1})), "WholeGpuRequested", "limits[nvidia.com/gpu]"),
    "two-slices": (dict(template=trainer({"reprise.dev/gpu": 2})), "InvalidUnits", "limits[reprise.dev/gpu]: found 2"),
    "half-a-unit": (dict(template=trainer({"reprise.dev/gpu": "500m"})), "InvalidUnits", "limits[reprise.dev/gpu]"),
    "no-such-claim": (dict(checkpoint=checkpoint(volume={"claimName": "lost"})), "ClaimNotFound", "spec.checkpoint.volume.claimName"),
    "shared-by-two": (dict(parallelism=2, checkpoint=checkpoint(volume={"claimName": "once"})), "AccessMode", "spec.checkpoint.volume"),
    "always-restarts": (dict(template=trainer(pod={"restartPolicy": "Always"})), "RestartPolicy", "spec.template.spec.restartPolicy: found Always"),
    "wants-snapshots": (dict(checkpoint=checkpoint(snapshot={"className": "snap"})), "NotSupported", "spec.checkpoint.snapshot"),
    "mounts-nothing": (dict(template=trainer(volumeMounts=[{"name": "data", "mountPath": "/data"}])), "FailedCreate", "volumeMounts[0].name"),
    "no-such-account": (dict(template=trainer(pod={"serviceAccountName": "nobody"})), "FailedCreate", 'serviceaccount "nobody" not found'),
    "negative-volume": (dict(checkpoint=checkpoint(volume={"claimTemplate": {"spec": {**MANY["spec"], "resources": {"requests": {"storage": "-1Gi"}}}}})),
                        "FailedCreate", "spec.resources"),
}

SHOWN_POOLS = {
    "elsewhere": (dict(nodeClassRef={"group": "karpenter.nowhere.io", "kind": "NodeClass", "name": "default"}), "spec.nodeClassRef.group"),
    "partitioned": (dict(sharing={"mode": "External", "external": {"preset": "HAMi", "unitsPerGpu": 10, "memoryMiBPerUnit": 1500}}),
                    "spec.sharing.external.preset: found HAMi, not with spec.nodeClassRef"),
    "crowded": (dict(gpu={"models": ["v100"]}, sharing={"mode": "MPS", "replicas": 17}), "spec.sharing.replicas: found 17, MPS serves at most 16"),
    "whole": (dict(sharing={"mode": "MIG", "migDevices": [{"profile": "1g.5gb", "count": 7}]}), "spec.gpu: found t4 of g4dn.xlarge, which cannot be cut by MIG"),
    "frugal": (dict(maxCostPerHour="1.00", nodeClassRef={"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "default"}),
               "spec.maxCostPerHour: found 1.00, and no price is known"),
    "heated": (dict(warm={"gpus": 99}), "spec.warm.gpus: found 99, must be at most 20"),
    "after-hours": (dict(warm={"schedules": [{"schedule": "0 25 * * *", "durationSeconds": 60, "gpus": 1}]}),
                    "spec.warm.schedules[0].schedule: found 0 25 * * *, the hour is 25, must be 0 to 23"),
    "taken": (dict(), "NodePool taken-spot exists and is not this pool's"),
    "pinned": (dict(requirements=[{"key": "kubernetes.io/hostname", "operator": "In", "values": ["a"]}]), "kubernetes.io/hostname"),
}


class BadInput(ClusterCase):
    pools = (manifests.pool(), manifests.pool("closed", allowedNamespaces={"matchLabels": {"team": "audio"}}))

    def writes(self):
        return audit.writes_by(self.cluster, OPERATOR_USER)

    def test_the_api_server_rejects_what_can_never_be_right(self):
        for wrong, (manifest, text) in REJECTED.items():
            with self.subTest(wrong):
                self.assertIn(text, self.cluster.rejection(manifest))

    def test_what_only_the_operator_can_see_is_shown_as_a_condition_and_then_left_alone(self):
        process = self.operator.process.pid
        once = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "once", "namespace": "vision"}, **CLAIM}
        stranger = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "taken-spot"}, "spec": {"template": {"spec": {
            "nodeClassRef": manifests.pool()["spec"]["nodeClassRef"], "requirements": []}}}}
        self.cluster.apply(once, stranger, *[pool(name, **spec) for name, (spec, _) in SHOWN_POOLS.items()],
                           *[job(name, **spec) for name, (spec, _, _) in SHOWN.items()])
        for name, (_, reason, text) in SHOWN.items():
            with self.subTest(name):
                found = self.cluster.wait_for_state(name, reason)
                self.assertIn(text, condition(found, "PodsReady")["message"])
                self.assertEqual(condition(found, "Stalled")["status"], "True")
        for name, (_, text) in SHOWN_POOLS.items():
            with self.subTest(name):
                wait.until(f"GpuPool {name} shows {text}", lambda: text in condition(
                    self.cluster.get("gpupool", name), "Stalled")["message"])
        self.assert_quiet()
        self.assertEqual(self.operator.process.poll(), None, "the operator runs")
        self.assertEqual(self.operator.process.pid, process)
        self.assertTrue(self.operator.ready())

    def assert_quiet(self):
        """No write in a stretch of 15 s, within a minute: nothing is tried over and over."""
        last = lambda: len(self.writes())
        seen = wait.steady("the operator writes no more", last, stretch=15, seconds=60)
        self.assertGreater(seen, 0)


if __name__ == "__main__":
    unittest.main()
