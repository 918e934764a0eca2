"""The chart's admission policies, tried on the real API server by people with few rights and as the operator."""

import json
import time
import unittest

import yaml

from chart import MUTATING, render
from support import (AS_OPERATOR, DROP, JOB, NAMESPACE, OPERATOR, OWN_NAMESPACE, POOL, RELEASE, changed, eventually, install, kubectl,
                     remove_objects, run)

CONTAINER = "spec.template.spec.containers.0"
HOST = {
    "hostNetwork": {"spec.template.spec.hostNetwork": True},
    "hostPID": {"spec.template.spec.hostPID": True},
    "hostIPC": {"spec.template.spec.hostIPC": True},
    "hostPath": {"spec.template.spec.volumes": [{"name": "h", "hostPath": {"path": "/"}}]},
    "privileged": {f"{CONTAINER}.securityContext": {"privileged": True}},
    "capabilities": {f"{CONTAINER}.securityContext": {"capabilities": {"add": ["SYS_ADMIN"]}}},
    "hostPort": {f"{CONTAINER}.ports": [{"containerPort": 1, "hostPort": 1}]},
    "hostProcess": {"spec.template.spec.securityContext": {"windowsOptions": {"hostProcess": True}}},
    "windowsOptions": {f"{CONTAINER}.securityContext": {"windowsOptions": {"hostProcess": True}}},
    "procMount": {f"{CONTAINER}.securityContext": {"procMount": "Unmasked"}},
    "must not be privileged": {"spec.template.spec.initContainers": [
        {"name": "i", "image": "i", "securityContext": {"privileged": True}}]},
}
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {
    "name": "fit-1-0", "namespace": NAMESPACE, "labels": {"reprise.dev/job": "fit", "reprise.dev/job-uid": "u"},
    "ownerReferences": [{"apiVersion": "reprise.dev/v1alpha1", "kind": "ResumableJob", "name": "fit", "uid": "u"}]},
    "spec": {"containers": [{"name": "a", "image": "a"}]}}


def apply(*manifests):
    kubectl("apply", "-f", "-", stdin=yaml.safe_dump_all(manifests))


def try_as(user, manifest, *arguments, verb="create"):
    """The message of the rejection; empty when it was taken."""
    done = run("kubectl", verb, "-f", "-", "--dry-run=server", f"--as={user}", *arguments, stdin=json.dumps(manifest))
    return done.stderr if done.returncode else ""


