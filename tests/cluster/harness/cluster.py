"""A cluster of the test's own with the chart installed, and kubectl as the admin."""

import atexit
import json
import os
import subprocess
from pathlib import Path

import yaml

from . import rights, wait

ROOT = Path(__file__).resolve().parents[3]
OPERATOR_NAMESPACE = "reprise-system"
OPERATOR_USER = f"system:serviceaccount:{OPERATOR_NAMESPACE}:reprise"


class Cluster:
    def __init__(self, name, *settings):
        self.name = name
        self.settings = [argument for setting in settings for argument in ("--set", setting)]
        self.kubeconfig = ""
        self.tools = ""

    @property
    def state(self):
        return ROOT / ".cluster" / self.name

    def __enter__(self):
        self._dev("down")
        atexit.register(self._down)  # a class that is interrupted does not clean up
        self.kubeconfig = self._dev("up", *self.settings).strip().splitlines()[-1]
        self.tools = subprocess.run([ROOT / "dev/tools/build", "--path"], check=True, capture_output=True,
                                    text=True).stdout.strip()
        self.install_chart()
        return self

    def __exit__(self, *_):
        try:
            if self.tools:  # else it was never entered: what a killed run has left is taken down
                rights.leave(self, OPERATOR_USER)
        finally:
            atexit.unregister(self._down)
            self._down()

    def _down(self):
        if not os.environ.get("REPRISE_KEEP_CLUSTER"):
            self._dev("down")

    def _dev(self, command, *arguments):
        done = subprocess.run([ROOT / "dev/cluster", command, self.name, *arguments], capture_output=True, text=True)
        if done.returncode and command == "up":
            raise AssertionError(f"dev/cluster {command} {self.name} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    # The timeout is for what hangs: 200 jobs are applied in 20 s, and in minutes on a machine that is much too busy.
    def run(self, tool, *arguments, input=None, check=True, timeout=600):
        environment = dict(os.environ, KUBECONFIG=self.kubeconfig)
        done = subprocess.run([f"{self.tools}/{tool}", *arguments], input=input, capture_output=True, text=True,
                              env=environment, timeout=timeout)
        if check and done.returncode:
            raise AssertionError(f"{tool} {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done

    def kubectl(self, *arguments, **options):
        return self.run("kubectl", *arguments, **options).stdout

    def install_chart(self):
        self.run("helm", "install", "reprise", str(ROOT / "charts/reprise"), "--namespace", OPERATOR_NAMESPACE,
                 "--create-namespace", "--wait", "--timeout", "180s")

    def apply(self, *manifests):
        """Applies objects (dicts) and returns kubectl's output; a rejection is an AssertionError with the server's text."""
        return self.kubectl("apply", "-f", "-", input=yaml.safe_dump_all(manifests))

    def rejection(self, manifest):
        """The API server's rejection of an object, or "" when it was taken."""
        done = self.run("kubectl", "apply", "-f", "-", input=yaml.safe_dump(manifest), check=False)
        return done.stderr if done.returncode else ""

    def get(self, kind, name, namespace=None):
        scope = ["-n", namespace] if namespace else []
        done = self.run("kubectl", "get", kind, name, *scope, "-o", "json", check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def list(self, kind, namespace=None, selector=None):
        scope = ["-n", namespace] if namespace else ["-A"]
        labels = ["-l", selector] if selector else []
        return json.loads(self.kubectl("get", kind, *scope, *labels, "-o", "json"))["items"]

    def annotate(self, kind, name, namespace=None, **annotations):
        """Underscores stand for slashes and dots are written as they are: annotate(..., **{"reprise.test/exit-code": "0"})."""
        scope = ["-n", namespace] if namespace else []
        pairs = [f"{key}={value}" for key, value in annotations.items()]
        self.kubectl("annotate", "--overwrite", kind, name, *scope, *pairs)

    def job(self, name, namespace="vision"):
        return self.get("resumablejobs", name, namespace)

    def pods_of(self, job, attempt=None, namespace="vision"):
        """The ranks' pods, by index."""
        selector = f"reprise.dev/job={job},reprise.dev/attempt" + (f"={attempt}" if attempt else "")
        pods = self.list("pods", namespace, selector)
        return sorted(pods, key=lambda pod: pod["metadata"]["name"])

    def wait_for_state(self, job, *reasons, namespace="vision", seconds=wait.DEADLINE_SECONDS):
        """Waits until the printed STATE (the reason of PodsReady) is one of `reasons`; returns the job."""
        return wait.until(f"resumablejob {job} in state {' or '.join(reasons)}",
                          lambda: self._in_state(job, reasons, namespace), seconds)

    def _in_state(self, job, reasons, namespace):
        found = self.job(job, namespace)
        state = condition(found, "PodsReady")["reason"]
        if state not in reasons:
            raise LookupError(f"{state}: {condition(found, 'PodsReady')['message']}")
        return found

    def wait_until_running(self, job, namespace="vision"):
        """Waits until an attempt, whichever, runs with all its pods ready; returns the job."""
        def running():
            found = self.job(job, namespace)
            if condition(found, "PodsReady")["status"] != "True":
                raise LookupError(f"attempt {found['status']['attempt']} of resumablejob {job}: {condition(found, 'PodsReady')['message']}")
            return found
        return wait.until(f"resumablejob {job} runs", running)

    def wait_for_attempt(self, job, attempt, namespace="vision", seconds=wait.DEADLINE_SECONDS):
        """Waits until attempt number `attempt` runs with all its pods ready; returns the job."""
        def running():
            found = self.job(job, namespace)
            ready = condition(found, "PodsReady")
            if found["status"]["attempt"] > attempt:
                raise AssertionError(f"attempt {attempt} of resumablejob {job} has ended: {json.dumps(found['status'])}")
            if found["status"]["attempt"] != attempt or ready["status"] != "True":
                raise LookupError(f"attempt {found['status']['attempt']}, {ready['reason']}: {ready['message']}")
            return found
        return wait.until(f"attempt {attempt} of resumablejob {job} runs", running, seconds)


def condition(thing, type_):
    """The condition of that type; LookupError when it is not there (yet)."""
    for found in thing["status"].get("conditions", []):
        if found["type"] == type_:
            return found
    raise LookupError(f"no condition {type_} on {thing['metadata']['name']}")


def is_true(thing, type_):
    """Is that condition True? An object without conditions has none that is."""
    conditions = thing.get("status", {}).get("conditions", [])
    return any(found["type"] == type_ and found["status"] == "True" for found in conditions)
