"""Builds the wheel, for pip (PEP 517) and for packaging/release: the same sources give the same bytes."""

import base64
import hashlib
import io
import os
import re
import time
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
WHEEL = "Wheel-Version: 1.0\nGenerator: reprise\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def _said(key):
    return re.search(rf'^{key} = "(.*)"$', (HERE / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)[1]


def _members():
    """{name: bytes} without the list of their sums."""
    name, version = _said("name").replace("-", "_"), _said("version")
    about = f"{name}-{version}.dist-info"
    metadata = (f"Metadata-Version: 2.1\nName: {_said('name')}\nVersion: {version}\nSummary: {_said('description')}\n"
                f"License: Apache-2.0\nRequires-Python: {_said('requires-python')}\n")
    members = {f"reprise/{file.name}": file.read_bytes() for file in (HERE / "src/reprise").iterdir()
               if file.suffix == ".py" or file.name == "py.typed"}
    return about, {**members, f"{about}/METADATA": metadata.encode(), f"{about}/WHEEL": WHEEL.encode()}


def _sum(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    about, members = _members()
    lines = [f"{name},sha256={_sum(content)},{len(content)}\n" for name, content in sorted(members.items())]
    members[f"{about}/RECORD"] = "".join([*lines, f"{about}/RECORD,,\n"]).encode()
    # Zip knows no time before 1980.
    when = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(members.items(), key=lambda member: (member[0].startswith(about), member[0])):
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    file = f"{about[: -len('.dist-info')]}-py3-none-any.whl"
    (Path(wheel_directory) / file).write_bytes(packed.getvalue())
    return file


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("there is a wheel alone")
