"""The controller of docs/runtime/tutorial.md does what the page says, on a real API server."""

import unittest

from harness import wait
from harness.case import ClusterCase
from harness.cluster import ROOT, condition
from harness.greeter import Greeter


def greeting(name, text):
    return {"apiVersion": "example.dev/v1", "kind": "Greeting", "metadata": {"name": name, "namespace": "vision"},
            "spec": {"text": text}}


class Tutorial(ClusterCase):
    cluster_settings = ("karpenter=off",)
    pools = ()
    with_operator = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster.kubectl("apply", "-f", str(ROOT / "examples/runtime/greeter/crd.yaml"))
        cls.cluster.kubectl("wait", "--for=condition=Established", "crd/greetings.example.dev")
        cls.greeter = cls.enterClassContext(Greeter(cls.cluster))

    def greet(self, name, text):
        self.cluster.apply(greeting(name, text))
        return self.letter_says(name, text)

    def letter_says(self, name, text):
        """Waits until the letter holds the text and the greeting says so; returns both."""
        def said():
            letter = self.cluster.get("configmap", name, "vision")
            source = self.cluster.get("greeting", name, "vision")
            if not letter or letter["data"]["greeting"] != text:
                raise LookupError(f"letter: {letter and letter['data']}")
            if source["status"]["observedGeneration"] != source["metadata"]["generation"]:
                raise LookupError(f"observed generation {source['status']['observedGeneration']}")
            return letter, source
        try:
            return wait.until(f"letter {name} says {text}", said)
        except wait.NotSeen as missing:
            raise AssertionError(f"{missing}\n{self.greeter.tail()}") from missing

    def test_a_greeting_gets_its_letter_and_says_so(self):
        letter, source = self.greet("hello", "good morning")
        self.assertEqual(condition(source, "Ready")["status"], "True")
        self.assertEqual(letter["metadata"]["ownerReferences"][0]["uid"], source["metadata"]["uid"])

    def test_a_change_of_either_side_is_put_right(self):
        self.greet("change", "one")
        self.greet("change", "two")
        self.cluster.kubectl("patch", "configmap", "change", "-n", "vision", "--type=merge",
                             "-p", '{"data":{"greeting":"scribbled"}}')
        self.letter_says("change", "two")

    def test_with_nothing_to_do_it_writes_nothing(self):
        self.greet("still", "quiet")
        versions = wait.steady("nothing is written", lambda: [
            thing["metadata"]["resourceVersion"] for thing in self.letter_says("still", "quiet")], stretch=5)
        self.assertEqual(len(versions), 2)

    def test_a_deleted_greeting_takes_its_letter_along(self):
        self.greet("bye", "so long")
        self.cluster.kubectl("delete", "greeting", "bye", "-n", "vision")
        wait.until("the letter goes", lambda: not self.cluster.get("configmap", "bye", "vision"))

    def test_what_happened_while_it_was_dead_is_made_up_for(self):
        self.greet("before", "one")
        self.greeter.kill()
        self.cluster.apply(greeting("before", "two"), greeting("meanwhile", "born"))
        self.greeter.start()
        self.letter_says("before", "two")
        self.letter_says("meanwhile", "born")

    def test_on_sigterm_it_ends_in_order_and_gives_the_lease_back(self):
        self.greet("last", "words")
        self.assertEqual(self.greeter.terminate(), 0, self.greeter.tail())
        lease = self.cluster.get("lease", "greeter", "default")
        self.assertEqual(lease["spec"].get("holderIdentity", ""), "")
        self.greeter.start()
        self.greet("last", "but one")

    def test_finalizers_of_others_survive_the_patches_of_the_helper(self):
        """The two JSON patches of runtime/manager/finalizers.h, as the API server takes them."""
        self.greet("kept", "x")
        uid = self.cluster.get("greeting", "kept", "vision")["metadata"]["uid"]

        def patch(*operations):
            text = "[" + ",".join([f'{{"op":"test","path":"/metadata/uid","value":"{uid}"}}', *operations]) + "]"
            self.cluster.kubectl("patch", "greeting", "kept", "-n", "vision", "--type=json", "-p", text)
            return self.cluster.get("greeting", "kept", "vision")["metadata"].get("finalizers", [])

        added = patch('{"op":"test","path":"/metadata/finalizers","value":null}',
                      '{"op":"add","path":"/metadata/finalizers","value":["example.dev/a"]}')
        self.assertEqual(added, ["example.dev/a"])
        both = patch('{"op":"test","path":"/metadata/finalizers","value":["example.dev/a"]}',
                     '{"op":"add","path":"/metadata/finalizers","value":["example.dev/a","example.dev/b"]}')
        self.assertEqual(both, ["example.dev/a", "example.dev/b"])
        with self.assertRaises(AssertionError):
            patch('{"op":"test","path":"/metadata/finalizers","value":null}',
                  '{"op":"add","path":"/metadata/finalizers","value":["example.dev/c"]}')
        for name in ("example.dev/a", "example.dev/b"):
            patch(f'{{"op":"test","path":"/metadata/finalizers/0","value":"{name}"}}',
                  '{"op":"remove","path":"/metadata/finalizers/0"}')
        self.assertNotIn("finalizers", self.cluster.get("greeting", "kept", "vision")["metadata"])


if __name__ == "__main__":
    unittest.main()
