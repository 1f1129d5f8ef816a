"""The lock file has hashes and what is installed; every licence is one that MIT users can take."""

import re
from importlib import metadata

import pytest
from packaging.utils import canonicalize_name
from support import ROOT
from test_docs import generator

# Permissive licences, as SPDX names or as the words of packages that have no expression.
PERMISSIVE = {
    *(
        "MIT",
        "MIT-0",
        "MIT License",
        "BSD License",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "0BSD",
        "ISC",
        "Zlib",
    ),
    *("Apache-2.0", "Apache Software License", "PSF-2.0", "CC0-1.0", "Unlicense"),
}
# Those with a condition for their own files alone, which are used as they are.
OWN_FILES_ALONE = {"certifi": "Mozilla Public License 2.0 (MPL 2.0)"}
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")


def locked() -> dict[str, str]:
    found = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", LOCK, re.MULTILINE)
    return {canonicalize_name(name): version for name, version in found}


def test_every_locked_version_has_hashes() -> None:
    entries = re.split(r"\n(?=\S)", re.sub(r"^#.*\n", "", LOCK, flags=re.MULTILINE).strip())
    assert len(entries) == len(locked()) > 80
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_lock_lists_every_runtime_dependency() -> None:
    needed = generator().runtime_licences()
    assert {"duckdb", "pandas", "sqlalchemy", "mako"} <= needed.keys()
    assert needed.keys() - locked().keys() == set()
    differing = [name for name in needed if metadata.version(name) != locked()[name]]
    if differing:
        pytest.skip(f"installed from the allowed ranges, not from the lock: {', '.join(differing)}")


def test_no_runtime_dependency_has_a_licence_that_mit_users_cannot_take() -> None:
    refused = {
        name: licence
        for name, licence in generator().runtime_licences().items()
        if OWN_FILES_ALONE.get(name) != licence
        and not all(part.strip("() ") in PERMISSIVE for part in re.split(r" AND | OR |, ", licence))
    }
    assert refused == {}
