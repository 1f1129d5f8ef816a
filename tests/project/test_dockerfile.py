"""The Dockerfile copies what the package is built from; Docker itself is not needed to see that."""

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from support import ROOT

FOLDER = ROOT / ".github"
# Of an image's two stages, the one that builds.
_, BUILDING, RUNNING = (FOLDER / "Dockerfile").read_text(encoding="utf-8").split("\nFROM ")
COPIED = [
    source
    for line in re.findall(r"^COPY (.+)$", BUILDING, re.MULTILINE)
    for source in line.split()[:-1]
]


def test_what_is_copied_is_there_and_is_not_ignored() -> None:
    """Docker reads the file of this name beside the Dockerfile; later lines prevail."""
    ignored = (FOLDER / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    first, *others = [line for line in ignored if not line.startswith("#")]
    assert first == "*"
    assert {line.removeprefix("!") for line in others if line.startswith("!")} == {*COPIED}
    assert [line for line in others if not line.startswith("!")] == ["**/__pycache__"]
    assert [source for source in COPIED if not (ROOT / source).exists()] == []


def test_only_hashed_versions_are_installed_and_no_one_is_root() -> None:
    assert re.findall(r"pip install (.*)", BUILDING) == [
        "--no-cache-dir --require-hashes -r requirements.lock",
        "--no-cache-dir --no-deps --no-build-isolation .",
    ]
    for line in ("USER tracker", "VOLUME /data", "WORKDIR /data", 'ENTRYPOINT ["tracker"]'):
        assert f"\n{line}\n" in RUNNING


def _wheel(source: Path, folder: Path) -> dict[str, int]:
    """Return the files of the wheel that a folder makes, each with its checksum."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=source, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return {one.filename: one.CRC for one in archive.infolist()}


@pytest.mark.slow
def test_what_is_copied_makes_the_wheel_of_the_repository(tmp_path: Path) -> None:
    """Built where nothing else is."""
    source = tmp_path / "src"
    source.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, source / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, source)
    assert _wheel(source, tmp_path / "copied") == _wheel(ROOT, tmp_path / "whole")
