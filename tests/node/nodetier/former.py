"""The release that users have today (`former-release` names its commit): where upgrades begin."""

import io
import json
import subprocess
import tarfile
from pathlib import Path

from harness.cluster import ROOT

_HERE = Path(__file__).parents[1]
TAG = "former"  # beside today's image, whose version may be the same


def commit():
    return (_HERE / "former-release").read_text().split()[0]


def chart(directory):
    """Its chart, out of the repository's history."""
    done = subprocess.run(["git", "-C", ROOT, "archive", commit(), "charts/reprise", "crds"], capture_output=True, check=False)
    if done.returncode:
        raise AssertionError(f"the chart of commit {commit()} (tests/node/former-release) is needed, and this clone lacks it: "
                             f"git fetch --unshallow. {done.stderr.decode()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(directory)
    return Path(directory) / "charts/reprise"


class Image:
    """Its operator and agent, built from its own sources."""

    def __init__(self):
        built = subprocess.run([_HERE / "build-former-image"], stdout=subprocess.PIPE, text=True, check=True)
        self.archive = Path(built.stdout.strip())
        with tarfile.open(self.archive) as archive:
            self._manifest, = json.load(archive.extractfile("manifest.json"))

    def load(self, machine):
        """As reprise:former. Before today's image, which takes the name that both have."""
        machine.load(self.archive)
        name, = self._manifest["RepoTags"]
        machine.tag(f"docker.io/library/{name}", f"docker.io/library/reprise:{TAG}")

    @property
    def id(self):
        return "sha256:" + self._manifest["Config"].removesuffix(".json").rpartition("/")[2]
