"""GpuPool at the API server: defaults, and every way to write one wrong."""

import json
import unittest

from support import DROP, POOL, changed, create, errors_of_lint, install, own_rules, remove_objects, run, schema, try_create

OWN_NODES = {"spec.nodeClassRef": DROP, "spec.capacity": DROP, "spec.existingNodes": {"selector": {}}}
REQUIREMENT = {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}

QUEUE = {"kai.scheduler/queue": "vision"}


def external(**fields):
    fields = {"unitsPerGpu": 4, **fields}
    return {"spec.sharing": {"mode": "External", "external": {name: value for name, value in fields.items() if value is not DROP}}}


# sentence: (changes to a good pool, what the rejection says)
OFFICE_HOURS = {"schedule": "0 7 * * mon-fri", "durationSeconds": 36000, "gpus": 4}


def warm(**fields):
    fields = {**OFFICE_HOURS, **fields}
    return {"spec.warm": {"gpus": 1, "schedules": [{name: value for name, value in fields.items() if value is not DROP}]}}


WRONG = {
    "a name with a dot": ({"metadata.name": "a.b"}, "must be at most 48 lower case letters, digits and '-'"),
    "a name of 49 characters": ({"metadata.name": "a" * 49}, "must be at most 48 lower case letters, digits and '-'"),
    "no spec": ({"spec": DROP}, "spec: Required value"),
    "neither node class nor nodes": ({"spec.nodeClassRef": DROP}, "exactly one of nodeClassRef and existingNodes must be set"),
    "node class and nodes": ({"spec.existingNodes": {"selector": {}}}, "exactly one of nodeClassRef and existingNodes must be set"),
    "a node class and no capacity": ({"spec.capacity": DROP}, "must list at least one capacity type when nodeClassRef is set"),
    "a capacity type twice": ({"spec.capacity.+": {"type": "Spot"}}, "Duplicate value"),
    "an unknown capacity type": ({"spec.capacity.0.type": "Cheap"}, 'supported values: "Spot", "OnDemand", "Reserved"'),
    "no GPUs at most": ({"spec.capacity.0.maxGpus": 0}, "should be greater than or equal to 1"),
    "a negative notice": ({"spec.capacity.0.noticeSeconds": -1}, "should be greater than or equal to 0"),
    "a node class without a name": ({"spec.nodeClassRef.name": DROP}, "spec.nodeClassRef.name: Required value"),
    "a node class of a lower case kind": ({"spec.nodeClassRef.kind": "ec2"}, "spec.nodeClassRef.kind"),
    "money as a number": ({"spec.maxCostPerHour": 20}, "must be of type string"),
    "money with a unit": ({"spec.maxCostPerHour": "20 USD"}, "spec.maxCostPerHour"),
    "money of twenty digits": ({"spec.maxCostPerHour": "1" * 20}, "may not be more than 16 bytes"),
    "an unknown sharing mode": ({"spec.sharing.mode": "Halves"}, "supported values"),
    "slices without a number": ({"spec.sharing.mode": "TimeSlicing"}, "must be set (2 to 48) when mode is TimeSlicing or MPS"),
    "MPS without a number": ({"spec.sharing.mode": "MPS"}, "must be set (2 to 48) when mode is TimeSlicing or MPS"),
    "one slice": ({"spec.sharing": {"mode": "TimeSlicing", "replicas": 1}}, "should be greater than or equal to 2"),
    "49 slices": ({"spec.sharing": {"mode": "MPS", "replicas": 49}}, "should be less than or equal to 48"),
    "slices of whole GPUs": ({"spec.sharing": {"mode": "Exclusive", "replicas": 4}}, "must be set only when mode is TimeSlicing or MPS"),
    "MIG without devices": ({"spec.sharing": {"mode": "MIG"}}, "must list at least one device when mode is MIG"),
    "devices without MIG": ({"spec.sharing": {"mode": "TimeSlicing", "replicas": 2, "migDevices": [{"profile": "1g.5gb", "count": 1}]}},
                            "must be set only when mode is MIG"),
    "more partitions than a GPU has room for": ({"spec.sharing": {"mode": "MIG", "migDevices": [
        {"profile": "3g.40gb", "count": 2}, {"profile": "2g.20gb", "count": 1}]}}, "must fit into the 7 compute slices of one GPU"),
    "a profile that is none": ({"spec.sharing": {"mode": "MIG", "migDevices": [{"profile": "half", "count": 1}]}}, "profile"),
    "external sharing that says nothing": ({"spec.sharing": {"mode": "External"}}, "must be set when mode is External, and only then"),
    "external sharing of whole GPUs": ({"spec.sharing": {"mode": "Exclusive", "external": {"resourceName": "a.b/c", "unitsPerGpu": 2}}},
                                       "must be set when mode is External, and only then"),
    "a resource without a domain": (external(resourceName="gpu"), "resourceName"),
    "a system without a number of units": (external(preset="KAI", unitsPerGpu=DROP, podLabels=QUEUE), "unitsPerGpu: Required value"),
    "an unknown system": (external(preset="Mine"), "supported values"),
    "a custom system without a resource": (external(), "must be set when preset is Custom, and only then"),
    "a resource of a known system": (external(preset="Nvshare", resourceName="a.b/c"), "must be set when preset is Custom, and only then"),
    "a quantity of a known system": (external(preset="Nvshare", quantityPerUnit=2), "must be set only when preset is Custom"),
    "no memory for a system that grants it": (external(preset="HAMi"), "must be set when preset is HAMi, FourParadigm, Volcano, Volcengine or Aliyun"),
    "memory of a system that grants none": (external(preset="KAI", podLabels=QUEUE, memoryMiBPerUnit=4), "must be set when preset is HAMi"),
    "half a GiB of a system that counts in GiB": (external(preset="Aliyun", memoryMiBPerUnit=512), "must be a multiple of 1024 when preset is Aliyun"),
    "no queue for a system of queues": (external(preset="KAI"), "must name the queue in kai.scheduler/queue when preset is KAI"),
    "eleven units of a system that gives ten": (external(preset="Nvshare", unitsPerGpu=11), "must be at most 10 when preset is Nvshare"),
    "a node label whose record has no room": (external(preset="Nvshare", nodeLabels={"a" * 62: "b"}), "must have keys of at most 61 characters"),
    "own nodes and what Karpenter is told": ({**OWN_NODES, "spec.zones": ["a"]}, "must not be set with existingNodes"),
    "idle for a negative time": ({"spec.scaleDown": {"idleSeconds": -5}}, "should be greater than or equal to 0"),
    "a duration as text": ({"spec.scaleDown": {"idleSeconds": "5m"}}, "must be of type integer"),
    "a capacity type among the requirements": ({"spec.requirements": [{**REQUIREMENT, "key": "karpenter.sh/capacity-type"}]},
                                               "say it in spec.capacity"),
    "In without values": ({"spec.requirements": [{"key": "a", "operator": "In"}]}, "values must be set for the operators In and NotIn"),
    "Exists with values": ({"spec.requirements": [{**REQUIREMENT, "operator": "Exists"}]},
                           "values must not be set for the operators Exists and DoesNotExist"),
    "Gt of a word": ({"spec.requirements": [{**REQUIREMENT, "operator": "Gt"}]},
                     "values must be one whole number for the operators Gt, Lt, Gte and Lte"),
    "33 requirements": ({"spec.requirements": [REQUIREMENT] * 33}, "must have at most 32 items"),
    "a label that is the controllers'": ({"spec.labels": {"reprise.dev/pool": "x"}}, "they are set by the controllers"),
    "a label key with a space": ({"spec.labels": {"a b": "x"}}, "every key must be a label key"),
    "an annotation key with a space": ({"spec.annotations": {"a b": "x"}}, "every key must be an annotation key"),
    "an unknown taint effect": ({"spec.taints": [{"key": "a", "effect": "GoAway"}]}, "supported values"),
    "a budget with half a schedule": ({"spec.disruptionBudgets": [{"nodes": "1", "schedule": "@daily"}]},
                                      "schedule and durationSeconds must be set together"),
    "a budget of 200 per cent": ({"spec.disruptionBudgets": [{"nodes": "200%"}]}, "nodes"),
    "a schedule with seconds": (warm(schedule="0 0 7 * * *"), "spec.warm.schedules[0].schedule"),
    "a schedule without an end": (warm(durationSeconds=DROP), "spec.warm.schedules[0].durationSeconds"),
    "a schedule that keeps nothing": (warm(gpus=0), "spec.warm.schedules[0].gpus"),
    "nine schedules": ({"spec.warm": {"schedules": [OFFICE_HOURS] * 9}}, "must have at most 8 items"),
    "namespaces by half a requirement": ({"spec.allowedNamespaces": {"matchExpressions": [{"key": "a", "operator": "In"}]}},
                                         "values must be set for the operators In and NotIn, and only for these"),
    "a field nobody knows": ({"spec.gpus": 4}, 'unknown field "spec.gpus"'),
    "65 GPUs to a node": ({"spec.gpu": {"countsPerNode": [65]}}, "should be less than or equal to 64"),
}

