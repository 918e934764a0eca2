"""Two replicas: one leads, and who has lost the lead writes nothing more."""

import hashlib
import os
import unittest
from unittest import mock

from harness import audit, manifests, wait
from harness.case import ClusterCase
from harness.cluster import OPERATOR_NAMESPACE
from harness.operator import Operator
from harness.otlp import Receiver


class Replicas(ClusterCase):
    """The second replica has an account of its own with the same rights, so that the audit log tells them apart."""

    @classmethod
    def setUpClass(cls):
        cls.receiver = cls.enterClassContext(Receiver(("x-tenant", "vision team")))
        cls.enterClassContext(mock.patch.dict(os.environ, OTEL_EXPORTER_OTLP_ENDPOINT=cls.receiver.url,
                                              OTEL_EXPORTER_OTLP_HEADERS="x-tenant=vision%20team"))
        super().setUpClass()
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "second", "namespace": OPERATOR_NAMESPACE}}
        subject = {"kind": "ServiceAccount", "name": "second", "namespace": OPERATOR_NAMESPACE}
        group = "rbac.authorization.k8s.io"
        cls.cluster.apply(account, *[
            {"apiVersion": f"{group}/v1", "kind": f"{scope}RoleBinding", "metadata": {"name": "second", "namespace": namespace},
             "roleRef": {"apiGroup": group, "kind": f"{scope}Role", "name": role}, "subjects": [subject]}
            for scope, namespace, role in (("Cluster", OPERATOR_NAMESPACE, "reprise"), ("", OPERATOR_NAMESPACE, "reprise"),
                                           ("", "default", "reprise-events"))])
        # The policy lets the chart's account alone write a status.
        cls.cluster.kubectl("delete", "validatingadmissionpolicybinding", "reprise-status")
        # As while a change of the timing rolls out: replicas differ, and wait for what the holder wrote.
        cls.second = Operator(cls.cluster, account="second").start(
            "--leader-elect-lease-duration=20s", "--leader-elect-renew-deadline=15s", "--leader-elect-retry-period=3s")
        cls.addClassCleanup(cls.second.__exit__)

    def lease(self):
        return self.cluster.get("lease", "reprise-operator", OPERATOR_NAMESPACE)["spec"]

    def writes(self, operator, leases=False):
        return audit.writes_by(self.cluster, operator.user, leases)

    def test_a_leader_that_slept_through_its_lease_writes_nothing_when_it_wakes(self):
        cluster, first, second = self.cluster, self.operator, self.second
        cluster.apply(manifests.job("early", parallelism=2))
        cluster.wait_for_attempt("early", 1)
        holder = self.lease()["holderIdentity"]
        self.assertEqual(self.lease()["leaseDurationSeconds"], 15)
        self.assertTrue(self.writes(first))
        self.assertEqual(self.writes(second), [], "a follower writes nothing")

        first.freeze()
        cluster.kubectl("delete", "pod", "early-1-0", "-n", "vision", "--wait=false")
        cluster.apply(manifests.job("late"))
        wait.until("the second has taken the lease", lambda: self.lease()["holderIdentity"] not in ("", holder))
        self.assertEqual(self.lease()["leaseDurationSeconds"], 20)
        cluster.wait_for_attempt("late", 1)
        cluster.wait_for_attempt("early", 2)
        taken_at = next(write["time"] for write in self.writes(second, leases=True) if write["resource"] == "leases")
        said_by_first = len(self.writes(first, leases=True))
        cluster.kubectl("delete", "pod", "early-2-1", "-n", "vision", "--wait=false")
        first.resume()
        wait.until("the first has ended", lambda: first.process.poll() is not None)
        cluster.wait_for_attempt("early", 3)

        self.assertEqual(self.writes(first, leases=True)[said_by_first:], [], "nothing after it woke, no renewal either")
        self.assertEqual([write for write in self.writes(first, leases=True) if write["time"] > taken_at], [])
        self.assertEqual(cluster.job("early")["status"]["interruptionCount"], 2, "each interruption was counted once")
        self.assertEqual(second.process.poll(), None)

        self.expect_one_trace()

        first.restart()
        cluster.apply(manifests.job("last"))
        cluster.wait_for_attempt("last", 1)
        self.assertEqual(self.writes(first, leases=True)[said_by_first:], [], "started again it follows")

    def expect_one_trace(self):
        """The first attempt was begun by one process and closed by another."""
        wait.until("both attempts that ended are told", lambda: self.receiver.attempts_of("early").keys() == {1, 2})
        attempts, uid = self.receiver.attempts_of("early"), self.cluster.job("early")["metadata"]["uid"]
        digest = hashlib.sha256(uid.encode()).hexdigest()
        for number, span in attempts.items():
            self.assertEqual(span["traceId"], digest[:32])
            self.assertEqual(span["parentSpanId"], digest[:16])
            self.assertEqual(span["spanId"], hashlib.sha256(f"{uid}/attempt/{number}".encode()).hexdigest()[:16])
            self.assertEqual(span["attributes"]["reprise.attempt.end.cause"], "Interruption")
            self.assertEqual([event["name"] for event in span["events"]], ["interruption", "ended"])
            self.assertEqual(span["attributes"]["k8s.namespace.name"], "vision")
        self.assertLessEqual(int(attempts[1]["endTimeUnixNano"]), int(attempts[2]["startTimeUnixNano"]) + 10**9)
        below = {span["parentSpanId"] for span in self.receiver.spans if span["name"] == "ending"}
        self.assertLessEqual({span["spanId"] for span in attempts.values()}, below)
        self.assertEqual(self.receiver.wrong, [])


if __name__ == "__main__":
    unittest.main()
