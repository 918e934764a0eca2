"""Limits that a job sets itself: a point in time to be complete by, what it may cost, how many failed pods are kept."""

import datetime

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import condition, is_true

ESTIMATE = 3600  # seconds of work
TWO_STARTS = 2 * 12 * 60  # what is kept in reserve: docs/tasks-ml.md


def complete_by(waiting):
    """So that spot may be waited for so many seconds from now."""
    then = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=ESTIMATE + TWO_STARTS + waiting)
    return then.strftime("%Y-%m-%dT%H:%M:%SZ")


class Limits(ClusterCase):
    """Pool `scarce` has one GPU on spot, pool `plenty` enough."""

    pools = (manifests.pool("plenty", sharing={"mode": "Exclusive"}),
             manifests.pool("scarce", sharing={"mode": "Exclusive"}, capacity=[
                 {"type": "Spot", "maxGpus": 1, "noticeSeconds": 20}, {"type": "OnDemand", "maxGpus": 4}]))

    def capacity_of(self, name, attempt):
        node = self.cluster.get("node", self.cluster.pods_of(name, attempt)[0]["spec"]["nodeName"])
        return node["metadata"]["labels"]["karpenter.sh/capacity-type"]

    def patch(self, name, text):
        self.cluster.kubectl("patch", "resumablejob", name, "-n", "vision", "--type=merge", "-p", text)

    def test_a_job_with_a_deadline_waits_for_spot_and_asks_for_on_demand_in_time(self):
        self.cluster.apply(manifests.job("first", pool="scarce"))
        self.cluster.wait_until_running("first")
        self.cluster.apply(manifests.job("due", pool="scarce",
                                         placement={"completeBy": complete_by(45), "estimatedSeconds": ESTIMATE}))
        wait.until("it waits for spot", lambda: [
            pod for pod in self.cluster.pods_of("due", 1)
            if pod["spec"]["nodeSelector"]["karpenter.sh/capacity-type"] == "spot" and "nodeName" not in pod["spec"]])
        self.assertEqual(condition(self.cluster.job("due"), "OnSchedule")["reason"], "InTime")
        job = self.cluster.wait_for_attempt("due", 2, seconds=180)
        self.assertEqual(self.capacity_of("due", 2), "on-demand", self.history("due"))
        self.assertEqual(job["status"]["placement"]["requested"], "OnDemand")
        self.assertEqual((job["status"].get("failures", 0), job["status"].get("interruptionCount", 0)), (0, 0), self.history("due"))
        wait.until("an Event has told so", lambda: "DeadlineAtRisk" in self.cluster.kubectl(
            "get", "events", "-n", "vision", "-o", "jsonpath={.items[*].reason}"))

    def test_a_job_is_suspended_when_it_has_cost_what_it_may_and_goes_on_when_it_may_cost_more(self):
        self.cluster.apply(manifests.job("frugal", pool="plenty", placement={"maxCost": "0.001"}))
        suspended = wait.until("it is suspended", lambda: (
            lambda job: is_true(job, "Suspended") and condition(job, "Suspended")["reason"] == "MaxCostReached" and job)(
                self.cluster.job("frugal")), seconds=180)
        self.assertGreaterEqual(float(suspended["status"]["cost"]["spent"]), 0.001)
        wait.until("no pod of it is left", lambda: not self.cluster.pods_of("frugal"))
        self.patch("frugal", '{"spec":{"placement":{"maxCost":"1000"}}}')
        wait.until("it goes on", lambda: is_true(self.cluster.job("frugal"), "PodsReady"))
        self.assertEqual(self.cluster.job("frugal")["status"]["attempt"], 2)

    def test_pods_that_failed_by_themselves_are_kept_as_many_as_were_asked_for(self):
        self.cluster.apply(manifests.job("breaks", pool="plenty", keepFailedPods=1, backoffLimit=5,
                                         annotations={"reprise.test/exit-code": "1"}))

        def kept():
            attempt = self.cluster.job("breaks")["status"]["attempt"]
            former = [pod["metadata"]["name"] for pod in self.cluster.pods_of("breaks")
                      if pod["metadata"]["labels"]["reprise.dev/attempt"] != str(attempt)]
            return attempt >= 3 and former == [f"breaks-{attempt - 1}-0"]
        wait.until("of the third attempt's predecessors the last is there, and no other", kept)
