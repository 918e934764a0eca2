"""From an empty cluster to a finished job and back to zero nodes."""

import unittest

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import condition


class FirstLight(ClusterCase):
    def test_a_pool_and_a_job_bring_spot_nodes_and_the_nodes_go_when_idle(self):
        cluster = self.cluster
        self.assertEqual(cluster.list("nodeclaims"), [], "the cluster is empty")
        cluster.apply(manifests.job("finetune", parallelism=2))
        job = cluster.wait_for_attempt("finetune", 1)
        self.assertEqual(job["status"]["placement"]["capacity"], "Spot")
        for pod in cluster.pods_of("finetune", 1):
            node = cluster.get("node", pod["spec"]["nodeName"])
            self.assertEqual(node["metadata"]["labels"]["karpenter.sh/capacity-type"], "spot")
            self.assertEqual(pod["spec"]["containers"][0]["command"][:4], ["/reprise/reprise-agent", "run", "--", "train"])
            self.assertEqual(pod["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu.shared"], "1")

        wait.until("the pool counts its GPU", lambda: cluster.get("gpupool", "t4")["status"]["units"] == {"total": 4, "used": 2})
        table = cluster.kubectl("get", "gpupools,resumablejobs", "-A")
        self.assertRegex(table, r"gpupool.reprise.dev/t4\s+True\s+1/1\s+1\s+0\s+TimeSlicing x4\s+0\.\d+")
        self.assertRegex(table, r"vision\s+resumablejob.reprise.dev/finetune\s+Started\s+0\s+t4")

        for pod in cluster.pods_of("finetune", 1):
            cluster.annotate("pod", pod["metadata"]["name"], "vision", **{"reprise.test/exit-code": "0"})
        cluster.kubectl("wait", "--for=condition=Complete", "resumablejob/finetune", "-n", "vision", "--timeout=90s")
        wait.until("idle nodes have gone", lambda: not cluster.list("nodeclaims"), seconds=180)
        wait.until("the pool counts none", lambda: cluster.get("gpupool", "t4")["status"]["gpus"] == "0/0")
        self.assertEqual(condition(cluster.get("gpupool", "t4"), "Ready")["status"], "True")


if __name__ == "__main__":
    unittest.main()
