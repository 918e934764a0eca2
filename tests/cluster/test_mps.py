"""A pool that shares its GPUs by MPS: Karpenter knows its slices, its nodes offer them, a job gets one for each rank."""

import unittest

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import OPERATOR_NAMESPACE, condition


class Mps(ClusterCase):
    pools = (manifests.pool(sharing={"mode": "MPS", "replicas": 4}),)

    def test_a_pool_by_mps_is_ready_and_a_gang_shares_one_gpu(self):
        cluster = self.cluster
        cluster.kubectl("wait", "--for=condition=Ready", "gpupool/t4", "--timeout=60s")
        pool = cluster.get("gpupool", "t4")
        self.assertEqual(pool["status"]["resourceName"], "nvidia.com/gpu.shared")
        self.assertEqual(pool["status"]["isolation"], {"memory": "Limited", "compute": "Limited", "fault": "None"})
        self.assertEqual({value for overlay in cluster.list("nodeoverlays")
                          for value in overlay["spec"]["capacity"].items()}, {("nvidia.com/gpu.shared", "4")})
        written = cluster.get("configmap", "reprise-device-plugin", OPERATOR_NAMESPACE)["data"]
        self.assertEqual(list(written), ["default", "mps-4"])
        self.assertIn("\n  mps:\n", written["mps-4"])

        cluster.apply(manifests.job("finetune", parallelism=2))
        cluster.wait_for_attempt("finetune", 1)
        ranks = cluster.pods_of("finetune")
        self.assertEqual([rank["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu.shared"] for rank in ranks], ["1", "1"])
        node, = {rank["spec"]["nodeName"] for rank in ranks}
        labels = lambda: cluster.get("node", node)["metadata"]["labels"]
        self.assertEqual(labels()["nvidia.com/mps.capable"], "true")
        self.assertEqual(labels()["nvidia.com/device-plugin.config"], "mps-4")
        # Pods may be bound before (dev/README.md, Traps).
        wait.until("the plugin is played as one that shares by MPS", lambda: labels().get("nvidia.com/gpu.sharing-strategy") == "mps")
        wait.until("the pool counts its GPU", lambda: cluster.get("gpupool", "t4")["status"]["units"] == {"total": 4, "used": 2})
        self.assertRegex(cluster.kubectl("get", "gpupools"), r"t4\s+True\s+1/1\s+1\s+0\s+MPS x4\s+0\.\d+")
        self.assertEqual(condition(cluster.get("gpupool", "t4"), "SharingConfigured")["status"], "True")


if __name__ == "__main__":
    unittest.main()
