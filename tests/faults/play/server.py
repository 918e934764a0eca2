"""A real etcd and kube-apiserver and nothing else: up in seconds, killed and restarted at will."""

import atexit
import base64
import http.client
import json
import ssl
import urllib.request
from pathlib import Path

from clusterlib import components, health, kubeconfig, paths, pki, ports, processes, teardown
from clusterlib.settings import Settings
from harness import wait

ROOT = Path(__file__).resolve().parents[3]

# Bearer tokens of whoever connects through the proxy; the user's name is what the audit log shows.
USERS = ("operator", "rotated", "a", "b")


class Server:
    """etcd and kube-apiserver in .cluster/NAME; `dev/cluster down NAME` removes it too."""

    def __init__(self, name):
        self.state = paths.State(name)
        self.name = name

    def __enter__(self):
        self.__exit__()
        atexit.register(self.__exit__)  # a class that is interrupted does not clean up
        self.state.make()
        ports_taken = ports.free_ports(components.PORTS)
        pki.make(self.state)
        with open(self.state.pki / "tokens.csv", "a") as tokens:
            tokens.writelines(f'{token(user)},faults:{user},faults:{user},"system:masters"\n' for user in USERS)
        components.write_files(self.state)
        kubeconfig.write_all(self.state, ports_taken["kube-apiserver"])
        (self.state.root / "ports.json").write_text(json.dumps(ports_taken))
        (self.state.root / "tools").write_text(str(paths.tools_directory()))
        self.start("etcd", "kube-apiserver")
        return self

    def __exit__(self, *_):
        atexit.unregister(self.__exit__)
        if self.state.exists():
            teardown.down(self.state)

    @property
    def ports(self):
        return json.loads((self.state.root / "ports.json").read_text())

    @property
    def url(self):
        return f"https://127.0.0.1:{self.ports['kube-apiserver']}"

    @property
    def authority(self):
        return self.state.pki / "ca.crt"

    def start(self, *names):
        tools = Path((self.state.root / "tools").read_text())
        for name in names:
            line, environment = components.command(name, self.state, self.ports, Settings([]), tools)
            processes.start(self.state, name, line, environment)
        for name in names:
            try:
                wait.until(f"{name} is ready", lambda: health.is_ready(name, self.ports)[0], 60)
            except wait.NotSeen as late:
                raise AssertionError(f"{late}\n{health.log_tail(self.state, name)}") from None

    def kill(self, name="kube-apiserver"):
        processes.end(self.state, name)

    def compact(self):
        """Makes etcd forget all that was before now."""
        found = self._etcd("kv/range", {"key": base64.b64encode(b"/none").decode()})
        self._etcd("kv/compaction", {"revision": found["header"]["revision"], "physical": True})

    def _etcd(self, call, body):
        request = urllib.request.Request(f"http://127.0.0.1:{self.ports['etcd']}/v3/{call}", json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)


class Client:
    """The test's own view of the server: as admin, past the proxy."""

    def __init__(self, server):
        self._server = server
        self._context = ssl.create_default_context(cafile=str(server.authority))
        self._context.load_cert_chain(server.state.pki / "admin.crt", server.state.pki / "admin.key")

    def call(self, method, path, body=None, content_type="application/json"):
        """(status, decoded answer)"""
        connection = http.client.HTTPSConnection("127.0.0.1", self._server.ports["kube-apiserver"],
                                                 context=self._context, timeout=20)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"Content-Type": content_type, "User-Agent": "faults-test"})
            answer = connection.getresponse()
            text = answer.read().decode()
            # "404 page not found" while a kind is not served yet
            return answer.status, json.loads(text) if text.startswith("{") else {"message": text}
        finally:
            connection.close()

    def must(self, method, path, body=None, content_type="application/json"):
        status, answer = self.call(method, path, body, content_type)
        if status >= 300:
            raise AssertionError(f"{method} {path}: {status} {answer.get('message')}")
        return answer


def token(user):
    return f"token-of-{user:->12}"
