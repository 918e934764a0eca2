"""`helm install --wait` of the real Helm, which asks kstatus, over the statuses that the operator writes. Which ones it writes in which state
controllers/resumablejob/status/kstatus_test.cc and controllers/gpupool/decide/decide_test.cc say, with the same rules (controllers/testing/kstatus.h)."""

import json
import pathlib
import subprocess
import tempfile
import unittest

from support import JOB, NAMESPACE, POOL, changed, condition, eventually, install, remove_objects, run, set_status

IN_PROGRESS, CURRENT, FAILED = "status: InProgress", "", "status: Failed"  # what helm says; nothing when it returns
GOES_ON = ("Stalled", "False", "Progressing")
# Name of the object: (its kind, its conditions, what kstatus makes of them).
STATES = {
    "written": (POOL, [("Ready", "False", "Writing"), ("Reconciling", "True", "Writing"), GOES_ON], IN_PROGRESS),
    "ready": (POOL, [("Ready", "True", "Ready"), GOES_ON], CURRENT),
    "blocked": (POOL, [("Ready", "False", "NotSupported"), ("Stalled", "True", "NotSupported")], FAILED),
    "starts": (JOB, [("PodsReady", "False", "WaitForStart"), ("Reconciling", "True", "Starting"), GOES_ON], IN_PROGRESS),
    "trains": (JOB, [("PodsReady", "True", "Started"), ("Complete", "False", "NotFinished"), GOES_ON], CURRENT),
    "complete": (JOB, [("PodsReady", "False", "Complete"), ("Complete", "True", "Complete"), GOES_ON], CURRENT),
    "failed": (JOB, [("Failed", "True", "BackoffLimitExceeded"), ("Stalled", "True", "BackoffLimitExceeded")], FAILED),
    "needs-a-person": (JOB, [("PodsReady", "False", "PoolNotFound"), ("Stalled", "True", "PoolNotFound")], FAILED),
}


class Waiting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        install()
        remove_objects()

    def chart_with(self, manifest):
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (directory / "templates").mkdir()
        (directory / "Chart.yaml").write_text("{apiVersion: v2, name: one, version: 0.1.0}")
        (directory / "templates" / "one.yaml").write_text(json.dumps(manifest))
        return directory

    def installing(self, name, manifest, timeout):
        """helm, which waits; its release goes at the end."""
        chart = self.chart_with(changed(manifest, {"metadata.name": name}))
        self.addCleanup(run, "helm", "uninstall", name, "-n", NAMESPACE)
        return subprocess.Popen(["helm", "install", name, chart, "-n", NAMESPACE, "--wait", f"--timeout={timeout}s"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def test_helm_returns_when_a_pool_is_ready_or_a_job_trains_and_says_otherwise_what_it_is(self):
        for name, (manifest, conditions, expected) in STATES.items():
            with self.subTest(name):
                kind, where = manifest["kind"], manifest["metadata"].get("namespace")
                helm = self.installing(name, manifest, 4 if expected == IN_PROGRESS else 60)
                eventually(lambda: run("kubectl", "get", kind, name, "-n", NAMESPACE).returncode == 0)
                self.assertIsNone(helm.poll(), "what nobody has looked at was taken for ready")
                set_status(kind, name, {"observedGeneration": 1, "conditions": [condition(*each, 1) for each in conditions]}, where)
                _, said = helm.communicate(timeout=30)
                self.assertEqual(helm.returncode == 0, expected == CURRENT, said)
                self.assertIn(expected, said)


if __name__ == "__main__":
    unittest.main()
