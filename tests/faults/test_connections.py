"""Connections that break, hang, lie or are refused, below HTTP."""

from harness import wait
from play.case import FaultCase


class Connections(FaultCase):
    def test_all_connections_reset_again_and_again_cost_no_list(self):
        operator = self.start_operator()
        self.add_source("a")
        self.settle()
        since = self.proxy.log()[-1]["id"]
        for number in range(5):
            self.proxy.connections("reset")
            self.add_source(f"s{number}")
            self.converge()
            # A reset that cut off the answer would leave it with a copy that it does not count.
            wait.until("the operator knows what it made", lambda: operator.wrote()[0] == number + 2)
        self.settle()
        self.assert_wrote(operator, 6, 0, 0)
        self.assertEqual(self.proxy.lists("configmaps", since) + self.proxy.lists("services", since), [])
        self.assert_calm(since)

    def test_watches_and_writes_have_connections_of_their_own(self):
        self.start_operator()
        for number in range(20):
            self.add_source(f"s{number}")
        self.settle()
        log = self.proxy.log()
        watches = {entry["connection"] for entry in log if entry["watch"]}
        others = {entry["connection"] for entry in log if not entry["watch"]}
        self.assertEqual((len(watches), len(others), watches & others), (1, 1, set()))

    def test_a_goaway_in_the_midst_of_writes_loses_none(self):
        operator = self.start_operator()
        self.settle()
        for number in range(40):
            self.add_source(f"s{number}")
            if number % 10 == 5:
                self.proxy.connections("goaway", last=2**31 - 1)
        self.settle()
        self.assert_wrote(operator, 40, 0, 0)

    def test_a_goaway_that_refuses_all_streams_loses_no_write(self):
        operator = self.start_operator()
        self.settle()
        with self.proxy.fault("slow", {"method": "POST", "path": "/services$"}, do="delay", milliseconds=300):
            for number in range(8):
                self.add_source(f"s{number}")
                if number % 3 == 1:
                    self.proxy.connections("goaway", last=0, code=0)
            self.converge()
        self.settle()
        self.assertLessEqual(operator.wrote()[0], 8)
        self.assertEqual(operator.wrote()[1:], (0, 0))

    def test_a_port_that_refuses_is_tried_again_with_backoff(self):
        operator = self.start_operator()
        self.add_source("a")
        self.settle()
        since = self.proxy.log()[-1]["id"]
        self.proxy.listener("closed")
        self.proxy.connections("reset")
        self.add_source("b")
        self.remove_source("a")
        wait.until("the operator noticed", lambda: operator.total("reprise_watch_failures_total") >= 6)
        self.assertEqual(operator.answer("/readyz")[0], 200, "what was known stays good")
        self.assertEqual(operator.answer("/healthz")[0], 200)
        self.proxy.listener("open")
        self.settle()
        self.assert_wrote(operator, 2, 0, 1)
        self.assertEqual(self.proxy.lists("configmaps", since) + self.proxy.lists("services", since), [])
        self.assert_calm(since)

    def test_a_port_that_resets_is_tried_again_with_backoff(self):
        operator = self.start_operator()
        self.settle()
        knocks = len(self.proxy.knocks())
        self.proxy.listener("reset")
        self.proxy.connections("reset")
        self.add_source("a")
        wait.until("six more attempts", lambda: len(self.proxy.knocks()) >= knocks + 6)
        self.proxy.listener("open")
        self.settle()
        self.assert_wrote(operator, 1, 0, 0)
        self.assert_calm()

    def test_a_port_that_swallows_connections_is_given_up_and_tried_again(self):
        operator = self.start_operator()
        self.settle()
        knocks = len(self.proxy.knocks())
        self.proxy.listener("swallow")
        self.proxy.connections("reset")
        self.add_source("a")
        wait.until("several attempts", lambda: len(self.proxy.knocks()) >= knocks + 3, 60)
        self.proxy.listener("open")
        self.settle(60)
        self.assert_wrote(operator, 1, 0, 0)
        self.assert_calm()

    def test_a_server_that_is_down_at_the_start_is_waited_for(self):
        self.add_source("a")
        self.proxy.listener("closed")
        operator = self.start_operator(ready=False)
        wait.until("the operator tried", lambda: operator.answer("/readyz")[0] == 503
                   and operator.total("reprise_watch_failures_total") >= 6)
        self.assertEqual(operator.answer("/healthz")[0], 200, "waiting is no illness")
        self.proxy.listener("open")
        operator.wait_until_ready()
        self.settle()
        self.assert_wrote(operator, 1, 0, 0)
        self.assert_calm()

    def test_half_open_connections_are_left_and_writes_go_through_new_ones(self):
        """The peer has gone without a FIN: bytes are taken by the socket and nothing ever comes back."""
        operator = self.start_operator()
        self.add_source("a")
        self.settle()
        since = self.proxy.log()[-1]["id"]
        self.proxy.connections("half_open")
        self.add_source("b")
        self.change_source("a", "two")
        self.settle(75)
        self.assert_wrote(operator, 2, 1, 0)
        self.assert_calm(since)
        self.assertEqual(self.proxy.lists("configmaps", since), [])

    def test_memory_does_not_grow_with_faults(self):
        operator = self.start_operator(backoff_first=20, backoff_cap=50)
        for number in range(20):
            self.add_source(f"s{number}", "x" * 1000)
        self.settle()
        begin = operator.resident_mib()
        expired = {"do": "error_event", "status": 410, "reason": "Expired"}
        with self.proxy.fault("half lists", {"query": "sendInitialEvents=true"}, after_events=10, **expired):
            with self.proxy.fault("expired", {"watch": True, "times": 2}, **expired):
                self.proxy.until_hit("half lists", 200, 60)
        self.settle()
        self.assertLess(operator.resident_mib(), begin + 6)
        self.assert_wrote(operator, 20, 0, 0)

    def test_an_operator_that_is_to_stop_while_the_server_is_silent_stops(self):
        operator = self.start_operator()
        self.settle()
        self.proxy.connections("half_open")
        self.proxy.listener("swallow")
        self.add_source("a")
        operator.process.terminate()
        self.assertEqual(operator.process.wait(timeout=35), 0)
