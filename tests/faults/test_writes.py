"""Writes that go wrong, before and after the server has carried them out."""

from harness import wait
from play.case import FaultCase

# A part of a sentence -> the fault
FAULTS = {
    "rejected with 401": {"do": "answer", "status": 401, "reason": "Unauthorized"},
    "rejected with 403": {"do": "answer", "status": 403, "reason": "Forbidden"},
    "answered by a gateway page of 404": {"do": "answer", "status": 404, "content_type": "text/plain",
                                          "body": "404 page not found\n"},
    "sent elsewhere by a gateway": {"do": "answer", "status": 302, "content_type": "text/html", "body": "<html>"},
    "rejected with 409": {"do": "answer", "status": 409, "reason": "Conflict"},
    "rejected with 410": {"do": "answer", "status": 410, "reason": "Expired"},
    "rejected with 429 and a time": {"do": "answer", "status": 429, "reason": "TooManyRequests", "retry_after": 1},
    "rejected with 429": {"do": "answer", "status": 429, "reason": "TooManyRequests"},
    "rejected with 500": {"do": "answer", "status": 500, "reason": "InternalError"},
    "rejected with 503": {"do": "answer", "status": 503, "reason": "ServiceUnavailable"},
    "rejected with 504": {"do": "answer", "status": 504, "reason": "Timeout"},
    "answered by a gateway page": {"do": "answer", "status": 200, "content_type": "text/html", "body": "<html></html>"},
    "answered by a gateway page of 502": {"do": "answer", "status": 502, "content_type": "text/html", "body": "<html>"},
    "answered with half an object": {"do": "answer", "status": 200, "body": '{"kind":"Service","metadata":{"na'},
    "cut off": {"do": "drop"},
    "cut off with its connection": {"do": "drop", "what": "connection"},
    "answered late": {"do": "delay", "milliseconds": 1500},
}
VERBS = {"creation": "POST", "change": "PATCH", "deletion": "DELETE"}


class Writes(FaultCase):
    """All faults of one verb at once, each on a source of its own: none may hinder another."""

    def play(self, verb, when, faults=None):
        names = {}
        for number, (sentence, fault) in enumerate((faults or FAULTS).items()):
            names[sentence] = name = f"s{number}"
            match = {"method": VERBS[verb], "times": 2}
            match |= ({"path": "/services$", "body": f'"{name}-copy"'} if verb == "creation"
                      else {"path": f"/services/{name}-copy$"})
            self.proxy.add(sentence, match, when=when, **fault)
        operator = self.start_operator()
        for name in names.values():
            self.add_source(name)
        if verb != "creation":
            self.converge()
            for name in names.values():
                self.change_source(name, "two") if verb == "change" else self.remove_source(name)
        self.settle()
        attempts = self.attempts(verb, names)
        for sentence, fault in (faults or FAULTS).items():
            with self.subTest(f"a {verb} that is {sentence} {when} it was carried out"):
                hits = self.proxy.remove(sentence)["hits"]
                self.assertGreaterEqual(hits, 1, "the fault took place")
                self.assertLessEqual(attempts[names[sentence]], 10, "attempts")
        self.assertTrue(operator.alive())
        # A reset connection takes the answers of others along: the operator may have done more than it knows of.
        self.assertLessEqual(dict(zip(VERBS, operator.wrote()))[verb], len(names))

    def attempts(self, verb, names):
        counted = dict.fromkeys(names.values(), 0)
        for entry in self.proxy.writes():
            if entry["method"] != VERBS[verb]:
                continue
            for fault in entry["faults"]:
                if fault in names:
                    counted[names[fault]] += 1
            for name in names.values():
                if entry["path"].endswith(f"/{name}-copy"):
                    counted[name] += 1
        return counted

    def test_creations_that_failed_before_they_were_carried_out_are_made_good(self):
        self.play("creation", "before")

    def test_creations_whose_answer_was_lost_make_no_second_copy(self):
        self.play("creation", "after")

    def test_changes_that_failed_before_they_were_carried_out_are_made_good(self):
        self.play("change", "before")

    def test_changes_whose_answer_was_lost_are_not_lost(self):
        self.play("change", "after")

    def test_deletions_that_failed_before_they_were_carried_out_are_made_good(self):
        self.play("deletion", "before")

    def test_deletions_whose_answer_was_lost_delete_nothing_else(self):
        self.play("deletion", "after")


