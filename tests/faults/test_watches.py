"""Watches that go wrong in the middle of an operator's life."""

from dataclasses import dataclass, field

from harness import wait
from play.case import FaultCase
from play.proxy import busiest_second
from play.table import invariants

EXPIRED = {"status": 410, "reason": "Expired", "message": "too old resource version: 1 (2)"}
TOO_LARGE = {"status": 504, "reason": "Timeout", "message": "Too large resource version: 9, current: 8",
             "causes": ["ResourceVersionTooLarge"], "retry_after": 1}
BROKEN_HTML = "<html><body>502 Bad Gateway</body></html>"


@dataclass
class Row:
    """A fault of the watch of sources. It has to take place `hits` times before it ends."""

    do: dict
    match: dict = field(default_factory=dict)
    hits: int = 1
    cut: bool = False      # end the watch under way, so that the next one meets the fault
    lists: int = 0         # how many more lists of sources it may cause; 1: one, no more and no less
    watches: int = 8       # how many more watches of sources
    seconds: int = 60      # to be over it
    flags: dict = field(default_factory=dict)


AT_OPENING = {
    "a watch rejected with 401 is asked for again": Row({"do": "answer", "status": 401, "reason": "Unauthorized"}, hits=3),
    "a watch rejected with 403 is asked for again": Row({"do": "answer", "status": 403, "reason": "Forbidden"}, hits=3),
    "a watch rejected with 404 is asked for again": Row({"do": "answer", "status": 404, "reason": "NotFound"}, hits=2),
    "a watch whose encoding is rejected with 406 is asked for in another": Row(
        {"do": "answer", "status": 406, "reason": "NotAcceptable"}, {"times": 1}, watches=3),
    "a watch whose encoding is rejected with 415 is asked for in another": Row(
        {"do": "answer", "status": 415, "reason": "UnsupportedMediaType"}, {"times": 1}, watches=3),
    "a watch rejected with 409 is asked for again": Row({"do": "answer", "status": 409, "reason": "Conflict"}, hits=2),
    "a watch rejected with 429 waits as long as the answer says": Row(
        {"do": "answer", "status": 429, "reason": "TooManyRequests", "retry_after": 2}, {"times": 2}, hits=2, watches=4),
    "a watch rejected with 429 without a time waits ever longer": Row(
        {"do": "answer", "status": 429, "reason": "TooManyRequests"}, hits=3),
    "a watch rejected with 500 is asked for again": Row({"do": "answer", "status": 500, "reason": "InternalError"}, hits=3),
    "a watch rejected with 503 waits as long as the answer says": Row(
        {"do": "answer", "status": 503, "reason": "ServiceUnavailable", "retry_after": 2}, {"times": 2}, hits=2, watches=4),
    "a watch rejected with 504 is asked for again": Row({"do": "answer", "status": 504, "reason": "Timeout"}, hits=3),
    "410 as the answer to a watch makes one new list": Row(
        {"do": "answer", **EXPIRED}, {"query": "resourceVersion=[1-9]", "times": 1}, lists=1),
    "too large a version as the answer to a watch makes one new list": Row(
        {"do": "answer", **TOO_LARGE}, {"query": "resourceVersion=[1-9]", "times": 1}, lists=1),
    "too large a version said in words only makes one new list": Row(
        {"do": "answer", "status": 504, "message": "Too large resource version: 9, current: 8"},
        {"query": "resourceVersion=[1-9]", "times": 1}, lists=1),
    "an answer of 200 that is over at once is no reason for a list": Row({"do": "end"}, hits=3, cut=True),
    "a page of a gateway instead of a watch is no event": Row(
        {"do": "answer", "status": 200, "content_type": "text/html", "body": BROKEN_HTML}, hits=3),
    "a server that takes the watch and never answers is given up": Row({"do": "hang"}, hits=2),
    "a watch whose stream is reset before an answer is asked for again": Row({"do": "drop"}, hits=3),
    "a watch whose connection is reset before an answer is asked for again": Row(
        {"do": "drop", "what": "connection"}, hits=3),
}

