"""What the former release accepted is accepted: the definitions only grow. tests/node/former-release names the release."""

import copy
import subprocess
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
FORMER = (ROOT / "tests/node/former-release").read_text().split()[0]
LEAST, MOST = ("minimum", "minLength", "minItems"), ("maximum", "maxLength", "maxItems", "maxProperties")
SAME = ("type", "format", "pattern")
# Objects that exist, and appliers of former manifests, would mean something else by the same words.
MEANING = ("default", "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type")

# Announced in CHANGELOG.md; each goes when the former release has it, too.
ON_PURPOSE = {".spec.initializationDeadlineSeconds: default was 900, is 840": "Karpenter's own timeout came first, and nobody said why",
              ".spec.checkpoint.keep: default was 2, is None": "unset deletes nothing; jobs that exist have the 2 stored",
              ".spec: a rule about what was there before: oldSelf.suspend || (has(self.container) == has(oldSelf.container) && "
              "(!has(self.container) || self.container == oldSelf.container))": "a running attempt was judged by a container that does not train",
              ".spec: a rule about what was there before: !self.template.spec.containers.exists(c, (has(self.container) ? c.name == self.container : "
              "size(self.template.spec.containers) == 1) && has(c.volumeMounts) && c.volumeMounts.exists(m, m.mountPath == self.checkpoint.path || "
              "m.mountPath == self.checkpoint.path + '/'))": "of several containers the first may be a proxy: more is taken",
              ".spec: a rule about what was there before: has(self.container) ? !self.template.spec.containers.exists(c, c.name == self.container && "
              "(!has(c.command) || size(c.command) == 0)) : size(self.template.spec.containers) != 1 || (has(self.template.spec.containers[0].command) && "
              "size(self.template.spec.containers[0].command) > 0)": "of several containers the first may be a proxy: more is taken",
              ".spec.sharing.externalResourceName was removed": "External was rejected; sharing.external has taken its place",
              ".spec: a rule about what was there before: !has(self.existingNodes) || !(has(self.capacity) || has(self.zones) || "
              "has(self.instanceTypes) || has(self.requirements) || has(self.labels) || has(self.annotations) || has(self.startupTaints) || "
              "has(self.disruptionBudgets))": "existingNodes was rejected; these fields say how Karpenter makes nodes"}


def narrowed(old, new, path=""):
    """What `old` accepts and `new` does not, or takes for something else, a sentence each."""
    for key in SAME:
        if key in new and old.get(key) != new[key]:
            yield f"{path}: {key} was {old.get(key)}, is {new[key]}"
    yield from (f"{path}: {key} was {old.get(key)}, is {new.get(key)}" for key in MEANING if old.get(key) != new.get(key))
    yield from (f"{path}.{name} became required" for name in set(new.get("required", [])) - set(old.get("required", [])))
    if "enum" in new and not set(old.get("enum", [None])) <= set(new["enum"]):
        yield f"{path}: enum lost a value"
    yield from (f"{path}: {key} was raised" for key in LEAST if key in new and old.get(key, float("-inf")) < new[key])
    yield from (f"{path}: {key} was lowered" for key in MOST if key in new and old.get(key, float("inf")) > new[key])
    fresh = set(new.get("properties", {})) - set(old.get("properties", {}))
    yield from (f"{path}: a rule about what was there before: {rule}" for rule in sorted(rules(new) - rules(old))
                if not any(f"self.{name}" in rule for name in fresh))
    for name, field in old.get("properties", {}).items():
        if name in new.get("properties", {}):
            yield from narrowed(field, new["properties"][name], f"{path}.{name}")
        else:
            yield f"{path}.{name} was removed"
    for part in ("items", "additionalProperties"):
        if isinstance(old.get(part), dict):
            yield from narrowed(old[part], new.get(part) or {}, f"{path}[]")


def rules(schema_):
    return {each["rule"] for each in schema_.get("x-kubernetes-validations", [])}


