"""Every value of the chart does what it says, and nothing without it."""

import json
import re
import tempfile
import unittest

import yaml

from chart import FILES, MONITORING, MUTATING, NAME, POLICY, Rendered, copy
from support import CHART, must, run

DIGEST = "sha256:" + "a" * 64



def flag(text):
    return lambda seen: text in seen.args


def absent(kind, name=NAME):
    return lambda seen: (kind, name) not in seen


def there(kind, name=NAME):
    return lambda seen: (kind, name) in seen


def on_pod(field, value):
    return lambda seen: seen.pod.get(field) == value


def endpoint(kind, key, value):
    def check(seen):
        spec = seen.get((kind, NAME), {"spec": {}})["spec"]
        return any(one.get(key) == value for one in spec.get("endpoints", spec.get("podMetricsEndpoints", ())))
    return check


def scraped_with(seen):
    """How the ServiceMonitor reads, beside the port."""
    return {key: value for key, value in seen["ServiceMonitor", NAME]["spec"]["endpoints"][0].items() if key != "port"}


def runbooks(seen):
    return [rule["annotations"]["runbook_url"] for group in seen["PrometheusRule", NAME]["spec"]["groups"] for rule in group["rules"]]


def labelled(kind, key, value, part="labels", name=NAME):
    return lambda seen: seen.get((kind, name), {"metadata": {}})["metadata"].get(part, {}).get(key) == value


def grants(kind, name, *right):
    return lambda seen: right in seen.rules(kind, name)


def users_in_policies(seen):
    """The service accounts that admission policies know as the operator's."""
    policies = json.dumps([one for (kind, _), one in seen.items() if kind == POLICY])
    return set(re.findall(r"system:serviceaccount:[^:']+:([a-z0-9-]+)", policies))



def out_to(seen, port, times=1):
    """The network policy lets the operator out to that port, with so many rules that say so."""
    egress = seen["NetworkPolicy", NAME]["spec"]["egress"]
    return sum(port in [each["port"] for each in rule["ports"]] for rule in egress) == times


def received_at(seen, port):
    """The operator's pod has that port for reports, the network policy lets in there, and the pod knows its own address."""
    let_in = [each["port"] for rule in seen["NetworkPolicy", NAME]["spec"]["ingress"] for each in rule["ports"]]
    return ({"name": "reports", "containerPort": port, "protocol": "TCP"} in seen.container["ports"] and "reports" in let_in
            and any(one["name"] == "POD_IP" for one in seen.container["env"]))


def headers_from(seen):
    return next((one["valueFrom"]["secretKeyRef"] for one in seen.container["env"] if one["name"] == "OTEL_EXPORTER_OTLP_HEADERS"), None)


def prices_in(seen):
    """The entries of the ConfigMap that the operator reads its prices from."""
    return yaml.safe_load(seen["ConfigMap", f"{NAME}-prices"]["data"]["prices.yaml"])["prices"]


def has_price_table(seen):
    """The operator reads the ConfigMap, and begins anew when it changes."""
    mounted = {"name": "prices", "mountPath": "/etc/reprise/prices", "readOnly": True} in seen.container.get("volumeMounts", ())
    named = {"name": "prices", "configMap": {"name": f"{NAME}-prices"}} in seen.pod.get("volumes", ())
    told = "--price-table=/etc/reprise/prices/prices.yaml" in seen.args
    rolled = "checksum/prices" in seen.deployment["spec"]["template"]["metadata"].get("annotations", {})
    assert mounted == named == told == rolled, (mounted, named, told, rolled)
    return told


OWN_TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token"
CERTIFICATE = "/etc/reprise/metrics-certificate"
REPORT_CERTIFICATE = "/etc/reprise/report-certificate"
REVIEWS = (("tokenreviews", "create"), ("subjectaccessreviews", "create"))  # the first with reports too
TRACED = {"tracing.endpoint": "http://collector:4318"}
SECURE = {"metrics.secure.enabled": True}
POD_MONITOR = {"metrics.podMonitor.enabled": True}
NODE_AGENT = f"{NAME}-node-agent"
NODE_AGENTS = {"nodeAgent.enabled": True}


def on_node_agent(check):
    return lambda seen: check(seen["DaemonSet", NODE_AGENT]["spec"]["template"]["spec"])



