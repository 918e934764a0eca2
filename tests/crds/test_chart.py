"""The chart: rendered with several values, and installed on a real API server by the real helm."""

import json
import os
import re
import tempfile
import unittest

import yaml

from chart import documents, render
from support import (CHART, JOB, NAMESPACE, OPERATOR, OWN_NAMESPACE, POOL, RELEASE, ROOT, changed, create, eventually, get, install,
                     kubectl, must, remove_objects, run, set_status)

VALUE_SETS = {
    "defaults": {},
    "one replica, no extras": {"replicas": 1, "podDisruptionBudget": {"enabled": False}, "networkPolicy": {"enabled": False},
                               "standbyPriorityClass": {"create": False}, "poolProtection": {"enabled": False},
                               "claimProtection": {"enabled": False},
                               "metrics": {"service": {"enabled": False}}, "rbac": {"aggregate": False}},
    "no roles, another account": {"rbac": {"create": False}, "serviceAccount": {"create": False, "name": "given"}},
    "names and labels": {"fullnameOverride": "spot", "commonLabels": {"team": "platform"}, "podLabels": {"a": "b"},
                         "podAnnotations": {"c": "d"}, "serviceAccount": {"annotations": {"e": "f"}}},
    "digests and secrets": {"image": {"digest": "sha256:" + "a" * 64}, "agent": {"image": {"digest": "sha256:" + "b" * 64}},
                            "imagePullSecrets": [{"name": "pull"}]},
    "everything extra": {"extraArgs": ["--v=2"], "extraEnv": [{"name": "A", "value": "b"}],
                         "extraVolumes": [{"name": "v", "emptyDir": {}}], "extraVolumeMounts": [{"name": "v", "mountPath": "/v"}],
                         "extraObjects": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "{{ .Release.Name }}-x",
                                                                                                 "namespace": "default"}}],
                         "tolerations": [{"operator": "Exists"}], "nodeSelector": {"a": "b"},
                         "affinity": {"nodeAffinity": {}}, "topologySpreadConstraints": [
                             {"maxSkew": 1, "topologyKey": "a", "whenUnsatisfiable": "ScheduleAnyway"}],
                         "networkPolicy": {"metricsFrom": [{"namespaceSelector": {}}], "apiServerPorts": [8443]}},
    "definitions that go": {"crds": {"keep": False}},
    "single namespaces": {"watchNamespaces": [NAMESPACE, "default"]},
    "one namespace": {"watchNamespaces": [NAMESPACE]},
    "all policies": {"poolUse": {"enabled": True}, "templateProtection": {"allowPodCreators": False}},
    "no policies": {name: {"enabled": False} for name in (
        "poolProtection", "claimProtection", "statusProtection", "templateProtection", "operatorFence", "namespaceDefaults")},
    "pool use without roles": {"poolUse": {"enabled": True}, "rbac": {"create": False}},
    "secure metrics": {"metrics": {"secure": {"enabled": True}}},
    "secure metrics with a certificate": {"metrics": {"secure": {"enabled": True, "certificateSecret": "metrics"}},
                                          "extraVolumes": [{"name": "v", "emptyDir": {}}],
                                          "extraVolumeMounts": [{"name": "v", "mountPath": "/v"}]},
    "no reports": {"reports": {"enabled": False}},
    "reports with a certificate": {"reports": {"port": 9000, "certificateSecret": "pair"}},
    "state metrics": {"metrics": {"kubeStateMetrics": {"enabled": True}}},
    "flags": {"log": {"level": "debug", "format": "text"}, "leaderElection": {"leaseDuration": "60s", "renewDeadline": "40s"},
              "maxConcurrentReconciles": 16, "terminationGracePeriodSeconds": 3},
    "a device plugin elsewhere": {"devicePlugin": {"namespace": "kube-system"}},
    "pull secrets of training pods": {"agent": {"image": {"pullPolicy": "Always", "pullSecrets": ["a"]}}},
    "queues": {"featureGates": {"Kueue": True}},
    "queues of one namespace": {"featureGates": {"Kueue": True}, "watchNamespaces": [NAMESPACE]},
    "queues with boosts": {"featureGates": {"Kueue": True, "KueuePriorityBoost": True}},
    "a feature gate that is off": {"featureGates": {"Kueue": False}},
    "security contexts": {"podSecurityContext": {"runAsUser": 1000}, "securityContext": {"runAsUser": 1000}, "hostUsers": False},
    "recreated": {"updateStrategy": {"type": "Recreate", "rollingUpdate": None}, "revisionHistoryLimit": 0,
                  "annotations": {"a": "b"}, "dnsPolicy": "Default"},
    "further rights": {"rbac": {"extraClusterRoleRules": [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]}},
    "no definitions": {"crds": {"enabled": False}},
}


