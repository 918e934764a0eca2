"""Bringing a cluster up, or the dead part of one."""

import shutil
import sys
import time

from . import components, description, health, instance_types, kubeconfig, manifests, paths, pki, ports, processes
from .errors import ClusterError
from .kubectl import Kubectl
from .readiness import Unmet, wait_until
from .settings import Settings

_ATTEMPTS = 3


class PortTaken(Exception):
    pass


def up(state, assignments):
    """Returns a line that says what was done. The caller holds the cluster's lock."""
    known = description.load(state)
    if known is not None and assignments and sorted(assignments) != known.assignments:
        raise ClusterError(f"cluster {state.name} exists with other settings ({known.assignments or 'none'}): "
                           f"run 'dev/cluster down {state.name}' first")
    if known is not None and known.complete:
        return _repair(state, known)
    tools = paths.tools_directory()
    started = time.monotonic()
    for attempt in range(1, _ATTEMPTS + 1):
        _clear(state)
        new = description.Description(ports.free_ports(components.PORTS), sorted(assignments), str(tools))
        try:
            _start_all(state, new, Settings(assignments))
            return f"cluster {state.name} is up in {time.monotonic() - started:.1f} s"
        except PortTaken as error:
            if attempt == _ATTEMPTS:
                raise ClusterError(f"another process took a port in each of {_ATTEMPTS} attempts: {error}") from None
            print("another process took a port meanwhile: once more with other ports", file=sys.stderr)
        except ClusterError:
            processes.end_all(state)  # the logs stay, for whoever looks
            raise
    raise AssertionError("unreachable")


def _clear(state):
    """Removes what an `up` that was killed, or collided, has left."""
    processes.end_all(state)
    for entry in state.root.iterdir() if state.exists() else ():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    state.make()


def _start_all(state, new, settings):
    description.save(state, new)
    pki.make(state)
    kubeconfig.write_all(state, new.ports["kube-apiserver"])
    components.write_files(state)
    instance_types.write(state.root / "types.json")
    run = _Run(state, new, settings)
    kubectl = Kubectl(new.tools_path() / "bin" / "kubectl", state.kubeconfig)
    run.start("etcd", "kube-apiserver")
    run.await_ready("etcd", "kube-apiserver")
    run.start("kube-controller-manager", "kube-scheduler")
    manifests.apply_definitions(kubectl, new.tools_path())
    manifests.apply_objects(kubectl)
    run.start("kwok", "karpenter")
    run.await_ready("kube-controller-manager", "kube-scheduler", "kwok", "karpenter")
    manifests.wait_for_basics(kubectl, with_kwok="kwok" in settings.components())
    manifests.wait_for_admission(kubectl)
    new.complete = True
    description.save(state, new)


def _repair(state, known):
    settings = Settings(known.assignments)
    alive = processes.running(state)
    dead = [name for name in settings.components() if name not in alive]
    if not dead:
        return f"cluster {state.name} is already running"
    run = _Run(state, known, settings)
    try:
        run.start(*dead)
        run.await_ready(*settings.components())
    except PortTaken as error:
        raise ClusterError(f"a port of cluster {state.name} was taken meanwhile ({error}): "
                           f"run 'dev/cluster down {state.name}' and up again") from None
    return f"cluster {state.name} runs again; restarted: {', '.join(dead)}"


class _Run:
    """The components that this command starts, watched for early ends."""

    def __init__(self, state, made, settings):
        self._state, self._made, self._settings = state, made, settings
        self._children = {}

    def start(self, *names):
        for name in names:
            if name in self._settings.components():
                line, environment = components.command(
                    name, self._state, self._made.ports, self._settings, self._made.tools_path())
                self._children[name] = processes.start(self._state, name, line, environment)

    def await_ready(self, *names):
        for name in names:
            if name in self._settings.components():
                wait_until(f"{name} to be ready (log: {self._state.log(name)})", lambda: self._ready(name), seconds=60)

    def _ready(self, name):
        for started, child in self._children.items():
            if child.poll() is not None:
                self._report_end(started, child.returncode)
        ready, seen = health.is_ready(name, self._made.ports)
        return True if ready else Unmet(seen)

    def _report_end(self, name, code):
        tail = health.log_tail(self._state, name)
        if "address already in use" in tail:
            raise PortTaken(name)
        raise ClusterError(f"{name} ended during the start (code {code}); the end of {self._state.log(name)}:\n{tail}")
