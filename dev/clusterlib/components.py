"""The command line and environment of each component."""

from . import kubeconfig, pki
from .paths import kubernetes_minor

PORTS = ("etcd", "etcd-peer", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok",
         "karpenter", "karpenter-metrics")

# A node with this label is not kwok's: no lease, no status, and its pods are left alone.
_KWOK_NODES = "kwok-partition=a,reprise.test/node-silent!=true"

_AUDIT_POLICY = """\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
"""


def write_files(state):
    (state.root / "audit-policy.yaml").write_text(_AUDIT_POLICY)


def command(component, state, ports, settings, tools):
    """(command line, environment) of a component."""
    flags, environment = _BY_NAME[component](state, ports, settings)
    flags.update(settings.flags(component))
    environment.update(settings.variables(component))
    line = [tools / "bin" / component, *(f"--{key}={value}" for key, value in flags.items())]
    return line, environment


def _etcd(state, ports, _):
    client, peer = f"http://127.0.0.1:{ports['etcd']}", f"http://127.0.0.1:{ports['etcd-peer']}"
    return {"data-dir": state.etcd, "name": "dev",
            "listen-client-urls": client, "advertise-client-urls": client,
            "listen-peer-urls": peer, "initial-advertise-peer-urls": peer, "initial-cluster": f"dev={peer}",
            "unsafe-no-fsync": "true", "log-level": "warn"}, {}


def _apiserver(state, ports, _):
    key = state.pki
    # Kubernetes 1.36 serves mutating policies (dev/manifests/admission) as a matter of course.
    policies = {"feature-gates": "MutatingAdmissionPolicy=true",
                "runtime-config": "admissionregistration.k8s.io/v1beta1=true"} if kubernetes_minor() < 36 else {}
    return {**policies, "etcd-servers": f"http://127.0.0.1:{ports['etcd']}",
            "bind-address": "127.0.0.1", "advertise-address": "127.0.0.1", "secure-port": ports["kube-apiserver"],
            "tls-cert-file": key / "apiserver.crt", "tls-private-key-file": key / "apiserver.key",
            "client-ca-file": key / "ca.crt", "token-auth-file": key / "tokens.csv",
            "service-account-issuer": "https://kubernetes.default.svc",
            "service-account-key-file": key / "sa.key", "service-account-signing-key-file": key / "sa.key",
            "authorization-mode": "Node,RBAC", "service-cluster-ip-range": "10.96.0.0/16",
            "allow-privileged": "true", "endpoint-reconciler-type": "none",
            # One file: rotation would hide writes from whoever counts them.
            "audit-log-path": state.audit_log, "audit-log-maxsize": "100000",
            "audit-policy-file": state.root / "audit-policy.yaml"}, {}


def _controller_manager(state, ports, settings):
    key = state.pki
    config = kubeconfig.component_path(state, "kube-controller-manager")
    return {"kubeconfig": config, "authentication-kubeconfig": config, "authorization-kubeconfig": config,
            "bind-address": "127.0.0.1", "secure-port": ports["kube-controller-manager"], "cert-dir": key / "kcm",
            "service-account-private-key-file": key / "sa.key", "root-ca-file": key / "ca.crt",
            "cluster-signing-cert-file": key / "ca.crt", "cluster-signing-key-file": key / "ca.key",
            "use-service-account-credentials": "true", "leader-elect": "false",
            # It would take Karpenter's nodes for machines that their cloud does not know. 1.37 has it no more.
            "controllers": "*" if kubernetes_minor() >= 37 else "*,-cloud-node-lifecycle-controller",
            "node-monitor-period": "1s", "node-monitor-grace-period": f"{settings.node_grace_seconds}s",
            "pvclaimbinder-sync-period": "2s", "resource-quota-sync-period": "5s"}, {}


def _scheduler(state, ports, _):
    config = kubeconfig.component_path(state, "kube-scheduler")
    return {"kubeconfig": config, "authentication-kubeconfig": config, "authorization-kubeconfig": config,
            "bind-address": "127.0.0.1", "secure-port": ports["kube-scheduler"],
            "cert-dir": state.pki / "scheduler", "leader-elect": "false"}, {}


def _kwok(state, ports, settings):
    # kwok renews a lease when a quarter of its duration is over: well inside the grace.
    return {"kubeconfig": kubeconfig.component_path(state, "kwok"), "enable-crds": "Stage",
            "manage-nodes-with-label-selector": _KWOK_NODES,
            "node-lease-duration-seconds": settings.node_grace_seconds,
            "node-ip": "10.64.0.1", "cidr": "10.128.0.1/9",
            "server-address": f"127.0.0.1:{ports['kwok']}"}, {}


def _karpenter(state, ports, _):
    return {}, {"KUBECONFIG": str(kubeconfig.component_path(state, "karpenter")),
                "DISABLE_LEADER_ELECTION": "true", "FEATURE_GATES": "NodeOverlay=true",
                "INSTANCE_TYPES_FILE_PATH": str(state.root / "types.json"),
                "METRICS_PORT": str(ports["karpenter-metrics"]), "HEALTH_PROBE_PORT": str(ports["karpenter"])}


_BY_NAME = {"etcd": _etcd, "kube-apiserver": _apiserver, "kube-controller-manager": _controller_manager,
            "kube-scheduler": _scheduler, "kwok": _kwok, "karpenter": _karpenter}
