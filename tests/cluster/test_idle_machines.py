"""Machines that become ready and take no pod: each new Node has a taint that the pool's startupTaints do not name."""

import unittest

from harness import manifests, wait
from harness.case import ClusterCase
from harness.watchlog import WatchLog

TAINT = "example.com/agent-not-ready"
EXPRESSION = """has(object.spec.taints)
  ? [JSONPatch{op: 'add', path: '/spec/taints/-', value: Object.spec.taints{key: 'TAINT', effect: 'NoSchedule'}}]
  : [JSONPatch{op: 'add', path: '/spec/taints', value: [Object.spec.taints{key: 'TAINT', effect: 'NoSchedule'}]}]""".replace("TAINT", TAINT)


def policy():
    """As an agent that taints each machine before the scheduler sees it."""
    return {"apiVersion": "admissionregistration.k8s.io/v1beta1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": "late"}, "spec": {
        "failurePolicy": "Fail", "reinvocationPolicy": "Never",
        "matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["nodes"]}]},
        "matchConditions": [{"name": "new", "expression": "object.metadata.name.startsWith('kwok-idle') && "
                             f"!object.spec.?taints.orValue([]).exists(t, t.key == '{TAINT}')"}],
        "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": EXPRESSION}}]}}


class IdleMachines(ClusterCase):
    cluster_settings = ("kube-apiserver.feature-gates=MutatingAdmissionPolicy=true",
                        "kube-apiserver.runtime-config=admissionregistration.k8s.io/v1beta1=true")
    pools = (policy(),
             {"apiVersion": "admissionregistration.k8s.io/v1beta1", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": "late"},
              "spec": {"policyName": "late"}},
             manifests.pool("idle", sharing={"mode": "Exclusive"}, capacity=[{"type": "Spot", "maxGpus": 4, "noticeSeconds": 20}],
                            scaleDown={"idleSeconds": 10}))

    def startup(self):
        return self.cluster.get("gpupool", "idle")["status"].get("startup", {}).get("backOff", [])

    def test_they_are_not_rented_in_a_loop_and_the_taint_is_named(self):
        cluster = self.cluster
        with WatchLog(cluster, "nodeclaims") as watch:
            machines = lambda: {claim["metadata"]["name"] for _, claim in watch.of("nodeclaims")}
            cluster.apply(manifests.job("waits", pool="idle"))
            row = wait.until("the first machines count as a try", lambda: next(iter(self.startup()), None), 240)
            self.assertIn(f"{TAINT}:NoSchedule", row["message"])
            wait.until("the second try failed too", lambda: self.startup()[0]["tries"] == 2, 300)
            # Four at a time as long as nobody knows, then one, with a pause of a minute before it and four behind it.
            seen = len(machines())
            self.assertLessEqual(seen, 9)
            self.assertTrue(wait.steady("nothing is rented in the pause", lambda: len(machines()) == seen, stretch=60))
        condition = next(each for each in cluster.get("gpupool", "idle")["status"]["conditions"] if each["type"] == "CapacityAvailable")
        self.assertEqual(condition["status"], "False")
        self.assertIn("spec.startupTaints", condition["message"])
        cluster.kubectl("delete", "mutatingadmissionpolicybinding", "late")
        cluster.kubectl("annotate", "gpupool", "idle", "reprise.dev/retry=1")
        cluster.wait_for_attempt("waits", 1, seconds=180)
        wait.until("a pod that found its place ends the pause", lambda: not self.startup(), 60)


if __name__ == "__main__":
    unittest.main()