class WriteLaws(FaultCase):
    def test_a_storm_of_429_is_answered_with_backoff(self):
        """With Retry-After nothing comes sooner than it says."""
        operator = self.start_operator()
        with self.proxy.fault("storm", {"method": "POST", "path": "/services$"}, do="answer", status=429,
                              reason="TooManyRequests", retry_after=2):
            for number in range(10):
                self.add_source(f"s{number}")
            self.proxy.until_hit("storm", 25)
        self.settle()
        self.assert_wrote(operator, 10, 0, 0)
        by_body = [entry["begun"] for entry in self.proxy.writes() if entry["status"] == 429]
        self.assertLessEqual(len(by_body), 10 * (1 + (max(by_body) - min(by_body)) / 2) + 1,
                             "ten sources, each at most once in two seconds")

    def test_a_storm_of_429_without_a_time_slows_down(self):
        operator = self.start_operator()
        with self.proxy.fault("storm", {"method": "POST", "path": "/services$"}, do="answer", status=429):
            self.add_source("a")
            self.proxy.until_hit("storm", 11)  # so that the last waits are long beside what a busy machine adds to each
        self.settle()
        self.assert_wrote(operator, 1, 0, 0)
        times = [entry["begun"] for entry in self.proxy.writes() if entry["status"] == 429]
        gaps = [later - earlier for earlier, later in zip(times, times[1:])]
        self.assertGreater(gaps[-1], 4 * gaps[1], f"waits between attempts: {gaps}")

    def test_a_change_that_others_made_meanwhile_is_not_overwritten_blindly(self):
        """Somebody changes the copy; its event is held back. The operator's stale patch must fail, not win."""
        operator = self.start_operator()
        self.add_source("a")
        self.settle()
        with self.proxy.fault("held", {"path": "/services$", "watch": True}, do="hold"):
            self.client.must("PATCH", self.path("services", "a-copy"), {"metadata": {"annotations": {"other": "x"}}},
                             "application/merge-patch+json")
            self.change_source("a", "two")
            wait.until("a patch met a conflict",
                       lambda: [entry for entry in self.proxy.writes() if entry["upstream"] == 409])
        self.settle()
        found = self.client.must("GET", self.path("services", "a-copy"))
        self.assertEqual(found["metadata"]["annotations"]["other"], "x")
        self.assertTrue(operator.alive())

    def test_a_deletion_decided_on_a_stale_view_spares_what_came_after(self):
        """The copy is replaced by another of its name while the operator does not see it: uid and version protect it."""
        self.start_operator()
        self.add_source("a")
        self.settle()
        with self.proxy.fault("held", {"path": "/services$", "watch": True}, do="hold"):
            self.client.must("DELETE", self.path("services", "a-copy"))
            self.client.must("POST", self.path("services"), {
                "metadata": {"name": "a-copy"}, "spec": {"clusterIP": "None", "selector": {"x": "y"}}})
            self.remove_source("a")
            wait.until("a deletion met a conflict", lambda: [
                entry for entry in self.proxy.writes() if entry["method"] == "DELETE" and entry["upstream"] == 409])
        self.settle()
        self.client.must("GET", self.path("services", "a-copy"))

    def test_a_write_that_arrives_after_its_writer_gave_up_does_no_harm(self):
        """The request lies in the network while the connection dies; the server carries it out later."""
        operator = self.start_operator()
        with self.proxy.fault("slow network", {"method": "POST", "path": "/services$", "times": 1},
                              do="delay", milliseconds=2000):
            self.add_source("a")
            self.proxy.until_hit("slow network")
            self.proxy.connections("reset")
            self.converge()
            wait.until("the late write arrived",
                       lambda: [entry for entry in self.proxy.writes() if entry["faults"] and entry["upstream"]])
        self.settle()
        self.assert_wrote(operator, 1, 0, 0)
        self.assertEqual([entry["upstream"] for entry in self.proxy.writes() if entry["faults"]], [409])

    def test_ten_thousand_characters_come_back_one_by_one(self):
        with self.proxy.fault("slow", {"method": "POST", "path": "/services$"}, do="slow", chunk=7, milliseconds=0):
            operator = self.start_operator()
            self.add_source("a", "x" * 10_000)
            self.settle()
        self.assert_wrote(operator, 1, 0, 0)
