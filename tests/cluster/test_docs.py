"""Every `console` block of the quickstart and of the pages on quotas and tasks, the runbooks' kubectl lines, and every manifest of the
documentation are executed; a page that shows something else than works fails here. Blocks of other kinds on other pages are not."""

import os
import re
import subprocess
import unittest

import yaml

from harness import console, manifests, wait
from harness.case import ClusterCase
from harness.cluster import OPERATOR_NAMESPACE, ROOT
from harness.nodes import claim_of, held

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language):
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True)
    for page in listed.stdout.split():
        for kind, text in BLOCK.findall((ROOT / page).read_text()):
            if kind == language:
                yield page, text


# What only looks may do so a moment before another has written what it shows: an Event, the count of a pool, a right.
LOOKS = re.compile(r"kubectl (get|events|auth can-i|reprise (status|top|checkpoints|cost|why)) ")
MOMENT = 20  # seconds, of a machine that is much too busy


class Documentation(ClusterCase):
    pools = ()
    with_operator = False

    @property
    def kueue(self):
        return "clusterqueues" in self.cluster.kubectl("api-resources", "--api-group=kueue.x-k8s.io", "-o", "name")

    def test_each_manifest_is_taken_by_the_api_server(self):
        manifests = [(page, text) for page, text in blocks("yaml")]
        manifests += [(str(path.relative_to(ROOT)), path.read_text())
                      for path in sorted((ROOT / "examples").glob("**/*.yaml"))
                      if "lint" not in path.parts]  # these are wrong on purpose
        self.assertTrue(manifests)
        for page, text in manifests:
            for manifest in yaml.safe_load_all(text):
                if not isinstance(manifest, dict) or "apiVersion" not in manifest:
                    continue
                if manifest["apiVersion"].startswith("kueue.x-k8s.io/") and not self.kueue:
                    continue  # Kueue is not installed in this cluster
                if name := manifest["metadata"].get("namespace"):  # one that is there stays as it is
                    self.cluster.run("kubectl", "create", "namespace", name, check=False)
                with self.subTest(page=page, name=manifest["metadata"]["name"]):
                    self.cluster.kubectl("apply", "--dry-run=server", "-f", "-", input=yaml.safe_dump(manifest))

    def test_the_quickstart_prints_what_it_shows(self):
        # The base of these tests has installed the chart and made the namespace.
        self.cluster.run("helm", "uninstall", "reprise", "--namespace", "reprise-system", "--wait")
        self.cluster.run("kubectl", "delete", "namespace", "vision")
        page = (ROOT / "docs/quickstart.md").read_text()
        installed = self.steps(page, lambda command: command.startswith("helm"))
        log = self.cluster.state / "logs" / "operator-of-the-quickstart.log"
        with open(log, "w") as out:
            operator = subprocess.Popen(["dev/operator", self.cluster.name], cwd=ROOT, stdout=out, stderr=out)
        try:
            done = self.steps(page, lambda command: not command.startswith("helm"), log)
        finally:
            operator.terminate()
            operator.wait()
        self.assertEqual((installed, done), (1, 12))
        self.assertEqual(self.cluster.job("finetune")["status"]["attempt"], 2, log.read_text())

    def test_the_page_about_quotas_prints_what_it_shows(self):
        self.steps((ROOT / "docs/quota.md").read_text(), lambda command: True)

    def steps(self, page, wanted, log=None):
        return steps(self, page, wanted, log)


class Tasks(ClusterCase):
    pools = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster.kubectl("apply", "-f", str(ROOT / "examples/quickstart/pool.yaml"))

    # In this order: the second one takes everything away in the end.
    def test_each_command_of_the_pages_of_tasks_prints_what_it_shows(self):
        self.assertGreater(steps(self, (ROOT / "docs/tasks-ml.md").read_text()), 25)
        # Until then its deletion is rejected.
        wait.until("the pool counts no job", lambda: not self.cluster.get("gpupool", "t4")["status"].get("jobs"))
        self.cluster.kubectl("delete", "gpupool", "t4", "--timeout=120s")
        self.cluster.kubectl("delete", "namespace", "vision", "--timeout=120s")
        self.cluster.kubectl("wait", "--for=delete", "nodeclaims", "--all", "--timeout=180s")
        self.assertGreater(steps(self, (ROOT / "docs/tasks-admin.md").read_text()), 40)

    def test_no_command_of_the_pages_of_tasks_is_shown_unexecuted(self):
        for page in ("docs/tasks-ml.md", "docs/tasks-admin.md"):
            kinds = {kind for kind, _ in BLOCK.findall((ROOT / page).read_text())}
            self.assertLessEqual(kinds, {"console", "yaml"}, page)


