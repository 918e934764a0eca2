"""GPUs that are kept ready: a job takes their place at once, another one is rented for them, and they go when nobody wants them."""

import unittest

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import OPERATOR_NAMESPACE


class Warm(ClusterCase):
    pools = (manifests.pool(warm={"gpus": 1}),)

    def nodes(self):
        return {each["metadata"]["name"] for each in self.cluster.list("nodes", selector="reprise.dev/pool=t4")}

    def pods(self, pool="t4"):
        return self.cluster.list("pods", OPERATOR_NAMESPACE, selector=f"reprise.dev/warm={pool}")

    def kept(self, pool="t4"):
        """The pods that hold a GPU: their names and nodes."""
        pods = self.pods(pool)
        return {each["metadata"]["uid"]: each["spec"]["nodeName"] for each in pods if each["status"]["phase"] == "Running"}

    def is_ready(self, gpus, pool="t4"):
        status = self.cluster.get("gpupool", pool)["status"]
        return status.get("warmGpus") == gpus == len(self.kept(pool))

    def test_a_gpu_is_ready_before_anybody_asks_and_again_when_a_job_has_taken_it(self):
        cluster = self.cluster
        wait.until("a GPU is ready and nobody uses it", lambda: self.is_ready(1)
                   and cluster.get("gpupool", "t4")["status"]["units"] == {"total": 4, "used": 0})
        first, = self.nodes()
        (held, node), = self.kept().items()
        self.assertEqual(node, first)
        status = cluster.get("gpupool", "t4")["status"]
        self.assertEqual(status["cost"]["idlePerHour"], status["cost"]["perHour"])

        cluster.apply(manifests.job("urgent"))
        cluster.wait_for_attempt("urgent", 1)
        pod, = cluster.pods_of("urgent", 1)
        self.assertEqual(pod["spec"]["nodeName"], first, "it took the place that was kept")
        wait.until("another GPU is ready", lambda: self.is_ready(1) and held not in self.kept())
        (_, second), = self.kept().items()
        self.assertNotEqual(second, first)
        self.assertEqual(self.nodes(), {first, second})

        cluster.kubectl("patch", "gpupool", "t4", "--type=merge", "-p", '{"spec":{"warm":{"gpus":0}}}')
        wait.until("nothing is kept", lambda: self.is_ready(0))
        wait.until("its node went, the job's stays", lambda: self.nodes() == {first}, seconds=180)
        self.assertEqual(cluster.pods_of("urgent", 1)[0]["metadata"]["uid"], pod["metadata"]["uid"])

    def test_more_are_ready_while_a_schedule_applies(self):
        cluster = self.cluster
        always, never = ({"schedule": schedule, "durationSeconds": 60, "gpus": gpus} for schedule, gpus in (("* * * * *", 1), ("0 0 31 2 *", 2)))
        cluster.apply(manifests.pool("office", warm={"schedules": [always, never]}))
        wait.until("a GPU is ready", lambda: self.is_ready(1, "office"))
        self.assertNotIn("warmGpusUntil", cluster.get("gpupool", "office")["status"])
        cluster.apply(manifests.pool("office", warm={"schedules": [never]}))
        wait.until("nothing is kept", lambda: not self.pods("office"))

        # The pool wakes itself: nothing else happens to it.
        each_second_minute = {**always, "schedule": "*/2 * * * *"}
        cluster.apply(manifests.pool("office", warm={"schedules": [each_second_minute]}))
        wanted = lambda: cluster.get("gpupool", "office")["status"]["warmGpusWanted"]
        first = wait.until("it says until when", lambda: cluster.get("gpupool", "office")["status"]["warmGpusUntil"])
        for gpus in (wanted() ^ 1, wanted()):
            wait.until(f"{gpus} are wanted", lambda: wanted() == len(self.pods("office")) == gpus, seconds=180)
        self.assertNotEqual(cluster.get("gpupool", "office")["status"]["warmGpusUntil"], first)


if __name__ == "__main__":
    unittest.main()
