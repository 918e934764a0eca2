"""The comparison of granted and used rights finds what is planted."""

import json
import tempfile
import unittest
from pathlib import Path

from harness import rights

EXCEPTED = sorted(rights.EXCEPTIONS)
ROLE = {"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch", "create"]},
                  {"apiGroups": [""], "resources": ["pods/status"], "verbs": ["patch"]},
                  {"nonResourceURLs": ["/apis", "/apis/*"], "verbs": ["get"]}]}


def entry(verb, resource="", subresource="", path="/x", code=200, decision="allow"):
    reference = {"objectRef": {"resource": resource, "subresource": subresource}} if resource else {}
    return {"verb": verb, "requestURI": path, "responseStatus": {"code": code},
            "annotations": {"authorization.k8s.io/decision": decision}, **reference}


class Rights(unittest.TestCase):
    def test_requests_are_matched_with_the_rights_that_they_need(self):
        granted = rights.granted([ROLE])
        used, refused = rights.used([
            entry("watch", "pods"), entry("patch", "pods", "status"), entry("get", path="/apis?x=y"), entry("get", path="/apis/karpenter.sh/v1"),
            entry("create", "pods", code=403), entry("delete", "pods", code=403, decision="forbid")], granted)
        self.assertEqual(used, {("", "pods", "watch"), ("", "pods/status", "patch"), ("", "/apis", "get"), ("", "/apis/*", "get"),
                                ("", "pods", "create")})
        self.assertEqual(refused, {("", "pods", "delete")})

    def test_what_is_unused_or_refused_is_told(self):
        granted = [*EXCEPTED, ("", "pods", "watch"), ("", "pods", "list"), ("", "pods", "create"), ("", "nodes", "list")]
        for sentence, clusters, told in (
                ("all used", [{"used": granted}], []),
                ("each in another cluster", [{"used": granted[:-1]}, {"used": granted[-1:]}], []),
                ("a watch shows what a list does", [{"used": [one for one in granted if one[1:] != ("pods", "list")]}], []),
                ("excepted", [{"used": granted[len(EXCEPTED):]}], []),
                ("a write is unused", [{"used": [one for one in granted if one[2] != "create"]}], ["granted, but no request used it: create pods"]),
                ("a get beside a watch", [{"used": granted, "granted": [*granted, ("", "pods", "patch"), ("", "leases", "get")]}],
                 ["granted, but no request used it: get leases", "granted, but no request used it: patch pods"]),
                ("a list without a watch", [{"used": granted[:-1]}], ["granted, but no request used it: list nodes"]),
                ("refused", [{"used": granted, "refused": [("", "secrets", "get")]}], ["asked for, but not granted: get secrets"]),
                ("nobody looked", [], ["no cluster left a list of the rights that the operator used"])):
            with self.subTest(sentence), tempfile.TemporaryDirectory() as directory:
                for number, cluster in enumerate(clusters):
                    text = json.dumps({"granted": granted, "refused": [], **cluster})
                    Path(directory, f"{number}.json").write_text(text)
                found = [one for one in rights.differences(directory) if clusters or "exception" not in one]
                self.assertEqual(found, told)

    def test_a_run_of_one_group_is_compared_with_the_rights_of_that_group(self):
        queue = ("kueue.x-k8s.io", "workloads", "create")
        for sentence, granted, used, told in (
                ("used", [queue, ("", "pods", "create")], [queue], []),
                ("unused", [queue], [], ["granted, but no request used it: create workloads (kueue.x-k8s.io)"]),
                ("the chart forgot it", [("", "pods", "create")], [], ["nothing of kueue.x-k8s.io is granted"])):
            with self.subTest(sentence), tempfile.TemporaryDirectory() as directory:
                Path(directory, "a.json").write_text(json.dumps({"granted": granted, "used": used, "refused": []}))
                self.assertEqual(list(rights.differences(directory, queue[0])), told)


if __name__ == "__main__":
    unittest.main()
