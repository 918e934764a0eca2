"""Every object of the chart is there, and says what it should."""

import re
import tempfile
import unittest

import yaml

from chart import FILES, MONITORING, MUTATING, NAME, POLICY, Rendered, copy, documents
from support import CHART, ROOT

# Everything that a chart with all of its switches on has, by kind; {} is the release's full name.
OBJECTS = {
    "ServiceAccount": ["{}", "{}-node-agent"], "Deployment": ["{}"], "DaemonSet": ["{}-node-agent"], "Service": ["{}-metrics", "{}-reports"], "PodDisruptionBudget": ["{}"],
    "NetworkPolicy": ["{}", "{}-node-agent"], "PriorityClass": ["reprise-standby"], "Role": ["{}", "{}-events", "{}-node-agent"],
    "RoleBinding": ["{}", "{}-events", "{}-node-agent"],
    "ClusterRole": ["{}", "{}-view", "{}-edit", "{}-admin", "{}-pool-admin", "{}-pool-user", "{}-kube-state-metrics",
                    "{}-metrics-reader", "{}-node-agent"],
    "ClusterRoleBinding": ["{}", "{}-node-agent"],
    POLICY: ["{}-claim-annotation-only", "{}-jobs-only", "{}-node-agent-own-events", "{}-node-agent-own-taints", "{}-node-labels-only",
             "{}-pool-in-use", "{}-pool-use", "{}-status", "{}-template"],
    "ValidatingAdmissionPolicyBinding": ["{}-claim-annotation-only", "{}-jobs-only", "{}-node-agent-own-events", "{}-node-agent-own-taints",
                                         "{}-node-labels-only", "{}-pool-in-use", "{}-pool-use", "{}-status", "{}-template"],
    "MutatingAdmissionPolicy": ["{}-capacity-type", "{}-default-pool"],
    "MutatingAdmissionPolicyBinding": ["{}-capacity-type", "{}-default-pool"],
    "PodMonitor": ["{}"], "PrometheusRule": ["{}"],  # a ServiceMonitor in place of the PodMonitor: test_metrics_are_read_by_one_monitor_alone
    "ConfigMap": ["{}-dashboards", "{}-kube-state-metrics", "{}-prices", "extra"],
}
# And more with jobs in two namespaces alone, and the device plugin elsewhere.
NARROWED = {"watchNamespaces": ["a", "b"], "devicePlugin": {"namespace": "gpu"}}
NARROWED_OBJECTS = {(kind, f"{NAME}-{name}", namespace) for kind in ("Role", "RoleBinding")
                    for name, namespace in (("jobs", "a"), ("jobs", "b"), ("device-plugin", "gpu"))}
EVERYTHING = {"poolUse": {"enabled": True}, "nodeAgent": {"enabled": True, "hostNetwork": False}, "metrics": {"secure": {"enabled": True, "tokenSecret": "scraper"}, "podMonitor": {"enabled": True}, "kubeStateMetrics": {"enabled": True}},
              "extraObjects": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "extra"}}]}


