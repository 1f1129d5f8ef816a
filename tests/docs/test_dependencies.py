"""The lock file has hashes and what is installed; every licence is one that MIT users can take."""

import re
from importlib import metadata

import pytest
from packaging.utils import canonicalize_name
from support import ROOT, docs_module

# Permissive licences, as SPDX names or as the words of packages that have no expression.
PERMISSIVE = {
    "MIT",
    "MIT-0",
    "MIT License",
    "BSD License",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "0BSD",
    "ISC",
    "Zlib",
    "Apache-2.0",
    "Apache Software License",
    "PSF-2.0",
    "CC0-1.0",
    "Unlicense",
}
# Those with a condition for their own files alone, which are used as they are.
OWN_FILES_ALONE = {"certifi": "Mozilla Public License 2.0 (MPL 2.0)"}
# What a user installs, and what developing and testing need besides.
LOCK, DEVELOPMENT = "requirements.lock", "requirements-dev.lock"


def entries(name: str) -> list[str]:
    text = re.sub(r"^#.*\n", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return re.split(r"\n(?=\S)", text.strip())


def locked(name: str) -> dict[str, str]:
    found = [re.match(r"([A-Za-z0-9._-]+)==([^\s;]+)", entry) for entry in entries(name)]
    return {canonicalize_name(one[1]): one[2] for one in found if one is not None}


@pytest.mark.parametrize("name", [LOCK, DEVELOPMENT])
def test_every_locked_version_has_hashes(name: str) -> None:
    assert len(entries(name)) == len(locked(name)) > 40
    assert [entry for entry in entries(name) if "--hash=sha256:" not in entry] == []
    assert not re.search(r"^(-|\S+://)", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)


def test_a_user_installs_little_and_nothing_that_is_not_tested() -> None:
    assert len(locked(LOCK)) <= 50
    assert locked(LOCK).items() <= locked(DEVELOPMENT).items()


def test_the_lock_lists_every_runtime_dependency_and_what_builds() -> None:
    needed = docs_module("generated_pages").runtime_licences()
    assert {"duckdb", "pandas", "sqlalchemy", "mako"} <= needed.keys()
    assert needed.keys() - locked(LOCK).keys() == set()
    differing = [name for name in needed if metadata.version(name) != locked(LOCK)[name]]
    if differing:
        pytest.skip(f"installed from the allowed ranges, not from the lock: {', '.join(differing)}")
    builds = {"hatchling", "packaging", "pathspec", "pluggy", "tomlkit", "trove-classifiers"}
    # On Windows and without the C interpreter there are a few more.
    elsewhere = {"colorama", "tzdata"}
    assert locked(LOCK).keys() - needed.keys() <= builds | elsewhere


def test_no_runtime_dependency_has_a_licence_that_mit_users_cannot_take() -> None:
    refused = {
        name: licence
        for name, licence in docs_module("generated_pages").runtime_licences().items()
        if OWN_FILES_ALONE.get(name) != licence
        and not all(part.strip("() ") in PERMISSIVE for part in re.split(r" AND | OR |, ", licence))
    }
    assert refused == {}
