"""Alerts and dashboard as files, and what must hold of them without running anything."""

import itertools
import json
import re

import yaml
from tables import ROOT, all_metrics, family

ALERTS = ROOT / "charts/reprise/files/alerts.yaml"
DASHBOARD = ROOT / "charts/reprise/files/dashboards/reprise.json"
TESTS = ROOT / "tests/monitoring/alerts_test.yaml"
RUNBOOKS = ROOT / "docs/runbooks"
METRIC = re.compile(r"\b((?:reprise|controller_runtime|workqueue|leader_election|rest_client|process)_[a-z0-9_]+)")


def alerts():
    return [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]


def panels():
    return [panel for panel in json.loads(DASHBOARD.read_text())["panels"] if panel["type"] != "row"]


def selectors_in(expression):
    """Each vector selector with its matchers; one that takes several values (=~"A|B") once for each of them."""
    for name, matchers in re.findall(METRIC.pattern + r"(?:{([^}]*)})?", expression):
        choices = [[f'{label}{sign}"{value}"' for value in (text.split("|") if sign == "=~" else [text])]
                   for label, sign, text in re.findall(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"', matchers)]
        for chosen in itertools.product(*choices):
            yield f"{name}{{{','.join(chosen)}}}"


def variables():
    """(name, metric, label) of the dashboard's variables that ask Prometheus for values."""
    for variable in json.loads(DASHBOARD.read_text())["templating"]["list"]:
        if variable["type"] == "query":
            metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["query"]["query"]).groups()
            yield variable["name"], metric, label


def metrics_in(expression):
    return set(METRIC.findall(re.sub(r'"[^"]*"', '""', expression)))


def problems_of_alerts():
    tested = {test["name"] for test in yaml.safe_load(TESTS.read_text())["tests"]}
    names = [alert["alert"] for alert in alerts()]
    for alert in alerts():
        name, notes = alert["alert"], alert["annotations"]
        for wanted in (f"{name} fires", f"{name} is quiet"):
            if wanted not in tested:
                yield f"{name}: alerts_test.yaml has no test '{wanted}'"
        if notes["runbook_url"] != f"docs/runbooks/{name}.md" or not (RUNBOOKS / f"{name}.md").exists():
            yield f"{name}: runbook_url is {notes['runbook_url']}, must be docs/runbooks/{name}.md, which exists"
        if alert["labels"].get("severity") not in ("critical", "warning") or not notes["summary"] or not notes["description"]:
            yield f"{name}: severity critical or warning, a summary and a description are needed"
    for book in sorted(RUNBOOKS.glob("*.md")):
        if book.stem not in names:
            yield f"{book.relative_to(ROOT)} is for no alert"
        for part in ("**Meaning.**", "**Impact.**", "## Diagnosis", "## Mend"):
            if part not in book.read_text():
                yield f"{book.relative_to(ROOT)} lacks '{part}'"
    for wanted in tested:
        if wanted.split()[0] not in names:
            yield f"alerts_test.yaml: '{wanted}' is about no alert"


def problems_of_names():
    known = all_metrics()
    places = [(alert["alert"], alert["expr"]) for alert in alerts()]
    places += [(panel["title"], target["expr"]) for panel in panels() for target in panel["targets"]]
    for place, expression in places:
        for name in sorted(metrics_in(expression)):
            if family(name, known) is None:
                yield f"{place}: the operator has no metric {name}"
    for reason in re.findall(r"`(\w+)`", reasons_of_interruptions()):
        if f'"{reason}"' not in (ROOT / "controllers/metrics/job_changes.cc").read_text() and reason != "DisruptionTarget":
            yield f"reason {reason} of docs/reference/reasons.md reads Other in metrics: add it to controllers/metrics/job_changes.cc"


def reasons_of_interruptions():
    page = (ROOT / "docs/reference/reasons.md").read_text()
    return page.split("## Reasons of interruptions")[1].split("## ")[0]


def problems():
    return [*problems_of_alerts(), *problems_of_names()]
