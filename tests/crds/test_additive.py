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


def narrowed(old, new, path=""):
    """What `old` accepts and `new` does not, a sentence each."""
    for key in SAME:
        if key in new and old.get(key) != new[key]:
            yield f"{path}: {key} was {old.get(key)}, is {new[key]}"
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


class Additive(unittest.TestCase):
    def test_nothing_was_narrowed_since_the_former_release(self):
        for file in sorted((ROOT / "crds").glob("reprise.dev_*.yaml")):
            with self.subTest(file.name):
                old = subprocess.run(["git", "show", f"{FORMER}:crds/{file.name}"], cwd=ROOT, check=True, capture_output=True)
                self.assertEqual(list(narrowed(schema(old.stdout), schema(file.read_text()))), [])

    def test_a_definition_that_is_narrowed_is_found(self):
        old = schema((ROOT / "crds/reprise.dev_gpupools.yaml").read_text())
        for change in ({"maximum": 1}, {"minimum": 2}, {"type": "string"}, {"enum": [1]}, None):
            new = copy.deepcopy(old)
            gpu = new["properties"]["spec"]["properties"]["gpu"]["properties"]
            gpu["minMemoryMiB"].update(change) if change else gpu.pop("minMemoryMiB")
            self.assertEqual(len(list(narrowed(old, new))), 1, change)

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