MID_LIFE = {
    "an ERROR event with 410 inside of 200 makes one new list": Row(
        {"do": "error_event", **EXPIRED}, {"times": 1}, lists=1),
    "an ERROR event with too large a version makes one new list": Row(
        {"do": "error_event", **TOO_LARGE}, {"times": 1}, lists=1),
    "an ERROR event with 500 is no reason for a list": Row(
        {"do": "error_event", "status": 500, "reason": "InternalError"}, hits=3),
    "an ERROR event with 429 is no reason for a list": Row(
        {"do": "error_event", "status": 429, "reason": "TooManyRequests", "retry_after": 1}, {"times": 2}, hits=2),
    "ERROR events with 410 again and again make no storm of lists": Row(
        {"do": "error_event", **EXPIRED}, hits=4, lists=6, watches=12),
    "a stream that is reset goes on where it was": Row({"do": "reset_stream"}, hits=3),
    "a connection that is reset goes on where it was": Row({"do": "reset_connection"}, hits=3),
    "a watch that the server ends in order goes on where it was": Row({"do": "end", "after_events": 1}, hits=1),
    "garbage between events is no reason for a list": Row({"do": "garbage", "body": "\u0000\u0001}{garbage\n"}, hits=2),
    "half an event before the next one is no reason for a list": Row(
        {"do": "garbage", "body": '{"type":"ADDED","object":{"kind":"Conf'}, {"times": 1}),
    "bytes that come one by one are put together": Row({"do": "slow", "chunk": 1, "milliseconds": 0}),
    "bytes that come three by three and slowly are put together": Row(
        {"do": "slow", "chunk": 300, "milliseconds": 300}),
    "a frozen watch is noticed within the time for silence": Row({"do": "hold"}, {"times": 1}, hits=1, watches=2),
    "a watch that freezes every time does not relist": Row({"do": "hold"}, hits=2),
    "a watch without bookmarks goes on": Row({"do": "withhold", "what": "bookmarks"}),
    "GOAWAY with live streams that may go on changes nothing": Row({"do": "goaway"}, watches=3),
    "GOAWAY that lets no stream live goes on where it was": Row(
        {"do": "goaway", "last": 0, "code": 11}, {"times": 1}, watches=4),
    "a half-open connection of a watch is noticed and left": Row({"do": "half_open"}, {"times": 1}),
}


def play(test, row, cut):
    for name in "abc":
        test.add_source(name)
    operator = test.start_operator(**row.flags)
    test.settle()
    since = test.proxy.log()[-1]["id"]
    match = {"path": "/configmaps$", "watch": True, **row.match}
    with test.proxy.fault("fault", match, **row.do):
        if cut:
            with test.proxy.fault("cut", {"path": "/configmaps$", "watch": True, "times": 1}, do="end"):
                test.proxy.until_hit("cut")
        test.add_source("d")
        test.change_source("a", "two")
        test.remove_source("b")
        test.proxy.until_hit("fault", row.hits)
        if row.do["do"] in ("slow", "withhold", "goaway") or row.match.get("times"):
            test.converge(row.seconds)
    test.settle(row.seconds)
    test.assert_wrote(operator, created=4, changed=1, deleted=1)
    test.assert_calm(since)
    lists = len(test.proxy.lists("configmaps", since))
    test.assertLessEqual(lists, row.lists, "lists of sources")
    test.assertTrue(row.lists != 1 or lists == 1, "the fault calls for a list")
    test.assertLessEqual(len(test.proxy.watches("configmaps", since)), row.watches, "watches of sources")
    test.assertEqual(test.proxy.lists("services", since), [], "the other kind has nothing to do with it")


@invariants(AT_OPENING, lambda self, row: play(self, row, cut=True))
class WatchRejected(FaultCase):
    """Sources change while their watch cannot be opened; afterwards all is as it should be, at a bounded cost."""


