"""What ranks report while they train: whose token it is, who may say what, and where it is seen."""

import unittest
from unittest import mock

from harness import wait
from harness.cluster import OPERATOR_NAMESPACE
from harness.manifests import job
from harness.reporting import AUDIENCE, SERVICE, ReportingCase, report


class Reports(ReportingCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster.apply(job("fit"), job("other"))
        for name in ("fit", "other"):
            cls.cluster.wait_for_attempt(name, 1)

    def test_a_pods_are_told_where_to_report_and_bring_a_token_of_their_own(self):
        url, _ = self.target()
        service = self.cluster.get("service", SERVICE, OPERATOR_NAMESPACE)
        self.assertEqual(url, f"https://{service['spec']['clusterIP']}:{self.port}")
        volume = next(one for one in self.pod("fit")["spec"]["volumes"] if one["name"] == "reprise-podinfo")
        self.assertIn({"serviceAccountToken": {"audience": AUDIENCE, "expirationSeconds": 3600, "path": "token"}}, volume["projected"]["sources"])

    def test_b_the_service_leads_to_the_leader_and_takes_its_slice_along(self):
        slice_ = self.slice()
        self.assertEqual([one["addresses"] for one in slice_["endpoints"]], [["10.99.0.1"]])
        self.assertEqual(slice_["metadata"]["labels"]["kubernetes.io/service-name"], SERVICE)
        owner = self.cluster.get("service", SERVICE, OPERATOR_NAMESPACE)["metadata"]["uid"]
        self.assertEqual([one["uid"] for one in slice_["metadata"]["ownerReferences"]], [owner])

    def slice(self):
        return self.cluster.get("endpointslice", f"{SERVICE}-leader-ipv4", OPERATOR_NAMESPACE)

    def test_c_what_a_rank_says_is_seen_by_those_who_look_at_its_job(self):
        self.accepted(report(120, activitySeconds=60), self.token())
        found = wait.until("it is in the status", lambda: self.progress("fit", 120))
        self.assertEqual({key: found[key] for key in ("percentage", "estimatedRemainingSeconds", "stepsPerSecond", "activity")},
                         {"percentage": 12, "estimatedRemainingSeconds": 880, "stepsPerSecond": "1.0", "activity": "Training"})
        self.assertEqual([found["checkpoint"][key] for key in ("step", "path", "format", "sizeBytes")], [100, "checkpoint-100", "HuggingFace", 4096])
        self.assertLess(found["activityTime"], found["lastUpdatedTime"])
        self.assertGreater(self.operator.total("reprise_reports_total"), 0)
        columns = dict(zip(*(line.split() for line in self.cluster.kubectl("get", "rj", "fit", "-n", "vision").splitlines())))
        self.assertEqual(columns["PROGRESS"], "12")
        self.assertRegex(columns["CHECKPOINT"], r"^\d+[sm]")
        self.assertNotIn("checkpoint", self.cluster.job("fit")["status"], "only a record says what the next attempt has to find")

    def progress(self, name, step):
        found = self.cluster.job(name)["status"].get("progress", {})
        return found if found.get("step") == step else None

    def test_d_nobody_speaks_for_another(self):
        for sentence, token, body, expected in (
                ("nobody", "", report(1), 401), ("a made up token", "made.up.token", report(1), 401),
                ("a token for the API server", self.token(audience="https://kubernetes.default.svc"), report(1), 401),
                ("a token of the account, of no pod", self.token(bound=False), report(1), 401),
                ("another rank", self.token(), report(1, index=1), 403), ("another attempt", self.token(), report(1, attempt=2), 403)):
            with self.subTest(sentence):
                code, _, said = self.post(body, token)
                self.assertEqual(code, expected, said)
        before = self.cluster.job("fit")["status"].get("progress")
        self.accepted(report(770), self.token("other"))
        wait.until("it is in the status of its own job", lambda: self.progress("other", 770))
        self.assertEqual(self.cluster.job("fit")["status"].get("progress"), before)

    def test_e_what_is_no_report_is_refused_with_the_field(self):
        token = self.token()
        for body, field in (("{}", "attempt"), (report(1, activity="Sleeping"), "activity"), (report(1, progress={"percentage": 400}), "progress.percentage"),
                            ("no JSON", "")):
            code, _, said = self.post(body, token)
            self.assertEqual(code, 400, said)
            self.assertTrue(said.startswith(field), said)
        with self.assertRaises((OSError, ValueError, IndexError)):  # the connection ends
            self.post("x" * (16 * 1024 + 1), token)

    def test_f_who_reports_all_the_time_is_asked_to_wait(self):
        token = self.token()
        target = self.target()
        with mock.patch.object(self, "target", lambda name: target):  # looked up once: it takes longer than the operator is patient
            wait.until("it is asked to wait", lambda: self.post(report(200), token)[:2] == (429, "10"), every=0)

    def test_g_the_next_leader_tells_running_pods_of_its_certificate(self):
        _, before = self.target()
        self.operator.__exit__()
        self.start("10.99.0.2")
        wait.until("the pod is told of another certificate", lambda: self.target()[1] != before)
        self.assertEqual([one["addresses"] for one in self.slice()["endpoints"]], [["10.99.0.2"]])
        self.accepted(report(300), self.token())
        wait.until("it is in the status", lambda: self.progress("fit", 300))
        versions = lambda: [self.pod(name)["metadata"]["resourceVersion"] for name in ("fit", "other")]
        wait.steady("pods are told once", versions, stretch=3)
        self.assertNotIn(self.token(), self.operator.tail(100_000))


if __name__ == "__main__":
    unittest.main()
