"""ResumableJob at the API server: defaults, every way to write one wrong, and what may change when."""

import json
import re
import unittest

from support import DROP, JOB, ROOT, changed, create, errors_of_lint, install, kubectl, own_rules, remove_objects, run, schema, set_status, try_create

CLAIM = "spec.checkpoint.volume.claimTemplate"
TRAINER = "spec.template.spec.containers.0"
POLICY = "spec.podFailurePolicy"


def rule(**rule_fields):
    return {POLICY: {"rules": [rule_fields]}}


# sentence: (changes to a good job, what the rejection says)
WRONG = {
    "a name that starts with a digit": ({"metadata.name": "1st"}, "start with a letter and end with a letter or digit"),
    "a name with a dot": ({"metadata.name": "a.b"}, "must consist of lower case letters, digits and '-'"),
    "a name of 49 characters": ({"metadata.name": "a" * 49}, "must be at most 48 characters: host names are made of it"),
    "no spec": ({"spec": DROP}, "spec: Required value"),
    "no checkpoint": ({"spec.checkpoint": DROP}, "spec.checkpoint: Required value"),
    "no path": ({"spec.checkpoint.path": DROP}, "spec.checkpoint.path: Required value"),
    "a relative path": ({"spec.checkpoint.path": "checkpoints"}, "spec.checkpoint.path"),
    "the root as path": ({"spec.checkpoint.path": "/"}, "spec.checkpoint.path"),
    "a path that climbs": ({"spec.checkpoint.path": "/a/../b"}, "must not contain '..'"),
    "a path of 600 characters": ({"spec.checkpoint.path": "/" + "a" * 600}, "may not be more than 512 bytes"),
    "no volume": ({"spec.checkpoint.volume": DROP}, "spec.checkpoint.volume: Required value"),
    "neither claim nor template": ({CLAIM: DROP}, "exactly one of claimTemplate and claimName must be set"),
    "claim and template": ({"spec.checkpoint.volume.claimName": "a"}, "exactly one of claimTemplate and claimName must be set"),
    "a claim without access modes": ({CLAIM + ".spec.accessModes": DROP}, "accessModes: Required value"),
    "a claim without size": ({CLAIM + ".spec.resources": DROP}, "resources: Required value"),
    "a claim with a label of two words": ({CLAIM + ".metadata": {"labels": {"a b": "c"}}}, "every key must be a label key"),
    "a claim with an annotation of two words": ({CLAIM + ".metadata": {"annotations": {"a b": "c"}}}, "every key must be an annotation key"),
    "one ReadWriteOnce claim for two": ({"spec.parallelism": 2}, "must contain ReadWriteMany when access is Shared and parallelism is above 1"),
    "one ReadWriteOncePod claim for two": ({"spec.parallelism": 2, CLAIM + ".spec.accessModes": ["ReadWriteOncePod"]},
                                           "ranks on two nodes would wait for each other's volume for ever"),
    "one named claim for each of two": ({"spec.parallelism": 2, "spec.checkpoint.volume": {"access": "PerIndex", "claimName": "a"}},
                                        "claimName is one claim, use Shared"),
    "one named claim for each of one": ({"spec.checkpoint.volume": {"access": "PerIndex", "claimName": "a"}},
                                        "spec.checkpoint.volume.claimName: Invalid value"),
    "an unknown access": ({"spec.checkpoint.volume.access": "Both"}, 'supported values: "Shared", "PerIndex"'),
    "an unknown format": ({"spec.checkpoint.format": "Pickle"}, "supported values"),
    "an unknown use of what is unproven": ({"spec.checkpoint.unproven": "Delete"}, 'supported values: "PutAside", "Use"'),
    "trust in words": ({"spec.checkpoint.trustSync": "yes"}, "must be of type boolean"),
    "keeping none": ({"spec.checkpoint.keep": 0}, "should be greater than or equal to 1"),
    "a save without time": ({"spec.checkpoint.graceSeconds": 0}, "should be greater than or equal to 1"),
    "signal and file": ({"spec.checkpoint.onNotice": {"signal": "SIGUSR1", "file": "/a"}}, "at most one of signal and file must be set"),
    "a signal by number": ({"spec.checkpoint.onNotice": {"signal": "10"}}, "onNotice.signal"),
    "a signal that cannot be handled": ({"spec.checkpoint.onNotice": {"signal": "SIGKILL"}}, 'supported values: "SIGHUP"'),
    "a signal that is none": ({"spec.checkpoint.onNotice": {"signal": "SIGSAVE"}}, "onNotice.signal: Unsupported value"),
    "a relative notice file": ({"spec.checkpoint.onNotice": {"file": "a"}}, "onNotice.file"),
    "a notice file that climbs": ({"spec.checkpoint.onNotice": {"file": "/../a"}}, "must not contain '..'"),
    "snapshots without a class": ({"spec.checkpoint.snapshot": {"keep": 2}}, "className: Required value"),
    "parallelism 0": ({"spec.parallelism": 0}, "should be greater than or equal to 1"),
    "parallelism 100000": ({"spec.parallelism": 100000}, "should be less than or equal to 512"),
    "a fraction of a pod": ({"spec.parallelism": 1.5}, "must be of type integer"),
    "a pool in capitals": ({"spec.poolName": "T4"}, "spec.poolName"),
    "a container that is not there": ({"spec.container": "other"}, "must name a container of the pod template"),
    "no command": ({TRAINER + ".command": DROP}, "the training container must set command"),
    "an empty command": ({TRAINER + ".command": []}, "the training container must set command"),
    "no command of the one that is named": ({"spec.container": "second", "spec.template.spec.containers.+": {"name": "second"}},
                                            "the training container must set command"),
    "a mount where the checkpoints go": ({TRAINER + ".volumeMounts": [{"name": "v", "mountPath": "/checkpoints"}]},
                                         "the operator mounts the checkpoint volume there; remove the mount"),
    "a mount where the checkpoints go, with a slash": ({TRAINER + ".volumeMounts": [{"name": "v", "mountPath": "/checkpoints/"}]},
                                                       "the training container must not mount anything at spec.checkpoint.path"),
    "a mount where the checkpoints go, of the container that is named": (
        {"spec.container": "second", "spec.template.spec.containers.+": {
            "name": "second", "command": ["a"], "volumeMounts": [{"name": "v", "mountPath": "/checkpoints"}]}}, "remove the mount"),
    "a pod label that is the operator's": ({"spec.template.metadata": {"labels": {"reprise.dev/job": "x"}}},
                                           "must not contain keys that start with reprise.dev/: the operator sets them itself"),
    "a pod annotation that is the operator's": ({"spec.template.metadata": {"annotations": {"reprise.dev/checkpoint-request": "x"}}},
                                                "spec.template.metadata.annotations: Invalid value"),
    "a node chosen past the scheduler": ({"spec.template.spec.nodeName": "node-a"}, "the scheduler chooses the node"),
    "a pool chosen by the template": ({"spec.template.spec.nodeSelector": {"reprise.dev/pool": "a100"}},
                                      "must not contain reprise.dev/pool: the operator sets it itself"),
    "no template": ({"spec.template": DROP}, "spec.template: Required value"),
    "a template without containers": ({"spec.template.spec.containers": []}, "should have at least 1 items"),
    "17 containers": ({"spec.template.spec.containers": [{"name": f"c{i}", "command": ["a"]} for i in range(17)]}, "must have at most 16 items"),
    "a misspelt field of the pod": ({"spec.template.spec.nodeSelectors": {}}, 'unknown field "spec.template.spec.nodeSelectors"'),
    "a container port as text": ({TRAINER + ".ports": [{"containerPort": "http"}]}, "must be of type integer"),
    "an unknown resume": ({"spec.resume": "Sometimes"}, "supported values"),
    "a negative limit": ({"spec.interruption": {"limit": -1}}, "should be greater than or equal to 0"),
    "negative retries": ({"spec.backoffLimit": -1}, "should be greater than or equal to 0"),
    "an unknown action": (rule(action="Retry", onPodConditions=[{"type": "A"}]), "supported values"),
    "a rule that matches nothing": (rule(action="Ignore"), "exactly one of onExitCodes and onPodConditions must be set"),
    "a rule that matches both": (rule(action="Ignore", onExitCodes={"operator": "In", "values": [1]}, onPodConditions=[{"type": "A"}]),
                                 "exactly one of onExitCodes and onPodConditions must be set"),
    "success as a failure": (rule(action="FailJob", onExitCodes={"operator": "In", "values": [0]}), "must not contain 0 with the operator In"),
    "an exit code of 256": (rule(action="FailJob", onExitCodes={"operator": "In", "values": [256]}), "should be less than or equal to 255"),
    "an exit code twice": (rule(action="FailJob", onExitCodes={"operator": "In", "values": [1, 1]}), "Duplicate value"),
    "exit codes of a container that is not there": (rule(action="FailJob", onExitCodes={"containerName": "x", "operator": "In", "values": [1]}),
                                                    "containerName must name a container of the pod template"),
    "21 rules": ({POLICY: {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "A"}]}] * 21}}, "must have at most 20 items"),
    "a deadline that is no time": ({"spec.placement": {"completeBy": "tomorrow"}}, "completeBy"),
    "a cost as a number": ({"spec.placement": {"maxCost": 400}}, "must be of type string"),
    "a negative cost": ({"spec.placement": {"maxCost": "-1"}}, "maxCost"),
    "a zone twice": ({"spec.placement": {"zones": ["a", "a"]}}, "Duplicate value"),
    "an unknown fencing": ({"spec.fencing": "Hope"}, 'supported values: "Proof", "Silence"'),
    "suspended as text": ({"spec.suspend": "yes"}, "must be of type boolean"),
    "a field nobody knows": ({"spec.gpus": 4}, 'unknown field "spec.gpus"'),
}