class Runbooks(ClusterCase):
    """What the lines ask about is there: a job that runs, one that has failed, one whose writer is not proven to have ended."""

    pools = (manifests.pool(sharing={"mode": "Exclusive"}),)  # a node for each: that of the writer is to be ended

    # A played pod has no kubelet that would give out its log: the request has to come as far as its node.
    WITHOUT_LOGS = re.compile(r"dial tcp|no preferred addresses found|connection refused")

    def test_each_kubectl_line_is_understood_and_finds_what_it_looks_for(self):
        self.cluster.apply(manifests.job("finetune"), manifests.job("fails", backoffLimit=0, annotations={"reprise.test/exit-code": "1"}),
                           manifests.job("forced"), manifests.namespace("gpu-operator"), self.device_plugin())
        for name in ("finetune", "forced"):
            self.cluster.wait_for_attempt(name, 1)
        self.cluster.wait_for_state("fails", "Failed")
        pod, = self.cluster.pods_of("forced", 1)
        claim, operators = claim_of(self.cluster, pod), self.cluster.list("pods", OPERATOR_NAMESPACE)
        names = {"NAMESPACE": "vision", "NAME": "finetune", "ATTEMPT": "1", "INDEX": "0", "POOL": "t4",
                 "NODECLAIM": claim["metadata"]["name"], "POD": operators[0]["metadata"]["name"]}
        with held(self.cluster, claim):
            self.cluster.kubectl("delete", "pod", "forced-1-0", "-n", "vision", "--force", "--grace-period=0")
            self.cluster.wait_for_state("forced", "WriterNotFenced")
            books = sorted((ROOT / "docs/runbooks").glob("*.md"))
            self.assertEqual(len(books), 14)
            for book in books:
                lines = [line for line in re.findall(r"^```sh\n(.*?)^```", book.read_text(), re.MULTILINE | re.DOTALL)[0].splitlines()
                         if line.startswith("kubectl ")]
                self.assertTrue(lines, book)
                for line in lines:
                    with self.subTest(book=book.stem, line=line):
                        self.understood(re.sub("|".join(rf"\b{name}\b" for name in names), lambda found: names[found[0]], line))

    def understood(self, line):
        programs = ROOT / "build" / os.environ.get("PRESET", "dev") / "bin"
        environment = {**os.environ, "KUBECONFIG": self.cluster.kubeconfig, "PATH": f"{programs}:{self.cluster.tools}:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-o", "pipefail", "-c", line], env=environment, text=True, capture_output=True, timeout=60, check=False)
        if line.startswith("kubectl logs ") and done.returncode:
            self.assertRegex(done.stderr, self.WITHOUT_LOGS)
        else:
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @staticmethod
    def device_plugin():
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "nvidia-device-plugin", "namespace": "gpu-operator"},
                "spec": {"containers": [{"name": "plugin", "image": "example/device-plugin:1"}]}}


def steps(test, page, wanted=lambda command: True, log=None):
    """Runs the commands of a page and compares what they print; how many there were."""
    cluster, programs = test.cluster, ROOT / "build" / os.environ.get("PRESET", "dev") / "bin"
    environment = {**os.environ, "KUBECONFIG": cluster.kubeconfig, "PATH": f"{programs}:{cluster.tools}:{os.environ['PATH']}"}
    number, told = 0, ""

    def prints(command, shown):
        nonlocal told
        done = subprocess.run(["bash", "-c", command], cwd=ROOT, env=environment, text=True, timeout=300, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT if "||" in command else subprocess.PIPE)
        wrong = f"it ends with {done.returncode}" if done.returncode else console.difference(shown, done.stdout)
        told = f"{wrong}\n{command}\n{done.stdout}{done.stderr or ''}{log.read_text() if log else ''}"
        return wrong is None

    for command, shown in console.commands(page):
        if wanted(command):
            try:
                wait.until("it prints what is shown", lambda: prints(command, shown), MOMENT if LOOKS.match(command) else 0)
            except wait.NotSeen:
                test.fail(told)
            number += 1
    return number


if __name__ == "__main__":
    unittest.main()
