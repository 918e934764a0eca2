"""The base of cluster tests in which ranks report while they train: the tests speak for their agents."""

import base64
import json
import os
import socket
import ssl

from . import wait
from .case import ClusterCase
from .operator import Operator, free_port

AUDIENCE = "reprise.dev/reports"
SERVICE = "reprise-reports"


def report(step, age_seconds=30, **more):
    return {"attempt": 1, "index": 0, "activity": "Training",
            "progress": {"step": step, "totalSteps": 1000, "percentage": step // 10, "remainingSeconds": 1000 - step, "stepsPerSecond": "1.0"},
            "checkpoint": {"step": step // 100 * 100, "path": f"checkpoint-{step // 100 * 100}", "format": "HuggingFace", "sizeBytes": 4096,
                           "saveSeconds": 9, "ageSeconds": age_seconds}, **more}


class ReportingCase(ClusterCase):
    with_operator = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.port = free_port()
        cls.start("10.99.0.1")
        cls.addClassCleanup(lambda: cls.operator.__exit__())
        wait.until("reports are received", lambda: "Receives reports of ranks" in cls.operator.tail(10_000))

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