def schema(text):
    return yaml.safe_load(text)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def lost(old, new):
    """By which scripts and people know the kind, and would not any more."""
    versions = {version["name"]: version for version in new["versions"] if version["served"]}
    yield from (f"{key} was {old.get(key)}, is {new.get(key)}" for key in ("scope", "group") if old.get(key) != new.get(key))
    for key, value in old["names"].items():
        kept = set(value) <= set(new["names"].get(key, ())) if isinstance(value, list) else value == new["names"].get(key)
        if not kept:
            yield f"names.{key} was {value}, is {new['names'].get(key)}"
    for version in old["versions"]:
        if version["name"] not in versions:
            yield f"{version['name']} is not served any more"
            continue
        now = versions[version["name"]]
        columns = {each["name"] for each in now.get("additionalPrinterColumns", ())}
        yield from (f"the column {each['name']} was removed" for each in version.get("additionalPrinterColumns", ()) if each["name"] not in columns)
        selectable = [each["jsonPath"] for each in now.get("selectableFields", ())]
        yield from (f"{each['jsonPath']} is not selectable any more" for each in version.get("selectableFields", ())
                    if each["jsonPath"] not in selectable)


class Additive(unittest.TestCase):
    def test_nothing_was_narrowed_since_the_former_release(self):
        seen = set()
        for file in sorted((ROOT / "crds").glob("reprise.dev_*.yaml")):
            with self.subTest(file.name):
                old = subprocess.run(["git", "show", f"{FORMER}:crds/{file.name}"], cwd=ROOT, check=True, capture_output=True)
                found = set(narrowed(schema(old.stdout), schema(file.read_text())))
                self.assertEqual(found - ON_PURPOSE.keys(), set())
                seen |= found
                self.assertEqual(list(lost(yaml.safe_load(old.stdout)["spec"], yaml.safe_load(file.read_text())["spec"])), [])
        self.assertEqual(ON_PURPOSE.keys() - seen, set(), "it is no change any more")

    def test_a_definition_that_is_narrowed_is_found(self):
        old = schema((ROOT / "crds/reprise.dev_gpupools.yaml").read_text())
        for change in ({"maximum": 1}, {"minimum": 2}, {"type": "string"}, {"enum": [1]}, {"default": 5}, {"x-kubernetes-map-type": "atomic"}, None):
            new = copy.deepcopy(old)
            gpu = new["properties"]["spec"]["properties"]["gpu"]["properties"]
            gpu["minMemoryMiB"].update(change) if change else gpu.pop("minMemoryMiB")
            self.assertEqual(len(list(narrowed(old, new))), 1, change)

    def test_what_people_know_the_kind_by_stays(self):
        old = yaml.safe_load((ROOT / "crds/reprise.dev_resumablejobs.yaml").read_text())["spec"]
        for spoil in (lambda new: new.update(scope="Cluster"), lambda new: new["names"]["shortNames"].clear(),
                      lambda new: new["names"].update(plural="jobs"), lambda new: new["versions"][0].update(served=False),
                      lambda new: new["versions"][0]["additionalPrinterColumns"].pop(),
                      lambda new: new["versions"][0]["selectableFields"].pop()):
            new = copy.deepcopy(old)
            spoil(new)
            self.assertEqual(len(list(lost(old, new))), 1, list(lost(old, new)))

    def test_a_new_rule_is_for_new_fields_alone(self):
        old = schema((ROOT / "crds/reprise.dev_gpupools.yaml").read_text())
        for rule, narrower in (("has(self.gpu)", True), ("!has(self.colour) || has(self.gpu)", False)):
            new = copy.deepcopy(old)
            spec = new["properties"]["spec"]
            spec["properties"]["colour"] = {"type": "string"}
            spec["x-kubernetes-validations"].append({"rule": rule})
            self.assertEqual(bool(list(narrowed(old, new))), narrower, rule)


if __name__ == "__main__":
    unittest.main()
