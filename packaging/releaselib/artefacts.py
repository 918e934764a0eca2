"""The files of a release, each made by the tool that its users read it with."""

import gzip
import hashlib
import io
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from imagelib import compiled, sbom, source
from imagelib.errors import ImageError
from imagelib.tree import File, Tree

from . import krew

ROOT = source.ROOT
SHELLS = ("bash", "zsh", "fish")
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def run(*arguments, **more):
    done = subprocess.run([str(argument) for argument in arguments], text=True, capture_output=True, check=False, **more)
    if done.returncode:
        raise ImageError(f"{' '.join(map(str, arguments))}: {(done.stderr or done.stdout).strip()[-2000:]}")
    return done.stdout


def archive(members, epoch, zipped):
    """A tar of {name: (mode, bytes)} whose times are those of the commit."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, (mode, content) in sorted(members.items()):
            member = tarfile.TarInfo(name)
            member.size, member.mode, member.mtime = len(content), mode, epoch
            tar.addfile(member, io.BytesIO(content))
    return gzip.compress(plain.getvalue(), mtime=0) if zipped else plain.getvalue()


class Release:
    def __init__(self, build, out):
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        self.build, self.out = build, out
        self.version, self.epoch = source.version(), source.epoch()
        self.architecture = ARCHITECTURES[os.uname().machine]
        tools = run(ROOT / "dev/tools/build", "--path").strip()
        self.environment = {**os.environ, "SOURCE_DATE_EPOCH": str(self.epoch), "PATH": f"{tools}:{os.environ['PATH']}"}

    def image(self):
        with tempfile.TemporaryDirectory() as scratch:
            made = Path(scratch) / "image"
            run(ROOT / "packaging/image/build", self.build, made, env=self.environment)
            for file in made.glob("reprise-*"):
                shutil.move(file, self.out / file.name)
            layout = {str(file.relative_to(made / "oci")): (0o644, file.read_bytes())
                      for file in (made / "oci").rglob("*") if file.is_file()}
            (self.out / f"reprise-{self.version}-{self.architecture}.oci.tar").write_bytes(archive(layout, self.epoch, False))
            self.digest = (made / "digest").read_text().strip()

    def chart(self):
        """As `helm package` lays it out; helm itself would write the time of day into it."""
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch) / "reprise"
            shutil.copytree(ROOT / "charts/reprise", copy)  # the CRDs are links in the tree, files in the package
            with open(copy / "Chart.yaml", "a") as chart:
                chart.write(f"  reprise.dev/image-digest: {self.digest}\n")
            run("helm", "lint", "--strict", copy, env=self.environment)
            run("helm", "package", copy, "--destination", scratch, env=self.environment)
            with tarfile.open(Path(scratch) / f"reprise-{self.version}.tgz") as packed:
                members = {member.name: (0o644, packed.extractfile(member).read()) for member in packed if member.isfile()}
        (self.out / f"reprise-{self.version}.tgz").write_bytes(archive(members, self.epoch, True))

    def manifests(self):
        crds = "---\n".join(file.read_text() for file in sorted((ROOT / "crds").glob("reprise.dev_*.yaml")))
        (self.out / f"reprise-crds-{self.version}.yaml").write_text(crds)
        run(ROOT / "packaging/manifest", self.out / f"reprise-{self.version}.yaml", env=self.environment)

    def debs(self):
        with tempfile.TemporaryDirectory() as scratch:
            run("cpack", "--config", self.build / "CPackConfig.cmake", "-G", "DEB", "-B", scratch, cwd=scratch, env=self.environment)
            for file in Path(scratch).glob("*.deb"):
                shutil.move(file, self.out / file.name)

    def wheel(self):
        """The module `reprise` of training scripts, as pip builds it."""
        run("/usr/bin/python3", "-B", "-c", "import sys, backend; backend.build_wheel(sys.argv[1])", self.out, cwd=ROOT / "python",
            env=self.environment)

    def plugin(self):
        program = self.build / "bin/kubectl-reprise"
        with tempfile.TemporaryDirectory() as scratch:
            stripped = Path(scratch) / program.name
            run("strip", "-o", stripped, program)
            members = {program.name: (0o755, stripped.read_bytes()), "LICENSE": (0o644, (ROOT / "LICENSE").read_bytes()),
                       "kubectl_complete-reprise": (0o755, (ROOT / "apps/kubectl-reprise/commands/kubectl_complete-reprise").read_bytes()),
                       "man/man1/kubectl-reprise.1": (0o644, run(program, "__man").encode())}
        for shell in SHELLS:
            members[f"completion/kubectl-reprise.{shell}"] = (0o644, run(program, "completion", shell).encode())
        packed = archive(members, self.epoch, True)
        name = f"kubectl-reprise_{self.version}_linux_{self.architecture}"
        sha256 = hashlib.sha256(packed).hexdigest()
        (self.out / f"{name}.tar.gz").write_bytes(packed)
        (self.out / "krew.yaml").write_text(krew.manifest(self.version, self.architecture, f"{name}.tar.gz", sha256, sorted(members)))
        compiled_in = compiled.compiled_in(self.build, program.name)
        subject = sbom.archive(f"{name}.tar.gz", self.version, self.architecture, source.timestamp(self.epoch), sha256)
        tree = Tree()
        for path, (mode, content) in members.items():
            tree.add(path, File(content, mode))
        sbom.write(self.out / f"{name}.spdx.json", subject, [tree], (), {program.name: compiled_in})
