"""The chart rendered by the real helm, for tests."""

import json
import pathlib
import shutil

import yaml

from support import CHART, must

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
NAME = "render-reprise"
MONITORING = [f"monitoring.coreos.com/v1/{kind}" for kind in ("ServiceMonitor", "PodMonitor", "PrometheusRule")]
MUTATING = "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy"
POLICY = "ValidatingAdmissionPolicy"
# Alerts and a dashboard to render, smaller than the chart's own.
FILES = {"files__alerts.yaml": "groups: [{name: a, rules: [{alert: A, expr: 'up == 0', annotations: {runbook_url: docs/runbooks/A.md}}]}]", "files__dashboards__a.json": "{}"}


def render(values, name="render", namespace="default", apis=(), chart=CHART):
    served = [argument for api in apis for argument in ("--api-versions", api)]
    return must("helm", "template", name, chart, "--namespace", namespace, *served, "--values", "-", stdin=json.dumps(values))


def documents(values=None, **options):
    return [document for document in yaml.load_all(render(values or {}, **options), LOADER) if document]


def copy(directory, without=(), **files):
    """The chart in a directory of its own, without some files and with others: path (with __ for /) to text."""
    target = pathlib.Path(directory) / "reprise"
    shutil.copytree(CHART, target)  # what is linked is copied
    for path in without:
        (target / path).unlink()
    for path, text in files.items():
        place = target / path.replace("__", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return target


class Rendered(dict):
    """The objects of a rendered chart by (kind, name)."""

    def __init__(self, values=None, **options):
        without_definitions = {**(values or {}), "crds": {"enabled": False}}
        super().__init__(((one["kind"], one["metadata"]["name"]), one) for one in documents(without_definitions, **options))

    @property
    def deployment(self):
        return next(one for (kind, _), one in self.items() if kind == "Deployment")

    @property
    def pod(self):
        return self.deployment["spec"]["template"]["spec"]

    @property
    def container(self):
        return self.pod["containers"][0]

    @property
    def args(self):
        return self.container["args"]

    def rules(self, kind, name):
        """(resource or path, verb) that a role grants; none when there is no such role."""
        return {(resource, verb) for rule in self.get((kind, name), {"rules": []})["rules"]
                for resource in rule.get("resources", []) + rule.get("nonResourceURLs", []) for verb in rule["verbs"]}
