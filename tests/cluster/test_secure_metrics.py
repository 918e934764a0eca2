"""Metrics over TLS: whoever may get /metrics, as the API server says, does, and nobody else."""

import ssl
import unittest
import urllib.error
import urllib.request

from harness import wait
from harness.case import ClusterCase
from harness.cluster import OPERATOR_NAMESPACE, OPERATOR_USER, ROOT
from harness.operator import Operator


class SecureMetrics(ClusterCase):
    with_operator = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster.run("helm", "upgrade", "reprise", str(ROOT / "charts/reprise"), "--namespace", OPERATOR_NAMESPACE,
                        "--reuse-values", "--set", "metrics.secure.enabled=true")
        for review in ("tokenreviews.authentication.k8s.io", "subjectaccessreviews.authorization.k8s.io"):
            wait.until(f"the operator may create {review}", lambda one=review: cls.may("create", one, OPERATOR_USER))
        cls.operator = Operator(cls.cluster).start("--metrics-secure")
        cls.addClassCleanup(cls.operator.__exit__)

    @classmethod
    def may(cls, verb, what, user):
        return cls.cluster.run("kubectl", "auth", "can-i", verb, what, f"--as={user}", check=False).returncode == 0

    def token(self, account, *right):
        self.cluster.kubectl("create", "serviceaccount", account, "-n", OPERATOR_NAMESPACE)
        if right:
            self.cluster.kubectl("create", "clusterrolebinding", account, *right, f"--serviceaccount={OPERATOR_NAMESPACE}:{account}")
            user = f"system:serviceaccount:{OPERATOR_NAMESPACE}:{account}"
            wait.until(f"{account} may get /metrics", lambda: self.may("get", "/metrics", user))
        return self.cluster.kubectl("create", "token", account, "-n", OPERATOR_NAMESPACE).strip()

    def ask(self, token="", scheme="https", method="GET"):
        """The code and the text of the answer; a certificate that the operator has made names nobody."""
        request = urllib.request.Request(f"{scheme}://{self.operator.metrics}/metrics", method=method,
                                         headers={"Authorization": f"Bearer {token}"} if token else {})
        anybody = ssl.create_default_context()
        anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
        try:
            with urllib.request.urlopen(request, timeout=20, context=anybody) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode()

    def test_metrics_are_for_those_who_may_get_them(self):
        reader = self.token("reader", "--clusterrole=reprise-metrics-reader")
        stranger = self.token("stranger")
        code, text = self.ask(reader)
        self.assertEqual(code, 200, text)
        self.assertIn("\nworkqueue_depth", text)
        self.assertEqual(self.ask(reader, method="HEAD")[0], 200)
        for token, expected in (("", 401), ("made.up.token", 401), (stranger, 403)):
            code, text = self.ask(token)
            self.assertEqual(code, expected, text)
            self.assertNotIn("workqueue", text)
        with self.assertRaises(OSError):
            self.ask(reader, scheme="http")
        log = self.operator.tail(10_000)
        for token in (reader, stranger, "made.up.token"):
            self.assertNotIn(token, log)


if __name__ == "__main__":
    unittest.main()
