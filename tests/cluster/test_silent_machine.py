"""A machine falls silent and its cloud still knows it: how long its claim stands (docs/recovery-latency.md)."""

import datetime
import unittest

from harness import manifests, wait
from harness.case import ClusterCase
from harness.nodes import claim_of
from harness.watchlog import WatchLog

GRACE = 600  # seconds, of every rank of a pool with capacity on demand
DRAIN = 60  # Karpenter waits so long, from its deletionTimestamp on, for a pod that nobody can end


def time_of(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


class SilentMachine(ClusterCase):
    cluster_settings = ("karpenter.KNOWN_INSTANCES=true",)
    pools = (manifests.pool("lasting", sharing={"mode": "Exclusive"}, capacity=[{"type": "OnDemand", "maxGpus": 4}]),)

    def test_its_claim_stands_for_a_minute_and_not_for_the_grace_of_its_rank(self):
        cluster = self.cluster
        with WatchLog(cluster, "pods") as watch:
            cluster.apply(manifests.job("lone", pool="lasting"))
            cluster.wait_for_attempt("lone", 1, seconds=180)
            pod, = cluster.pods_of("lone", 1)
            claim = claim_of(cluster, pod)
            cluster.kubectl("label", "node", pod["spec"]["nodeName"], "reprise.test/node-silent=true")
            name = claim["metadata"]["name"]
            deleted = wait.until("the claim of the silent machine is deleted", lambda: (
                cluster.get("nodeclaim", name) or claim)["metadata"].get("deletionTimestamp"), seconds=180)
            wait.until("the claim has gone", lambda: cluster.get("nodeclaim", name) is None, seconds=300)
            gone = datetime.datetime.now(datetime.timezone.utc)
            cluster.wait_for_attempt("lone", 2, seconds=180)
            last = [thing for _, thing in watch.of("pods") if thing["metadata"]["uid"] == pod["metadata"]["uid"]][-1]
        stood = (gone - time_of(deleted)).total_seconds()
        print(f"a rank with a grace of {GRACE} s on a silent machine: its claim stood for {stood:.0f} s", flush=True)
        self.assertEqual(pod["spec"]["terminationGracePeriodSeconds"], GRACE)
        self.assertEqual(last["metadata"]["deletionGracePeriodSeconds"], 1, "nobody there hears of a longer one")
        self.assertGreaterEqual(gone, time_of(last["metadata"]["deletionTimestamp"]) + datetime.timedelta(seconds=DRAIN - 1),
                                "this provider forgets no machine for its Node's sake")
        self.assertLess(stood, GRACE)


if __name__ == "__main__":
    unittest.main()
