"""What the chart renders for others' programs, held against them: the Prometheus operator's own definitions of its kinds, and the
real kube-state-metrics with the configuration that the chart brings."""

import re
import socket
import subprocess
import tempfile
import unittest
import urllib.request
from pathlib import Path

from chart import MONITORING, render
from support import (CHART, JOB, NAMESPACE, POOL, ROOT, changed, condition, create, eventually, install, kubectl, must,
                     remove_objects, run, set_status)

BUILT = Path(must(ROOT / "dev/tools/build-monitoring").strip().splitlines()[-1])
SETS = {
    "as it is": {},
    "secure": {"metrics": {"secure": {"enabled": True}}},
    "secure with a token and a certificate": {"metrics": {
        "secure": {"enabled": True, "tokenSecret": "scraper", "certificateSecret": "pair",
                   "tlsConfig": {"serverName": "metrics", "ca": {"secret": {"name": "pair", "key": "ca.crt"}}}}}},
    "intervals and labels": {"metrics": {"serviceMonitor": {"interval": "15s", "labels": {"release": "prometheus"}},
                                         "podMonitor": {"interval": "1m", "labels": {"release": "prometheus"}},
                                         "prometheusRule": {"labels": {"release": "prometheus"}}}},
}


class Monitors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        kubectl("create", "-f", BUILT / "crds")
        cls.addClassCleanup(kubectl, "delete", "-f", BUILT / "crds", "--wait=false")
        kubectl("wait", "--for=condition=Established", "-f", BUILT / "crds", "--timeout=30s")

    def test_the_prometheus_operators_own_definitions_take_them(self):
        for sentence, values, by_pod in ((*each, by_pod) for each in SETS.items() for by_pod in (False, True)):
            if by_pod and values == SETS["secure"]:
                continue  # refused: a PodMonitor needs the Secret with a token
            with self.subTest(sentence, by_pod=by_pod):
                chosen = changed(values, {"crds": {"enabled": False}, "metrics.podMonitor.enabled": by_pod})
                text = render(chosen, apis=MONITORING)
                done = kubectl("apply", "--dry-run=server", "--validate=strict", "-f", "-", stdin=text)
                self.assertIn(f"{'pod' if by_pod else 'service'}monitor.monitoring.coreos.com/render-reprise", done)
                self.assertIn("prometheusrule.monitoring.coreos.com/render-reprise", done)

    def test_a_field_that_they_do_not_know_is_refused(self):
        text = render({"crds": {"enabled": False}}, apis=MONITORING).replace("endpoints:", "endpoint:")
        done = run("kubectl", "apply", "--dry-run=server", "--validate=strict", "-f", "-", stdin=text)
        self.assertIn('unknown field "spec.endpoint"', done.stderr)


