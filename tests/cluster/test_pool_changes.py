"""A pool that nobody uses is edited: what Karpenter is asked for follows, and what it does not want any more goes."""

import unittest

from harness import manifests, wait
from harness.case import ClusterCase


class PoolChanges(ClusterCase):
    def owned(self, kind):
        return [thing for thing in self.cluster.list(kind) if
                any(owner["kind"] == "GpuPool" and owner["name"] == "t4" for owner in thing["metadata"].get("ownerReferences", []))]

    def limits(self):
        """The GPUs that each NodePool may have, by its capacity type."""
        found = {}
        for pool in self.owned("nodepools"):
            capacity, = (one["values"][0] for one in pool["spec"]["template"]["spec"]["requirements"]
                         if one["key"] == "karpenter.sh/capacity-type")
            found[capacity] = next(limit for resource, limit in pool["spec"]["limits"].items() if resource != "nodes")
        return found

    def slices(self):
        return {value for overlay in self.owned("nodeoverlays") for value in overlay["spec"].get("capacity", {}).values()}

    def change(self, **spec):
        self.cluster.apply(manifests.pool(**spec))

    def test_node_pools_and_overlays_follow_the_pool(self):
        wait.until("a NodePool for each capacity type", lambda: set(self.limits()) == {"spot", "on-demand"})
        wait.until("slices of 4", lambda: self.slices() == {"4"})
        before = self.limits()

        spot = {"type": "Spot", "maxGpus": 8, "noticeSeconds": 20}
        self.change(capacity=[spot], sharing={"mode": "TimeSlicing", "replicas": 2})
        after = wait.until("spot alone, and less of it", lambda: set(self.limits()) == {"spot"} and
                           self.limits()["spot"] != before["spot"] and self.limits())
        self.assertLess(int(after["spot"]), int(before["spot"]))
        wait.until("slices of 2", lambda: self.slices() == {"2"})

        self.change(capacity=[spot], sharing={"mode": "Exclusive"})
        wait.until("no slices", lambda: not self.owned("nodeoverlays"))
        self.assertEqual(set(self.limits()), {"spot"})


if __name__ == "__main__":
    unittest.main()
