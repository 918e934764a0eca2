"""Every command and manifest in the documentation is executed; a page that shows something else than works fails here."""

import re
import subprocess
import unittest

import yaml

from harness.case import ClusterCase
from harness.cluster import ROOT

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# Shown in the documentation, executed by the tier that runs this test or by a person.
OUTER = {"make test", "make cluster-demo", "make build", "make cluster", "make cluster-down", 'eval "$(dev/cluster env)"'}


def blocks(language):
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True)
    for page in listed.stdout.split():
        for kind, text in BLOCK.findall((ROOT / page).read_text()):
            if kind == language:
                yield page, text


class Documentation(ClusterCase):
    pools = ()
    with_operator = False

    def test_each_make_target_that_a_page_names_exists(self):
        targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True)
        for page in listed.stdout.split():
            for target in re.findall(r"`make ([a-z-]+)", (ROOT / page).read_text()):
                self.assertIn(target, targets, f"{page} names make {target}")

    def test_each_manifest_is_taken_by_the_api_server(self):
        manifests = [(page, text) for page, text in blocks("yaml")]
        manifests += [(str(path.relative_to(ROOT)), path.read_text())
                      for path in sorted((ROOT / "examples").glob("**/*.yaml"))]
        self.assertTrue(manifests)
        for page, text in manifests:
            for manifest in yaml.safe_load_all(text):
                if not isinstance(manifest, dict) or "apiVersion" not in manifest:
                    continue
                if name := manifest["metadata"].get("namespace"):  # one that is there stays as it is
                    self.cluster.run("kubectl", "create", "namespace", name, check=False)
                with self.subTest(page=page, name=manifest["metadata"]["name"]):
                    self.cluster.kubectl("apply", "--dry-run=server", "-f", "-", input=yaml.safe_dump(manifest))

    def test_the_commands_of_the_readme_do_what_they_say(self):
        page, text = next((p, t) for p, t in blocks("sh") if p == "README.md" and "dev/operator" in t)
        log = self.cluster.state / "logs" / "operator-of-the-readme.log"
        script = ["set -euo pipefail", f'eval "$(dev/cluster env {self.cluster.name})"']
        for line in text.splitlines():
            command = line.split("  #")[0].strip()
            if command == "kubectl create namespace vision":
                continue  # the base of these tests has made it
            if command and command not in OUTER:
                script.append(command.replace("dev/operator &", f"dev/operator {self.cluster.name} >{log} 2>&1 &"))
        script.append("kill %1; wait %1 || true")
        done = subprocess.run(["bash", "-c", "\n".join(script)], cwd=ROOT, text=True, timeout=300, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout + log.read_text())
        self.assertRegex(done.stdout, r"gpupool.reprise.dev/t4\s+True", page)
        self.assertRegex(done.stdout, r"resumablejob.reprise.dev/finetune\s+Started", page)
        self.assertRegex(done.stdout, r"Interrupted\s+ResumableJob/finetune")
        status = self.cluster.job("finetune")["status"]
        self.assertEqual(status["attempt"], 2, done.stdout + log.read_text() + yaml.safe_dump(status))


if __name__ == "__main__":
    unittest.main()
