"""Each field of a GpuPool is changed once and changed back: from Ready, from Progressing and from an error.

What it changes is seen at Karpenter's NodePools, at the overlays, at the device plugin's ConfigMap or in the status; when it
is changed back, all of that is as it was before. A trainer that runs on the pool meanwhile goes on.
"""

import json
import unittest
from pathlib import Path

import yaml

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import OPERATOR_NAMESPACE, ROOT, condition

GPU = {"models": ["t4"], "countsPerNode": [1]}
SPOT = {"type": "Spot", "maxGpus": 16, "noticeSeconds": 20}
ON_DEMAND = {"type": "OnDemand", "maxGpus": 4}
TAINT = {"key": "example.com/batch", "value": "yes", "effect": "NoSchedule"}
BUDGET = {"nodes": "10%", "reasons": ["Empty"], "schedule": "@daily", "durationSeconds": 5370}
WANTED = {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["g4dn.2xlarge", "g4dn.xlarge"], "minValues": 2}
CLASS = {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass"}

# How pools are that change: each has this beside the field that is tried.
READY, STARTING, FAILING = "fields", "fields-start", "fields-fail"
BESIDE = {READY: {}, STARTING: {"nodeClassRef": {**CLASS, "name": "nowhere"}}, FAILING: {"warm": {"gpus": 99}}}


def requires(key, operator, *values, **more):
    """Of the NodePool for spot."""
    wanted = {"key": key, "operator": operator, "values": list(values), **more}
    return lambda seen: wanted in [{**one, "values": sorted(one.get("values", []))} for one in seen.template["spec"]["requirements"]]


def rejected(text):
    return lambda seen: text in seen.conditions["Stalled"][2]


# path of the field: (what is written, what is then seen of that pool)
FIELDS = {
    "gpu.models": ({"gpu": {**GPU, "models": ["t4", "a10g"]}}, requires("karpenter.k8s.aws/instance-gpu-name", "In", "a10g", "t4")),
    "gpu.minMemoryMiB": ({"gpu": {**GPU, "minMemoryMiB": 15000}}, requires("karpenter.k8s.aws/instance-gpu-memory", "Gt", "14999")),
    "gpu.countsPerNode": ({"gpu": {**GPU, "countsPerNode": [1, 4]}}, requires("karpenter.k8s.aws/instance-gpu-count", "In", "1", "4")),
    "nodeClassRef": ({"nodeClassRef": {**CLASS, "name": "other"}}, lambda seen: seen.template["spec"]["nodeClassRef"]["name"] == "other"),
    "capacity.type": ({"capacity": [SPOT]}, lambda seen: set(seen.node_pools) == {"spot"}),
    "capacity.maxGpus": ({"capacity": [{**SPOT, "maxGpus": 8}, ON_DEMAND]},
                         lambda seen: seen.node_pools["spot"]["limits"]["nvidia.com/gpu.shared"] == "32"),
    "capacity.noticeSeconds": ({"capacity": [{**SPOT, "noticeSeconds": 30}, ON_DEMAND]},
                               lambda seen: seen.template["spec"]["terminationGracePeriod"] == "30s"),
    "maxCostPerHour": ({"maxCostPerHour": "2.00"}, lambda seen: seen.node_pools["spot"]["limits"]["nvidia.com/gpu.shared"] == "16"),
    "sharing.mode": ({"sharing": {"mode": "Exclusive"}}, lambda seen: not seen.slices and seen.status["resourceName"] == "nvidia.com/gpu"),
    "sharing.replicas": ({"sharing": {"mode": "TimeSlicing", "replicas": 2}}, lambda seen: seen.slices == {"2"}),
    "sharing.migDevices": ({"sharing": {"mode": "MIG", "migDevices": [{"profile": "1g.10gb", "count": 7}]}}, rejected("cannot be cut by MIG")),
    "sharing.external": ({"sharing": {"mode": "External", "external": {"resourceName": "example.com/vgpu", "unitsPerGpu": 3, "quantityPerUnit": 2}}},
                         lambda seen: seen.slices == {"6"} and seen.status["resourceName"] == "example.com/vgpu"),
    "scaleDown.idleSeconds": ({"scaleDown": {"idleSeconds": 60}},
                              lambda seen: seen.node_pools["spot"]["disruption"]["consolidateAfter"] == "60s"),
    "warm.gpus": ({"warm": {"gpus": 2}}, lambda seen: len(seen.warm) == 2),
    "warm.schedules": ({"warm": {"schedules": [{"schedule": "* * * * *", "durationSeconds": 60, "gpus": 2}]}}, lambda seen: len(seen.warm) == 2),
    "zones": ({"zones": ["test-zone-a"]}, requires("topology.kubernetes.io/zone", "In", "test-zone-a")),
    "instanceTypes": ({"instanceTypes": ["g4dn.xlarge"]}, requires("node.kubernetes.io/instance-type", "In", "g4dn.xlarge")),
    "requirements": ({"requirements": [WANTED]}, requires(WANTED["key"], "In", *WANTED["values"], minValues=2)),
    "labels": ({"labels": {"team": "vision"}}, lambda seen: seen.template["metadata"]["labels"].get("team") == "vision"),
    "annotations": ({"annotations": {"example.com/note": "a"}},
                    lambda seen: seen.template["metadata"].get("annotations", {}).get("example.com/note") == "a"),
    "taints": ({"taints": [TAINT]}, lambda seen: TAINT in seen.template["spec"]["taints"]),
    "startupTaints": ({"startupTaints": [TAINT]}, lambda seen: seen.template["spec"].get("startupTaints") == [TAINT]),
    "disruptionBudgets": ({"disruptionBudgets": [BUDGET]}, lambda seen: {"nodes": "10%", "reasons": ["Empty"], "schedule": "@daily",
                                                                         "duration": "1h30m"} in seen.budgets),
    "devicePluginConfigMapRef": ({"devicePluginConfigMapRef": {"name": "of-another-plugin"}},
                                 lambda seen: "ts-4" in seen.config_map("of-another-plugin")),
    "prices": ({"prices": [{"instanceType": "g4dn.xlarge", "capacityType": "Spot", "perHour": "7.25"}]},
               lambda seen: seen.nodes == 0 or seen.status["cost"]["perHour"] == "7.25"),
}
# Those that change nothing of this, and the tests that see what they do.
ELSEWHERE = {
    "existingNodes": ("tests/cluster/test_existing_nodes.py", "a_job_gets_slices_of_nodes_that_were_there"),
    "runtimeClassName": ("controllers/resumablejob/pods/pod_builder_test.cc", "a_pod_gets_the_pool_s_runtime_class"),
    "health.policy": ("tests/cluster/test_health.py", "is_given_back_and_its_trainer_goes_on_elsewhere"),
    "fallback.policy": ("tests/cluster/test_fallback.py", "a_job_goes_back_to_spot_when_it_has_just_saved"),
    "initializationDeadlineSeconds": ("controllers/gpupool/decide/decide_test.cc", "ends_nodes_that_never_become_usable_and_says_so"),
    "allowedNamespaces": ("tests/cluster/test_bad_input.py", "NamespaceNotAllowed"),
}


class Seen:
    """What there is of one pool, out of a list of everything; what changes by itself is left out."""

    def __init__(self, things, name):
        self.things = things
        pool, = (each for each in things if each["kind"] == "GpuPool" and each["metadata"]["name"] == name)
        own = [each for each in things if any(owner["uid"] == pool["metadata"]["uid"] for owner in
                                              each["metadata"].get("ownerReferences", []))]
        self.node_pools = {each["metadata"]["name"].removeprefix(f"{name}-"): each["spec"] for each in own if each["kind"] == "NodePool"}
        self.overlays = {each["metadata"]["name"]: each["spec"] for each in own if each["kind"] == "NodeOverlay"}
        self.warm = [each["metadata"]["name"] for each in own if each["kind"] == "Pod"]
        self.current = pool["status"]["observedGeneration"] == pool["metadata"]["generation"]
        self.status = {field: value for field, value in pool["status"].items() if field not in ("conditions", "observedGeneration")}
        self.conditions = {each["type"]: (each["status"], each["reason"], each["message"]) for each in pool["status"]["conditions"]}

    template = property(lambda self: self.node_pools["spot"]["template"])
    slices = property(lambda self: {value for each in self.overlays.values() for value in each.get("capacity", {}).values()})
    budgets = property(lambda self: [{**each, "duration": each.get("duration", "").replace("m0s", "m")} for each in
                                     self.node_pools["spot"]["disruption"]["budgets"]])
    nodes = property(lambda self: sum(each.get("nodes", 0) for each in self.status.get("capacity", [])))
    objects = property(lambda self: (self.node_pools, self.overlays))

    def config_map(self, name="reprise-device-plugin"):
        found = (each for each in self.things if each["kind"] == "ConfigMap" and each["metadata"]["name"] == name)
        return next(found, {}).get("data", {})

    def all(self):
        return self.objects, self.status, self.conditions, self.config_map(), self.warm


class PoolFields(ClusterCase):
    pools = tuple(manifests.pool(name) for name in BESIDE)

    def seen(self, *names):
        """One look at everything."""
        kinds = "gpupools.reprise.dev,nodepools.karpenter.sh,nodeoverlays.karpenter.sh,configmaps,pods"
        things = json.loads(self.cluster.kubectl("get", kinds, "-n", OPERATOR_NAMESPACE, "-o", "json"))["items"]
        found = [Seen(things, name) for name in names]
        if not all(each.current for each in found):
            raise LookupError("a status is of an earlier generation")
        return found

    def everything(self):
        found = wait.until("each status is of the latest generation", lambda: self.seen(*BESIDE))
        return {name: each.all() for name, each in zip(BESIDE, found)}

    def change(self, field, *names, beside=True):
        written, _ = FIELDS.get(field, ({}, None))
        self.cluster.apply(*[manifests.pool(name, **{**(BESIDE[name] if beside else {}), **written}) for name in names])

    def wait_for_effect(self, field, *names):
        wait.until(f"spec.{field} acts on {' and '.join(names)}", lambda: all(map(FIELDS[field][1], self.seen(*names))))

    def wait_for(self, before, field):
        def same():
            for found, (name, wanted) in zip(self.seen(*before), before.items()):
                if found.all() != wanted:
                    raise LookupError(f"{name} before: {wanted}, now: {found.all()}")
            return True
        wait.until(f"all is as before spec.{field} was changed and changed back", same)

    def test_each_acts_and_can_be_taken_back(self):
        for name in BESIDE:
            self.cluster.kubectl("wait", "--for=condition=Ready", f"gpupool/{name}", "--timeout=90s")
        self.change(None, STARTING, FAILING)
        self.cluster.apply(manifests.job("training", pool=READY))
        self.cluster.wait_for_attempt("training", 1)
        pod, = self.cluster.pods_of("training")
        wait.until("its node is counted", lambda: self.seen(READY)[0].status["units"] == {"total": 4, "used": 1})
        wait.until("Karpenter does not find the node class", lambda: self.seen(STARTING)[0].conditions["Ready"][1] == "NodePoolsNotReady")
        wait.until("what is not supported is said", lambda: rejected("spec.warm.gpus")(*self.seen(FAILING)))
        # Of a node that has just been counted Karpenter and the operator have more to say.
        before = wait.steady("what there is of the pools stays", self.everything, stretch=5)
        for field in FIELDS:
            self.change(field, READY, STARTING, FAILING)
            self.wait_for_effect(field, READY, STARTING)
            if not field.startswith("warm."):
                wait.until("the error stands", lambda: self.seen(FAILING)[0].conditions["Stalled"][0] == "True")
                self.assertEqual(self.seen(FAILING)[0].objects, before[FAILING][0], f"{field}: a pool that is not supported was written")
            self.change(field, STARTING, FAILING, beside=False)
            self.wait_for_effect(field, STARTING, FAILING)
            # What a pool was made of stays while it is not supported: it is taken back before.
            self.change(None, FAILING, beside=False)
            wait.until(f"spec.{field} acts no more", lambda: self.seen(FAILING)[0].objects == before[FAILING][0])
            self.change(None, READY, STARTING, FAILING)
            self.wait_for(before, field)
        self.assertEqual(self.cluster.pods_of("training")[0]["metadata"]["uid"], pod["metadata"]["uid"], self.history("training"))

    def test_no_field_is_left_out(self):
        definition = yaml.safe_load(Path(ROOT, "crds/reprise.dev_gpupools.yaml").read_text())
        spec = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]

        def leaves(schema, path=()):
            properties = schema.get("properties") or schema.get("items", {}).get("properties") or {}
            named = ".".join(path)
            if not properties or named in FIELDS or named in ELSEWHERE:
                return [named]
            return [leaf for name, below in properties.items() for leaf in leaves(below, (*path, name))]
        self.assertEqual(set(leaves(spec)), {*FIELDS, *ELSEWHERE})
        for field, (file, name) in ELSEWHERE.items():
            self.assertIn(name, Path(ROOT, file).read_text(), f"the test of spec.{field}")


if __name__ == "__main__":
    unittest.main()
