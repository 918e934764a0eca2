"""The record of a cluster's watches, with a kubectl that is played."""

import json
import sys
import tempfile
import types
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cluster"))

from harness import wait  # noqa: E402
from harness.watchlog import WatchLog  # noqa: E402

# Each watch ends after one event, the one behind the version that it was asked for; the fourth says nothing more.
KUBECTL = """#!/bin/sh
version=${3##*resourceVersion=}
[ "$version" -ge 13 ] && exec sleep 1000
next=$((version + 1))
echo '{"type": "MODIFIED", "object": {"metadata": {"uid": "u", "resourceVersion": "'$next'"}}}'
"""


class EndedWatches(unittest.TestCase):
    def test_a_watch_that_the_api_server_ends_goes_on_behind_its_last_event(self):
        with tempfile.TemporaryDirectory() as tools:
            kubectl = Path(tools) / "kubectl"
            kubectl.write_text(KUBECTL)
            kubectl.chmod(0o755)
            start = {"metadata": {"resourceVersion": "10"}, "items": []}
            cluster = types.SimpleNamespace(tools=tools, kubeconfig="", kubectl=lambda *_: json.dumps(start))
            with WatchLog(cluster, "nodes") as log:
                wait.until("three events", lambda: len(log.of("nodes")) == 3)
                self.assertEqual([thing["metadata"]["resourceVersion"] for _, thing in log.of("nodes")], ["11", "12", "13"])


if __name__ == "__main__":
    unittest.main()