class Objects(unittest.TestCase):
    expected = {(kind, name.format(NAME)) for kind, names in OBJECTS.items() for name in names}

    def everything(self, directory, without=()):
        return Rendered(EVERYTHING, apis=[*MONITORING, MUTATING], chart=copy(directory, without, **FILES))

    def test_every_object_is_there(self):
        with tempfile.TemporaryDirectory() as directory:
            self.assertEqual(set(self.everything(directory)), self.expected)

    def test_in_single_namespaces_there_are_roles_and_bindings_in_each_beside_all_others(self):
        def places(values):
            rendered = documents({**values, "crds": {"enabled": False}}, apis=[*MONITORING, MUTATING])
            return {(one["kind"], one["metadata"]["name"], one["metadata"].get("namespace")): one for one in rendered}
        everywhere, narrowed = places(EVERYTHING), places({**EVERYTHING, **NARROWED})
        self.assertEqual(narrowed.keys() - everywhere.keys(), NARROWED_OBJECTS)
        self.assertFalse(everywhere.keys() - narrowed.keys())
        for kind, name, namespace in NARROWED_OBJECTS:
            if kind == "RoleBinding":
                binding = narrowed[kind, name, namespace]
                self.assertEqual((binding["roleRef"]["kind"], binding["roleRef"]["name"]), ("Role", name))
                self.assertEqual(binding["subjects"], [{"kind": "ServiceAccount", "name": NAME, "namespace": "default"}])

    def test_without_roles_of_its_own_the_chart_has_all_the_rest_and_its_policies_too(self):
        everything = {**EVERYTHING, "rbac": {"create": False}}
        rights = {(kind, name) for kind, name in self.expected if kind.startswith(("Role", "ClusterRole"))}
        with tempfile.TemporaryDirectory() as directory:
            seen = Rendered(everything, apis=[*MONITORING, MUTATING], chart=copy(directory, **FILES))
        self.assertEqual(set(seen), self.expected - rights)

    def test_an_object_that_disappears_is_missed(self):
        templates = [path.name for path in (CHART / "templates").glob("*.yaml") if path.name != "crds.yaml"]
        self.assertGreater(len(templates), 15)
        for name in templates:
            with self.subTest(name), tempfile.TemporaryDirectory() as directory:
                self.assertNotEqual(set(self.everything(directory, (f"templates/{name}",))), self.expected)

    def test_the_disruption_budget_and_the_network_policy_are_of_the_operators_pods(self):
        seen = Rendered()
        labels = seen.deployment["spec"]["template"]["metadata"]["labels"]
        budget, network = seen["PodDisruptionBudget", NAME]["spec"], seen["NetworkPolicy", NAME]["spec"]
        self.assertEqual(budget["maxUnavailable"], 1)
        for selector in (budget["selector"], network["podSelector"], {"matchLabels": seen["Service", f"{NAME}-metrics"]["spec"]["selector"]}):
            self.assertLessEqual(selector["matchLabels"].items(), labels.items())
        self.assertEqual(network["policyTypes"], ["Ingress", "Egress"])
        self.assertEqual([[port["port"] for port in rule["ports"]] for rule in network["ingress"]], [["metrics"], ["health"], ["reports"]])
        self.assertEqual([[port["port"] for port in rule["ports"]] for rule in network["egress"]], [[443, 6443], [53, 53]])

    def test_metrics_are_read_by_one_monitor_alone(self):
        for metrics, expected in (({}, {"ServiceMonitor"}), ({"podMonitor": {"enabled": True}}, {"PodMonitor"}),
                                  ({"service": {"enabled": False}}, set()),
                                  ({"service": {"enabled": False}, "podMonitor": {"enabled": True}}, {"PodMonitor"}),
                                  ({"serviceMonitor": {"enabled": False}}, set())):
            seen = Rendered({"metrics": metrics}, apis=MONITORING)
            self.assertEqual({kind for kind, _ in seen if kind.endswith("Monitor")}, expected, metrics)

    def test_without_dashboards_and_alerts_there_is_nothing_empty(self):
        with tempfile.TemporaryDirectory() as directory:
            chart = copy(directory, [str(path.relative_to(CHART)) for path in CHART.glob("files/dashboards/*.json")],
                         **{"files__alerts.yaml": "groups: []"})
            seen = Rendered(apis=MONITORING, chart=chart)
            self.assertFalse({("PrometheusRule", NAME), ("ConfigMap", f"{NAME}-dashboards")} & seen.keys())

    def test_alerts_and_dashboards_are_those_of_the_files(self):
        with tempfile.TemporaryDirectory() as directory:
            seen = self.everything(directory)
        self.assertEqual(seen["PrometheusRule", NAME]["spec"], yaml.safe_load(FILES["files__alerts.yaml"]))
        board = seen["ConfigMap", f"{NAME}-dashboards"]
        self.assertEqual((board["data"]["a.json"], board["metadata"]["labels"]["grafana_dashboard"]), ("{}", "1"))

    def test_what_kube_state_metrics_reads_is_in_the_definitions(self):
        config = yaml.safe_load((CHART / "files/kube-state-metrics.yaml").read_text())
        shown = {}
        for resource in config["spec"]["resources"]:
            kind = resource["groupVersionKind"]["kind"]
            definition = yaml.safe_load((CHART / f"files/crds/reprise.dev_{kind.lower()}s.yaml").read_text())
            schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
            for metric in resource["metrics"]:
                kind_of = metric["each"]["type"]
                body = metric["each"][kind_of[0].lower() + kind_of[1:]]
                start = follow(schema, body.get("path", []))
                for path in [*body.get("labelsFromPath", {}).values(), body.get("valueFrom", [])]:
                    follow(start, path)
                shown.setdefault(kind, set()).add(metric["name"])
        self.assertLessEqual({"info", "status_condition", "gpus", "cost_dollars_per_hour"}, shown["GpuPool"])
        self.assertLessEqual({"info", "status_condition", "attempt", "interruptions", "lost_seconds", "checkpoint_timestamp_seconds",
                              "cost_dollars"}, shown["ResumableJob"])

    def test_roles_of_single_namespaces_grant_the_same_with_less_in_the_whole_cluster(self):
        everywhere, some = Rendered(), Rendered({"watchNamespaces": ["a", "b"]})
        jobs, rest = some.rules("Role", f"{NAME}-jobs"), some.rules("ClusterRole", NAME)
        self.assertEqual(jobs | rest, everywhere.rules("ClusterRole", NAME))
        self.assertFalse(jobs & rest)
        self.assertEqual({resource for resource, _ in rest}, {
            "gpupools", "gpupools/status", "gpupools/finalizers", "nodes", "namespaces", "nodepools", "nodeoverlays", "nodeclaims", "tokenreviews",
            "/apis", "/apis/*"})
        notices, own = {("events", "list"), ("events", "watch")}, {("events", "create"), ("events", "patch")}
        self.assertEqual(everywhere.rules("Role", f"{NAME}-events"), notices)
        self.assertEqual(some.rules("Role", f"{NAME}-events"), notices | own)
        self.assertEqual({right for right in jobs if right[0] == "events"}, own | {("events", "list")})