def named(resource, group):
    """As `reprise-operator --print-permissions` names it: nodeclaims.karpenter.sh, gpupools.reprise.dev/status."""
    if not group:
        return resource
    name, slash, subresource = resource.partition("/")
    return f"{name}.{group}{slash}{subresource}"


OPERATORS_PROGRAM = ROOT / "build" / os.environ.get("PRESET", "dev") / "bin" / "reprise-operator"
OPERATORS_ROLES = [f"render-reprise{part}" for part in ("", "-jobs", "-events", "-device-plugin")]


def granted(values):
    """(scope, resource, verb) of the operator's roles; scopes as --print-permissions names them."""
    scopes = {None: "cluster", OWN_NAMESPACE: "namespace"}
    return {(scopes.get(where, f"namespace/{where}"), named(resource, group), verb)
            for document in documents(values, namespace=OWN_NAMESPACE)
            if document["kind"] in ("Role", "ClusterRole") and document["metadata"]["name"] in OPERATORS_ROLES
            for where in [document["metadata"].get("namespace")]
            for rule in document["rules"]
            for group in rule.get("apiGroups", [""])
            for resource in rule.get("resources", []) + rule.get("nonResourceURLs", []) for verb in rule["verbs"]}


def one(kind, values=None):
    found = [document for document in documents(values) if document["kind"] == kind]
    assert len(found) == 1, f"{len(found)} of {kind}"
    return found[0]


