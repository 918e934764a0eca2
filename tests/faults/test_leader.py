"""Two replicas and a lease: whatever happens, never both write, and nobody writes after its lease has ended."""

from datetime import datetime
from types import SimpleNamespace

from harness import audit, wait
from play.case import FaultCase
from play.server import token

LEASE_SECONDS = 15


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Replicas(FaultCase):
    long = 60

    def setUp(self):
        super().setUp()
        self.proxies = {name: self.make_proxy() for name in "ab"}
        self.replicas = {}

    def start_replica(self, name, **flags):
        """It connects through a proxy of its own, as a user of its own."""
        started = self.start_operator(self.proxies[name], {"token": token(name)}, name=f"replica-{name}",
                                      leader_elect="true", **flags)
        self.replicas[name] = started
        return started

    def start_both(self, **flags):
        """a leads, b stands by."""
        self.start_replica("a", **flags)
        wait.until("a leads", lambda: self.leads("a"))
        self.start_replica("b", **flags)
        self.add_source("first")
        self.converge()

    def leads(self, name):
        return self.replicas[name].total("leader_election_master_status") == 1

    def writes(self, name, leases=False):
        """Writes in this namespace that the server carried out, in its order; (time received, resource)."""
        seen = audit.writes_by(SimpleNamespace(state=self.server.state.root), f"faults:{name}", leases=True)
        return [(moment(entry["time"]), entry["resource"]) for entry in seen
                if entry["namespace"] == self.namespace and entry["code"] < 300
                and (entry["resource"] == "leases") == leases and entry["resource"] != "events"]

    def settle_replicas(self, seconds=60):
        self.converge(seconds)
        wait.steady("nobody writes", lambda: [len(proxy.writes()) for proxy in self.proxies.values()], 1.5, every=0.25)
        self.converge(1)

    def assert_a_wrote_in_its_time_only(self):
        """By the server's own clock: a's last write came within its lease, and before the first of b."""
        renewals, writes, others = self.writes("a", leases=True), self.writes("a"), self.writes("b")
        self.assertTrue(writes and others and renewals)
        last = max(at for at, _ in writes)
        self.assertLess(last, max(at for at, _ in renewals) + LEASE_SECONDS, "a write after the lease's end")
        self.assertLess(last, min(at for at, _ in others), "both wrote")

    def keep_sources_coming(self, until, seconds=60):
        """Adds a source each moment: whoever may write, wants to."""
        count = 0

        def look():
            nonlocal count
            self.add_source(f"more-{count}")
            count += 1
            return until()
        wait.until("the other replica leads", look, seconds, every=0.5)

    def test_a_leader_that_cannot_renew_stops_writing_before_its_lease_ends(self):
        self.start_both()
        self.proxies["a"].add("no renewals", {"method": "PATCH|PUT", "path": "/leases/"}, do="hang")
        self.keep_sources_coming(lambda: self.leads("b"))
        self.settle_replicas()
        wait.until("a, which has lost its lease, has ended", lambda: not self.replicas["a"].alive())
        self.assertNotEqual(self.replicas["a"].process.returncode, 0)
        self.assert_a_wrote_in_its_time_only()

    def test_a_leader_whose_renewals_are_rejected_stops_writing_before_its_lease_ends(self):
        self.start_both()
        self.proxies["a"].add("no renewals", {"path": "/leases"}, do="answer", status=500, reason="InternalError")
        self.keep_sources_coming(lambda: self.leads("b"))
        self.settle_replicas()
        wait.until("a has ended", lambda: not self.replicas["a"].alive())
        self.assert_a_wrote_in_its_time_only()

    def test_a_leader_cut_off_by_half_open_connections_writes_nothing_later(self):
        self.start_both()
        self.proxies["a"].listener("swallow")
        self.proxies["a"].connections("half_open")
        self.keep_sources_coming(lambda: self.leads("b"))
        self.proxies["a"].listener("open")
        self.settle_replicas()
        wait.until("a has ended", lambda: not self.replicas["a"].alive())
        self.assert_a_wrote_in_its_time_only()

    def test_a_leader_that_slept_through_its_lease_wakes_up_and_writes_nothing(self):
        self.start_both()
        self.replicas["a"].process.send_signal(19)
        self.keep_sources_coming(lambda: self.leads("b"))
        before = len(self.writes("a"))
        self.replicas["a"].process.send_signal(18)
        wait.until("a has ended", lambda: not self.replicas["a"].alive())
        self.assertNotEqual(self.replicas["a"].process.returncode, 0)
        self.settle_replicas()
        self.assertEqual(len(self.writes("a")), before)
        self.assert_a_wrote_in_its_time_only()

    def test_a_renewal_whose_answer_is_lost_keeps_the_leader(self):
        """A lost answer now and then is no reason to stop: the lease is still one's own."""
        self.start_both()
        with self.proxies["a"].fault("lost", {"method": "PATCH|PUT", "path": "/leases/", "times": 2}, do="drop",
                                     when="after"):
            self.proxies["a"].until_hit("lost", 2)
        renewed = len(self.writes("a", leases=True))
        wait.until("a renews again", lambda: len(self.writes("a", leases=True)) >= renewed + 2)
        self.add_source("more")
        self.settle_replicas()
        self.assertTrue(self.leads("a"))
        self.assertEqual(self.writes("b"), [])

    def test_a_leader_that_ends_in_order_hands_over_at_once(self):
        self.start_both()
        self.assertEqual(self.replicas["a"].close(), 0)
        self.add_source("more")
        wait.until("b leads", lambda: self.leads("b"), 8)
        self.settle_replicas()
        self.assert_a_wrote_in_its_time_only()

    def test_a_leader_that_is_to_stop_finishes_its_writes_and_gives_the_lease_back_last(self):
        self.start_both()
        with self.proxies["a"].fault("slow", {"method": "POST", "path": "/services$"}, do="delay", milliseconds=1500):
            for name in ("more", "still-more"):
                self.add_source(name)
            self.proxies["a"].until_hit("slow", 2)
            self.assertEqual(self.replicas["a"].close(), 0)
        under_way = [entry for entry in self.proxies["a"].writes() if entry["faults"]]
        self.assertEqual([entry["status"] for entry in under_way], [201, 201], "both were waited for")
        lease = [entry for entry in self.proxies["a"].log() if "/leases/" in entry["path"] and entry["method"] != "GET"][-1]
        self.assertGreater(lease["begun"], max(entry["ended"] for entry in under_way) - 0.05)
        self.add_source("later")
        self.settle_replicas()
        self.assert_a_wrote_in_its_time_only()

    def test_a_replica_that_stands_by_follows_and_writes_nothing(self):
        self.start_both()
        for number in range(5):
            self.add_source(f"s{number}")
        self.settle_replicas()
        self.assertEqual(self.writes("b"), [])
        self.assertTrue(self.proxies["b"].watches("configmaps"), "its caches are warm")

    def take_over_with_frozen_copies(self, sources, warm=0):
        """b follows the sources, and its watch of the copies freezes; a makes copies and is killed, b takes over."""
        # Names that the server chooses: whoever does not see a copy makes another one. And a freeze that b does not
        # notice by itself.
        self.start_both(copy_names="fresh", idle_timeout=120000)
        for number in range(warm):
            self.add_source(f"warm-{number}")
        self.converge(60)
        wait.until("b has seen all copies", lambda: self.replicas["b"].total("reprise_cache_objects", kind="Service")
                   == len(self.copies()))
        since = self.proxies["b"].log()[-1]["id"]
        with self.proxies["b"].fault("freeze", {"path": "/services$", "watch": True, "times": 1}, do="hold"):
            self.proxies["b"].until_hit("freeze", 1)
            for number in range(sources):
                self.add_source(f"more-{number}")
            self.converge()
            self.replicas["a"].process.kill()
            wait.until("b leads", lambda: self.leads("b"))
            self.add_source("last")
            self.converge()
        self.settle_replicas()
        self.assert_wrote(self.replicas["b"], created=1, changed=0, deleted=0)
        return [entry for entry in self.proxies["b"].log(since) if entry["path"].endswith("/services")
                and entry["method"] == "GET"]

    def test_a_standby_whose_watch_froze_makes_nothing_twice_when_it_takes_over(self):
        looks = self.take_over_with_frozen_copies(sources=5)
        self.assertEqual(len([entry for entry in looks if "sendInitialEvents" in entry["query"]]), 1)

    def test_a_standby_with_a_large_cache_catches_up_without_listing_it(self):
        """A bookmark does."""
        looks = self.take_over_with_frozen_copies(sources=5, warm=510)
        self.assertEqual([entry for entry in looks if "sendInitialEvents" in entry["query"]], [])
        self.assertTrue([entry for entry in looks if "limit=1" in entry["query"] and not entry["watch"]])
        self.assertTrue([entry for entry in looks if "timeoutSeconds=3" in entry["query"]])
