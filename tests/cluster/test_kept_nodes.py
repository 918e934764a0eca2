"""A gang saves for longer than its pool lets nodes be idle: Karpenter sees no pod there that counts, and leaves them all the same."""

import unittest

from harness import manifests, wait
from harness.case import ClusterCase

SAVES_SECONDS = 45  # Karpenter gives an empty node back 15 s after it was called empty
KEEPERS = "reprise.dev/keeps-node"


class KeptNodes(ClusterCase):
    pools = (manifests.pool("gangs", capacity=[{"type": "Spot", "maxGpus": 8, "noticeSeconds": 120}], sharing={"mode": "Exclusive"},
                            scaleDown={"idleSeconds": 0}),)

    def claims(self):
        return {claim["metadata"]["name"] for claim in self.cluster.list("nodeclaims")}

    def keepers(self):
        return [pod for pod in self.cluster.list("pods", "vision", KEEPERS) if "deletionTimestamp" not in pod["metadata"]]

    def begin(self, name):
        self.cluster.apply(manifests.job(
            name, parallelism=3, pool="gangs", annotations={"reprise.test/stop-after-milliseconds": str(SAVES_SECONDS * 1000)},
            checkpoint={"path": "/checkpoints", "graceSeconds": 100, "volume": {"claimTemplate": {"spec": {
                "accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}}}}))
        self.cluster.wait_for_attempt(name, 1)
        return sorted(pod["spec"]["nodeName"] for pod in self.cluster.pods_of(name, 1))

    def test_one_node_is_rented_for_the_one_that_goes_and_none_is_kept_for_a_job_that_is_gone(self):
        cluster = self.cluster
        nodes = self.begin("gang")
        before = self.claims()
        self.assertEqual(len(before), 3)
        going = next(claim for claim in cluster.list("nodeclaims") if claim["status"]["nodeName"] == nodes[0])
        cluster.kubectl("delete", "nodeclaim", going["metadata"]["name"], "--wait=false")
        wait.until("the other nodes are kept", lambda: sorted(pod["spec"]["nodeName"] for pod in self.keepers()) == nodes[1:])
        rented = set()

        def recovered():
            rented.update(self.claims())
            return cluster.pods_of("gang", 2) and all(pod["status"]["phase"] == "Running" for pod in cluster.pods_of("gang", 2))
        wait.until("the second attempt runs", recovered, seconds=180)
        self.assertEqual(len(rented | before), 4, "one for the one that went")
        self.assertTrue(set(nodes[1:]) < {pod["spec"]["nodeName"] for pod in cluster.pods_of("gang", 2)})
        wait.until("they are not kept any more", lambda: not self.keepers())

        going = cluster.list("nodeclaims")[0]
        cluster.kubectl("delete", "nodeclaim", going["metadata"]["name"], "--wait=false")
        wait.until("nodes are kept again", lambda: len(self.keepers()) == 2)
        cluster.kubectl("delete", "resumablejob", "gang", "-n", "vision", "--wait=false")
        wait.until("all machines have gone", lambda: not self.claims(), seconds=240)


if __name__ == "__main__":
    unittest.main()
