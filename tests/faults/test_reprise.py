"""The real operator behind the proxy: the ranks of a job are pods, and no fault may give it a pod too many."""

from pathlib import Path

import yaml

from clusterlib import paths
from harness import manifests, wait
from play.case import FaultCase
from play.operator import reprise
from play.server import ROOT

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
JOBS = "/apis/reprise.dev/v1alpha1/namespaces/{}/resumablejobs"
SERVED = ("/apis/reprise.dev/v1alpha1/resumablejobs", "/apis/reprise.dev/v1alpha1/gpupools",
          "/apis/karpenter.sh/v1/nodepools", "/apis/karpenter.sh/v1/nodeclaims", "/apis/karpenter.sh/v1alpha1/nodeoverlays",
          "/apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses")
EVERYTHING = {"method": "POST|PATCH|DELETE", "path": "/(pods|persistentvolumeclaims|services|resumablejobs|gpupools)"}
FAULTS = {
    "the answer is lost": {"do": "drop", "when": "after"},
    "the request is lost": {"do": "drop"},
    "the connection is lost with the answer": {"do": "drop", "what": "connection", "when": "after"},
    "the server is in trouble": {"do": "answer", "status": 500, "reason": "InternalError"},
    "the server is in trouble and did it": {"do": "answer", "status": 500, "reason": "InternalError", "when": "after"},
    "the server is overloaded": {"do": "answer", "status": 429, "reason": "TooManyRequests", "retry_after": 1},
    "a gateway answers": {"do": "answer", "status": 200, "content_type": "text/html", "body": "<html></html>"},
    "a gateway answers what was done": {"do": "answer", "status": 200, "content_type": "text/html", "body": "<html></html>",
                                        "when": "after"},
}


class Reprise(FaultCase):
    own_server = True  # for the definitions
    long = 70

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        files = [ROOT / "crds" / f"reprise.dev_{kind}.yaml" for kind in ("gpupools", "resumablejobs")]
        files += [paths.tools_directory() / "crds" / f"karpenter.{name}.yaml" for name in (
            "sh_nodepools", "sh_nodeclaims", "sh_nodeoverlays", "kwok.sh_kwoknodeclasses")]
        for file in files:
            cls.client.must("POST", DEFINITIONS, yaml.safe_load(Path(file).read_text()))
        for path in SERVED:
            wait.until(f"{path} is served", lambda: cls.client.call("GET", path)[0] == 200)
        cls.client.must("POST", "/apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses", {
            "apiVersion": "karpenter.kwok.sh/v1alpha1", "kind": "KWOKNodeClass", "metadata": {"name": "default"}, "spec": {}})
        cls.client.must("POST", "/apis/reprise.dev/v1alpha1/gpupools", manifests.pool())

    def setUp(self):
        super().setUp()
        self.client.must("POST", self.path("serviceaccounts"), {"metadata": {"name": "default"}})
        self.jobs = JOBS.format(self.namespace)
        self.addCleanup(self.client.call, "DELETE", f"{self.jobs}/train")

    def start_reprise(self):
        config = self.proxy.kubeconfig(self.folder / "reprise.kubeconfig")
        return self.launch(reprise(config, self.namespace), ready=False)

    def add_job(self, ranks):
        self.client.must("POST", self.jobs, manifests.job("train", self.namespace, parallelism=ranks))

    def pods(self):
        """name -> uid"""
        items = self.client.must("GET", self.path("pods"))["items"]
        return {item["metadata"]["name"]: item["metadata"]["uid"] for item in items}

    def started(self, ranks):
        wanted = [f"train-1-{index}" for index in range(ranks)]

        def complete():
            if sorted(self.pods()) != wanted:
                raise LookupError(f"{sorted(self.pods())}")
            status = self.client.must("GET", f"{self.jobs}/train").get("status", {})
            return status.get("attempt") == 1 and status.get("active") == ranks
        wait.until("the first attempt has all its pods", complete, 60)

    def quiet(self):
        wait.steady("the operator writes nothing", lambda: len(self.proxy.writes()), 2, 30, every=0.25)

    def deletions(self):
        return [entry["path"] for entry in self.proxy.writes() if entry["method"] == "DELETE" and entry["upstream"] == 200
                and self.namespace in entry["path"]]

    def test_a_job_gets_its_pods_once_whatever_becomes_of_the_writes(self):
        """Every first write to anything meets a fault, one after the other."""
        for number, (sentence, fault) in enumerate(FAULTS.items()):
            self.proxy.add(sentence, {**EVERYTHING, "from": 1 + 3 * number, "times": 2}, **fault)
        self.start_reprise()
        self.add_job(4)
        self.started(4)
        self.quiet()
        self.started(4)
        for sentence in list(FAULTS)[:3]:
            self.assertGreaterEqual(self.proxy.hits(sentence), 1, sentence)
        self.assertEqual(self.deletions(), [])
        self.assert_calm()

    def test_pods_that_are_not_seen_yet_are_not_made_again(self):
        operator = self.start_reprise()
        operator.wait_until_ready(60)
        with self.proxy.fault("pods are held back", {"path": "/pods$", "watch": True}, do="hold"):
            self.add_job(2)
            wait.until("both pods are there", lambda: len(self.pods()) == 2)
            before = self.pods()
            self.client.must("PATCH", f"{self.jobs}/train", {"metadata": {"labels": {"a": "b"}}},
                             "application/merge-patch+json")
        self.started(2)
        self.quiet()
        self.assertEqual(self.pods(), before)
        self.assertEqual(self.deletions(), [])

    def test_an_operator_that_starts_with_half_of_its_lists_leaves_a_running_job_alone(self):
        operator = self.start_reprise()
        self.add_job(3)
        self.started(3)
        self.quiet()
        before = self.pods()
        operator.process.kill()
        operator.process.wait()
        since = self.proxy.log()[-1]["id"]
        with self.proxy.fault("half a list", {"query": "sendInitialEvents=true", "path": "/(pods|persistentvolumeclaims)$"},
                              do="end", after_events=1):
            self.start_reprise()
            self.proxy.until_hit("half a list", 6)
        wait.until("the new operator leads and is ready", lambda: self.operators[-1].answer("/readyz")[0] == 200, 60)
        wait.until("it leads", lambda: self.operators[-1].total("leader_election_master_status") == 1, 40)
        self.quiet()
        self.started(3)
        self.assertEqual(self.pods(), before)
        self.assertEqual(self.deletions(), [])
        self.assertEqual([entry["path"] for entry in self.proxy.writes(since) if "/pods" in entry["path"]], [])
