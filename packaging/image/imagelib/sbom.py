"""A bill of materials, as SPDX 2.3: every file of an image or an archive, the package it is of, and what was compiled into the programs."""

import hashlib
import json
import re
from dataclasses import dataclass
from urllib.parse import quote

from . import debian

_NONE = "NOASSERTION"


@dataclass(frozen=True)
class Subject:
    """What the bill is of."""
    kind: str        # "image", "archive": in identifiers
    name: str
    document: str    # the document's own name
    version: str
    purpose: str     # as SPDX calls it
    info: str
    digest: str      # SHA-256, in hexadecimal
    created: str


def image(of, version, digest):
    """`of`: an oci.Image; `digest`: sha256:..."""
    return Subject("image", f"reprise-image-{of.architecture}", f"reprise-{version}-{of.architecture}", version, "CONTAINER",
                   f"image manifest {digest}", digest.split(":")[1], of.created)


def archive(file, version, architecture, created, sha256):
    name = file.partition("_")[0]
    return Subject("archive", file, f"{name}-{version}-{architecture}", version, "ARCHIVE", f"the file {file}", sha256, created)


def write(file, subject, trees, packages, compiled):
    """`packages`: what lies in the subject; `compiled`: program -> CompiledIn."""
    document = _Document(subject)
    everything = set(packages).union(*(found.linked | found.included for found in compiled.values()))
    for package in sorted(everything, key=lambda one: one.name):
        document.add_package(package)
        if package in packages:
            document.relate(f"Package-{subject.kind}", "CONTAINS", _package_id(package.name))
    for tree in trees:
        for path, content in sorted(tree.files.items()):
            document.add_file(path, content)
    for program, found in sorted(compiled.items()):
        for package in sorted(found.linked, key=lambda one: one.name):
            document.relate(_file_id(program), "STATIC_LINK", _package_id(package.name))
        for package in sorted(found.included, key=lambda one: one.name):
            document.relate(_package_id(package.name), "BUILD_DEPENDENCY_OF", _file_id(program))
    file.write_text(json.dumps(document.finished(), indent=1) + "\n")


class _Document:
    def __init__(self, subject):
        self._licences = set()
        self._files = {}
        self._contained = {}  # package's id -> SHA-1 of each file of it
        self._subject = subject
        self._text = {
            "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": subject.document,
            "documentNamespace": f"https://reprise.dev/sbom/{subject.document}-{subject.digest}",
            "creationInfo": {"created": subject.created,
                             "creators": ["Organization: Reprise", f"Tool: reprise-{subject.kind}-{subject.version}"]},
            "packages": [
                _own(subject.kind, subject.name, subject.version, subject.purpose, subject.info,
                     [{"algorithm": "SHA256", "checksumValue": subject.digest}]),
                _own("reprise", "reprise", subject.version, "APPLICATION", "the project itself")],
            "relationships": []}
        self.relate("DOCUMENT", "DESCRIBES", f"Package-{subject.kind}")
        self.relate(f"Package-{subject.kind}", "CONTAINS", "Package-reprise")

    def relate(self, one, how, other):
        self._text["relationships"].append({"spdxElementId": f"SPDXRef-{one}", "relationshipType": how,
                                            "relatedSpdxElement": f"SPDXRef-{other}"})

    def add_package(self, package):
        licences = package.licences()
        self._licences.update(name for name in licences if name.startswith("LicenseRef-"))
        where = f"usr/share/doc/{package.name}/copyright"
        self._text["packages"].append({
            "SPDXID": f"SPDXRef-{_package_id(package.name)}", "name": package.name, "versionInfo": package.version,
            "supplier": "Organization: Debian", "originator": "Organization: " + package.maintainer.split(" <")[0],
            "downloadLocation": _NONE, "primaryPackagePurpose": "LIBRARY",
            "homepage": package.homepage or _NONE,
            "sourceInfo": f"built by Debian from {package.source} {package.source_version}",
            "licenseConcluded": _NONE, "licenseDeclared": " AND ".join(licences) or _NONE,
            "licenseComments": f"/{where} {self._place()} has the terms",
            "copyrightText": _NONE,
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": f"pkg:deb/debian/{quote(package.name)}@{quote(package.version, safe='')}"
                                                  f"?arch={package.architecture}&distro={debian.release()}"}]})

    def add_file(self, path, file):
        self._files[path] = {
            "SPDXID": f"SPDXRef-{_file_id(path)}", "fileName": f"./{path}",
            "fileTypes": ["BINARY" if file.mode & 0o111 else "TEXT"],
            "checksums": [{"algorithm": name, "checksumValue": hashlib.new(name.lower(), file.content).hexdigest()}
                          for name in ("SHA1", "SHA256")],
            "licenseConcluded": _NONE, "licenseInfoInFiles": [_NONE], "copyrightText": _NONE}
        holder = _package_id(file.package) if file.package else "Package-reprise"
        self._contained.setdefault(f"SPDXRef-{holder}", []).append(self._files[path]["checksums"][0]["checksumValue"])
        self.relate(holder, "CONTAINS", _file_id(path))

    def _place(self):
        """Where the copyright files are: an image carries them."""
        return "in the image" if self._subject.kind == "image" else "where the package is installed"

    def finished(self):
        self._text["files"] = [self._files[path] for path in sorted(self._files)]
        for package in self._text["packages"]:
            sums = self._contained.get(package["SPDXID"])
            package["filesAnalyzed"] = bool(sums)
            if sums:  # SPDX 2.3, 7.9
                code = hashlib.sha1("".join(sorted(sums)).encode()).hexdigest()
                package["packageVerificationCode"] = {"packageVerificationCodeValue": code}
        self._text["hasExtractedLicensingInfos"] = [
            {"licenseId": name, "name": name.removeprefix("LicenseRef-"),
             "extractedText": f"The terms stand in the copyright files of the packages that declare it: /usr/share/doc {self._place()}."}
            for name in sorted(self._licences)]
        return self._text


def _own(identifier, name, version, purpose, info, checksums=()):
    return {"SPDXID": f"SPDXRef-Package-{identifier}", "name": name, "versionInfo": version, "supplier": "Organization: Reprise",
            "downloadLocation": _NONE, "primaryPackagePurpose": purpose, "sourceInfo": info,
            "licenseConcluded": "Apache-2.0" if identifier == "reprise" else _NONE,
            "licenseDeclared": "Apache-2.0" if identifier == "reprise" else _NONE,
            "copyrightText": _NONE, **({"checksums": list(checksums)} if checksums else {})}


def _package_id(name):
    return "Package-deb-" + re.sub(r"[^A-Za-z0-9.-]", lambda odd: f"-{ord(odd[0])}-", name)


def _file_id(path):
    return "File-" + re.sub(r"[^A-Za-z0-9.-]", lambda odd: f"-{ord(odd[0])}-", path)
