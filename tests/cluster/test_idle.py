"""A cluster in which nothing happens is left alone."""

import os
import time
import unittest

from harness import audit, manifests, wait
from harness.case import ClusterCase

JOBS = 100
IDLE_SECONDS = 600 if os.environ.get("REPRISE_SOAK") else 120


class Idle(ClusterCase):
    cluster_settings = ("nodeGraceSeconds=40",)  # as on real clusters: a node that a busy machine lets speak late is news
    pools = (manifests.pool("wide", sharing={"mode": "TimeSlicing", "replicas": 25}, scaleDown={"idleSeconds": 3600}),
             manifests.pool("full", zones=["test-zone-none"]))

    def states(self):
        return [next((one["reason"] for one in job.get("status", {}).get("conditions", []) if one["type"] == "PodsReady"), "")
                for job in self.cluster.list("resumablejobs", "vision")]

    def spread(self):
        states, waiting = self.states(), self.cluster.list("pods", "vision", "reprise.dev/attempt")
        pending = sum(1 for pod in waiting if pod["status"]["phase"] == "Pending" and "nodeName" not in pod["spec"])
        return states.count("Started"), states.count("WaitForStart"), pending

    def writes(self):
        return audit.writes_by(self.cluster, self.operator.user)

    def test_with_100_jobs_running_and_100_waiting_for_capacity_the_operator_writes_nothing_but_its_lease(self):
        self.cluster.apply(*[manifests.job(f"run-{i}", pool="wide") for i in range(JOBS)],
                           *[manifests.job(f"wait-{i}", pool="full") for i in range(JOBS)])
        wait.until("100 jobs run, 100 wait for a node", lambda: self.spread() == (JOBS, JOBS, JOBS), 400, every=2)
        wait.steady("the last Events are written", lambda: len(self.writes()), stretch=10)

        before = len(self.writes())
        leases = len(audit.writes_by(self.cluster, self.operator.user, leases=True)) - before
        requests = audit.requests_by(self.cluster, self.operator.user)
        reconciles = self.operator.total("controller_runtime_reconcile_total")
        time.sleep(IDLE_SECONDS)  # this stretch of time is what is measured
        written = self.writes()[before:]
        renewals = len(audit.writes_by(self.cluster, self.operator.user, leases=True)) - len(written) - before - leases
        requests = audit.requests_by(self.cluster, self.operator.user) - requests
        reconciles = self.operator.total("controller_runtime_reconcile_total") - reconciles
        print(f"idle for {IDLE_SECONDS} s: {len(written)} writes, {renewals} renewals of the lease, {requests} requests, "
              f"{reconciles:.0f} reconciles")
        self.assertEqual(written, [])
        self.assertGreater(renewals, IDLE_SECONDS / 10, "it was alive and led")
        self.assertEqual(self.spread(), (JOBS, JOBS, JOBS), "nothing has changed meanwhile")


if __name__ == "__main__":
    unittest.main()
