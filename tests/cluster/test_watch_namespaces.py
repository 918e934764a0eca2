"""An operator that may read and write one namespace alone works there, and leaves the others as they are."""

import subprocess
import unittest

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import OPERATOR_NAMESPACE, OPERATOR_USER
from harness.operator import Operator

ACCOUNT = "reprise"  # the chart's policies let this one alone write a status
FLAGS = ("--watch-namespaces=vision", "--device-plugin-namespace=gpu-operator")


def rule(resource, verbs):
    if resource.startswith("/"):
        return {"nonResourceURLs": [resource], "verbs": verbs}
    name, slash, part = resource.partition("/")
    plural, _, group = name.partition(".")
    return {"apiGroups": [group], "resources": [plural + slash + part], "verbs": verbs}


def role(scope, rules):
    """What one scope of --print-permissions is granted by: a role and its binding."""
    namespace = {"cluster": None, "namespace": OPERATOR_NAMESPACE}.get(scope, scope.partition("/")[2])
    kind = "Role" if namespace else "ClusterRole"
    metadata = {"name": "printed", **({"namespace": namespace} if namespace else {})}
    api = "rbac.authorization.k8s.io"
    return ({"apiVersion": f"{api}/v1", "kind": kind, "metadata": metadata, "rules": rules},
            {"apiVersion": f"{api}/v1", "kind": f"{kind}Binding", "metadata": metadata,
             "roleRef": {"apiGroup": api, "kind": kind, "name": "printed"},
             "subjects": [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": OPERATOR_NAMESPACE}]})


class WatchNamespaces(ClusterCase):
    with_operator = False

    def test_it_works_where_it_watches_and_nowhere_else(self):
        self.cluster.apply(manifests.namespace("speech"), manifests.namespace("gpu-operator"))
        self.cluster.kubectl("delete", "clusterrolebinding", "reprise")
        self.cluster.kubectl("delete", "rolebinding", "reprise", "-n", OPERATOR_NAMESPACE)
        self.cluster.kubectl("delete", "rolebinding", "reprise-events", "-n", "default")
        operator = Operator(self.cluster)
        granted = self.grant(operator)
        self.assertIn("namespace/vision", granted)
        self.assertEqual(granted["namespace/gpu-operator"], [rule("configmaps", ["create", "list", "patch", "watch"])])
        self.assertNotIn("pods", [name for each in granted["cluster"] for name in each.get("resources", [])])

        WatchNamespaces.operator = operator.start(*FLAGS)
        self.addCleanup(operator.__exit__)
        self.cluster.apply(manifests.job("elsewhere", namespace="speech"), manifests.job("here"))
        self.cluster.wait_for_attempt("here", 1, seconds=180)
        self.assertEqual(self.cluster.list("pods", "speech"), [])
        self.assertNotIn("conditions", self.cluster.job("elsewhere", "speech").get("status", {}))
        wait.until("the pool counts the jobs that are watched",
                   lambda: self.cluster.get("gpupool", "t4")["status"]["jobs"] == 1)
        self.assertNotIn("orbidden", operator.tail(10_000))

    def grant(self, operator):
        printed = subprocess.run([operator.binary, "--print-permissions", *FLAGS], check=True, capture_output=True,
                                 text=True).stdout
        scopes = {}
        for line in printed.splitlines():
            scope, resource, verbs = line.split()
            scopes.setdefault(scope, []).append(rule(resource, verbs.split(",")))
        self.cluster.apply(*(each for scope, rules in scopes.items() for each in role(scope, rules)))
        for resource, namespace in (("nodes", "default"), ("events", "default"), ("pods", "vision"), ("configmaps", "gpu-operator")):
            wait.until(f"{resource} in {namespace} may be listed", lambda r=resource, n=namespace: self.cluster.run(
                "kubectl", "auth", "can-i", "list", r, "-n", n, f"--as={OPERATOR_USER}", check=False).returncode == 0)
        return scopes


if __name__ == "__main__":
    unittest.main()
