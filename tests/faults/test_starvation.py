"""More work than the workers can do: news does not wait behind a restart's list, and the list does not starve."""

from harness import wait
from play.case import FaultCase

CREATIONS = {"method": "POST", "path": "/services$"}
WORKERS = 4


class Starvation(FaultCase):
    long = 40

    def test_news_does_not_wait_behind_the_list_of_a_restart(self):
        listed = 120
        for number in range(listed):
            self.add_source(f"listed-{number}")
        # 4 workers, 200 ms each: six seconds of work.
        with self.proxy.fault("slow", CREATIONS, do="delay", milliseconds=200):
            operator = self.start_operator()
            self.proxy.until_hit("slow", WORKERS)
            self.add_source("news")
            # Counted in the same look: the copies go on meanwhile.
            seen = wait.until("the news is there", lambda: next((found for found in [self.copies()] if ("news", "one") in found), None),
                              every=0.05)
            self.assertLess(len(seen), listed / 2, "copies that were made before")
        self.settle()
        self.assert_wrote(operator, created=listed + 1, changed=0, deleted=0)

    def test_a_list_is_worked_off_while_news_never_ends(self):
        hot, listed = 24, 12
        for number in range(hot):
            self.add_source(f"hot-{number}")
        operator = self.start_operator()
        self.settle()
        operator.close()
        for number in range(listed):
            self.add_source(f"listed-{number}")
        # Each write takes 400 ms, so 4 workers do 10 a second; changes come faster than that.
        with self.proxy.fault("slow", {"method": "POST|PATCH", "path": "/services"}, do="delay", milliseconds=400):
            operator = self.start_operator()
            rounds = 0

            def heat():
                nonlocal rounds
                rounds += 1
                for number in range(hot):
                    self.change_source(f"hot-{number}", f"round {rounds}")
                return len([source for source, _ in self.copies() if source.startswith("listed-")]) == listed
            # Every 8th key is of the list: 12 * 8 keys at 10 a second.
            wait.until("all of the list have copies", heat, every=0.01)
            behind = operator.total("workqueue_depth", priority="0")
            self.assertGreater(behind, 0, "the news alone was more than the workers could do")
        self.settle()