TWO = {"spec.parallelism": 2, CLAIM + ".spec.accessModes": ["ReadWriteMany"]}
RIGHT = {
    "the least": {},
    "two that share": TWO,
    "a proxy that its image starts, before the trainer": {"spec.template.spec.containers": [
        {"name": "proxy", "image": "example.org/proxy:1"},
        {**JOB["spec"]["template"]["spec"]["containers"][0],
         "resources": {"limits": {"reprise.dev/gpu": 1, "memory": "8Gi"}}}], "spec.poolName": "t4"},
    "two with a claim each": {"spec.parallelism": 2, "spec.checkpoint.volume.access": "PerIndex"},
    "a claim that is there": {"spec.parallelism": 2, CLAIM: DROP, "spec.checkpoint.volume.claimName": "nfs"},
    "no pool": {"spec.poolName": DROP},
    "a signal": {"spec.checkpoint.onNotice": {"signal": "SIGUSR1"}},
    "labels and annotations of the pods": {"spec.template.metadata": {"labels": {"app": "a"}, "annotations": {"example.com/reprise.dev": "a"}}},
    "mounts elsewhere, below, and of a sidecar": {
        TRAINER + ".volumeMounts": [{"name": "v", "mountPath": "/checkpoints-old"}, {"name": "v", "mountPath": "/checkpoints/cache"}],
        "spec.template.spec.containers.+": {"name": "log", "volumeMounts": [{"name": "reprise-checkpoints", "mountPath": "/checkpoints"}]}},
    "limits that are null": {"spec.interruption": {"limit": None}, "spec.activeDeadlineSeconds": None},
    "a sidecar without a command": {"spec.container": "trainer", "spec.template.spec.containers.+": {"name": "log", "image": "l"}},
    "a name of 48 characters": {"metadata.name": "a" * 48},
    "a pull secret without a name": {"spec.template.spec.imagePullSecrets": [{}]},
    "quantities as text and as numbers": {TRAINER + ".resources": {"limits": {"reprise.dev/gpu": "2", "cpu": 1, "memory": "1.5Gi"}}},
}

