"""NodePools: `reprise lint` refuses what Karpenter's own definition refuses on a real API server, and says by name where it
goes beyond."""

import unittest

from support import DROP, changed, errors_of_lint, try_create

NODE_POOL = {
    "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "a10g"},
    "spec": {
        "limits": {"nvidia.com/gpu": "8"},
        "disruption": {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "5m", "budgets": [{"nodes": "1"}]},
        "template": {
            "metadata": {"labels": {"team": "vision"}},
            "spec": {
                "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"},
                "expireAfter": "Never", "terminationGracePeriod": "2m",
                "taints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}],
                "requirements": [{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]},
                                 {"key": "karpenter.k8s.aws/instance-gpu-name", "operator": "In", "values": ["a10g"]}]}}},
}
SPEC = "spec.template.spec"
FIRST = f"{SPEC}.requirements.0"
LABEL = ("spec", "template", "metadata", "labels")
BUDGET = "spec.disruption.budgets.0"

# Sentence: what is changed. All of it is refused by both.
WRONG = {
    "no template": {"spec.template": DROP},
    "no spec of the nodes": {"spec.template.spec": DROP},
    "no node class": {f"{SPEC}.nodeClassRef": DROP},
    "a node class without its group": {f"{SPEC}.nodeClassRef.group": DROP},
    "an empty group": {f"{SPEC}.nodeClassRef.group": ""},
    "a group with a version": {f"{SPEC}.nodeClassRef.group": "karpenter.k8s.aws/v1"},
    "an empty name of a node class": {f"{SPEC}.nodeClassRef.name": ""},
    "no requirements": {f"{SPEC}.requirements": DROP},
    "a field that is not known": {"spec.provider": {}},
    "a weight beyond 100": {"spec.weight": 101},
    "a weight of 0": {"spec.weight": 0},
    "a quantity that is none": {"spec.limits": {"nvidia.com/gpu": "8GiB"}},
    "a disruption without consolidateAfter": {"spec.disruption.consolidateAfter": DROP},
    "an empty disruption": {"spec.disruption": {}},
    "consolidation as v1beta1 named it": {"spec.disruption.consolidationPolicy": "WhenUnderutilized"},
    "a duration in days": {"spec.disruption.consolidateAfter": "1d"},
    "a grace that never ends": {f"{SPEC}.terminationGracePeriod": "Never"},
    "an expiry that is a number": {f"{SPEC}.expireAfter": 720},
    "a budget beyond 100 %": {f"{BUDGET}.nodes": "101%"},
    "a budget of a number": {f"{BUDGET}.nodes": 1},
    "a schedule without a duration": {f"{BUDGET}.schedule": "@daily"},
    "a duration without a schedule": {f"{BUDGET}.duration": "8h"},
    "a budget's duration in seconds": {f"{BUDGET}.schedule": "@daily", f"{BUDGET}.duration": "60s"},
    "a budget's duration that is empty": {f"{BUDGET}.schedule": "@daily", f"{BUDGET}.duration": ""},
    "a schedule of four words": {f"{BUDGET}.schedule": "0 0 * *", f"{BUDGET}.duration": "8h"},
    "a budget's reason that is none": {f"{BUDGET}.reasons": ["Spot"]},
    "51 budgets": {"spec.disruption.budgets": [{"nodes": "1"}] * 51},
    "replicas with a weight": {"spec.replicas": 1, "spec.weight": 1, "spec.limits": DROP},
    "replicas with limits of GPUs": {"spec.replicas": 1},
    "fewer replicas than none": {"spec.replicas": -1, "spec.limits": DROP},
    "a label's value with a space": {(*LABEL, "team"): "a b"},
    "a label's value of 64 letters": {(*LABEL, "team"): "a" * 64},
    "a label of Karpenter's": {(*LABEL, "karpenter.sh/registered"): "true"},
    "the label of the NodePool": {(*LABEL, "karpenter.sh/nodepool"): "x"},
    "the label of the host": {(*LABEL, "kubernetes.io/hostname"): "x"},
    "a label below Karpenter's domain": {(*LABEL, "own.karpenter.sh/x"): "x"},
    "a taint without an effect": {f"{SPEC}.taints.0.effect": DROP},
    "a taint without a key": {f"{SPEC}.taints.0.key": DROP},
    "a taint with an empty key": {f"{SPEC}.taints.0.key": ""},
    "a taint with a space in its key": {f"{SPEC}.taints.0.key": "a b"},
    "a taint with a space in its value": {f"{SPEC}.taints.0.value": "a b"},
    "a taint of another effect": {f"{SPEC}.taints.0.effect": "Never"},
    "a taint since a word": {f"{SPEC}.taints.0.timeAdded": "yesterday"},
    "a startup taint without an effect": {f"{SPEC}.startupTaints": [{"key": "a"}]},
    "a requirement without an operator": {f"{FIRST}.operator": DROP},
    "a requirement with another operator": {f"{FIRST}.operator": "Is"},
    "a requirement with a space in its key": {f"{FIRST}.key": "a b"},
    "a requirement by Karpenter's NodePool": {f"{FIRST}.key": "karpenter.sh/nodepool"},
    "a requirement by the host": {f"{FIRST}.key": "kubernetes.io/hostname"},
    "a requirement below Karpenter's domain": {f"{FIRST}.key": "own.karpenter.sh/x"},
    "In without values": {f"{FIRST}.values": DROP},
    "In with no value": {f"{FIRST}.values": []},
    "Gt without a value": {f"{FIRST}.key": "a", f"{FIRST}.operator": "Gt", f"{FIRST}.values": DROP},
    "Gt with two values": {f"{FIRST}.key": "a", f"{FIRST}.operator": "Gt", f"{FIRST}.values": ["1", "2"]},
    "Lt with a word": {f"{FIRST}.key": "a", f"{FIRST}.operator": "Lt", f"{FIRST}.values": ["two"]},
    "Gte with less than nothing": {f"{FIRST}.key": "a", f"{FIRST}.operator": "Gte", f"{FIRST}.values": ["-1"]},
    "more of minValues than values": {f"{FIRST}.minValues": 2},
    "minValues of 0": {f"{FIRST}.minValues": 0},
    "a value that is a number": {f"{FIRST}.values": [1]},
    "101 requirements": {f"{SPEC}.requirements": [{"key": "a", "operator": "Exists"}] * 101},
}
# Both take them.
RIGHT = {
    "as it stands": {},
    "no disruption": {"spec.disruption": DROP},
    "never consolidated": {"spec.disruption.consolidateAfter": "Never"},
    "a budget without nodes": {"spec.disruption.budgets": [{"reasons": ["Drifted"]}]},
    "a budget by schedule": {f"{BUDGET}.schedule": "0 9 * * mon-fri", f"{BUDGET}.duration": "8h30m"},
    "a budget by name": {f"{BUDGET}.schedule": "@daily", f"{BUDGET}.duration": "10m"},
    "no requirement": {f"{SPEC}.requirements": []},
    "replicas": {"spec.replicas": 2, "spec.limits": DROP},
    "replicas with a limit of nodes": {"spec.replicas": 2, "spec.limits": {"nodes": "4"}},
    "a number as a limit": {"spec.limits": {"nvidia.com/gpu": 8}},
    "minValues of as many": {f"{FIRST}.minValues": 1},
    "Gte": {f"{FIRST}.key": "a", f"{FIRST}.operator": "Gte", f"{FIRST}.values": ["4"]},
    "Exists": {f"{FIRST}.key": "a", f"{FIRST}.operator": "Exists", f"{FIRST}.values": DROP},
    "a taint since a time": {f"{SPEC}.taints.0.timeAdded": "2026-11-24T00:00:00Z"},
    "an empty label": {(*LABEL, "team"): ""},
}
# The API server takes them; Karpenter's controller, the scheduler or the operator does not, or nothing comes of them.
BEYOND = {
    "NotIn without values: Karpenter rejects the NodePool later": {f"{FIRST}.operator": "NotIn", f"{FIRST}.key": "a", f"{FIRST}.values": DROP},
    "Exists with values: Karpenter rejects the NodePool later": {f"{FIRST}.operator": "Exists", f"{FIRST}.key": "a"},
    "a capacity type that is none: no node ever fits": {f"{FIRST}.values": ["cheap"]},
    "a value that no label can have: no node ever fits": {f"{FIRST}.key": "a", f"{FIRST}.values": ["a" * 64]},
    "a capacity type as a label: it chooses nothing": {(*LABEL, "karpenter.sh/capacity-type"): "spot"},
    "the operator's label: it takes the nodes for a pool's": {(*LABEL, "reprise.dev/pool"): "x"},
}


class NodePools(unittest.TestCase):
    def test_what_karpenter_s_definition_refuses_lint_refuses(self):
        for sentence, changes in WRONG.items():
            with self.subTest(sentence):
                self.assertIsNone(try_create(changed(NODE_POOL, changes))[0], "the API server takes it")
                self.assertNotEqual(errors_of_lint(changed(NODE_POOL, changes)), [], "reprise lint finds nothing")

    def test_what_it_takes_lint_takes(self):
        for sentence, changes in RIGHT.items():
            with self.subTest(sentence):
                self.assertEqual(try_create(changed(NODE_POOL, changes))[1], "")
                self.assertEqual(errors_of_lint(changed(NODE_POOL, changes)), [], "reprise lint")

    def test_lint_goes_beyond_where_it_is_named(self):
        for sentence, changes in BEYOND.items():
            with self.subTest(sentence):
                self.assertEqual(try_create(changed(NODE_POOL, changes))[1], "")
                self.assertNotEqual(errors_of_lint(changed(NODE_POOL, changes)), [], "reprise lint finds nothing")


if __name__ == "__main__":
    unittest.main()
