"""What people and tools see: columns, explain, wait, selectors, sizes, and the status of something new."""

import json
import unittest

from support import (AS_OPERATOR, JOB, NAMESPACE, POOL, ROOT, changed, condition, create, definition, get, install, kubectl, own_fields,
                     remove_objects, run, schema, set_status)

LIMIT = 256 * 1024  # of an annotation, and so of client-side kubectl apply


def table(*arguments):
    lines = kubectl("get", *arguments).splitlines()
    return lines[0].split(), [line.split() for line in lines[1:]]


class Presentation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        install()
        remove_objects()
        for manifest in (POOL, JOB, changed(JOB, {"metadata.name": "other", "spec.poolName": "a10"})):
            assert create(manifest).returncode == 0
        cls.new_pool, cls.new_job = get("gp", "t4"), get("rj", "finetune", "-n", NAMESPACE)
        set_status("gp", "t4", {
            "observedGeneration": 1, "conditions": [condition("Ready", "True", "Ready", 1)], "gpus": "3/5",
            "sharing": "Exclusive", "cost": {"perHour": "1.72"}, "jobs": 0,
            "isolation": {"memory": "None", "compute": "Limited", "fault": "None"},
            "capacity": [{"type": "OnDemand", "gpus": 1}, {"type": "Spot", "gpus": 4}]})
        set_status("rj", "finetune", {
            "observedGeneration": 1, "conditions": [condition("Interrupted", "False", "Resumed", 1),
                                                    condition("PodsReady", "True", "Running", 1)],
            "progress": {"percentage": 61, "estimatedRemainingSeconds": 900, "checkpoint": {"step": 7, "time": "2026-01-01T00:00:00Z"}},
            "interruptionCount": 2, "attempt": 3, "placement": {"capacity": "Spot", "zone": "zone-a"},
            "lostSeconds": 95, "cost": {"spent": "31.20"}}, NAMESPACE)

    def test_columns_of_pools(self):
        head, rows = table("gp")
        self.assertEqual(head, ["NAME", "READY", "GPUS", "SPOT", "ON-DEMAND", "SHARING", "COST/H", "AGE"])
        self.assertEqual(rows[0][:-1], ["t4", "True", "3/5", "4", "1", "Exclusive", "1.72"])

    def test_wide_columns_of_pools_say_what_isolation_is_given(self):
        head, rows = table("gp", "t4", "-o", "wide")
        self.assertEqual(head[8:], ["MEMORY", "COMPUTE", "FAULT"])
        self.assertEqual(rows[0][8:], ["None", "Limited", "None"])

    def test_columns_of_jobs(self):
        head, rows = table("rj", "finetune", "-n", NAMESPACE)
        self.assertEqual(head, ["NAME", "STATE", "PROGRESS", "INTERRUPTIONS", "CHECKPOINT", "POOL", "AGE"])
        self.assertEqual(rows[0][:4], ["finetune", "Running", "61", "2"])
        self.assertRegex(rows[0][4], r"^\d+d$")
        self.assertEqual(rows[0][5], "t4")

    def test_wide_columns_of_jobs(self):
        head, rows = table("rj", "finetune", "-n", NAMESPACE, "-o", "wide")
        self.assertEqual(head[7:], ["ATTEMPT", "CAPACITY", "ZONE", "LOST", "COST", "ETA"])
        self.assertEqual(rows[0][7:], ["3", "Spot", "zone-a", "95", "31.20", "900"])

    def test_columns_are_described(self):
        for kind in ("gpupools", "resumablejobs"):
            for column in definition(kind)["spec"]["versions"][0]["additionalPrinterColumns"]:
                self.assertTrue(column.get("description"), column["name"])

    def test_there_is_no_phase_and_the_column_for_people_is_the_reason_of_a_condition(self):
        for kind in ("gpupools", "resumablejobs"):
            self.assertEqual([path for path, _ in own_fields(schema(kind)) if path.lower().endswith("phase")], [])
        state, = (column for column in definition("resumablejobs")["spec"]["versions"][0]["additionalPrinterColumns"] if column["name"] == "State")
        self.assertRegex(state["jsonPath"], r"^\.status\.conditions\[\?\(@\.type==['\"]PodsReady['\"]\)\]\.reason$")

    def test_category_shows_both(self):
        out = kubectl("get", "reprise", "-A", "-o", "name")
        self.assertIn("gpupool.reprise.dev/t4", out)
        self.assertIn("resumablejob.reprise.dev/finetune", out)

    def test_pools_belong_to_the_cluster_and_jobs_to_a_namespace(self):
        rows = {line.split()[0]: line.split()[-2] for line in kubectl("api-resources", "--api-group=reprise.dev", "--no-headers").splitlines()}
        self.assertEqual(rows, {"gpupools": "false", "resumablejobs": "true"})

    def test_jobs_are_found_by_pool(self):
        out = kubectl("get", "rj", "-A", "--field-selector", "spec.poolName=a10", "-o", "name")
        self.assertEqual(out.split(), ["resumablejob.reprise.dev/other"])

    def test_no_reference_names_a_namespace(self):
        for kind in ("gpupools", "resumablejobs"):
            self.assertEqual([path for path, _ in own_fields(schema(kind)) if path.lower().endswith("namespace")], [])

    def test_every_own_field_is_described(self):
        for kind in ("gpupools", "resumablejobs"):
            for path, field in own_fields(schema(kind)):
                self.assertTrue(field.get("description"), f"{kind} {path}")

    def test_explain_shows_the_descriptions(self):
        for kind in ("gpupools", "resumablejobs"):
            parents = [path for path, field in own_fields(schema(kind))
                       if "properties" in field or "properties" in field.get("items", {})]
            for path in parents:
                if path.startswith("spec.template") or path.endswith("claimTemplate.spec"):
                    continue  # Kubernetes' own fields below
                with self.subTest(f"{kind}.{path}"):
                    self.assertNotIn("<no description>", kubectl("explain", f"{kind}.{path}"))

    def test_every_own_field_is_bounded(self):
        for kind in ("gpupools", "resumablejobs"):
            for path, field in own_fields(schema(kind)):
                if path in ("apiVersion", "kind") or path.endswith(("claimTemplate.spec", "spec.template")):
                    continue
                for node in (field, field.get("items", {})):
                    with self.subTest(f"{kind}.{path}"):
                        self.assertEqual(unbounded(node), "")

    def test_wait_does_not_take_an_old_condition(self):
        kubectl("patch", "gp", "t4", "--type=merge", "-p", '{"spec":{"warm":{"gpus":1}}}')
        self.assertEqual(get("gp", "t4")["metadata"]["generation"], 2)
        wait = ("kubectl", "wait", "gp/t4", "--for=condition=Ready", "--timeout=1s")
        self.assertNotEqual(run(*wait).returncode, 0, "Ready of generation 1 was taken for generation 2")
        set_status("gp", "t4", {"observedGeneration": 2, "conditions": [condition("Ready", "True", "Ready", 2)]})
        self.assertEqual(run(*wait).returncode, 0)

    def test_something_new_is_not_taken_for_finished(self):
        for new in (self.new_pool, self.new_job):
            self.assertEqual(new["status"], {"observedGeneration": -1})
            self.assertEqual(new["metadata"]["generation"], 1)

    def test_writing_status_does_not_touch_the_generation_or_spec(self):
        kubectl("patch", "rj", "other", "-n", NAMESPACE, "--subresource=status", "--type=merge", *AS_OPERATOR,
                "-p", '{"spec":{"suspend":true},"status":{"attempt":1}}')
        job = get("rj", "other", "-n", NAMESPACE)
        self.assertEqual((job["metadata"]["generation"], job["spec"]["suspend"], job["status"]["attempt"]), (1, False, 1))
        kubectl("patch", "rj", "other", "-n", NAMESPACE, "--type=merge", "-p", '{"status":{"attempt":9}}')
        self.assertEqual(get("rj", "other", "-n", NAMESPACE)["status"]["attempt"], 1)

    def test_the_status_of_an_external_pool_can_be_written(self):
        self.assertEqual(create(changed(POOL, {"metadata.name": "vgpu", "spec.sharing": {
            "mode": "External", "external": {"resourceName": "example.com/vgpu", "unitsPerGpu": 4}}})).returncode, 0)
        isolation = {"memory": "Unknown", "compute": "Unknown", "fault": "Unknown"}
        set_status("gp", "vgpu", {"observedGeneration": 1, "isolation": isolation})
        self.assertEqual(get("gp", "vgpu")["status"]["isolation"], isolation)
        kubectl("delete", "gp", "vgpu", "--timeout=10s")

    def test_definitions_stay_small_enough_for_client_side_apply(self):
        for kind in ("gpupools", "resumablejobs"):
            self.assertLess((ROOT / "crds" / f"reprise.dev_{kind}.yaml").stat().st_size, LIMIT)
            self.assertLess(len(json.dumps(definition(kind))), LIMIT // 2)

    def test_the_full_examples_are_taken_whole(self):
        for kind in ("gpupool", "resumablejob"):
            path = ROOT / "crds" / "testdata" / f"full-{kind}.yaml"
            text = path.read_text().replace("namespace: vision", f"namespace: {NAMESPACE}").replace("  name: finetune\n", "  name: full\n")
            kubectl("apply", "--dry-run=server", "--validate=strict", "-f", "-", stdin=text)


def unbounded(node):
    kind = node.get("type")
    if kind == "string" and not ({"maxLength", "enum"} & node.keys()):
        return "a string without maxLength"
    if kind == "array" and not ("maxItems" in node and "x-kubernetes-list-type" in node):
        return "a list without maxItems or list type"
    if kind == "integer" and not ("minimum" in node or node.get("format") == "int32"):
        return "a number without bounds"
    if "additionalProperties" in node and "maxProperties" not in node:
        return "a map without maxProperties"
    return ""


if __name__ == "__main__":
    unittest.main()
