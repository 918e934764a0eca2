"""Karpenter's kinds are not there when the operator starts, come, go and come again; it is never started anew."""

import unittest

import yaml

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import condition
from harness.operator import Operator

KINDS = ("nodepools", "nodeclaims", "nodeoverlays")
OWN_NODES = {"spec": {"containers": [{"name": "trainer", "image": "example/trainer:1", "command": ["train"]}]}}


def definition(kind):
    return f"crd/{kind}.karpenter.sh"


class OptionalKinds(ClusterCase):
    with_operator = False

    def test_the_operator_lives_with_what_there_is(self):
        definitions = {kind: self.definition_of(kind) for kind in KINDS}
        self.cluster.kubectl("delete", *(definition(kind) for kind in KINDS), "--timeout=90s")
        OptionalKinds.operator = Operator(self.cluster).start()
        self.addCleanup(self.operator.__exit__)
        process = self.operator.process.pid

        self.wait_for_pool("Ready", "False", "KarpenterNotInstalled", "install Karpenter")
        self.cluster.apply(manifests.job("own", pool=None, template=OWN_NODES), manifests.job("rented"))
        wait.until("a job without a pool has its pod", lambda: self.cluster.pods_of("own", 1))

        self.cluster.apply(*definitions.values())
        self.wait_for_pool("Ready", "True", "Ready", "")
        self.cluster.wait_for_attempt("rented", 1, seconds=180)

        self.cluster.kubectl("delete", definition("nodeoverlays"), "--timeout=90s")
        self.wait_for_pool("SharingConfigured", "False", "NodeOverlayNotServed", "NodeOverlay=true")
        self.cluster.wait_for_attempt("rented", 1)
        self.cluster.apply(definitions["nodeoverlays"])
        self.wait_for_pool("Ready", "True", "Ready", "")

        self.claims_served(False)
        self.wait_for_pool("Ready", "False", "KarpenterNotInstalled", "nodeclaims.karpenter.sh")
        self.cluster.kubectl("delete", "pod", "rented-1-0", "-n", "vision", "--force", "--grace-period=0")
        wait.until("no claim is no proof", lambda: self.waits_for_proof("the cluster does not serve NodeClaims"))
        self.assertEqual(self.cluster.job("rented")["status"]["attempt"], 1)
        self.claims_served(True)
        self.cluster.wait_for_attempt("rented", 2, seconds=180)
        self.wait_for_pool("Ready", "True", "Ready", "")
        self.assertEqual((self.operator.process.pid, self.operator.process.poll()), (process, None))

    def definition_of(self, kind):
        found = yaml.safe_load(self.cluster.kubectl("get", definition(kind), "-o", "yaml"))
        meta = found["metadata"]
        found["metadata"] = {"name": meta["name"], "annotations": {
            key: value for key, value in meta.get("annotations", {}).items() if not key.startswith("kubectl")}}
        del found["status"]
        return found

    def claims_served(self, served):
        versions = self.cluster.get("crd", "nodeclaims.karpenter.sh")["spec"]["versions"]
        patches = ",".join(f'{{"op":"replace","path":"/spec/versions/{place}/served","value":{str(served).lower()}}}'
                           for place in range(len(versions)))
        self.cluster.kubectl("patch", definition("nodeclaims"), "--type=json", "-p", f"[{patches}]")

    def wait_for_pool(self, type_, status, reason, text):
        def said():
            found = condition(self.cluster.get("gpupool", "t4"), type_)
            if (found["status"], found["reason"]) != (status, reason) or text not in found["message"]:
                raise LookupError(str(found))
            return True
        wait.until(f"pool t4 says {type_} {status} {reason}", said, 180)

    def waits_for_proof(self, text):
        found = condition(self.cluster.job("rented"), "PodsReady")
        if found["reason"] != "WriterNotFenced" or text not in found["message"]:
            raise LookupError(str(found))
        return True


if __name__ == "__main__":
    unittest.main()