class NodeAgent(unittest.TestCase):
    name = f"{NAME}-node-agent"

    def rendered(self, **values):
        return Rendered({"nodeAgent": {"enabled": True, **values}})

    def pod(self, **values):
        return self.rendered(**values)["DaemonSet", self.name]["spec"]["template"]["spec"]

    def test_it_may_read_and_patch_nodes_and_make_events_and_nothing_else(self):
        seen = self.rendered()
        self.assertEqual(seen.rules("ClusterRole", self.name), {("nodes", "get"), ("nodes", "patch")})
        self.assertEqual(seen.rules("Role", self.name), {("events", "create")})
        self.assertEqual(seen["Role", self.name]["metadata"]["namespace"], "default")
        for kind in ("RoleBinding", "ClusterRoleBinding"):
            self.assertEqual(seen[kind, self.name]["subjects"], [{"kind": "ServiceAccount", "name": self.name, "namespace": "default"}])

    def test_of_the_host_it_has_the_network_alone_and_only_where_that_is_wanted(self):
        for own, seen in ((True, self.pod()), (False, self.pod(hostNetwork=False))):
            self.assertEqual(seen.get("hostNetwork", False), own)
            self.assertFalse({"hostPID", "hostIPC", "volumes"} & seen.keys())
            container, = seen["containers"]
            self.assertEqual(container["securityContext"], {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                                            "capabilities": {"drop": ["ALL"]}})
            self.assertTrue(seen["securityContext"]["runAsNonRoot"])
            self.assertFalse({"ports", "volumeMounts"} & container.keys())

    def test_it_runs_on_nodes_of_pools_unless_others_are_chosen(self):
        chosen = self.pod()["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
        self.assertEqual(chosen, [{"matchExpressions": [{"key": "reprise.dev/pool", "operator": "Exists"}]}])
        self.assertNotIn("affinity", self.pod(nodeSelector={"a": "b"}))

    def test_its_pods_are_none_of_the_operators(self):
        seen = self.rendered()
        labels = seen["DaemonSet", self.name]["spec"]["template"]["metadata"]["labels"]
        for selector in (seen.deployment["spec"]["selector"], seen["PodDisruptionBudget", NAME]["spec"]["selector"],
                         seen["NetworkPolicy", NAME]["spec"]["podSelector"]):
            self.assertFalse(selector["matchLabels"].items() <= labels.items())

    def test_its_policy_knows_the_taints_that_the_programs_know(self):
        header = (ROOT / "protocol/node_taints.h").read_text()
        policy = self.rendered()[POLICY, f"{self.name}-own-taints"]["spec"]
        keys, = (one["expression"] for one in policy["variables"] if one["name"] == "keys")
        self.assertEqual(set(re.findall(r"'([^']+)'", keys)), set(re.findall(r'"(reprise\.dev/[a-z-]+)"', header)))
        self.assertEqual(len(set(re.findall(r"'([^']+)'", keys))), 4)


def follow(schema, path):
    """The schema of what a path leads to; into the items of a list where it ends at one."""
    for part in path:
        if part == "metadata":
            return {}  # every object has it
        schema = schema["properties"][part]
    return schema.get("items", schema)


if __name__ == "__main__":
    unittest.main()