@invariants(MID_LIFE, lambda self, row: play(self, row, cut=False))
class WatchBroken(FaultCase):
    """Sources change while their open watch breaks; afterwards all is as it should be, at a bounded cost."""


class WatchLaws(FaultCase):
    def test_an_event_of_a_mebibyte_arrives(self):
        self.start_operator()
        # Services take no more than 256 KiB of annotations: the size is in a field that the copy does not show.
        self.client.must("POST", self.path("configmaps"), {
            "metadata": {"name": "big", "labels": {"reprise.dev/faults-role": "source"}},
            "data": {"text": "one", "ballast": "x" * 1_000_000}})
        self.settle()

    def test_many_events_in_one_piece_are_all_taken(self):
        operator = self.start_operator()
        with self.proxy.fault("held", {"path": "/configmaps$", "watch": True}, do="hold"):
            for number in range(30):
                self.add_source(f"s{number}")
            self.proxy.until_hit("held")
        self.settle()
        self.assert_wrote(operator, 30, 0, 0)

    def test_bookmarks_and_silence_are_told_apart(self):
        """A watch that the server keeps alive only by ending it in time is never thought dead."""
        self.add_source("a")
        self.start_operator(server_timeout=2000, idle_timeout=4000)
        self.settle()
        since = self.proxy.log()[-1]["id"]
        wait.until("four watches more", lambda: len(self.proxy.watches("configmaps", since)) >= 4)
        self.assertEqual(self.proxy.lists("configmaps", since), [])
        self.assertTrue(all(entry["status"] == 200 for entry in self.proxy.log(since)))
        self.assert_calm(since)

    def test_a_server_that_ends_the_watch_after_each_event_is_not_asked_faster_for_it(self):
        """Each watch has something to say and ends in order: still no reason for a loop."""
        self.start_operator()
        self.settle()
        since = self.proxy.log()[-1]["id"]
        with self.proxy.fault("end", {"path": "/configmaps$", "watch": True}, do="end", after_events=1):
            for number in range(60):
                self.add_source(f"s{number}")
            self.proxy.until_hit("end", 5)
        self.settle()
        self.assertLessEqual(busiest_second([entry["begun"] for entry in self.proxy.watches("configmaps", since)]), 6)
        self.assertEqual(self.proxy.lists("configmaps", since), [])

    def test_a_kind_that_is_held_back_does_not_make_second_copies(self):
        """Copies have fresh names: only the operator's memory of its own writes keeps it from making another."""
        operator = self.start_operator(copy_names="fresh")
        self.settle()
        with self.proxy.fault("copies are held back", {"path": "/services$", "watch": True}, do="hold", after_events=0):
            self.add_source("a")
            wait.until("the copy was made", lambda: len(self.copies()) == 1)
            for number in range(10):
                self.change_source("a", f"text {number}")
            wait.until("the operator put the source off",
                       lambda: operator.total("stale_sync_skips_total") >= 1)
            self.assertEqual(len(self.copies()), 1)
        self.settle()
        self.assertEqual(operator.wrote()[0], 1)

    def test_no_second_copies_when_the_copies_watch_expires_before_showing_them(self):
        operator = self.start_operator(copy_names="fresh", idle_timeout=60000)
        self.settle()
        self.proxy.add("held", {"path": "/services$", "watch": True, "times": 1}, do="hold")
        for number in range(5):
            self.add_source(f"s{number}")
        wait.until("the copies were made", lambda: len(self.copies()) == 5)
        with self.proxy.fault("expired", {"path": "/services$", "watch": True, "times": 1}, do="error_event", **EXPIRED):
            self.proxy.remove("held")
            for number in range(5):
                self.change_source(f"s{number}", "two")
            self.proxy.until_hit("expired")
        self.settle()
        self.assertEqual(operator.wrote()[0], 5)
