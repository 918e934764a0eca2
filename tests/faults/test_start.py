"""The first list goes wrong. The operator finds copies that another one has left: a half-filled cache read as "all
gone" would delete them, one read as "none there" would make them twice."""

from dataclasses import dataclass, field

import yaml

from harness import wait
from play.case import FaultCase
from play.operator import reprise
from play.server import ROOT
from play.table import invariants

STREAMING = {"query": "sendInitialEvents=true"}


@dataclass
class Row:
    """A fault of the first lists of both kinds."""

    do: dict
    match: dict = field(default_factory=lambda: dict(STREAMING))
    hits: int = 2
    lists: int = 12
    paged: bool = False  # the last list comes in pages
    seconds: int = 60


ROWS = {
    "streaming lists rejected with 400 are pages from then on": Row(
        {"do": "answer", "status": 400, "reason": "BadRequest"}, paged=True, lists=2),
    "streaming lists rejected with 405 are pages from then on": Row(
        {"do": "answer", "status": 405, "reason": "MethodNotAllowed"}, paged=True, lists=2),
    "streaming lists rejected with 422 are pages from then on": Row(
        {"do": "answer", "status": 422, "reason": "Invalid"}, paged=True, lists=2),
    "streaming lists whose end never comes are fetched in pages": Row(
        {"do": "withhold", "what": "initial-events-end"}, paged=True, lists=2),
    "streaming lists without any bookmark are fetched in pages": Row(
        {"do": "withhold", "what": "bookmarks"}, paged=True, lists=2),
    "a first list cut after two objects is not taken for the whole": Row({"do": "end", "after_events": 2}, hits=6),
    "a first list whose stream is reset after two objects is not taken for the whole": Row(
        {"do": "reset_stream", "after_events": 2}, hits=6),
    "a first list whose connection is reset after two objects is not taken for the whole": Row(
        {"do": "reset_connection", "after_events": 2}, hits=6),
    "a first list that freezes after two objects is fetched in pages": Row(
        {"do": "hold", "after_events": 2}, {**STREAMING, "times": 2}, paged=True, lists=2),
    "a first list broken by an ERROR event is begun again": Row(
        {"do": "error_event", "status": 500, "reason": "InternalError", "after_events": 2}, hits=4),
    "a first list ended by 410 is begun again": Row(
        {"do": "error_event", "status": 410, "reason": "Expired", "after_events": 2}, hits=4),
    "a first list with too large a version is begun again": Row(
        {"do": "answer", "status": 504, "reason": "Timeout", "message": "Too large resource version: 9, current: 8",
         "causes": ["ResourceVersionTooLarge"]}, hits=4),
    "a first list rejected with 401 is asked for again": Row({"do": "answer", "status": 401}, hits=4),
    "a first list rejected with 403 is asked for again": Row({"do": "answer", "status": 403}, hits=4),
    "a first list rejected with 429 is asked for again": Row(
        {"do": "answer", "status": 429, "retry_after": 1}, {**STREAMING, "times": 4}, hits=4),
    "a first list rejected with 503 is asked for again": Row({"do": "answer", "status": 503}, hits=4),
    "a first list answered by a gateway page is asked for again": Row(
        {"do": "answer", "status": 200, "content_type": "text/html", "body": "<html>moved</html>"}, hits=4),
}


def play(test, row):
    for name in "abcdef":
        test.add_source(name)
        test.add_copy(name)
    test.add_copy("orphan")
    with test.proxy.fault("fault", row.match, **row.do):
        operator = test.start_operator(ready=False)
        test.proxy.until_hit("fault", row.hits, row.seconds)
        if row.paged or row.match.get("times"):
            operator.wait_until_ready(row.seconds)
    operator.wait_until_ready(row.seconds)
    test.settle(row.seconds)
    test.assert_wrote(operator, created=0, changed=0, deleted=1)
    test.assert_calm()
    for kind in ("configmaps", "services"):
        lists = test.proxy.lists(kind)
        test.assertLessEqual(len(lists), row.lists, f"lists of {kind}")
        test.assertEqual(not lists[-1]["watch"], row.paged, "the last list was one of pages")
        test.assertFalse([entry for entry in lists if "resourceVersion=0" in entry["query"]],
                         "a list at version 0 may show the past")