class KubeStateMetrics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        install()
        remove_objects()
        cls.make_objects()
        cls.addClassCleanup(remove_objects)
        port, telemetry = free_port(), free_port()
        cls.url = f"http://127.0.0.1:{port}/metrics"
        cls.log = cls.enterClassContext(tempfile.NamedTemporaryFile("w+", suffix=".log"))
        cls.program = subprocess.Popen(
            [BUILT / "kube-state-metrics", f"--kubeconfig={cls.kubeconfig()}", "--custom-resource-state-only",
             f"--custom-resource-state-config-file={CHART / 'files/kube-state-metrics.yaml'}", f"--port={port}",
             "--host=127.0.0.1", f"--telemetry-port={telemetry}", "--telemetry-host=127.0.0.1"],
            stdout=cls.log, stderr=cls.log, stdin=subprocess.DEVNULL)
        cls.addClassCleanup(cls.end)
        eventually(lambda: len(cls.series()) > 10)

    @classmethod
    def end(cls):
        cls.program.terminate()
        cls.program.wait()

    @classmethod
    def kubeconfig(cls):
        """Of a service account that the chart's ClusterRole is bound to: it must be enough."""
        role = render({"metrics": {"kubeStateMetrics": {"enabled": True}}, "crds": {"enabled": False}})
        text = next(part for part in re.split(r"^---$", role, flags=re.MULTILINE)
                    if "kind: ClusterRole\n" in part and "name: render-reprise-kube-state-metrics" in part)
        kubectl("apply", "-f", "-", stdin=text)
        kubectl("create", "serviceaccount", "kube-state-metrics", "-n", NAMESPACE)
        kubectl("create", "clusterrolebinding", "kube-state-metrics", "--clusterrole=render-reprise-kube-state-metrics",
                f"--serviceaccount={NAMESPACE}:kube-state-metrics")
        cls.addClassCleanup(kubectl, "delete", "clusterrolebinding/kube-state-metrics", "clusterrole/render-reprise-kube-state-metrics")
        cls.addClassCleanup(kubectl, "delete", "serviceaccount", "kube-state-metrics", "-n", NAMESPACE)
        config = tempfile.NamedTemporaryFile("w", suffix=".kubeconfig")
        cls.enterClassContext(config)
        config.write(kubectl("config", "view", "--raw", "--minify", "--flatten"))
        config.flush()
        token = kubectl("create", "token", "kube-state-metrics", "-n", NAMESPACE).strip()
        kubectl("--kubeconfig", config.name, "config", "set-credentials", "account", f"--token={token}")
        kubectl("--kubeconfig", config.name, "config", "set-context", "--current", "--user=account")
        return config.name

    @classmethod
    def make_objects(cls):
        for manifest in (POOL, JOB):
            done = create(manifest)
            assert done.returncode == 0, done.stderr
        set_status("gp", "t4", {
            "conditions": [condition("Ready", "True", "Ready", 1)], "sharing": "Exclusive", "resourceName": "nvidia.com/gpu", "jobs": 1,
            "capacity": [{"type": "Spot", "gpus": 4, "gpusUsed": 3, "nodes": 2}], "cost": {"perHour": "1.5", "idlePerHour": "0.25"}})
        set_status("rj", "finetune", {
            "conditions": [condition("PodsReady", "True", "Started", 1)], "attempt": 3, "lostSeconds": 40,
            "interruptions": [{"reason": "SpotInterrupted", "count": 2}], "placement": {"capacity": "Spot", "zone": "a"},
            "progress": {"percentage": 50, "checkpoint": {"step": 9, "path": "s-9", "time": "2026-11-21T09:00:00Z"}},
            "cost": {"spent": "2.75"}}, NAMESPACE)

    @classmethod
    def series(cls):
        """name{labels} -> value, of Reprise's kinds."""
        try:
            with urllib.request.urlopen(cls.url, timeout=5) as answer:
                lines = answer.read().decode().splitlines()
        except OSError:
            return {}
        return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines
                if re.match(r"kube_(gpupool|resumablejob)_", line)}

    def value(self, name, **labels):
        """The one series of that name with these labels."""
        found = [value for text, value in self.series().items() if text.startswith(name + "{")
                 and all(f'{key}="{wanted}"' in text for key, wanted in labels.items())]
        self.assertEqual(len(found), 1, f"{name} {labels}: {sorted(self.series())}\n{Path(self.log.name).read_text()[-2000:]}")
        return found[0]

    def test_each_metric_of_the_configuration_has_a_series_with_the_value_of_its_field(self):
        pool, job = {"gpupool": "t4"}, {"namespace": NAMESPACE, "resumablejob": "finetune"}
        wanted = (
            ("kube_gpupool_info", {**pool, "sharing": "Exclusive", "resource": "nvidia.com/gpu"}, 1),
            ("kube_gpupool_status_condition", {**pool, "condition": "Ready", "status": "True"}, 1),
            ("kube_gpupool_gpus", {**pool, "capacity_type": "Spot"}, 4), ("kube_gpupool_gpus_used", {**pool, "capacity_type": "Spot"}, 3),
            ("kube_gpupool_nodes", {**pool, "capacity_type": "Spot"}, 2), ("kube_gpupool_jobs", pool, 1),
            ("kube_gpupool_cost_dollars_per_hour", pool, 1.5), ("kube_gpupool_idle_cost_dollars_per_hour", pool, 0.25),
            ("kube_resumablejob_info", {**job, "gpupool": "t4", "capacity_type": "Spot", "zone": "a"}, 1),
            ("kube_resumablejob_status_condition", {**job, "condition": "PodsReady", "status": "True"}, 1),
            ("kube_resumablejob_attempt", job, 3), ("kube_resumablejob_lost_seconds", job, 40),
            ("kube_resumablejob_interruptions", {**job, "reason": "SpotInterrupted"}, 2),
            ("kube_resumablejob_checkpoint_timestamp_seconds", job, 1795251600), ("kube_resumablejob_progress_percent", job, 50),
            ("kube_resumablejob_cost_dollars", job, 2.75))
        for name, labels, value in wanted:
            with self.subTest(name):
                self.assertEqual(self.value(name, **labels), value)
        configured = re.findall(r"^    - name: (\w+)$", (CHART / "files/kube-state-metrics.yaml").read_text(), re.MULTILINE)
        self.assertEqual(len(configured), len(wanted))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


if __name__ == "__main__":
    unittest.main()
