"""The directory of the definitions is one that kubectl applies as it is."""

import unittest

from support import JOB, POOL, ROOT, changed, eventually, install, run, try_create


class Directory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        install()

    def test_kubectl_applies_the_whole_directory(self):
        # Server-side: nothing is written into the definitions that the chart brought.
        done = run("kubectl", "apply", "--server-side", "--force-conflicts", "--field-manager=helm", "-f", ROOT / "crds")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(line.split(" ")[0] for line in done.stdout.splitlines()),
                         ["customresourcedefinition.apiextensions.k8s.io/gpupools.reprise.dev",
                          "customresourcedefinition.apiextensions.k8s.io/resumablejobs.reprise.dev"])
        probe = {"metadata.name": "applied"}
        eventually(lambda: try_create(changed(POOL, probe))[0] and try_create(changed(JOB, probe))[0])

    def test_kubectl_applies_it_client_side_too(self):
        done = run("kubectl", "apply", "--dry-run=client", "-f", ROOT / "crds")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