@invariants(ROWS, play)
class FirstList(FaultCase):
    """Whatever happens to the first lists, nothing is decided before both are complete."""


class FrozenOnce(FaultCase):
    def test_a_streaming_list_that_froze_once_is_streamed_again_the_next_time(self):
        self.add_source("a")
        self.add_copy("a")
        with self.proxy.fault("freeze", {**STREAMING, "times": 2}, do="hold", after_events=1):
            operator = self.start_operator()
            self.proxy.until_hit("freeze", 2)
        self.settle()
        with self.proxy.fault("gone", {"watch": True, "query": "resourceVersion=", "times": 2}, do="error_event",
                              status=410, reason="Expired"):
            self.proxy.until_hit("gone", 2)
        self.add_source("b")
        self.settle()
        self.assert_wrote(operator, created=1, changed=0, deleted=0)
        for kind in ("configmaps", "services"):
            lists = [entry["watch"] for entry in self.proxy.lists(kind)]
            self.assertEqual(lists, [True, False, True], f"{kind}: streamed, in pages, streamed")


class Pages(FaultCase):
    """A server without streaming lists: pages, and what may befall them."""

    def setUp(self):
        super().setUp()
        self.proxy.add("no streaming lists", dict(STREAMING), do="answer", status=400, reason="BadRequest")

    def play(self, do, match, sources=3):
        for number in range(sources):
            self.add_source(f"s{number}")
            self.add_copy(f"s{number}")
        self.add_copy("orphan")
        with self.proxy.fault("fault", match, **do):
            operator = self.start_operator(ready=False)
            self.proxy.until_hit("fault", 2)
            self.assertEqual(operator.answer("/readyz")[0], 503)
        operator.wait_until_ready()
        self.settle()
        self.assert_wrote(operator, created=0, changed=0, deleted=1)
        self.assert_calm()

    def test_pages_rejected_with_500_are_asked_for_again(self):
        self.play({"do": "answer", "status": 500}, {"query": "limit=", "watch": False})

    def test_pages_rejected_with_429_are_asked_for_again(self):
        self.play({"do": "answer", "status": 429, "retry_after": 1}, {"query": "limit=", "watch": False})

    def test_pages_that_are_cut_are_not_taken_for_the_whole(self):
        self.play({"do": "reset_stream", "after_events": 1}, {"query": "limit=", "watch": False})

    def test_pages_that_end_too_early_are_not_taken_for_the_whole(self):
        self.play({"do": "end", "after_events": 1}, {"query": "limit=", "watch": False})

    def test_a_gateway_page_instead_of_a_list_is_not_an_empty_list(self):
        self.play({"do": "answer", "status": 200, "content_type": "text/html", "body": "<html></html>"},
                  {"query": "limit=", "watch": False})

    def test_another_object_instead_of_a_list_is_not_an_empty_list(self):
        self.play({"do": "answer", "status": 200, "body": '{"kind":"Status","metadata":{},"status":"Success"}'},
                  {"query": "limit=", "watch": False})

    def test_a_kind_without_its_list_stops_all_decisions(self):
        """The copies are known, the sources are not: nothing is deleted."""
        self.add_copy("orphan")
        with self.proxy.fault("no sources", {"path": "/configmaps$"}, do="answer", status=503):
            operator = self.start_operator(ready=False)
            self.proxy.until_hit("no sources", 4)
            wait.until("copies are watched", lambda: self.proxy.watches("services"))
            self.assertEqual(operator.wrote(), (0, 0, 0))
            status, text = operator.answer("/readyz")
            self.assertEqual(status, 503, text)
            self.assertIn("ConfigMap", text)
        operator.wait_until_ready()
        self.settle()
        self.assert_wrote(operator, 0, 0, 1)