SETTLED = "must not change, not even while the job is suspended"
FIXED = "must not change unless the job is suspended first (spec.suspend)"
MADE = "must not change once the claim is made, for it would change nothing"
MOVED = {
    "another image": {TRAINER + ".image": "example/other"},
    "another container that trains": {"spec.container": "trainer"},
    "more ranks": TWO,
    "another pool": {"spec.poolName": "a10"},
    "no pool any more": {"spec.poolName": DROP},
    "another path": {"spec.checkpoint.path": "/elsewhere"},
    "another volume": {CLAIM + ".spec.resources.requests.storage": "2Gi"},
    "another image, suspending at the same time": {TRAINER + ".image": "example/other", "spec.suspend": True},
}
MAY_MOVE = {
    "suspension": {"spec.suspend": True},
    "the number of kept checkpoints": {"spec.checkpoint.keep": 5},
    "grace": {"spec.checkpoint.graceSeconds": 30},
    "what becomes of what is unproven": {"spec.checkpoint.unproven": "Use"},
    "trust in a filer": {"spec.checkpoint.trustSync": True},
    "acknowledging a loss": {"spec.resume": "FromScratch"},
    "retries": {"spec.backoffLimit": 9},
    "what it may cost": {"spec.placement": {"maxCost": "10"}},
}


