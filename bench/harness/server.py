"""etcd and kube-apiserver, alone: nothing else changes an object while an operator is measured."""

import json
import os
import secrets
import shutil
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request

from . import places  # noqa: F401  (makes clusterlib importable)
from .errors import BenchError
from .usage import cpu_seconds

from clusterlib import pki, ports  # noqa: E402

OPERATOR, LOADER = "bench-operator", "bench-load"

_AUDIT_POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
                 "rules": [{"level": "Metadata", "users": [OPERATOR]}, {"level": "None"}]}
_CACHED = ("/api/v1/pods", "/api/v1/nodes", "/apis/batch/v1/jobs", "/apis/bench.reprise.dev/v1/benchjobs")


class Keys:
    """Certificates, tokens and kubeconfigs for all servers of a run."""

    def __init__(self, root, tools):
        self.root, self.tools, self.pki = root, tools, root / "pki"
        self.pki.mkdir()
        pki.make(self)
        self.ports = ports.free_ports(("etcd", "etcd-peer", "apiserver"))
        self.url = f"https://127.0.0.1:{self.ports['apiserver']}"
        self.tokens = {user: secrets.token_hex(16) for user in (OPERATOR, LOADER)}
        # Members of system:masters are exempt from priority and fairness: nobody is slowed down.
        (root / "tokens.csv").write_text("".join(
            f'{token},{user},{user},"system:masters"\n' for user, token in self.tokens.items()))
        (root / "audit-policy.json").write_text(json.dumps(_AUDIT_POLICY))
        for user in self.tokens:
            self.kubeconfig(user).write_text(json.dumps(self._kubeconfig(user)))

    def kubeconfig(self, user):
        return self.root / f"{user}.kubeconfig"

    def _kubeconfig(self, user):
        return {"apiVersion": "v1", "kind": "Config", "current-context": "bench",
                "clusters": [{"name": "bench", "cluster": {
                    "server": self.url, "certificate-authority": str(self.pki / "ca.crt")}}],
                "users": [{"name": user, "user": {"token": self.tokens[user]}}],
                "contexts": [{"name": "bench", "context": {"cluster": "bench", "user": user}}]}


class Server:
    """One API server over its own copy of the given data; None starts empty."""

    def __init__(self, keys, data=None):
        self.keys = keys
        self.data = keys.root / "etcd"
        self.audit = keys.root / "audit.log"
        self.logs = keys.root / "logs"
        self._processes = {}
        shutil.rmtree(self.data, ignore_errors=True)
        shutil.rmtree(self.logs, ignore_errors=True)
        self.audit.unlink(missing_ok=True)
        self.logs.mkdir()
        if data:
            shutil.copytree(data, self.data)
        try:
            self._start("etcd", self._etcd_flags())
            self._start("kube-apiserver", self._apiserver_flags())
            self._await_ready()
            self._await_rest()
        except BaseException:
            self.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def process(self, component):
        return self._processes[component].pid

    def stop(self):
        for component in ("kube-apiserver", "etcd"):
            process = self._processes.pop(component, None)
            if process:
                process.terminate()
                try:
                    process.wait(20 if component == "etcd" else 5)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    def compact(self):
        """Drops what is outdated from etcd's file, so that copies are small."""
        revision = int(self._etcd("kv/range", {"key": "AA=="})["header"]["revision"])
        self._etcd("kv/compaction", {"revision": str(revision), "physical": True})
        self._etcd("maintenance/defragment", {})

    def request(self, path):
        request = urllib.request.Request(self.keys.url + path, headers={
            "Authorization": f"Bearer {self.keys.tokens[LOADER]}"})
        context = ssl.create_default_context(cafile=str(self.keys.pki / "ca.crt"))
        with urllib.request.urlopen(request, context=context, timeout=60) as answer:
            return answer.read()

    def _etcd(self, call, body):
        url = f"http://127.0.0.1:{self.keys.ports['etcd']}/v3/{call}"
        with urllib.request.urlopen(url, json.dumps(body).encode(), timeout=120) as answer:
            return json.loads(answer.read())

    def _start(self, component, flags):
        with open(self.logs / f"{component}.log", "wb") as log:
            self._processes[component] = subprocess.Popen(
                [str(self.keys.tools / component), *(f"--{key}={value}" for key, value in flags.items())],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.keys.root, start_new_session=True,
                env={"PATH": os.environ["PATH"], "HOME": str(self.keys.root)})

    def _await_ready(self):
        deadline = time.monotonic() + 120
        for path in ("/readyz", *_CACHED):
            while True:
                try:
                    # From its caches, so that an operator's first list does not wait for them to fill.
                    self.request(path + "?resourceVersion=0&labelSelector=no=such")
                    break
                except urllib.error.HTTPError as error:
                    if error.code == 404 and path == _CACHED[-1]:
                        break  # the kind is not created yet
                    self._still_alive(deadline)
                except OSError:
                    self._still_alive(deadline)
                time.sleep(0.1)

    def _await_rest(self):
        """Until the API server has done what it does after a start: it belongs to no operator."""
        for _ in range(40):
            before = cpu_seconds(self.process("kube-apiserver"))
            time.sleep(0.5)
            if cpu_seconds(self.process("kube-apiserver")) - before < 0.05:
                return

    def _still_alive(self, deadline):
        for component, process in self._processes.items():
            if process.poll() is not None or time.monotonic() > deadline:
                log = (self.logs / f"{component}.log").read_text(errors="replace").splitlines()
                print("\n".join(log[-20:]), file=sys.stderr)
                raise BenchError(f"{component} did not become ready; its last output is above")

    def _etcd_flags(self):
        client, peer = (f"http://127.0.0.1:{self.keys.ports[name]}" for name in ("etcd", "etcd-peer"))
        return {"data-dir": self.data, "name": "bench", "listen-client-urls": client, "advertise-client-urls": client,
                "listen-peer-urls": peer, "initial-advertise-peer-urls": peer, "initial-cluster": f"bench={peer}",
                "force-new-cluster": str(self.data.exists()).lower(), "unsafe-no-fsync": "true", "log-level": "warn",
                "quota-backend-bytes": 8 << 30}

    def _apiserver_flags(self):
        key = self.keys.pki
        return {"etcd-servers": f"http://127.0.0.1:{self.keys.ports['etcd']}", "bind-address": "127.0.0.1",
                "advertise-address": "127.0.0.1", "secure-port": self.keys.ports["apiserver"],
                "tls-cert-file": key / "apiserver.crt", "tls-private-key-file": key / "apiserver.key",
                "token-auth-file": self.keys.root / "tokens.csv", "service-account-issuer": "https://kubernetes.default.svc",
                "service-account-key-file": key / "sa.key", "service-account-signing-key-file": key / "sa.key",
                "authorization-mode": "RBAC", "service-cluster-ip-range": "10.96.0.0/16",
                "endpoint-reconciler-type": "none", "audit-log-path": self.audit, "audit-log-maxsize": 100000,
                "audit-policy-file": self.keys.root / "audit-policy.json",
                # Nobody makes service accounts here, and nobody takes such taints away.
                "disable-admission-plugins": "ServiceAccount,TaintNodesByCondition"}