class Rendered(unittest.TestCase):
    def test_lint(self):
        done = run("helm", "lint", "--strict", CHART)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_values_that_nobody_knows_are_rejected(self):
        for wrong in ("replica=3", "image.name=x", "metrics.service.port=1", "replicas=many", "image.digest=latest", "replicas=-1"):
            with self.subTest(wrong):
                self.assertNotEqual(run("helm", "template", "x", CHART, "--set", wrong).returncode, 0)

    def test_definitions_are_those_of_the_repository(self):
        rendered = {document["metadata"]["name"]: document for document in documents()
                    if document["kind"] == "CustomResourceDefinition"}
        self.assertEqual(len(rendered), 2)
        for path in (ROOT / "crds").glob("reprise.dev_*.yaml"):
            original = yaml.safe_load(path.read_text())
            self.assertEqual(rendered[original["metadata"]["name"]]["spec"], original["spec"])

    def test_definitions_are_kept_switched_and_left_out(self):
        def definitions(values):
            return [document["metadata"].get("annotations") for document in documents(values)
                    if document["kind"] == "CustomResourceDefinition"]
        self.assertEqual(definitions({}), [{"helm.sh/resource-policy": "keep"}] * 2)
        self.assertEqual(definitions({"crds": {"keep": False}}), [None] * 2)
        self.assertEqual(definitions({"crds": {"enabled": False}}), [])

    def test_the_operator_is_restricted(self):
        pod = one("Deployment")["spec"]["template"]["spec"]
        container = pod["containers"][0]
        self.assertEqual(pod["securityContext"]["runAsUser"], 65532)
        self.assertTrue(pod["securityContext"]["runAsNonRoot"])
        self.assertEqual(pod["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
        self.assertEqual(container["securityContext"], {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                                        "capabilities": {"drop": ["ALL"]}})
        terms = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
        self.assertEqual(terms[0]["matchExpressions"], [{"key": "karpenter.sh/nodepool", "operator": "DoesNotExist"}])

    def test_the_operator_is_started_as_it_expects(self):
        container = one("Deployment")["spec"]["template"]["spec"]["containers"][0]
        self.assertEqual(container["command"], ["reprise-operator"])
        self.assertEqual(container["livenessProbe"]["httpGet"], {"path": "/healthz", "port": "health"})
        self.assertEqual(container["readinessProbe"]["httpGet"], {"path": "/readyz", "port": "health"})

    def test_a_digest_wins_over_a_tag(self):
        values = {"image": {"tag": "x", "digest": "sha256:" + "a" * 64}}
        self.assertEqual(one("Deployment", values)["spec"]["template"]["spec"]["containers"][0]["image"], "reprise@sha256:" + "a" * 64)

    def test_the_agent_comes_with_the_operators_image_unless_it_is_given_one(self):
        digest = "sha256:" + "a" * 64
        for operator, agent, expected in (
                ({}, {}, "reprise:0.1.0"),
                ({"repository": "registry/reprise", "tag": "x"}, {}, "registry/reprise:x"),
                ({"repository": "registry/reprise", "digest": digest}, {}, f"registry/reprise@{digest}"),
                ({"repository": "registry/reprise", "tag": "x"}, {"tag": "y"}, "registry/reprise:y"),
                ({"tag": "x"}, {"repository": "registry/agent"}, "registry/agent:0.1.0"),
                ({"digest": digest}, {"repository": "registry/agent", "digest": digest}, f"registry/agent@{digest}")):
            with self.subTest(operator=operator, agent=agent):
                pod = one("Deployment", {"image": operator, "agent": {"image": agent}})["spec"]["template"]["spec"]
                self.assertIn(f"--agent-image={expected}", pod["containers"][0]["args"])

    def test_times_of_the_lease_that_the_operator_refuses_are_refused_with_its_sentence(self):
        for lease, renew, retry in (("5s", "10s", "2s"), ("60s", "58s", "2s"), ("15s", "2.4s", "2s"), ("15s", "10s", "99ms"),
                                    ("1500ms", "500ms", "100ms"), ("11m", "10s", "2s")):
            with self.subTest(lease=lease, renew=renew, retry=retry):
                operator = run(OPERATORS_PROGRAM, f"--leader-elect-lease-duration={lease}", f"--leader-elect-renew-deadline={renew}",
                               f"--leader-elect-retry-period={retry}")
                sentence, = re.findall(r"--leader-elect-\.\.\.: (.*)", operator.stderr)
                done = run("helm", "template", "x", CHART, "--set", f"leaderElection.leaseDuration={lease}", "--set",
                           f"leaderElection.renewDeadline={renew}", "--set", f"leaderElection.retryPeriod={retry}")
                self.assertIn(f"leaderElection: {sentence}", done.stderr)
        self.assertNotEqual(run("helm", "template", "x", CHART, "--set", "leaderElection.leaseDuration=1m30s").returncode, 0)

    def test_rights_have_no_wildcards_and_no_secrets(self):
        for document in documents():
            for rule in document.get("rules", ()) if document["kind"] in ("Role", "ClusterRole") else ():
                names = rule.get("apiGroups", []) + rule.get("resources", []) + rule["verbs"]
                self.assertFalse({"*", "secrets", "escalate", "bind", "impersonate"} & set(names), rule)
                self.assertLessEqual(set(rule.get("nonResourceURLs", [])), {"/apis", "/apis/*"}, rule)

    def test_the_roles_grant_what_the_operator_asks_for_and_no_more(self):
        reports = ["--report-bind-address=:9446", "--report-service=reprise-reports"]
        for flags, values in (([], {"reports": {"enabled": False}}), (reports, {}),
                              ([*reports, "--feature-gates=Kueue=true"], {"featureGates": {"Kueue": True}}),
                              ([*reports, "--feature-gates=Kueue=true,KueuePriorityBoost=true"],
                               {"featureGates": {"Kueue": True, "KueuePriorityBoost": True}}),
                              ([*reports, "--feature-gates=Kueue=true", "--watch-namespaces=vision"],
                               {"featureGates": {"Kueue": True}, "watchNamespaces": ["vision"]}), ([*reports, "--watch-namespaces=vision"], {"watchNamespaces": ["vision"]}),
                              ([*reports, "--watch-namespaces=vision,default"], {"watchNamespaces": ["vision", "default"]}),
                              ([*reports, "--device-plugin-namespace=gpu"], {"devicePlugin": {"namespace": "gpu"}}),
                              ([*reports, "--metrics-secure"], {"metrics": {"secure": {"enabled": True}}}),
                              (["--metrics-secure"], {"metrics": {"secure": {"enabled": True}}, "reports": {"enabled": False}}),
                              ([*reports, "--metrics-secure", "--watch-namespaces=vision"],
                               {"metrics": {"secure": {"enabled": True}}, "watchNamespaces": ["vision"]})):
            with self.subTest(flags):
                printed = run(OPERATORS_PROGRAM, "--print-permissions", *flags)
                self.assertEqual(printed.returncode, 0, printed.stderr)
                asked = {(scope, resource, verb) for scope, resource, verbs in map(str.split, printed.stdout.splitlines())
                         for verb in verbs.split(",")}
                self.assertEqual(asked, granted(values))

    def test_the_readme_gives_a_reason_for_every_right_and_for_no_other(self):
        given = {(resource, verb) for document in documents({"featureGates": {"Kueue": True, "KueuePriorityBoost": True}, "metrics": {"secure": {"enabled": True}}})
                 if document["kind"] in ("Role", "ClusterRole") and document["metadata"]["name"] in OPERATORS_ROLES
                 for rule in document["rules"]
                 for resource in rule.get("resources", []) + rule.get("nonResourceURLs", []) for verb in rule["verbs"]}
        explained, resources = set(), []
        section = (CHART / "README.md").read_text().split("## What the operator may do, and why")[1]
        for first, verbs in re.findall(r"^\|([^|]*)\|([a-z, ]+)\|", section, re.MULTILINE):
            resources = re.findall("`([^`]+)`", first) or resources
            explained |= {(resource, verb.strip()) for resource in resources for verb in verbs.split(",")}
        self.assertEqual(explained, given)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        install()
        remove_objects()

    def test_the_api_server_takes_every_set_of_values(self):
        for sentence, values in VALUE_SETS.items():
            with self.subTest(sentence):
                text = render({**values, "crds": {**values.get("crds", {}), "enabled": False}})
                kubectl("apply", "--dry-run=server", "--validate=strict", "-f", "-", stdin=text)

    def test_the_chart_shows_an_example_of_each_kind_that_the_api_server_takes_and_lint_has_nothing_against(self):
        annotations = yaml.safe_load((CHART / "Chart.yaml").read_text())["annotations"]
        kinds = [each["kind"] for each in yaml.safe_load(annotations["artifacthub.io/crds"])]
        examples = yaml.safe_load(annotations["artifacthub.io/crdsExamples"])
        self.assertEqual([each["kind"] for each in examples], kinds)
        kubectl("apply", "--dry-run=server", "--validate=strict", "-n", NAMESPACE, "-f", "-", stdin=yaml.safe_dump_all(examples))
        done = run(OPERATORS_PROGRAM.with_name("reprise"), "lint", "--strict", "-f", "-", stdin=yaml.safe_dump_all(examples))
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_a_used_pool_cannot_be_deleted(self):
        self.assertEqual(create(changed(POOL, {"metadata.name": "used"})).returncode, 0)
        set_status("gp", "used", {"jobs": 2})
        delete = ("kubectl", "delete", "gp", "used", "--dry-run=server")
        eventually(lambda: run(*delete).returncode != 0)  # the policy takes a moment to be in force
        self.assertIn("GpuPool used is used by 2 unfinished ResumableJobs", run(*delete).stderr)
        self.assertNotEqual(run("kubectl", "delete", "gp", "--all").returncode, 0)
        set_status("gp", "used", {"jobs": 0})
        kubectl("delete", "gp", "used", "--timeout=10s")

    def test_the_operator_has_its_rights_and_no_more(self):
        account = f"--as={OPERATOR}"

        def may(verb, resource, *where):
            resource, _, subresource = resource.partition("/")  # kubectl takes what follows a slash for a name
            part = (f"--subresource={subresource}",) if subresource else ()
            return run("kubectl", "auth", "can-i", verb, resource, account, *part, *where).stdout.strip() == "yes"
        own, everywhere = ("-n", OWN_NAMESPACE), ("-A",)
        for verb, resource, where in (
                ("patch", "resumablejobs.reprise.dev/status", everywhere), ("watch", "gpupools.reprise.dev", everywhere),
                ("create", "pods", everywhere), ("delete", "nodeclaims.karpenter.sh", everywhere),
                ("create", "nodeoverlays.karpenter.sh", everywhere), ("watch", "events", ("-n", "default")),
                ("create", "events.events.k8s.io", everywhere), ("patch", "leases.coordination.k8s.io", own),
                ("patch", "configmaps", own), ("list", "namespaces", everywhere), ("create", "services", everywhere),
                ("create", "persistentvolumeclaims", everywhere), ("patch", "persistentvolumeclaims", everywhere),
                ("delete", "resumablejobs.reprise.dev", everywhere), ("patch", "nodes", everywhere)):
            self.assertTrue(may(verb, resource, *where), f"{verb} {resource}")
        for verb, resource, where in (
                ("watch", "events", everywhere), ("watch", "events", own), ("get", "namespaces", everywhere),
                ("get", "gpupools.reprise.dev", everywhere), ("get", "nodeoverlays.karpenter.sh", everywhere), ("get", "configmaps", own),
                ("get", "secrets", own), ("list", "secrets", everywhere), ("update", "nodes", everywhere),
                ("delete", "nodes", everywhere), ("patch", "nodes/status", everywhere), ("create", "pods/exec", everywhere), ("get", "configmaps", ("-n", "kube-system")),
                ("patch", "leases.coordination.k8s.io", ("-n", "kube-system")), ("create", "resumablejobs.reprise.dev", everywhere),
                ("update", "leases.coordination.k8s.io", own), ("delete", "leases.coordination.k8s.io", own),
                ("update", "persistentvolumeclaims", everywhere), ("delete", "persistentvolumeclaims", everywhere),
                ("patch", "services", everywhere), ("delete", "services", everywhere),
                ("patch", "resumablejobs.reprise.dev", everywhere), ("patch", "gpupools.reprise.dev", everywhere),
                ("delete", "gpupools.reprise.dev", everywhere), ("patch", "nodeclaims.karpenter.sh", everywhere),
                ("create", "nodeclaims.karpenter.sh", everywhere), ("create", "serviceaccounts/token", everywhere),
                ("create", "clusterroles.rbac.authorization.k8s.io", everywhere)):
            self.assertFalse(may(verb, resource, *where), f"{verb} {resource}")

    def test_of_a_claim_the_operator_changes_one_annotation_and_takes_off_the_owners_that_it_was_made_with(self):
        def owner(api_version, kind, name, uid):
            return {"apiVersion": api_version, "kind": kind, "name": name, "uid": uid}
        others = [owner("v1", "Namespace", "default", get("namespace", "default")["metadata"]["uid"])]
        kubectl("create", "configmap", "note", "-n", NAMESPACE)
        others.append(owner("v1", "ConfigMap", "note", get("configmap", "note", "-n", NAMESPACE)["metadata"]["uid"]))
        claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
                 "metadata": {"name": "checkpoints", "namespace": NAMESPACE, "labels": {"a": "b"}, "annotations": {"c": "d"},
                              "ownerReferences": others},
                 "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "", "resources": {"requests": {"storage": "1Gi"}}}}
        kubectl("apply", "-f", "-", stdin=json.dumps(claim))

        def patch(changes):
            return run("kubectl", "patch", "pvc", "checkpoints", "-n", NAMESPACE, "--type=merge", "-p", json.dumps(changes),
                       f"--as={OPERATOR}")
        finalizers = {"metadata": {"finalizers": None}}
        eventually(lambda: patch(finalizers).returncode != 0)  # the policy takes a moment to be in force
        for changes in (finalizers, {"metadata": {"labels": {"a": None}}}, {"metadata": {"labels": {"x": "y"}}},
                        {"metadata": {"annotations": {"c": "e"}}}, {"metadata": {"annotations": {"c": None}}},
                        {"metadata": {"annotations": {"x": "y"}}}, {"spec": {"volumeName": "somebody-s"}},
                        {"metadata": {"ownerReferences": None}}, {"metadata": {"ownerReferences": others[:1]}}):
            rejected = patch(changes)
            self.assertNotEqual(rejected.returncode, 0, changes)
            self.assertIn("annotation reprise.dev/used-by", rejected.stderr)
        for holder in ("fit/1/uid", "fit/2/uid"):
            allowed = patch({"metadata": {"annotations": {"reprise.dev/used-by": holder}}})
            self.assertEqual(allowed.returncode, 0, allowed.stderr)
        allowed = patch({"metadata": {"ownerReferences": others[1:]}})
        self.assertEqual(allowed.returncode, 0, allowed.stderr)
        kubectl("delete", "pvc/checkpoints", "configmap/note", "-n", NAMESPACE, "--wait=false")

    def test_people_get_their_rights_by_aggregation(self):
        def holds(role, verb, resource):
            return any(verb in rule["verbs"] and resource in rule.get("resources", ())
                       and "reprise.dev" in rule.get("apiGroups", ()) for rule in get("clusterrole", role)["rules"] or ())
        eventually(lambda: holds("view", "list", "resumablejobs"))
        eventually(lambda: holds("edit", "create", "resumablejobs"))
        eventually(lambda: holds("admin", "delete", "resumablejobs"))
        self.assertFalse(holds("view", "create", "resumablejobs"))
        for role in ("view", "edit", "admin"):
            self.assertFalse(holds(role, "create", "gpupools"))
            self.assertFalse(holds(role, "patch", "resumablejobs/status"))

    def test_standby_pods_have_a_priority_below_all_others(self):
        self.assertEqual(get("priorityclass", "reprise-standby")["value"], -10)

    def test_uninstalling_leaves_definitions_and_objects(self):
        self.assertEqual(create(changed(POOL, {"metadata.name": "stays"})).returncode, 0)
        self.assertEqual(create(changed(JOB, {"metadata.name": "stays"})).returncode, 0)
        must("helm", "uninstall", RELEASE, "--namespace", OWN_NAMESPACE, "--wait", "--timeout", "60s")
        try:
            self.assertEqual(get("gp", "stays")["metadata"]["name"], "stays")
            self.assertEqual(get("rj", "stays", "-n", NAMESPACE)["metadata"]["name"], "stays")
            self.assertNotEqual(run("kubectl", "get", "deployment", RELEASE, "-n", OWN_NAMESPACE).returncode, 0)
            self.apply_the_plain_manifest()
        finally:
            install()  # and a new installation takes them over
        kubectl("delete", "gp", "stays", "--timeout=10s")

    def apply_the_plain_manifest(self):
        """What the chart installs, without helm; it goes again, as docs/install.md says, and leaves pools and jobs."""
        removal = re.search(r"^packaging/manifest build/reprise-without-definitions.yaml (.*)$", (ROOT / "docs/install.md").read_text(), re.MULTILINE)
        with tempfile.TemporaryDirectory() as directory:
            path, rest = f"{directory}/reprise.yaml", f"{directory}/reprise-without-definitions.yaml"
            must(ROOT / "packaging" / "manifest", path, "--set", "image.repository=registry/reprise")
            kubectl("apply", "--server-side", "-f", path)
            self.assertEqual(get("gp", "stays")["metadata"]["name"], "stays")
            container = get("deployment", RELEASE, "-n", OWN_NAMESPACE)["spec"]["template"]["spec"]["containers"][0]
            self.assertEqual(container["image"], "registry/reprise:0.1.0")
            must(ROOT / "packaging" / "manifest", rest, *removal[1].split())
            with open(path) as whole, open(rest) as without:
                parts = [{(one["kind"], one["metadata"]["name"]) for one in yaml.safe_load_all(text)} for text in (whole, without)]
            self.assertEqual({kind for kind, _ in parts[0] - parts[1]}, {"CustomResourceDefinition"})
            self.assertLessEqual({"Deployment", "ClusterRole", "Role", "NetworkPolicy", "ValidatingAdmissionPolicy"}, {kind for kind, _ in parts[1]})
            kubectl("delete", "-f", rest)
        self.assertEqual(get("gp", "stays")["metadata"]["name"], "stays")
        self.assertEqual(get("rj", "stays", "-n", NAMESPACE)["metadata"]["name"], "stays")


if __name__ == "__main__":
    unittest.main()