class Jobs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        install()
        remove_objects()

    def test_the_least_job_gets_the_defaults(self):
        job, why = try_create(JOB)
        self.assertEqual(why, "")
        spec = job["spec"]
        checkpoint = spec["checkpoint"]
        self.assertEqual({key: checkpoint[key] for key in ("format", "periodSeconds", "graceSeconds", "verify", "unproven", "trustSync")},
                         {"format": "Auto", "periodSeconds": 600, "graceSeconds": 110, "verify": "Structure", "unproven": "PutAside",
                          "trustSync": False})
        self.assertNotIn("keep", checkpoint, "nothing is deleted where nobody says how many stay")
        self.assertEqual((checkpoint["volume"]["access"], checkpoint["volume"]["whenDeleted"]), ("Shared", "Retain"))
        self.assertEqual({key: value for key, value in spec.items() if key not in ("checkpoint", "template", "poolName")},
                         {"parallelism": 1, "resume": "Latest", "interruption": {"standby": "OnNotice"}, "backoffLimit": 3,
                          "keepFailedPods": 0, "podsReadyTimeoutSeconds": 1800, "fencing": "Proof", "suspend": False})
        self.assertEqual(spec["template"], JOB["spec"]["template"], "the template stays as it was written")

    def test_what_is_wrong_is_rejected_in_plain_words(self):
        for sentence, (changes, expected) in WRONG.items():
            with self.subTest(sentence):
                stored, why = try_create(changed(JOB, changes))
                self.assertIsNone(stored, "was accepted")
                self.assertIn(expected, why)
                self.assertNotEqual(errors_of_lint(changed(JOB, changes)), [], "reprise lint finds nothing")

    def test_what_is_right_is_taken(self):
        for sentence, changes in RIGHT.items():
            with self.subTest(sentence):
                self.assertEqual(try_create(changed(JOB, changes))[1], "")
                self.assertEqual(errors_of_lint(changed(JOB, changes)), [], "reprise lint")

    def test_every_rule_has_a_case(self):
        said = [expected for _, expected in WRONG.values()] + [FIXED, SETTLED, MADE]
        for message in set(own_rules(schema("resumablejobs"))):
            self.assertTrue(any(part in message for part in said), message)

    def test_what_an_attempt_is_made_of_changes_only_in_a_suspended_job(self):
        stored = changed(JOB, {"metadata.name": "stored"})
        self.assertEqual(create(stored).returncode, 0)
        for sentence, changes in MOVED.items():
            with self.subTest(sentence):
                done = replace(changed(stored, changes))
                self.assertNotEqual(done.returncode, 0, "was accepted")
                self.assertIn(FIXED, done.stderr)
        for sentence, changes in MAY_MOVE.items():
            with self.subTest(sentence):
                self.assertEqual(replace(changed(stored, changes)).stderr, "")
        kubectl("patch", "rj", "stored", "-n", JOB["metadata"]["namespace"], "--type=merge", "-p", '{"spec":{"suspend":true}}')
        for sentence, changes in MOVED.items():
            with self.subTest("suspended: " + sentence):
                self.assertEqual(replace(changed(stored, changes)).stderr, "")

    def test_who_owns_the_claims_never_changes(self):
        stored = changed(JOB, {"metadata.name": "owner", "spec.suspend": True})
        self.assertEqual(create(stored).returncode, 0)
        done = replace(changed(stored, {"spec.checkpoint.volume.whenDeleted": "Delete"}))
        self.assertNotEqual(done.returncode, 0, "was accepted")
        self.assertIn(SETTLED, done.stderr)
        self.assertEqual(replace(changed(stored, {"spec.checkpoint.volume.whenDeleted": "Retain"})).stderr, "")

    def test_a_claim_template_changes_until_its_claim_is_made(self):
        stored = changed(JOB, {"metadata.name": "claimed", "spec.suspend": True})
        self.assertEqual(create(stored).returncode, 0)
        larger = changed(stored, {CLAIM + ".spec.resources.requests.storage": "2Gi"})
        named = changed(stored, {CLAIM: DROP, "spec.checkpoint.volume.claimName": "other"})
        self.assertEqual(replace(larger).stderr, "")
        set_status("rj", "claimed", {"claims": [{"name": "claimed-checkpoints", "uid": "u"}]}, JOB["metadata"]["namespace"])
        done = replace(larger)
        self.assertNotEqual(done.returncode, 0, "was accepted")
        self.assertIn(MADE, done.stderr)
        self.assertEqual(replace(named).stderr, "", "another claim may be named")
        self.assertEqual(replace(changed(stored, {"spec.suspend": False})).stderr, "")

    def test_the_signals_are_those_that_the_agent_knows(self):
        known = re.findall(r'\{"(SIG[A-Z0-9]+)", SIG', (ROOT / "agent/core/run/environment.cc").read_text())
        notice = schema("resumablejobs")["properties"]["spec"]["properties"]["checkpoint"]["properties"]["onNotice"]
        self.assertEqual(notice["properties"]["signal"]["enum"], known)


def replace(manifest):
    return run("kubectl", "replace", "--dry-run=server", "-f", "-", stdin=json.dumps(manifest))


if __name__ == "__main__":
    unittest.main()
