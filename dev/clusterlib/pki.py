"""Certificates, service-account keys and tokens of one cluster."""

import secrets
import shutil
import subprocess

from .errors import ClusterError

# Users of the components, for RBAC and for whoever counts writes in the audit log.
TOKEN_USERS = {
    "kube-controller-manager": ("system:kube-controller-manager", ""),
    "kube-scheduler": ("system:kube-scheduler", ""),
    "kwok": ("reprise:kwok", "system:masters"),
    "karpenter": ("reprise:karpenter", "system:masters"),
}


def make(state):
    """Makes all that is missing."""
    if (state.pki / "tokens.csv").exists():
        return
    if not shutil.which("openssl"):
        raise ClusterError("the command openssl is missing: install the package openssl")
    directory = state.pki
    _openssl("req", "-x509", *_new_key(directory / "ca.key"), "-subj", "/CN=reprise-dev-ca", "-days", "3650",
             "-addext", "keyUsage=critical,keyCertSign,cRLSign,digitalSignature", "-out", directory / "ca.crt")
    _signed(directory, "apiserver", "/CN=kube-apiserver", "serverAuth",
            "DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,IP:127.0.0.1,IP:10.96.0.1")
    _signed(directory, "admin", "/O=system:masters/CN=admin", "clientAuth")
    _openssl("genrsa", "-out", directory / "sa.key", "2048")
    lines, tokens = [], {}
    for component, (user, groups) in TOKEN_USERS.items():
        tokens[component] = secrets.token_hex(16)
        lines.append(f'{tokens[component]},{user},{user},"{groups}"\n')
        (directory / f"{component}.token").write_text(tokens[component])
    (directory / "tokens.csv").write_text("".join(lines))


def token(state, component):
    return (state.pki / f"{component}.token").read_text()


def _new_key(path):
    return "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", path


def _signed(directory, name, subject, usage, names=None):
    extensions = directory / f"{name}.ext"
    extensions.write_text(f"extendedKeyUsage={usage}\nkeyUsage=digitalSignature\n" +
                          (f"subjectAltName={names}\n" if names else ""))
    request = directory / f"{name}.csr"
    _openssl("req", "-new", *_new_key(directory / f"{name}.key"), "-subj", subject, "-out", request)
    _openssl("x509", "-req", "-in", request, "-CA", directory / "ca.crt", "-CAkey", directory / "ca.key",
             "-CAcreateserial", "-days", "3650", "-extfile", extensions, "-out", directory / f"{name}.crt")
    request.unlink()
    extensions.unlink()


def _openssl(*arguments):
    result = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True)
    if result.returncode != 0:
        raise ClusterError(f"openssl {arguments[0]} failed:\n{result.stderr}")
