"""Whether a component is alive and ready."""

import ssl
import urllib.error
import urllib.request

# component -> (scheme, key of its port, path)
_ENDPOINTS = {
    "etcd": ("http", "/readyz"),
    "kube-apiserver": ("https", "/readyz"),
    "kube-controller-manager": ("https", "/healthz"),
    "kube-scheduler": ("https", "/readyz"),
    "kwok": ("http", "/readyz"),
    "karpenter": ("http", "/readyz"),
}
# The health of a component on loopback; its certificate proves nothing that matters here.
_CONTEXT = ssl._create_unverified_context()


def is_ready(component, ports):
    """(ready, what was seen)"""
    scheme, path = _ENDPOINTS[component]
    url = f"{scheme}://127.0.0.1:{ports[component]}{path}"
    try:
        with urllib.request.urlopen(url, timeout=2, context=_CONTEXT if scheme == "https" else None) as answer:
            return answer.status == 200, f"{path}: {answer.status}"
    except urllib.error.HTTPError as error:
        return False, f"{path}: {error.code}"
    except OSError as error:
        return False, f"{path}: {getattr(error, 'reason', error)}"


def log_tail(state, component, lines=30):
    try:
        text = state.log(component).read_text(errors="replace")
    except FileNotFoundError:
        return "(no log)"
    return "\n".join(text.splitlines()[-lines:]) or "(the log is empty)"
