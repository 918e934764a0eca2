"""The base of fault tests: a namespace, a proxy and sources of the test's own on an API server that tests share."""

import os
import sys
import tempfile
import unittest
import uuid
from pathlib import Path
from urllib.parse import parse_qs

from harness import wait
from .operator import Operator, mirror
from .proxy import Proxy, busiest_second
from .server import Client, Server

ROLE = "reprise.dev/faults-role"
TEXT = "reprise.dev/faults-text"
SOURCE = "reprise.dev/faults-source"
MERGE = "application/merge-patch+json"

# More of one kind within a second is a hot loop.
REQUESTS_A_SECOND = 12


class FaultCase(unittest.TestCase):
    own_server = False

    @classmethod
    def setUpClass(cls):
        shared = os.environ.get("REPRISE_FAULTS_SERVER")
        if shared and not cls.own_server:
            cls.server = Server(shared)
        else:
            cls.server = cls.enterClassContext(Server(f"faults-{uuid.uuid4().hex[:8]}"))
        cls.client = Client(cls.server)

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.namespace = f"t-{uuid.uuid4().hex[:8]}"
        self.client.must("POST", "/api/v1/namespaces", {"metadata": {"name": self.namespace}})
        self.proxy = self.make_proxy()
        self.operators = []
        self.addCleanup(self._show_if_failed)

    def make_proxy(self, *flags):
        proxy = Proxy(self.server, *flags)
        self.addCleanup(proxy.close)
        return proxy

    def start_operator(self, proxy=None, user=None, ready=True, **flags):
        proxy = proxy or self.proxy
        config = proxy.kubeconfig(self.folder / f"{uuid.uuid4().hex[:8]}.kubeconfig", user)
        return self.launch(mirror(config, namespace=self.namespace, **flags), ready)

    def launch(self, command, ready=True):
        started = Operator(self.folder, command)
        self.operators.append(started)
        self.addCleanup(started.close)
        return started.wait_until_ready() if ready else started

    # The world, past the proxy.

    def path(self, resource, name=""):
        return f"/api/v1/namespaces/{self.namespace}/{resource}" + (f"/{name}" if name else "")

    def add_source(self, name, text="one"):
        self.client.must("POST", self.path("configmaps"),
                         {"metadata": {"name": name, "labels": {ROLE: "source"}}, "data": {"text": text}})

    def change_source(self, name, text):
        self.client.must("PATCH", self.path("configmaps", name), {"data": {"text": text}}, MERGE)

    def remove_source(self, name):
        self.client.must("DELETE", self.path("configmaps", name))

    def add_copy(self, source, text="one"):
        """What an operator that ran before has left."""
        self.client.must("POST", self.path("services"), {
            "metadata": {"name": f"{source}-copy", "labels": {ROLE: "copy"}, "annotations": {SOURCE: source, TEXT: text}},
            "spec": {"clusterIP": "None", "selector": {ROLE: "nobody"}}})

    def sources(self):
        """name -> text"""
        items = self.client.must("GET", self.path("configmaps") + f"?labelSelector={ROLE}%3Dsource")["items"]
        return {item["metadata"]["name"]: item["data"]["text"] for item in items}

    def copies(self):
        """(source, text) of every copy there is, sorted"""
        items = self.client.must("GET", self.path("services") + f"?labelSelector={ROLE}%3Dcopy")["items"]
        return sorted((item["metadata"]["annotations"][SOURCE], item["metadata"]["annotations"][TEXT]) for item in items)

    # Invariants.

    def converge(self, seconds=60):
        """Each source has exactly one copy, equal to it, and there is no other."""
        def equal():
            wanted, found = sorted(self.sources().items()), self.copies()
            if wanted != found:
                raise LookupError(f"sources {wanted}, copies {found}")
            return True
        wait.until("the copies are what the sources are", equal, seconds)

    def settle(self, seconds=60, stretch=1.5):
        """Converges, and then nothing is written any more."""
        self.converge(seconds)
        wait.steady("the operator writes nothing", lambda: len(self.proxy.writes()), stretch, seconds, every=0.25)
        self.converge(1)

    def assert_calm(self, since=0, most=REQUESTS_A_SECOND):
        """Nothing of a kind, and no port, was asked for more often than that within any second."""
        asked = {}
        for entry in self.proxy.log(since):
            # A list of what is about one object is another question than a list of what is about the next.
            about = "".join(parse_qs(entry["query"]).get("fieldSelector", []))
            asked.setdefault((entry["method"], entry["path"], about), []).append(entry["begun"])
        for (method, path, about), times in asked.items():
            self.assertLessEqual(busiest_second(times), most, f"a hot loop of {method} {path} {about}".rstrip())
        self.assertLessEqual(busiest_second(self.proxy.knocks()), most, "a storm of connections")

    def assert_wrote(self, operator, created, changed, deleted):
        self.assertEqual(operator.wrote(), (created, changed, deleted), "copies (created, changed, deleted)")

    def _show_if_failed(self):
        if self._outcome.success:
            return
        print(f"--- {self.id()}", file=sys.stderr)
        for entry in self.proxy.log()[-60:]:
            print("  {id} #{connection} {method} {path}?{query} -> {status}/{upstream} events {events} {faults} "
                  "{begun:.3f}-{ended:.3f}".format(**entry), file=sys.stderr)
        for started in self.operators:
            print(f"--- operator {started.process.pid}\n{started.tail(60)}\n---", file=sys.stderr)
