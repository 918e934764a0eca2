"""What `up --set KEY=VALUE` can change.

  nodeGraceSeconds=8          how long a node may be silent before it is Unknown
  karpenter=off               leave a component out (kwok and karpenter only)
  COMPONENT.flag=VALUE        add or replace a flag of a component's command line
  COMPONENT.VARIABLE=VALUE    (capitals) add or replace a variable of its environment
"""

import re

from .errors import ClusterError

COMPONENTS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok", "karpenter")
_OPTIONAL = ("kwok", "karpenter")
_PER_COMPONENT = re.compile(r"(" + "|".join(COMPONENTS) + r")\.([A-Za-z][-A-Za-z0-9_]*)")


class Settings:
    def __init__(self, assignments):
        self.assignments = sorted(assignments)
        self.node_grace_seconds = 8
        self.left_out = set()
        self._extra = {}
        for assignment in assignments:
            key, separator, value = assignment.partition("=")
            if not separator:
                raise ClusterError(f"--set {assignment}: KEY=VALUE is expected")
            self._assign(key, value)

    def components(self):
        return [name for name in COMPONENTS if name not in self.left_out]

    def flags(self, component):
        return {key: value for key, value in self._extra.get(component, {}).items() if not key.isupper()}

    def variables(self, component):
        return {key: value for key, value in self._extra.get(component, {}).items() if key.isupper()}

    def _assign(self, key, value):
        per_component = _PER_COMPONENT.fullmatch(key)
        if per_component:
            self._extra.setdefault(per_component[1], {})[per_component[2]] = value
        elif key == "nodeGraceSeconds" and value.isdigit() and int(value) >= 4:
            self.node_grace_seconds = int(value)
        elif key in _OPTIONAL and value in ("on", "off"):
            self.left_out.discard(key) if value == "on" else self.left_out.add(key)
        else:
            raise ClusterError(f"--set {key}={value} is not known; known are:{__doc__.partition('.')[2]}")