def role(user, *rules):
    """That user may do this in the namespace of the tests, and nothing else."""
    apply({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": user, "namespace": NAMESPACE},
           "rules": list(rules)},
          {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": user, "namespace": NAMESPACE},
           "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": user},
           "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}]})


JOBS = {"apiGroups": ["reprise.dev"], "resources": ["resumablejobs"], "verbs": ["create", "get", "patch", "update"]}
PODS = {"apiGroups": [""], "resources": ["pods"], "verbs": ["create"]}


class Policies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        install()
        remove_objects()
        role("writer", JOBS)
        role("pod-writer", JOBS, PODS)

    def test_a_template_asks_for_nothing_of_the_host_that_its_author_could_not_have(self):
        refused = changed(JOB, HOST["hostNetwork"])
        eventually(lambda: "hostNetwork" in try_as("writer", refused))  # the policy takes a moment to be in force
        self.assertEqual(try_as("writer", JOB), "")
        for word, changes in HOST.items():
            with self.subTest(word):
                self.assertIn(word, try_as("writer", changed(JOB, changes)))
                self.assertEqual(try_as("pod-writer", changed(JOB, changes)), "")
        kubectl("label", "namespace", NAMESPACE, "reprise.dev/host-access=allowed")
        try:
            eventually(lambda: try_as("writer", refused) == "")
        finally:
            kubectl("label", "namespace", NAMESPACE, "reprise.dev/host-access-")

    def test_a_template_that_stays_as_it_was_is_not_looked_at(self):
        job = changed(JOB, {"metadata.name": "hostly", **HOST["hostPath"]})
        apply(job)
        self.assertEqual(try_as("writer", changed(job, {"metadata.labels": {"a": "b"}}), verb="apply"), "")
        kubectl("delete", "rj", "hostly", "-n", NAMESPACE, "--wait=false")

    def test_nobody_but_the_operator_writes_status(self):
        apply(changed(POOL, {"metadata.name": "stated"}), changed(JOB, {"metadata.name": "stated"}))
        for kind, where, status in (("gp", (), {"jobs": 0}), ("rj", ("-n", NAMESPACE), {"attempt": 3})):
            def patch(*who):
                return run("kubectl", "patch", kind, "stated", *where, "--subresource=status", "--type=merge", "-p",
                           json.dumps({"status": status}), *who)
            eventually(lambda: "operator alone writes the status" in patch().stderr)
            self.assertEqual(patch(*AS_OPERATOR).stderr, "")
        kubectl("delete", "gp", "stated")
        kubectl("delete", "rj", "stated", "-n", NAMESPACE, "--wait=false")

    def test_the_operator_has_pods_of_jobs_and_no_others(self):
        stranger = changed(POD, {"metadata.labels": DROP, "metadata.ownerReferences": DROP})
        eventually(lambda: "labelled reprise.dev/job" in try_as(OPERATOR, stranger))
        self.assertEqual(try_as(OPERATOR, POD), "")
        for changes in ({"metadata.ownerReferences": DROP}, {"metadata.ownerReferences.0.uid": "another"},
                        {"metadata.ownerReferences.0.kind": "Job"}):
            self.assertIn("ResumableJob that owns them", try_as(OPERATOR, changed(POD, changes)))
        self.assertIn("labelled reprise.dev/job", try_as(OPERATOR, changed(POD, {("metadata", "labels", "reprise.dev/job-uid"): DROP})))
        apply(changed(stranger, {"metadata.name": "stranger"}))
        delete = run("kubectl", "delete", "pod", "stranger", "-n", NAMESPACE, f"--as={OPERATOR}")
        self.assertIn("labelled reprise.dev/job", delete.stderr)
        mark = run("kubectl", "patch", "pod", "stranger", "-n", NAMESPACE, *AS_OPERATOR, "--subresource=status",
                   "--type=merge", "-p", '{"status":{"phase":"Failed"}}')
        self.assertIn("labelled reprise.dev/job", mark.stderr)
        service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "namespace": NAMESPACE},
                   "spec": {"clusterIP": "None", "selector": {"a": "b"}}}
        self.assertIn("labelled reprise.dev/job", try_as(OPERATOR, service))
        self.assertEqual(try_as(OPERATOR, changed(service, {"metadata.labels": POD["metadata"]["labels"]})), "")
        self.assertEqual(run("kubectl", "delete", "pod", "stranger", "-n", NAMESPACE, "--force").returncode, 0)

    def test_the_operator_keeps_gpus_ready_in_its_own_namespace_for_the_pool_that_owns_the_pods(self):
        labels = {"reprise.dev/warm": "t4", "reprise.dev/pool-uid": "u"}
        owner = {"apiVersion": "reprise.dev/v1alpha1", "kind": "GpuPool", "name": "t4", "uid": "u"}
        warm = changed(POD, {"metadata.name": "t4-warm-0", "metadata.namespace": OWN_NAMESPACE, "metadata.labels": labels,
                             "metadata.ownerReferences": [owner]})
        eventually(lambda: "GpuPool that owns" in try_as(OPERATOR, changed(warm, {"metadata.ownerReferences": DROP})))
        self.assertEqual(try_as(OPERATOR, warm), "")
        self.assertIn("GpuPool that owns", try_as(OPERATOR, changed(warm, {"metadata.ownerReferences.0.uid": "another"})))
        self.assertIn("labelled reprise.dev/job", try_as(OPERATOR, changed(warm, {"metadata.namespace": NAMESPACE})))
        self.assertIn("labelled reprise.dev/job", try_as(OPERATOR, changed(warm, {("metadata", "labels", "reprise.dev/pool-uid"): DROP})))

    def test_a_pool_is_used_by_those_who_may(self):
        policy = [one for one in yaml.safe_load_all(render({"poolUse": {"enabled": True}, "crds": {"enabled": False}}, RELEASE, OWN_NAMESPACE))
                  if one and "pool-use" in one["metadata"]["name"]]
        self.assertEqual(len(policy), 3)
        apply(*policy)
        text = yaml.safe_dump_all(policy)
        try:
            eventually(lambda: "writer may not use GpuPool t4" in try_as("writer", JOB))
            self.assertIn("every GpuPool", try_as("writer", changed(JOB, {"spec.poolName": DROP})))
            self.allow("writer", {"apiGroups": ["reprise.dev"], "resources": ["gpupools"], "resourceNames": ["t4"], "verbs": ["use"]})
            eventually(lambda: try_as("writer", JOB) == "")
            self.assertIn("may not use GpuPool a100", try_as("writer", changed(JOB, {"spec.poolName": "a100"})))
            suspended = changed(JOB, {"metadata.name": "moves", "spec.suspend": True})
            apply(suspended)
            self.assertIn("may not use GpuPool a100", try_as("writer", changed(suspended, {"spec.poolName": "a100"}), verb="apply"))
            self.assertEqual(try_as("writer", changed(suspended, {"metadata.labels": {"a": "b"}}), verb="apply"), "")
        finally:
            kubectl("delete", "-f", "-", stdin=text)
            kubectl("delete", "rj", "moves", "-n", NAMESPACE, "--wait=false", "--ignore-not-found")
            kubectl("delete", "clusterrole,clusterrolebinding", "uses-pools")
            eventually(lambda: try_as("writer", changed(JOB, {"spec.poolName": "a100"})) == "")

    @staticmethod
    def allow(user, rule):
        apply({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "uses-pools"}, "rules": [rule]},
              {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "uses-pools"},
               "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "uses-pools"},
               "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}]})

    def test_the_node_agent_changes_its_own_taints_on_its_own_node_and_nothing_else(self):
        own, theirs = {"key": "reprise.dev/spot-interruption", "value": "1", "effect": "NoSchedule"}, {"key": "a", "effect": "NoSchedule"}
        agent = f"system:serviceaccount:{OWN_NAMESPACE}:{RELEASE}-node-agent"
        objects = [one for one in yaml.safe_load_all(render({"nodeAgent": {"enabled": True}, "crds": {"enabled": False}}, RELEASE, OWN_NAMESPACE))
                   if one and "node-agent" in one["metadata"]["name"] and one["kind"] != "DaemonSet"]
        nodes = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"a": "b"}}, "spec": {"taints": [theirs]}}
                 for name in ("agents", "anothers")]
        apply(*objects, *nodes)

        def patch(path, value, node="agents", of="agents"):
            who = (f"--as={agent}", *((f"--as-user-extra=authentication.kubernetes.io/node-name={of}",) if of else ()))
            return run("kubectl", "patch", "node", node, "--type=json", "--dry-run=server", *who, "-p",
                       json.dumps([{"op": "add", "path": path, "value": value}])).stderr

        def event(about, kind="Node"):
            return try_as(agent, {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default"}, "reason": "SpotInterrupted",
                                  "involvedObject": {"apiVersion": "v1", "kind": kind, "name": about}},
                          "--as-user-extra=authentication.kubernetes.io/node-name=agents")
        try:
            eventually(lambda: "only the Node on which it runs" in patch("/spec/taints", [theirs, own], node="anothers"))
            eventually(lambda: "only of the Node on which it runs" in event("anothers"))
            self.assertEqual(patch("/spec/taints", [theirs, own]), "")
            self.assertIn("only the Node on which it runs", patch("/spec/taints", [theirs, own], of=None))
            for value in ([own], [own, {**theirs, "effect": "NoExecute"}], [theirs, {"key": "b", "effect": "NoSchedule"}]):
                self.assertIn("taints of others", patch("/spec/taints", value))
            self.assertIn("evicts nobody", patch("/spec/taints", [theirs, {**own, "effect": "NoExecute"}]))
            for path, value in (("/spec/unschedulable", True), ("/spec/providerID", "aws:///z/i-1"), ("/metadata/labels/c", "d"),
                                ("/metadata/annotations", {"a": "b"}), ("/metadata/finalizers", ["a.b/c"])):
                self.assertIn("nothing of its Node but its own taints", patch(path, value))
            self.assertEqual(event("agents"), "")
            self.assertIn("only of the Node", event("agents", "Pod"))
            for verb, what in (("delete", ("node", "agents")), ("get", ("nodes",)), ("get", ("pods", "-A")), ("get", ("events",))):
                self.assertIn("Forbidden", run("kubectl", verb, *what, f"--as={agent}").stderr)
        finally:
            kubectl("delete", "-f", "-", stdin=yaml.safe_dump_all([*objects, *nodes]))

    def test_labels_of_a_namespace_give_jobs_a_pool_and_pods_a_capacity_type(self):
        text = render({"crds": {"enabled": False}}, RELEASE, OWN_NAMESPACE, apis=[MUTATING])
        policies = [one for one in yaml.safe_load_all(text) if one and one["kind"].startswith("MutatingAdmissionPolicy")]
        self.assertEqual(len(policies), 4)
        # Served as v1 from Kubernetes 1.36 on; tests/crds/run has a server of 1.35 serve v1beta1, which reads the same.
        served = run("kubectl", "get", "--raw", "/apis/admissionregistration.k8s.io/v1").stdout
        if "mutatingadmissionpolicies" not in served:
            policies = [changed(one, {"apiVersion": "admissionregistration.k8s.io/v1beta1"}) for one in policies]
        namespace = f"defaults-{int(time.time())}"
        apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace, "labels": {
            "reprise.dev/default-pool": "t4", "reprise.dev/capacity-type": "on-demand"}}}, *policies)
        kind_of = "karpenter.sh/capacity-type"

        def made(manifest, changes, *path):
            done = run("kubectl", "create", "-f", "-", "--dry-run=server", "-o", "json",
                       stdin=json.dumps(changed(manifest, {"metadata.namespace": namespace, **changes})))
            value = json.loads(done.stdout) if done.returncode == 0 else {}
            for part in path:
                value = value.get(part, {})
            return value
        pod = changed(POD, {"metadata.labels": DROP, "metadata.ownerReferences": DROP, "spec.serviceAccountName": "default"})
        try:
            eventually(lambda: made(JOB, {"spec.poolName": DROP}, "spec", "poolName") == "t4")
            self.assertEqual(made(JOB, {"spec.poolName": "a100"}, "spec", "poolName"), "a100")
            eventually(lambda: made(pod, {}, "spec", "nodeSelector") == {kind_of: "on-demand"})
            self.assertEqual(made(pod, {"spec.nodeSelector": {"a": "b"}}, "spec", "nodeSelector"), {"a": "b", kind_of: "on-demand"})
            self.assertEqual(made(pod, {"spec.nodeSelector": {kind_of: "spot"}}, "spec", "nodeSelector"), {kind_of: "spot"})
            of_daemonset = [{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "logs", "uid": "1", "controller": True}]
            of_replicas = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "1", "controller": True}]
            for_one_node = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-a"]}]}]}}}
            for_a_zone = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                {"matchExpressions": [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["a"]}]}]}}}
            for changes in ({"metadata.ownerReferences": of_replicas}, {"spec.affinity": for_a_zone}):
                self.assertEqual(made(pod, changes, "spec", "nodeSelector"), {kind_of: "on-demand"}, changes)
            for changes in ({"metadata.labels": POD["metadata"]["labels"]}, {"metadata.namespace": NAMESPACE},
                            {"metadata.ownerReferences": of_daemonset}, {"spec.affinity": for_one_node}):
                spec = made(pod, changes, "spec")
                self.assertIn("containers", spec)
                self.assertNotIn("nodeSelector", spec)
        finally:
            kubectl("delete", "-f", "-", stdin=yaml.safe_dump_all(policies))
            kubectl("delete", "namespace", namespace, "--wait=false")


if __name__ == "__main__":
    unittest.main()
