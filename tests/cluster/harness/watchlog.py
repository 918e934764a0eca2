"""A record of everything the API server said about some kinds, in its order: the test's own eyes, not the operator's."""

import json
import subprocess
import threading

from . import wait


PATHS = {
    "events": "/apis/events.k8s.io/v1/events",
    "gpupools": "/apis/reprise.dev/v1alpha1/gpupools",
    "nodeclaims": "/apis/karpenter.sh/v1/nodeclaims",
    "nodepools": "/apis/karpenter.sh/v1/nodepools",
    "nodes": "/api/v1/nodes",
    "persistentvolumeclaims": "/api/v1/persistentvolumeclaims",
    "pods": "/api/v1/pods",
    "resumablejobs": "/apis/reprise.dev/v1alpha1/resumablejobs",
}


class WatchLog:
    """Watches each kind from the start on. Entries: (kind, type, object) with type ADDED, MODIFIED or DELETED.

    Once entered it misses nothing: each watch goes on from the resourceVersion of a list, and, since an API server may end
    a watch at any time, the next one from that of the last event."""

    def __init__(self, cluster, *kinds):
        self.cluster = cluster
        self.kinds = kinds
        self.entries = []
        self._lock = threading.Lock()
        self._processes = {}  # by kind
        self._left = False

    def __enter__(self):
        for kind in self.kinds:
            start = json.loads(self.cluster.kubectl("get", "--raw", PATHS[kind]))
            self.entries += [(kind, "ADDED", thing) for thing in start["items"]]
            version = start["metadata"]["resourceVersion"]
            threading.Thread(target=self._follow, args=(kind, version), daemon=True).start()
        return self

    def __exit__(self, *_):
        with self._lock:
            self._left = True
            processes = list(self._processes.values())
        for process in processes:
            process.kill()
            process.wait()

    def _follow(self, kind, version):
        while process := self._watch(kind, version):
            with process.stdout as stream:
                for line in stream:
                    event = json.loads(line)
                    if event["type"] == "ERROR":
                        raise RuntimeError(f"the watch of {kind} from {version} on: {event['object']}")
                    version = event["object"]["metadata"]["resourceVersion"]
                    with self._lock:
                        self.entries.append((kind, event["type"], event["object"]))
            process.wait()

    def _watch(self, kind, version):
        """A watch from that version on; None once nobody wants it any more."""
        with self._lock:
            if self._left:
                return None
            self._processes[kind] = subprocess.Popen(
                [f"{self.cluster.tools}/kubectl", "get", "--raw", f"{PATHS[kind]}?watch=true&resourceVersion={version}"],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={"KUBECONFIG": self.cluster.kubeconfig})
            return self._processes[kind]

    def of(self, kind):
        with self._lock:
            return [(type_, thing) for kind_, type_, thing in self.entries if kind_ == kind]

    def in_order(self):
        """All entries by resourceVersion, the order in which the API server committed them."""
        with self._lock:
            return sorted(self.entries, key=lambda entry: int(entry[2]["metadata"]["resourceVersion"]))

    def up_to_now(self):
        """All entries, in order, up to a moment that lies after the call. Each kind comes in a stream of its own, and one may lag
        behind another: who compares kinds must not see what came of a thing before the thing itself."""
        lists = {kind: json.loads(self.cluster.kubectl("get", "--raw", PATHS[kind])) for kind in self.kinds}
        for kind, listed in lists.items():
            wait.until(f"the log has what a list of {kind} shows", lambda kind=kind, listed=listed: self._is_as_new_as(kind, listed))
        end = min(int(listed["metadata"]["resourceVersion"]) for listed in lists.values())
        return [entry for entry in self.in_order() if int(entry[2]["metadata"]["resourceVersion"]) <= end]

    def _is_as_new_as(self, kind, listed):
        last = {thing["metadata"]["uid"]: (type_, int(thing["metadata"]["resourceVersion"])) for type_, thing in self.of(kind)}
        shown = {thing["metadata"]["uid"]: int(thing["metadata"]["resourceVersion"]) for thing in listed["items"]}
        end = int(listed["metadata"]["resourceVersion"])
        return (all(uid in last and last[uid][1] >= version for uid, version in shown.items())
                and all(type_ == "DELETED" or uid in shown or version > end for uid, (type_, version) in last.items()))

    def wait_for(self, what, test, seconds=wait.DEADLINE_SECONDS):
        return wait.until(what, lambda: next((entry for entry in self.in_order() if test(*entry)), None), seconds)