RIGHT = {
    "the least": {},
    "own nodes": OWN_NODES,
    "four slices": {"spec.sharing": {"mode": "TimeSlicing", "replicas": 4}},
    "partitions that fit": {"spec.sharing": {"mode": "MIG", "migDevices": [{"profile": "3g.40gb", "count": 1}, {"profile": "1g.10gb", "count": 4}]}},
    "another device plugin": external(resourceName="example.com/vgpu", quantityPerUnit=2),
    "another system": external(preset="Volcano", memoryMiBPerUnit=4096),
    "own nodes with taints and a runtime class": {**OWN_NODES, "spec.taints": [{"key": "a", "effect": "NoSchedule"}],
                                                  "spec.runtimeClassName": "nvidia"},
    "more GPUs warm in office hours": warm(),
    "GPUs warm each day": warm(schedule="@daily"),
    "a pass-through Gt": {"spec.requirements": [{"key": "a", "operator": "Gt", "values": ["3"]}]},
}

MOVED = {
    "another group of node class": ({"spec.nodeClassRef.group": "karpenter.azure.com"}, "must not change; create another pool"),
    "another kind of node class": ({"spec.nodeClassRef.kind": "AKSNodeClass"}, "must not change; create another pool"),
    "own nodes instead": (OWN_NODES, "must not be exchanged for existingNodes or the reverse"),
}


