"""An operator with the rights and flags of the chart's `watchNamespaces` works in that namespace and leaves the others as they are."""

import unittest

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import OPERATOR_NAMESPACE, OPERATOR_USER, ROOT
from harness.operator import Operator


class WatchNamespaces(ClusterCase):
    with_operator = False

    def test_it_works_where_it_watches_and_nowhere_else(self):
        self.cluster.apply(manifests.namespace("speech"), manifests.namespace("gpu-operator"))
        self.cluster.run("helm", "upgrade", "reprise", str(ROOT / "charts/reprise"), "--namespace", OPERATOR_NAMESPACE,
                         "--set", "watchNamespaces={vision}", "--set", "devicePlugin.namespace=gpu-operator", "--wait", "--timeout", "180s")
        self.wait_for_rights()
        container, = self.cluster.get("deployment", "reprise", OPERATOR_NAMESPACE)["spec"]["template"]["spec"]["containers"]
        flags = [flag for flag in container["args"] if flag.startswith(("--watch-namespaces=", "--device-plugin-namespace="))]
        self.assertEqual(len(flags), 2)

        operator = Operator(self.cluster)
        WatchNamespaces.operator = operator.start(*flags)
        self.addCleanup(operator.__exit__)
        self.cluster.apply(manifests.job("elsewhere", namespace="speech"), manifests.job("here"))
        self.cluster.wait_for_attempt("here", 1, seconds=180)
        self.assertEqual(self.cluster.list("pods", "speech"), [])
        self.assertNotIn("conditions", self.cluster.job("elsewhere", "speech").get("status", {}))
        wait.until("the pool counts the jobs that are watched",
                   lambda: self.cluster.get("gpupool", "t4")["status"]["jobs"] == 1)
        wait.until("the device plugin's configuration is in its namespace",
                   self.configurations)
        self.assertNotIn("orbidden", operator.tail(10_000))

    def configurations(self):
        return [one for one in self.cluster.list("configmaps", "gpu-operator") if one["metadata"]["name"] != "kube-root-ca.crt"]

    def wait_for_rights(self):
        """What the upgrade has granted and taken away is in force a moment later."""
        for resource, namespace, expected in (("nodes", "default", True), ("events", "default", True), ("pods", "vision", True),
                                              ("configmaps", "gpu-operator", True), ("pods", "speech", False),
                                              ("configmaps", OPERATOR_NAMESPACE, False)):
            wait.until(f"{resource} in {namespace} may {'' if expected else 'not '}be listed", lambda r=resource, n=namespace, e=expected: (
                self.cluster.run("kubectl", "auth", "can-i", "list", r, "-n", n, f"--as={OPERATOR_USER}", check=False).returncode == 0) == e)


if __name__ == "__main__":
    unittest.main()
