"""Pages about the chart: each helm command can be given as it stands, and what a page asks a running operator is answered."""

import datetime
import json
import re
import shlex
import socket
import subprocess
import unittest

import yaml

from support import CHART, OWN_NAMESPACE, ROOT, eventually, install, kubectl, must, run
from test_chart import OPERATORS_PROGRAM, one


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


class Commands(unittest.TestCase):
    DIGEST = "sha256:" + "a" * 64

    def installs(self, page):
        """The arguments of each `helm install` of a page, with a digest in place of the command that prints it."""
        joined = page.replace("\\\n", "").replace('"$(cat build/image/digest)"', self.DIGEST)
        return re.findall(r"^helm install (.*)$", joined, re.MULTILINE)

    def test_pages_install_an_image_that_is_somewhere(self):
        # No image is published: without a repository --wait waits for pods that cannot start.
        for page in (ROOT / "docs/install.md", CHART / "README.md"):
            for arguments in self.installs(page.read_text()):
                rendered = yaml.safe_load_all(must("helm", "template", *shlex.split(arguments.replace("charts/reprise", str(CHART)))))
                images = [one["spec"]["template"]["spec"]["containers"][0]["image"] for one in rendered if one["kind"] == "Deployment"]
                self.assertEqual(images, [f"YOUR.REGISTRY/reprise@{self.DIGEST}"], page)

    def test_the_page_on_installing_names_what_there_is(self):
        page = (ROOT / "docs" / "install.md").read_text()
        installs = self.installs(page)
        self.assertEqual(len(installs), 3)
        for arguments in installs:
            must("helm", "template", *shlex.split(arguments.replace("charts/reprise", str(CHART))))
        for name in re.findall(r"`((?:poolUse|metrics|[a-z]+Protection)[.a-zA-Z]*)`", page):
            self.assertIn(f"| `{name}", (CHART / "README.md").read_text())
        for path in re.findall(r"`((?:charts|packaging)/[^` ]+)`", page):
            self.assertTrue((ROOT / path).exists(), path)

    def test_every_helm_command_of_every_page_names_the_namespace_and_values_that_there_are(self):
        flag_of = re.compile(r"--set[= ]('[^']*'|\S+)")
        seen = 0
        for page in must("git", "-C", ROOT, "ls-files", "*.md").splitlines():
            text = re.sub(r"\\\n\s*", "", (ROOT / page).read_text()).replace('"$(cat build/image/digest)"', self.DIGEST)
            for verb, rest in re.findall(r"\bhelm (install|upgrade|rollback|uninstall|history) ((?:--install )?reprise\b[^\n`|]*)", text):
                with self.subTest(page=page, command=f"helm {verb} {rest}"):
                    self.assertRegex(rest, r"(--namespace|-n)[= ]reprise-system\b")
                    sets = [argument for value in flag_of.findall(rest) for argument in ("--set", value.strip("'"))]
                    must("helm", "template", "reprise", CHART, *sets)
                seen += 1
        self.assertGreater(seen, 10)


class Running(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        install()

    def test_a_running_operator_shows_what_the_page_on_monitoring_asks_it(self):
        section = (ROOT / "docs/monitoring.md").read_text().split("## Look into a running operator")[1].split("\n## ")[0]
        flag, port = re.search(r"extraArgs=\{(--debug-bind-address=\S+:(\d+))\}", section).groups()
        self.assertIn(flag, one("Deployment", {"extraArgs": [flag]})["spec"]["template"]["spec"]["containers"][0]["args"])
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000000Z")
        held = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "reprise-operator", "namespace": OWN_NAMESPACE},
                "spec": {"holderIdentity": "another", "leaseDurationSeconds": 60, "acquireTime": now, "renewTime": now}}
        kubectl("apply", "-f", "-", stdin=json.dumps(held))  # this one stands by, and writes nothing
        free = free_port()
        operator = subprocess.Popen([OPERATORS_PROGRAM, flag.replace(port, free), f"--leader-election-namespace={OWN_NAMESPACE}",
                                     "--metrics-bind-address=0", "--health-probe-bind-address=0", "--agent-image=a"], stderr=subprocess.DEVNULL)
        try:
            asked = [line.replace(port, free).replace("curl ", "curl -fsS ") for line in re.findall(r"^curl [^#\n]*", section, re.MULTILINE)]
            self.assertEqual(len(asked), 4)
            eventually(lambda: run("bash", "-c", asked[0]).returncode == 0)
            for line, said in zip(asked, ("0.1.0", "debug-bind-address", "lease phase=", "debug")):
                self.assertIn(said, must("bash", "-c", line))
        finally:
            operator.kill()
            operator.wait()
            kubectl("delete", "lease", "reprise-operator", "-n", OWN_NAMESPACE)


if __name__ == "__main__":
    unittest.main()
