"""kubeconform over the rendered chart, as users run it in CI: with the schemas that the API server itself serves, nothing else allowed."""

import json
import tempfile
import unittest
from pathlib import Path

from chart import render
from support import install, kubectl, run
from test_chart import VALUE_SETS


def closed(schema):
    """No field beside those that are named, as with the API server's own strict validation."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: closed(value) for key, value in schema.items()}
    if isinstance(out.get("properties"), dict) and "additionalProperties" not in out and not schema.get("x-kubernetes-preserve-unknown-fields"):
        out["additionalProperties"] = False
    if out.get("format") == "int-or-string" or schema.get("x-kubernetes-int-or-string"):
        out = {"oneOf": [{"type": "string"}, {"type": "integer"}]}
    if isinstance(out.get("$ref"), str):
        out["$ref"] = out["$ref"].replace("#/", "definitions.json#/")
    return out


def write_schemas(directory):
    """A file for each kind, which leads to its definition in one file of all."""
    definitions = json.loads(kubectl("get", "--raw", "/openapi/v2"))["definitions"]
    # Quantities are texts in the API server's document; numbers are taken too.
    definitions["io.k8s.apimachinery.pkg.api.resource.Quantity"] = {"oneOf": [{"type": "string"}, {"type": "number"}]}
    # A type that refers to itself by any field; what is in it is checked when the definitions are installed.
    definitions.pop("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps")
    definitions["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"] = {"type": "object"}
    Path(directory, "definitions.json").write_text(json.dumps({"definitions": closed(definitions)}))
    for name, schema in definitions.items():
        for kind in schema.get("x-kubernetes-group-version-kind", ()):
            # Of the core group kubeconform takes the version for its name.
            path = Path(directory, f"{kind['group'] or kind['version']}_{kind['version']}_{kind['kind'].lower()}.json")
            path.write_text(json.dumps({"$ref": f"definitions.json#/definitions/{name}"}))


class Kubeconform(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        install()
        cls.schemas = cls.enterClassContext(tempfile.TemporaryDirectory())
        write_schemas(cls.schemas)

    def conform(self, text):
        location = f"{self.schemas}/{{{{.Group}}}}_{{{{.ResourceAPIVersion}}}}_{{{{.ResourceKind}}}}.json"
        return run("kubeconform", "-strict", "-summary", "-schema-location", location, stdin=text)

    def test_every_set_of_values_conforms(self):
        done = self.conform("\n---\n".join(render(values, name=f"set-{number}") for number, values in enumerate(VALUE_SETS.values())))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Invalid: 0, Errors: 0, Skipped: 0", done.stdout)

    def test_what_does_not_is_told(self):
        text = render({})
        for right, wrong, told in (("replicas: 2", "replicas: two", "got string, want integer"),
                                   ("policyTypes:", "policyType:", "additional properties 'policyType' not allowed")):
            with self.subTest(wrong):
                self.assertIn(right, text)
                self.assertIn(told, self.conform(text.replace(right, wrong)).stdout)


if __name__ == "__main__":
    unittest.main()
