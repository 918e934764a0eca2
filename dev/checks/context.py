"""What every check is given."""

import contextlib
import json
import subprocess
import time

import yaml

from clusterlib.kubectl import Kubectl
from clusterlib.readiness import Unmet, wait_until


class Context:
    def __init__(self, state, tools):
        self.state = state
        self.tools = tools
        self.kubectl = Kubectl(tools / "bin" / "kubectl", state.kubeconfig)

    def create(self, *objects):
        self.kubectl.run("create", "-f", "-", input=yaml.safe_dump_all(objects))

    def annotate(self, kind, name, **annotations):
        self.kubectl.run("annotate", "--overwrite", kind, name,
                         *(f"reprise.test/{key.replace('_', '-')}={value}" for key, value in annotations.items()))

    def pod(self, name):
        return self.kubectl.get("pod", name, "--ignore-not-found")

    def await_phase(self, name, phase, seconds=15):
        def reached():
            pod = self.pod(name)
            if pod and pod["status"].get("phase") == phase:
                return pod
            if not pod:
                raise AssertionError(f"pod {name} is gone, deleted by {self.deleter(name)}, instead of {phase}")
            return Unmet(pod["status"])
        return wait_until(f"pod {name} to be {phase}", reached, seconds)

    def deleter(self, name):
        """The last user who deleted a pod of this name, from the audit log."""
        users = ["nobody"]
        for line in self.state.audit_log.read_text().splitlines():
            event = json.loads(line)
            target = event.get("objectRef", {})
            if (event["verb"], target.get("resource"), target.get("name")) == ("delete", "pods", name):
                users.append(event["user"]["username"])
        return users[-1]

    def await_gone(self, kind, name, seconds=15):
        def gone():
            found = self.kubectl.get(kind, name, "--ignore-not-found")
            return True if not found else Unmet(found.get("status"))
        wait_until(f"{kind} {name} to be gone", gone, seconds)

    def await_condition(self, kind, name, condition, status, seconds=15):
        def reached():
            found = self.kubectl.get(kind, name, "--ignore-not-found")
            conditions = {c["type"]: c["status"] for c in (found or {}).get("status", {}).get("conditions", [])}
            return found if conditions.get(condition) == status else Unmet(conditions)
        return wait_until(f"{kind} {name} to have {condition}={status}", reached, seconds)

    @contextlib.contextmanager
    def watching_pod(self, name):
        """Yields a function that returns all events of the pod up to its DELETED."""
        command = [str(self.tools / "bin" / "kubectl"), f"--kubeconfig={self.state.kubeconfig}", "get", "pod", name,
                   "-o", "json", "--watch", "--output-watch-events", "--request-timeout=30s"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watch:
            events = _events(watch.stdout, name)
            first = next(events)

            def until_deleted():
                seen = [first]
                while seen[-1][1]["type"] != "DELETED":
                    seen.append(next(events))
                return seen
            try:
                yield until_deleted
            finally:
                watch.kill()


def _events(stream, name):
    """(arrival, event) for each line that kubectl prints."""
    for line in stream:
        yield time.monotonic(), json.loads(line)
    raise AssertionError(f"the watch of pod {name} ended before the pod was deleted")


def expect(what, seen, wanted):
    if seen != wanted:
        raise AssertionError(f"{what}: expected {wanted!r}, saw {seen!r}")


def pod(name, annotations=None, **spec):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "annotations": annotations or {}},
            "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "none"}], **spec}}


def terminated(status):
    return [container["state"].get("terminated") for container in status.get("containerStatuses", [])]