# Value: (what is set, what is seen then and not with the defaults). Values beside it are set in both cases.
VALUES = {
    "nameOverride": ("spot", lambda seen: seen.deployment["metadata"]["labels"]["app.kubernetes.io/name"] == "spot"),
    "fullnameOverride": ("spot", there("Deployment", "spot")),
    "commonLabels": ({"team": "a"}, lambda seen: all(
        one["metadata"]["labels"].get("team") == "a" for one in seen.values())),
    "replicas": (1, lambda seen: seen.deployment["spec"]["replicas"] == 1),
    "featureGates.Kueue": (True, lambda seen: "--feature-gates=Kueue=true" in seen.args and any(
        "workloads" in rule.get("resources", ()) for rule in seen["ClusterRole", NAME]["rules"])),
    "featureGates.KueuePriorityBoost": (True, lambda seen: any(
        rule.get("resources") == ["workloads"] and "patch" in rule["verbs"] for rule in seen["ClusterRole", NAME]["rules"]),
        {"featureGates.Kueue": True}),
    "watchNamespaces": (["a", "b"], flag("--watch-namespaces=a,b")),
    "image.repository": ("r/x", lambda seen: seen.container["image"].startswith("r/x:")),
    "image.tag": ("t", lambda seen: seen.container["image"] == "reprise:t"),
    "image.digest": (DIGEST, lambda seen: seen.container["image"] == f"reprise@{DIGEST}"),
    "image.pullPolicy": ("Always", lambda seen: seen.container["imagePullPolicy"] == "Always"),
    "agent.image.repository": ("r/a", lambda seen: any(one.startswith("--agent-image=r/a:") for one in seen.args)),
    "agent.image.tag": ("t", flag("--agent-image=reprise:t")),
    "agent.image.digest": (DIGEST, flag(f"--agent-image=reprise@{DIGEST}")),
    "agent.image.pullPolicy": ("Always", flag("--agent-image-pull-policy=Always")),
    "agent.image.pullSecrets": (["a", "b"], flag("--agent-image-pull-secrets=a,b")),
    "imagePullSecrets": ([{"name": "s"}], on_pod("imagePullSecrets", [{"name": "s"}])),
    "serviceAccount.create": (False, lambda seen: ("ServiceAccount", NAME) not in seen and seen.pod["serviceAccountName"] == "default"),
    "serviceAccount.name": ("given", lambda seen: ("ServiceAccount", "given") in seen and seen.pod["serviceAccountName"] == "given"
                            and users_in_policies(seen) == {"given"}),
    "serviceAccount.annotations": ({"a": "b"}, labelled("ServiceAccount", "a", "b", "annotations")),
    "rbac.create": (False, lambda seen: not any(kind in ("Role", "ClusterRole", "RoleBinding") for kind, _ in seen)),
    "rbac.aggregate": (False, lambda seen: not any("aggregate" in label for one in seen.values() for label in one["metadata"]["labels"])),
    "rbac.extraClusterRoleRules": ([{"apiGroups": ["x"], "resources": ["ys"], "verbs": ["get"]}], grants("ClusterRole", NAME, "ys", "get")),
    "log.level": ("debug", flag("--log-level=debug")),
    "log.format": ("text", flag("--log-format=text")),
    "tracing.endpoint": ("https://otlp.example", lambda seen: "--otlp-endpoint=https://otlp.example" in seen.args
                         and out_to(seen, 443, 2) and not any(one["name"].startswith("OTEL") for one in seen.container["env"])),
    "tracing.headersSecret.name": ("tenant", lambda seen: headers_from(seen) == {"name": "tenant", "key": "headers"}, TRACED),
    "tracing.headersSecret.key": ("otlp", lambda seen: (headers_from(seen) or {}).get("key") == "otlp",
                                  {**TRACED, "tracing.headersSecret.name": "tenant"}),
    "leaderElection.leaseDuration": ("30s", flag("--leader-elect-lease-duration=30s")),
    "leaderElection.renewDeadline": ("12s", flag("--leader-elect-renew-deadline=12s")),
    "leaderElection.retryPeriod": ("3s", flag("--leader-elect-retry-period=3s")),
    "maxConcurrentReconciles": (8, flag("--max-concurrent-reconciles=8")),
    "devicePlugin.namespace": ("gpu", lambda seen: "--device-plugin-namespace=gpu" in seen.args
                               and seen.get(("Role", f"{NAME}-device-plugin"), {})["metadata"]["namespace"] == "gpu"
                               and ("configmaps", "patch") not in seen.rules("Role", NAME)),
    "priceTable.prices": ([{"instanceType": "g4dn.xlarge", "perHour": "0.31"}], lambda seen: prices_in(seen)[0]
                          == {"instanceType": "g4dn.xlarge", "perHour": "0.31"} and len(prices_in(seen)) > 30 and has_price_table(seen)),
    "priceTable.defaults": (False, lambda seen: ("ConfigMap", f"{NAME}-prices") not in seen and not has_price_table(seen)),
    "extraArgs": (["--v=1"], flag("--v=1")),
    "extraEnv": ([{"name": "A", "value": "b"}], lambda seen: {"name": "A", "value": "b"} in seen.container["env"]),
    "extraVolumes": ([{"name": "v", "emptyDir": {}}], lambda seen: {"name": "v", "emptyDir": {}} in seen.pod["volumes"]),
    "extraVolumeMounts": ([{"name": "v", "mountPath": "/v"}],
                          lambda seen: {"name": "v", "mountPath": "/v"} in seen.container["volumeMounts"]),
    "extraObjects": ([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "{{ .Release.Name }}-x"}}], there("ConfigMap", "render-x")),
    "annotations": ({"a": "b"}, labelled("Deployment", "a", "b", "annotations")),
    "revisionHistoryLimit": (7, lambda seen: seen.deployment["spec"]["revisionHistoryLimit"] == 7),
    "updateStrategy": ({"type": "Recreate", "rollingUpdate": None}, lambda seen: seen.deployment["spec"]["strategy"] == {"type": "Recreate"}),
    "podLabels": ({"a": "b"}, lambda seen: seen.deployment["spec"]["template"]["metadata"]["labels"].get("a") == "b"),
    "podAnnotations": ({"a": "b"}, lambda seen: seen.deployment["spec"]["template"]["metadata"].get("annotations", {}).get("a") == "b"),
    "podSecurityContext": ({"runAsUser": 7}, lambda seen: seen.pod["securityContext"]["runAsUser"] == 7),
    "hostUsers": (False, on_pod("hostUsers", False)),
    "securityContext": ({"runAsUser": 7}, lambda seen: seen.container["securityContext"].get("runAsUser") == 7),
    "resources": ({"limits": {"memory": "1Gi"}}, lambda seen: seen.container["resources"]["limits"]["memory"] == "1Gi"),
    "dnsPolicy": ("Default", on_pod("dnsPolicy", "Default")),
    "nodeSelector": ({"a": "b"}, on_pod("nodeSelector", {"kubernetes.io/os": "linux", "a": "b"})),
    "tolerations": ([{"operator": "Exists"}], on_pod("tolerations", [{"operator": "Exists"}])),
    "affinity": ({"podAffinity": {}}, on_pod("affinity", {"podAffinity": {}})),
    "topologySpreadConstraints": ([{"topologyKey": "a"}], on_pod("topologySpreadConstraints", [{"topologyKey": "a"}])),
    "priorityClassName": ("mine", on_pod("priorityClassName", "mine")),
    "terminationGracePeriodSeconds": (60, lambda seen: seen.pod["terminationGracePeriodSeconds"] == 60 and "--shutdown-timeout=55s" in seen.args),
    "podDisruptionBudget.enabled": (False, absent("PodDisruptionBudget")),
    "podDisruptionBudget.maxUnavailable": ("50%", lambda seen: seen["PodDisruptionBudget", NAME]["spec"]["maxUnavailable"] == "50%"),
    "standbyPriorityClass.create": (False, absent("PriorityClass", "reprise-standby")),
    "poolProtection.enabled": (False, absent(POLICY, f"{NAME}-pool-in-use")),
    "poolUse.enabled": (True, there(POLICY, f"{NAME}-pool-use")),
    "claimProtection.enabled": (False, absent(POLICY, f"{NAME}-claim-annotation-only")),
    "statusProtection.enabled": (False, absent(POLICY, f"{NAME}-status")),
    "templateProtection.enabled": (False, absent(POLICY, f"{NAME}-template")),
    "templateProtection.allowPodCreators": (False, lambda seen: len(
        seen.get((POLICY, f"{NAME}-template"))["spec"]["matchConditions"]) == 1),
    "operatorFence.enabled": (False, absent(POLICY, f"{NAME}-jobs-only")),
    "namespaceDefaults.enabled": (False, absent("MutatingAdmissionPolicy", f"{NAME}-default-pool")),
    "networkPolicy.enabled": (False, absent("NetworkPolicy")),
    "networkPolicy.apiServerPorts": ([8443], lambda seen: seen["NetworkPolicy", NAME]["spec"]["egress"][0]["ports"] == [
        {"port": 8443, "protocol": "TCP"}]),
    "networkPolicy.metricsFrom": ([{"podSelector": {}}], lambda seen: seen["NetworkPolicy", NAME]["spec"]["ingress"][0].get("from") == [
        {"podSelector": {}}]),
    "reports.enabled": (False, lambda seen: ("Service", f"{NAME}-reports") not in seen and not any("report" in one for one in seen.args)
                        and ("tokenreviews", "create") not in seen.rules("ClusterRole", NAME)
                        and ("endpointslices", "patch") not in seen.rules("Role", NAME) and not received_at(seen, 9446)),
    "reports.port": (9000, lambda seen: "--report-bind-address=:9000" in seen.args and received_at(seen, 9000)
                     and seen["Service", f"{NAME}-reports"]["spec"]["ports"] == [{"name": "reports", "port": 9000, "protocol": "TCP"}]),
    "reports.certificateSecret": ("pair", lambda seen: f"--report-cert-path={REPORT_CERTIFICATE}" in seen.args
                                  and {"name": "report-certificate", "secret": {"secretName": "pair"}} in seen.pod["volumes"]
                                  and {"name": "report-certificate", "mountPath": REPORT_CERTIFICATE, "readOnly": True}
                                  in seen.container["volumeMounts"]),
    "nodeAgent.enabled": (True, there("DaemonSet", NODE_AGENT)),
    "nodeAgent.namespace": ("nodes", lambda seen: all(seen[kind, NODE_AGENT]["metadata"]["namespace"] == "nodes" for kind in ("DaemonSet", "ServiceAccount"))
                            and {one["namespace"] for kind in ("RoleBinding", "ClusterRoleBinding") for one in seen[kind, NODE_AGENT]["subjects"]} == {"nodes"}
                            and f"system:serviceaccount:nodes:{NODE_AGENT}" in json.dumps(seen[POLICY, f"{NODE_AGENT}-own-taints"]), NODE_AGENTS),
    "nodeAgent.provider": ("aws", on_node_agent(lambda pod: pod["containers"][0]["args"] == ["--provider=aws"]), NODE_AGENTS),
    "nodeAgent.hostNetwork": (False, lambda seen: "hostNetwork" not in on_node_agent(lambda pod: pod)(seen)
                              and ("NetworkPolicy", NODE_AGENT) in seen, NODE_AGENTS),
    "nodeAgent.extraArgs": (["--v=1"], on_node_agent(lambda pod: pod["containers"][0]["args"] == ["--v=1"]), NODE_AGENTS),
    "nodeAgent.nodeSelector": ({"a": "b"}, on_node_agent(lambda pod: pod["nodeSelector"] == {"kubernetes.io/os": "linux", "a": "b"}), NODE_AGENTS),
    "nodeAgent.affinity": ({"podAffinity": {}}, on_node_agent(lambda pod: pod["affinity"] == {"podAffinity": {}}), NODE_AGENTS),
    "nodeAgent.tolerations": ([{"key": "a"}], on_node_agent(lambda pod: pod["tolerations"] == [{"key": "a"}]), NODE_AGENTS),
    "nodeAgent.priorityClassName": ("mine", on_node_agent(lambda pod: pod["priorityClassName"] == "mine"), NODE_AGENTS),
    "nodeAgent.podSecurityContext": ({"runAsUser": 7}, on_node_agent(lambda pod: pod["securityContext"]["runAsUser"] == 7), NODE_AGENTS),
    "nodeAgent.securityContext": ({"runAsUser": 7}, on_node_agent(lambda pod: pod["containers"][0]["securityContext"]["runAsUser"] == 7), NODE_AGENTS),
    "nodeAgent.resources": ({"limits": {"memory": "1Gi"}}, on_node_agent(lambda pod: pod["containers"][0]["resources"]["limits"] == {"memory": "1Gi"}),
                            NODE_AGENTS),
    "metrics.jobLimit": (0, flag("--job-metrics-limit=0")),
    "metrics.secure.enabled": (True, lambda seen: "--metrics-secure=true" in seen.args and there("ClusterRole", f"{NAME}-metrics-reader")(seen)
                               and all(right in seen.rules("ClusterRole", NAME) for right in REVIEWS)
                               and scraped_with(seen) == {"scheme": "https", "bearerTokenFile": OWN_TOKEN, "tlsConfig": {"insecureSkipVerify": True}}),
    "metrics.secure.certificateSecret": ("pair", lambda seen: f"--metrics-cert-path={CERTIFICATE}" in seen.args
                                         and {"name": "metrics-certificate", "secret": {"secretName": "pair"}} in seen.pod["volumes"]
                                         and {"name": "metrics-certificate", "mountPath": CERTIFICATE, "readOnly": True}
                                         in seen.container["volumeMounts"], SECURE),
    "metrics.secure.tokenSecret": ("scraper", lambda seen: scraped_with(seen).get("authorization") == {
        "credentials": {"name": "scraper", "key": "token"}} and "bearerTokenFile" not in scraped_with(seen), SECURE),
    "metrics.secure.tlsConfig": ({"serverName": "m"}, endpoint("ServiceMonitor", "tlsConfig", {"serverName": "m"}), SECURE),
    "metrics.service.enabled": (False, absent("Service", f"{NAME}-metrics")),
    "metrics.serviceMonitor.enabled": (False, absent("ServiceMonitor")),
    "metrics.serviceMonitor.interval": ("7s", endpoint("ServiceMonitor", "interval", "7s")),
    "metrics.serviceMonitor.labels": ({"a": "b"}, labelled("ServiceMonitor", "a", "b")),
    "metrics.podMonitor.enabled": (True, there("PodMonitor")),
    "metrics.podMonitor.interval": ("7s", endpoint("PodMonitor", "interval", "7s"), POD_MONITOR),
    "metrics.podMonitor.labels": ({"a": "b"}, labelled("PodMonitor", "a", "b"), POD_MONITOR),
    "metrics.prometheusRule.enabled": (False, absent("PrometheusRule")),
    "metrics.prometheusRule.labels": ({"a": "b"}, labelled("PrometheusRule", "a", "b")),
    "metrics.prometheusRule.runbookBaseUrl": ("https://books/", lambda seen: runbooks(seen) == ["https://books/A.md"]),
    "metrics.dashboard.enabled": (False, absent("ConfigMap", f"{NAME}-dashboards")),
    "metrics.dashboard.annotations": ({"a": "b"}, labelled("ConfigMap", "a", "b", "annotations", f"{NAME}-dashboards")),
    "metrics.kubeStateMetrics.enabled": (True, there("ConfigMap", f"{NAME}-kube-state-metrics")),
}
# Held by tests of their own: of the CRDs in test_chart.py, of renderMode below.
ELSEWHERE = {"crds.enabled", "crds.keep", *(f"metrics.{kind}.renderMode" for kind in ("serviceMonitor", "podMonitor", "prometheusRule"))}


