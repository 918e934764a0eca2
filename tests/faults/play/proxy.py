"""The proxy as a process, and what it saw."""

import contextlib
import json
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import yaml

from harness import wait
from .server import ROOT, token

WRITES = ("POST", "PUT", "PATCH", "DELETE")


class Proxy:
    def __init__(self, server, *flags):
        binary = subprocess.run([ROOT / "tests/faults/build"], check=True, capture_output=True, text=True).stdout.strip()
        self._server = server
        # What its HTTP/2 library has to say must not come between the lines of the test's verdict.
        with open(server.state.log("proxy"), "ab") as log:
            self._process = subprocess.Popen(
                [binary, f"--upstream={server.url}", f"--upstream-ca={server.authority}", *flags],
                stdout=subprocess.PIPE, stderr=log, text=True)
        reported = json.loads(self._process.stdout.readline())
        self.url, self._control, self.authority = reported["url"], reported["control"], reported["ca"]

    def close(self):
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()

    def kubeconfig(self, path, user=None):
        """Writes a kubeconfig that leads here; `user`: its `users[].user`, a static token when not given."""
        path.write_text(yaml.safe_dump({
            "apiVersion": "v1", "kind": "Config", "current-context": "faults",
            "clusters": [{"name": "faults", "cluster": {
                "server": self.url, "certificate-authority": str(self._authority_file(path))}}],
            "users": [{"name": "faults", "user": user or {"token": token("operator")}}],
            "contexts": [{"name": "faults", "context": {"cluster": "faults", "user": "faults"}}]}))
        return path

    def _authority_file(self, path):
        self.authority_file = path.with_suffix(".ca")
        self.authority_file.write_text(self.authority)
        return self.authority_file

    def renew_authority(self):
        """Returns the new one; the file that the kubeconfig names still has the old one."""
        self.authority = self.control("POST", "/authority", {})["ca"]
        return self.authority

    def control(self, method, path, body=None):
        request = urllib.request.Request(self._control + path, None if body is None else json.dumps(body).encode(),
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"the proxy rejected {method} {path}: {error.read().decode()}") from None

    def add(self, name, match, **fault):
        self.control("POST", "/rules", {"name": name, "match": match, "fault": fault})

    def remove(self, name):
        return self.control("DELETE", f"/rules/{urllib.parse.quote(name)}")

    def hits(self, name):
        return next(rule["hits"] for rule in self.control("GET", "/rules") if rule["name"] == name)

    def until_hit(self, name, times=1, seconds=60):
        wait.until(f"fault {name} took place {times} times", lambda: self.hits(name) >= times, seconds)

    @contextlib.contextmanager
    def fault(self, name, match, **fault):
        """While it lasts the rule stands. It must have caught something in the end: else the test shows nothing."""
        self.add(name, match, **fault)
        yield
        hits = self.remove(name)["hits"]
        if not hits:
            raise AssertionError(f"the fault {name} never took place")

    def listener(self, mode):
        self.control("POST", "/listener", {"mode": mode})

    def connections(self, do, only=0, last=0, code=0):
        return self.control("POST", "/connections", {"do": do, "only": only, "last": last, "code": code})

    def knocks(self):
        return self.control("GET", "/connections")["knocks"]

    def certificate(self, seconds):
        self.control("POST", "/certificate", {"seconds": seconds})

    def log(self, since=0):
        return self.control("GET", f"/log?since={since}")

    def writes(self, since=0):
        """Writes that were seen, leases and events of the operator left out."""
        return [entry for entry in self.log(since)
                if entry["method"] in WRITES and "/leases" not in entry["path"] and "/events" not in entry["path"]]

    def lists(self, resource, since=0):
        """Requests for the whole state of a kind: pages, or a watch that begins with it."""
        return [entry for entry in self.log(since) if entry["method"] == "GET" and entry["path"].endswith(f"/{resource}")
                and (not entry["watch"] or "sendInitialEvents=true" in entry["query"])]

    def watches(self, resource, since=0):
        return [entry for entry in self.log(since) if entry["watch"] and entry["path"].endswith(f"/{resource}")]


def busiest_second(times):
    """The most that happened within any second."""
    times, most, first = sorted(times), 0, 0
    for last, at in enumerate(times):
        while at - times[first] >= 1:
            first += 1
        most = max(most, last - first + 1)
    return most
