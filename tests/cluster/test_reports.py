"""What ranks report while they train: whose token it is, who may say what, and where it is seen."""

import base64
import json
import os
import socket
import ssl
import unittest

from harness import wait
from harness.case import ClusterCase
from harness.cluster import OPERATOR_NAMESPACE
from harness.manifests import job
from harness.operator import Operator, free_port

AUDIENCE = "reprise.dev/reports"
SERVICE = "reprise-reports"


def report(step, **more):
    return {"attempt": 1, "index": 0, "activity": "Training",
            "progress": {"step": step, "totalSteps": 1000, "percentage": step // 10, "remainingSeconds": 1000 - step, "stepsPerSecond": "1.0"},
            "checkpoint": {"step": step // 100 * 100, "path": f"checkpoint-{step // 100 * 100}", "saveSeconds": 9, "ageSeconds": 30}, **more}


class Reports(ClusterCase):
    with_operator = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.port = free_port()
        cls.start("10.99.0.1")
        cls.addClassCleanup(lambda: cls.operator.__exit__())
        wait.until("reports are received", lambda: "Receives reports of ranks" in cls.operator.tail(10_000))
        cls.cluster.apply(job("fit"), job("other"))
        for name in ("fit", "other"):
            cls.cluster.wait_for_attempt(name, 1)

    @classmethod
    def start(cls, pod_ip):
        os.environ["POD_IP"] = pod_ip
        cls.operator = Operator(cls.cluster).start(f"--report-bind-address=127.0.0.1:{cls.port}", f"--report-service={SERVICE}")

    def pod(self, name):
        return self.cluster.get("pod", f"{name}-1-0", "vision")

    def target(self, name="fit"):
        """The URL and the certificate that the agent of that pod would use."""
        url, der = self.pod(name)["metadata"]["annotations"]["reprise.dev/report-to"].split(" ")
        return url, der

    def token(self, name="fit", audience=AUDIENCE, bound=True):
        pod = self.pod(name)["metadata"]
        binding = ["--bound-object-kind=Pod", f"--bound-object-name={pod['name']}", f"--bound-object-uid={pod['uid']}"] if bound else []
        return self.cluster.kubectl("create", "token", "default", "-n", "vision", f"--audience={audience}", *binding).strip()

    def post(self, body, token, name="fit"):
        """(status code, Retry-After, text), as the agent of that pod would send it: one certificate is trusted."""
        _, der = self.target(name)
        trust = ssl.create_default_context(cadata=ssl.DER_cert_to_PEM_cert(base64.b64decode(der)))
        text = body if isinstance(body, str) else json.dumps(body)
        request = (f"POST /v1/reports HTTP/1.1\r\nHost: reprise-operator\r\nConnection: close\r\nContent-Length: {len(text)}\r\n"
                   + (f"Authorization: Bearer {token}\r\n" if token else "") + f"\r\n{text}")
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as plain, \
                trust.wrap_socket(plain, server_hostname="reprise-operator") as secure:
            secure.sendall(request.encode())
            answer = b"".join(iter(lambda: secure.recv(4096), b"")).decode()
        head, _, said = answer.partition("\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.split("\r\n")[1:])
        return int(head.split()[1]), headers.get("Retry-After"), said

    def accepted(self, body, token, name="fit"):
        """Posts until the pod is listened to again: it may say something once a second."""
        code, _, said = wait.until("the report is taken", lambda: self.unless_too_soon(body, token, name))
        self.assertEqual(code, 204, said)

    def unless_too_soon(self, body, token, name):
        answer = self.post(body, token, name)
        return None if answer[0] == 429 else answer

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
        self.accepted(report(120), self.token())
        found = wait.until("it is in the status", lambda: self.progress("fit", 120))
        self.assertEqual({key: found[key] for key in ("percentage", "estimatedRemainingSeconds", "stepsPerSecond", "activity")},
                         {"percentage": 12, "estimatedRemainingSeconds": 880, "stepsPerSecond": "1.0", "activity": "Training"})
        self.assertEqual((found["checkpoint"]["step"], found["checkpoint"]["path"]), (100, "checkpoint-100"))
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
        self.accepted(report(200), token)
        answers = [self.post(report(201), token)[:2] for _ in range(3)]
        self.assertIn((429, "10"), answers)

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
