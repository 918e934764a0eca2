"""What the runtime decodes from the API server's protobuf is what it decodes from its JSON, for every built-in kind."""

import base64
import os
import subprocess
import unittest

from harness import wait
from harness.case import ClusterCase
from harness.cluster import ROOT

OWNER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "rich", "uid": "0f0f0f0f-0000-4000-8000-000000000001"}
ODD_TEXT = 'line\n\t"quoted" \\ grüße 東京 \U0001F3B5 \u2028 </script>'


def meta(name, **more):
    return {"name": name, "namespace": "vision", "labels": {"app": "encodings", "empty": ""},
            "annotations": {"example.com/note": ODD_TEXT, **more.pop("annotations", {})}, **more}


def pod(name, annotations=None, pod_spec=None, **more):
    container = {"image": "example/trainer:1", "command": ["train"]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta(name, annotations=annotations or {}, **more), "spec": {
        "restartPolicy": "Never", "terminationGracePeriodSeconds": 7,
        "initContainers": [{"name": "install", **container}],
        "containers": [
            {"name": "trainer", **container, "resources": {"limits": {"nvidia.com/gpu": 2, "cpu": "100m"}}},
            {"name": "sidecar", **container, "resources": {"limits": {"nvidia.com/gpu": 1, "example.com/x": "3"}}}],
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "rich"}}, {"name": "tmp", "emptyDir": {}}],
        "nodeSelector": {"reprise.test/encodings": "yes"}, **(pod_spec or {})}}


NODE = {"apiVersion": "v1", "kind": "Node",
        "metadata": {"name": "encodings", "labels": {"kwok-partition": "a", "reprise.test/encodings": "yes"}},
        "spec": {"providerID": "kwok://encodings", "taints": [
            {"key": "example.com/later", "value": "x", "effect": "PreferNoSchedule", "timeAdded": "2026-11-21T09:00:00Z"}]}}
CAPACITY = {"cpu": "8", "memory": "64Gi", "pods": "110", "nvidia.com/gpu": "16", "example.com/x": "5k"}
OBJECTS = [
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("rich", ownerReferences=[
        {**OWNER, "controller": True, "blockOwnerDeletion": True}, {**OWNER, "name": "other"}]),
     "data": {"text": ODD_TEXT, "empty": ""}, "binaryData": {"bytes": base64.b64encode(b"\xff\x00").decode()}},
    {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta("rich"), "spec": {
        "accessModes": ["ReadWriteMany", "ReadOnlyMany"], "resources": {"requests": {"storage": "1Gi"}}}},
    {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta("waiting"), "spec": {
        "accessModes": ["ReadWriteOnce"], "storageClassName": "none", "resources": {"requests": {"storage": "1Gi"}}}},
    {"apiVersion": "v1", "kind": "Service", "metadata": meta("headless"),
     "spec": {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": {"app": "encodings"}}},
    {"apiVersion": "v1", "kind": "Service", "metadata": meta("usual"), "spec": {"ports": [{"port": 80}]}},
    {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": meta("rich"), "spec": {
        "holderIdentity": "me_1", "leaseDurationSeconds": 15, "leaseTransitions": 3,
        "acquireTime": "2026-11-21T09:00:00.000001Z", "renewTime": "2026-11-21T09:00:00.999999Z"}},
    {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": meta("empty"), "spec": {}},
    {"apiVersion": "v1", "kind": "Event", "metadata": meta("old"), "reason": "Old", "message": ODD_TEXT, "type": "Normal",
     "involvedObject": {"kind": "Pod", "name": "rich", "namespace": "vision", "uid": "u", "fieldPath": "spec"},
     "source": {"component": "kubelet", "host": "h"}, "count": 3,
     "firstTimestamp": "2026-11-21T09:00:00Z", "lastTimestamp": "2036-11-21T09:30:00Z"},
    {"apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": meta("new"), "reason": "New", "note": "a note",
     "type": "Warning", "action": "Act", "regarding": {"kind": "Pod", "name": "rich", "namespace": "vision"},
     "reportingController": "example.com/c", "reportingInstance": "i", "eventTime": "2036-11-21T09:00:00.123456Z",
     "series": {"count": 2, "lastObservedTime": "2036-11-21T10:00:00.000007Z"}},
    pod("ended", annotations={"reprise.test/exit-code": "3", "reprise.test/termination-message": ODD_TEXT}),
    pod("running"),
    pod("pending", pod_spec={"nodeSelector": {"nowhere": "1"}}),
    pod("leaving", annotations={"reprise.test/frozen": "true"}, finalizers=["example.com/kept"]),
    pod("evicted", pod_spec={"nodeSelector": {"nowhere": "1"}}),
]
EVICTED = ('{"status":{"phase":"Failed","reason":"Evicted","message":"too full","conditions":[{"type":"DisruptionTarget",'
           '"status":"True","reason":"TerminationByKubelet","message":"m","lastTransitionTime":"2026-11-21T09:00:00Z"}]}}')


class Encodings(ClusterCase):
    with_operator = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cluster = cls.cluster
        cluster.apply(NODE)
        cluster.kubectl("patch", "node", "encodings", "--subresource=status", "--type=merge", "-p",
                        str({"status": {"capacity": CAPACITY, "allocatable": CAPACITY}}).replace("'", '"'))
        cluster.apply(*OBJECTS)
        cluster.kubectl("patch", "pod", "evicted", "-n", "vision", "--subresource=status", "--type=merge", "-p", EVICTED)
        # A pod that is being deleted and has no node is called Failed by the pods' garbage collector.
        wait.until("the pod that is to leave has a node", lambda: cluster.get("pod", "leaving", "vision")["spec"]["nodeName"])
        cluster.kubectl("delete", "pod", "leaving", "-n", "vision", "--wait=false")
        wait.until("the pods are what they should be", lambda: {
            one["metadata"]["name"]: one["status"]["phase"] for one in cluster.list("pods", "vision")} == {
                "ended": "Failed", "running": "Running", "pending": "Pending", "leaving": "Pending", "evicted": "Failed"})

    def agree(self, how):
        program = ROOT / "build" / os.environ.get("PRESET", "dev") / "tests" / "encodings_agree"
        done = subprocess.run([program, how], capture_output=True, text=True, timeout=120,
                              env=dict(os.environ, KUBECONFIG=self.cluster.kubeconfig))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        counts = {kind: int(count) for kind, count in (line.split() for line in done.stdout.splitlines())}
        for kind, least in {"Pod": 5, "Node": 2, "PersistentVolumeClaim": 2, "Service": 2, "ConfigMap": 1, "Namespace": 4,
                            "Event": 2, "Lease": 2, "Pod-metadata": 5, "GpuPool-metadata": 1}.items():
            self.assertGreaterEqual(counts.get(kind, 0), least, f"{kind}: {done.stdout}")

    def test_streamed_in_both_encodings_every_kind_is_the_same(self):
        self.agree("stream")

    def test_listed_in_pages_in_both_encodings_every_kind_is_the_same(self):
        self.agree("pages")


if __name__ == "__main__":
    unittest.main()