def nested(dotted):
    out = {}
    for path, value in dotted.items():
        place = out
        *parents, last = path.split(".")
        for part in parents:
            place = place.setdefault(part, {})
        place[last] = value
    return out


def leaves(schema, path=""):
    """Dotted paths of what can be set; a map without named keys, or with Kubernetes' own, is one."""
    for key, below in schema["properties"].items():
        where = f"{path}.{key}" if path else key
        if "properties" in below and key not in ("resources", "updateStrategy"):
            yield from leaves(below, where)
        elif where != "global":
            yield where


class Values(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.chart = copy(cls.enterClassContext(tempfile.TemporaryDirectory()), **FILES)

    def rendered(self, dotted):
        return Rendered(nested(dotted), apis=[*MONITORING, MUTATING], chart=self.chart)

    def test_every_value_is_seen_when_it_is_set_and_only_then(self):
        for key, (value, check, *beside) in VALUES.items():
            with self.subTest(key):
                others = beside[0] if beside else {}
                self.assertTrue(check(self.rendered({**others, key: value})), "it has no such effect")
                self.assertFalse(self.holds(check, self.rendered(others)), "the check holds without it, too")

    @staticmethod
    def holds(check, seen):
        try:
            return check(seen)
        except (KeyError, TypeError):
            return False

    def test_every_value_is_in_the_table(self):
        schema = json.loads((CHART / "values.schema.json").read_text())
        self.assertEqual(set(leaves(schema)), VALUES.keys() | ELSEWHERE)

    def test_every_value_has_a_default_and_every_default_a_schema(self):
        def compare(schema, values, path):
            if "properties" not in schema or not values:
                return
            self.assertEqual(schema["properties"].keys() - {"global", "claims", "type"}, values.keys() - {"type"}, path)
            for key, value in values.items():
                if isinstance(value, dict):
                    compare(schema["properties"][key], value, f"{path}.{key}")
        compare(json.loads((CHART / "values.schema.json").read_text()), yaml.safe_load((CHART / "values.yaml").read_text()), "")

    def test_no_object_of_the_schema_takes_keys_that_nobody_knows(self):
        def check(schema, path):
            if "properties" in schema:
                self.assertIs(schema.get("additionalProperties"), False, path)
                done = run("helm", "template", "x", CHART, "--set", f"{path}nobodyKnowsThis=1".lstrip("."))
                self.assertIn("nobodyKnowsThis", done.stderr, path)
                for key, below in schema["properties"].items():
                    check(below, f"{path}{key}.")
        check(json.loads((CHART / "values.schema.json").read_text()), "")

    def test_what_would_be_ignored_or_could_not_start_is_refused_with_the_key_that_is_wrong(self):
        for given, key in (("metrics.secure.certificateSecret=pair", "/metrics/secure/enabled"),
                           ("metrics.secure.tokenSecret=scraper", "/metrics/secure/enabled"),
                           ("tracing.headersSecret.name=tenant", "/tracing/endpoint"),
                           ("reports.port=8080", "/reports/port"), ("reports.port=8081", "/reports/port"),
                           ("fullnameOverride=Spot_GPUs", "/fullnameOverride"), ("nameOverride=a b", "/nameOverride")):
            with self.subTest(given):
                self.assertIn(f"at '{key}'", run("helm", "template", "x", CHART, "--set", given).stderr)

    def test_a_release_that_knows_no_user_namespaces_gets_none(self):
        # `helm upgrade --reuse-values` renders with the values of the former chart: this one was not there.
        self.assertNotIn("hostUsers", self.rendered({"hostUsers": None}).pod)

    def test_a_release_that_knows_no_node_agent_gets_none(self):
        self.assertNotIn(("DaemonSet", NODE_AGENT), self.rendered({"nodeAgent": None}))

    def test_a_release_that_knows_no_limit_of_jobs_with_metrics_leaves_it_to_the_operator(self):
        self.assertFalse([one for one in self.rendered({"metrics.jobLimit": None}).args if "job-metrics-limit" in one])

    def test_a_monitor_of_a_kind_that_is_not_served_is_skipped_forced_or_an_error(self):
        for key, kind in (("serviceMonitor", "ServiceMonitor"), ("podMonitor", "PodMonitor"), ("prometheusRule", "PrometheusRule")):
            def values(mode):
                return {"metrics": {key: {"enabled": True, "renderMode": mode}}}
            self.assertNotIn((kind, NAME), Rendered(values("skipIfMissing"), chart=self.chart))
            self.assertIn((kind, NAME), Rendered(values("alwaysRender"), chart=self.chart))
            done = run("helm", "template", "x", self.chart, "--values", "-", stdin=json.dumps(values("failIfMissing")))
            self.assertIn("renderMode is failIfMissing", done.stderr)
            self.assertIn((kind, NAME), Rendered(values("failIfMissing"), apis=MONITORING, chart=self.chart))

    def test_the_readme_is_what_the_comments_of_the_values_say(self):
        must(CHART / "generate-readme", "--check")

    def test_the_flags_of_the_defaults_are_the_operators_own(self):
        self.assertEqual(Rendered().args, [
            "--leader-elect=true", "--leader-election-namespace=$(POD_NAMESPACE)", "--metrics-bind-address=:8080",
            "--health-probe-bind-address=:8081", "--agent-image=reprise:0.1.0",
            "--price-table=/etc/reprise/prices/prices.yaml", "--report-bind-address=:9446",
            f"--report-service={NAME}-reports"])


if __name__ == "__main__":
    unittest.main()
