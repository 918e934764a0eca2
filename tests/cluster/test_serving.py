"""Pods that are no job's use a pool: what its status says to write is what the example writes, and nodes come and go with them."""

import unittest

import yaml

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import ROOT

EXAMPLE = ROOT / "examples/serving"
RUNTIME = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"}


def example(name):
    return list(yaml.safe_load_all((EXAMPLE / name).read_text()))


class Serving(ClusterCase):
    pools = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        pool, = example("pool.yaml")
        pool["spec"]["scaleDown"]["idleSeconds"] = 10
        cls.cluster.apply(manifests.namespace("serving"), RUNTIME, pool)
        cls.cluster.kubectl("wait", "--for=condition=Ready", "gpupool/serving", "--timeout=90s")

    def running(self, app):
        return [pod for pod in self.cluster.list("pods", "serving", f"app={app}")
                if pod["status"].get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"]]

    def pool(self):
        return self.cluster.get("gpupool", "serving")["status"]

    def test_the_example_writes_what_the_pool_s_status_says(self):
        usage = yaml.safe_load(self.pool()["usage"])["spec"]
        server = usage.pop("containers")[0]
        for deployment in [*example("ollama.yaml"), *example("on-demand.yaml")]:
            written = deployment["spec"]["template"]["spec"]
            self.assertEqual({field: written[field] for field in usage}, usage)
            self.assertEqual(written["containers"][0]["name"], server["name"])
            self.assertEqual(written["containers"][0]["resources"], server["resources"])

    def test_two_servers_share_one_gpu_and_a_third_comes_and_goes(self):
        cluster = self.cluster
        cluster.apply(*example("ollama.yaml"))
        pods = [wait.until(f"{app} serves", lambda app=app: self.running(app))[0] for app in ("ollama-chat", "ollama-code")]
        self.assertEqual(len({pod["spec"]["nodeName"] for pod in pods}), 1, "one GPU for both")
        self.assertEqual({pod["spec"]["runtimeClassName"] for pod in pods}, {"nvidia"})
        wait.until("the pool counts their slices", lambda: self.pool()["units"] == {"total": 4, "used": 2})
        cluster.kubectl("delete", "-n", "serving", "deployment", "ollama-chat", "ollama-code")
        self.wait_for_nothing()

        cluster.apply(*example("on-demand.yaml"))
        for _ in range(2):
            cluster.kubectl("scale", "-n", "serving", "deployment/on-demand", "--replicas=1")
            wait.until("it serves", lambda: self.running("on-demand"))
            cluster.kubectl("scale", "-n", "serving", "deployment/on-demand", "--replicas=0")
            self.wait_for_nothing()

    def wait_for_nothing(self):
        """No node, and nothing to pay."""
        wait.until("the node has gone", lambda: not self.cluster.list("nodes", selector="reprise.dev/pool=serving"), seconds=180)
        wait.until("it costs nothing", lambda: (self.pool()["units"]["total"], self.pool()["cost"]["perHour"]) == (0, "0.00"))


if __name__ == "__main__":
    unittest.main()