class Relist(FaultCase):
    """The list after an expired watch goes wrong: the old state stays in use until the new one is complete."""

    def test_a_second_list_that_is_cut_again_and_again_takes_nothing_away(self):
        for name in "abcdef":
            self.add_source(name)
        operator = self.start_operator()
        self.settle()
        since = self.proxy.log()[-1]["id"]
        with self.proxy.fault("cut", dict(STREAMING), do="end", after_events=2):
            with self.proxy.fault("expired", {"path": "/configmaps$", "watch": True, "times": 1},
                                  do="error_event", status=410, reason="Expired"):
                self.proxy.until_hit("expired")
            self.proxy.until_hit("cut", 4)
            self.assertEqual(operator.answer("/readyz")[0], 200, "what was known stays good")
            self.remove_source("a")
        self.settle()
        self.assert_wrote(operator, 6, 0, 1)
        self.assert_calm(since)

    def test_what_was_deleted_while_nobody_watched_is_found_by_the_second_list(self):
        for name in "abc":
            self.add_source(name)
        operator = self.start_operator()
        self.settle()
        with self.proxy.fault("hold", {"path": "/configmaps$", "watch": True, "times": 1}, do="hold"):
            self.proxy.until_hit("hold")
            self.remove_source("b")
            self.add_source("d")
            with self.proxy.fault("expired", {"path": "/configmaps$", "query": "resourceVersion=[1-9]", "times": 1},
                                  do="answer", status=410, reason="Expired"):
                self.proxy.until_hit("expired")
        self.settle()
        self.assert_wrote(operator, 4, 0, 1)


class Definitions(FaultCase):
    """The real operator starts before its kinds are served, as when an installer applies everything at once."""
    own_server = True  # without them
    long = 60

    definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    kinds = ("gpupools", "resumablejobs")

    def start_reprise(self):
        """An operator that has said what it waits for."""
        config = self.proxy.kubeconfig(self.folder / "reprise.kubeconfig")
        operator = self.launch(reprise(config, self.namespace), ready=False)
        wait.until("the operator says that it waits", lambda: "Waiting for the cluster" in operator.tail(), 20)
        self.assertIn("resumablejobs.reprise.dev/v1alpha1", operator.tail())
        return operator

    def add_definitions(self):
        for kind in self.kinds:
            self.addCleanup(self.remove_definition, kind)
            text = (ROOT / "crds" / f"reprise.dev_{kind}.yaml").read_text()
            self.client.must("POST", self.definitions, yaml.safe_load(text))

    def remove_definition(self, kind):
        self.client.call("DELETE", f"{self.definitions}/{kind}.reprise.dev")
        path = f"/apis/reprise.dev/v1alpha1/{kind}"
        wait.until(f"{path} is served no more", lambda: self.client.call("GET", path)[0] == 404)

    def ended(self, operator, seconds):
        wait.until("the operator ends", lambda: not operator.alive(), seconds)
        return operator.process.returncode

    def test_an_operator_that_starts_before_its_definitions_leads_once_they_are_established(self):
        operator = self.start_reprise()
        status, text = operator.answer("/readyz")
        self.assertEqual(status, 503, text)
        self.assertIn("does not serve gpupools.reprise.dev/v1alpha1", text)
        self.assertEqual(operator.answer("/healthz")[0], 200)
        self.add_definitions()
        operator.wait_until_ready(60)
        wait.until("it leads", lambda: operator.total("leader_election_master_status") == 1, 40)
        self.assertEqual(operator.log.read_text().count("Waiting for the cluster"), 1)
        self.assert_calm()

    def test_an_operator_whose_definitions_never_come_says_so_and_ends(self):
        operator = self.start_reprise()
        self.assertEqual(self.ended(operator, 50), 1)
        self.assertIn("the cluster does not know gpupools.reprise.dev; install the chart's CRDs", operator.tail())
        self.assertEqual(self.proxy.writes(), [])
        self.assert_calm()

    def test_an_operator_that_waits_for_its_definitions_ends_at_once_when_asked_to(self):
        operator = self.start_reprise()
        operator.process.terminate()
        self.assertEqual(self.ended(operator, 10), 0)
        self.assertNotIn("does not know", operator.tail())