class Pools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        install()
        remove_objects()

    def test_the_least_pool_gets_the_defaults(self):
        pool, why = try_create(POOL)
        self.assertEqual(why, "")
        self.assertEqual(pool["spec"], {**POOL["spec"], "gpu": {}, "sharing": {"mode": "Exclusive"},
                                        "scaleDown": {"idleSeconds": 300}, "warm": {"gpus": 0}, "health": {"policy": "Report"},
                                        "fallback": {"policy": "Keep"}, "initializationDeadlineSeconds": 840})

    def test_what_is_wrong_is_rejected_in_plain_words(self):
        for sentence, (changes, expected) in WRONG.items():
            with self.subTest(sentence):
                stored, why = try_create(changed(POOL, changes))
                self.assertIsNone(stored, "was accepted")
                self.assertIn(expected, why)
                self.assertNotEqual(errors_of_lint(changed(POOL, changes)), [], "reprise lint finds nothing")

    def test_what_is_right_is_taken(self):
        for sentence, changes in RIGHT.items():
            with self.subTest(sentence):
                self.assertEqual(try_create(changed(POOL, changes))[1], "")
                self.assertEqual(errors_of_lint(changed(POOL, changes)), [], "reprise lint")

    def test_what_a_pool_is_made_of_does_not_change(self):
        stored = changed(POOL, {"metadata.name": "stored"})
        self.assertEqual(create(stored).returncode, 0)
        for sentence, (changes, expected) in MOVED.items():
            with self.subTest(sentence):
                done = run("kubectl", "replace", "--dry-run=server", "-f", "-", stdin=json.dumps(changed(stored, changes)))
                self.assertNotEqual(done.returncode, 0, "was accepted")
                self.assertIn(expected, done.stderr)

    def test_every_rule_has_a_case(self):
        said = [expected for _, expected in [*WRONG.values(), *MOVED.values()]]
        for message in set(own_rules(schema("gpupools"))):
            self.assertTrue(any(part in message for part in said), message)




if __name__ == "__main__":
    unittest.main()
