"""The Merkle tree against the reference trees of Certificate Transparency and by brute force."""

import hashlib
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.log import merkle

# The leaves of the reference trees of google/certificate-transparency and the roots of the trees
# over the first 1 to 8 of them.
DATA = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
LEAVES = [merkle.leaf_hash(data) for data in DATA]
# Of the eight leaves.
BESIDE_THE_FIRST = [
    "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
    "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
    "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
]
# Leaf, size of the tree, path; and size before, size after, path: as the reference trees have them.
INCLUSION = [
    (0, 1, []),
    (0, 8, BESIDE_THE_FIRST),
    (
        5,
        8,
        [
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
    (2, 3, ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
]
CONSISTENCY = [
    (1, 1, []),
    (1, 8, BESIDE_THE_FIRST),
    (
        6,
        8,
        [
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
]


def brute_root(data: list[bytes]) -> bytes:
    """MTH of section 2.1.1, word for word."""
    if not data:
        return hashlib.sha256(b"").digest()
    if len(data) == 1:
        return hashlib.sha256(b"\x00" + data[0]).digest()
    k = max(2**power for power in range(64) if 2**power < len(data))
    return hashlib.sha256(b"\x01" + brute_root(data[:k]) + brute_root(data[k:])).digest()


def test_the_roots_of_the_reference_trees() -> None:
    assert merkle.root([]).hex() == hashlib.sha256(b"").hexdigest()
    for size, expected in enumerate(ROOTS, 1):
        assert merkle.root(LEAVES[:size]).hex() == expected


def inclusion_path(leaves: Sequence[bytes], index: int) -> list[bytes]:
    (path,) = merkle.inclusion_paths(leaves, [index])
    return path


def consistency_path(leaves: Sequence[bytes], first: int) -> list[bytes]:
    (path,) = merkle.consistency_paths(leaves, [first])
    return path


@pytest.mark.parametrize(("index", "size", "path"), INCLUSION)
def test_the_inclusion_proofs_of_the_reference_trees(
    index: int, size: int, path: list[str]
) -> None:
    assert [one.hex() for one in inclusion_path(LEAVES[:size], index)] == path


@pytest.mark.parametrize(("first", "second", "path"), CONSISTENCY)
def test_the_consistency_proofs_of_the_reference_trees(
    first: int, second: int, path: list[str]
) -> None:
    assert [one.hex() for one in consistency_path(LEAVES[:second], first)] == path


@given(st.integers(0, 70), st.integers(0, 70))
def test_roots_and_peaks_by_brute_force(first: int, more: int) -> None:
    data = [f"leaf {number}".encode() for number in range(first + more)]
    leaves = [merkle.leaf_hash(one) for one in data]
    peaks = merkle.appended([], 0, leaves[:first])
    assert len(peaks) == bin(first).count("1")
    assert merkle.root_of_peaks(peaks) == brute_root(data[:first])
    peaks = merkle.appended(peaks, first, leaves[first:])
    assert merkle.root_of_peaks(peaks) == merkle.root(leaves) == brute_root(data)


def leaves_of(size: int) -> list[bytes]:
    return [merkle.leaf_hash(f"{number}".encode()) for number in range(size)]


def test_every_inclusion_proof_of_small_trees_holds_for_its_leaf_alone() -> None:
    for size in range(1, 18):
        leaves = leaves_of(size)
        root = merkle.root(leaves)
        for index in range(size):
            path = inclusion_path(leaves, index)
            for other in range(-1, size + 1):
                for leaf in (leaves[index], merkle.leaf_hash(b"other")):
                    holds = merkle.is_included(leaf, other, size, path, root)
                    assert holds == (other == index and leaf == leaves[index])


def test_every_consistency_proof_of_small_trees_holds_for_its_trees_alone() -> None:
    leaves = leaves_of(17)
    roots = [merkle.root(leaves[:size]) for size in range(18)]
    for second in range(1, 18):
        for first in range(1, second + 1):
            path = consistency_path(leaves[:second], first)
            assert merkle.is_consistent(first, roots[first], second, roots[second], path)
            for other in range(18):
                if other != first:
                    assert not merkle.is_consistent(
                        other, roots[other], second, roots[second], path
                    )
                    assert not merkle.is_consistent(
                        first, roots[other], second, roots[second], path
                    )
                if other != second:
                    assert not merkle.is_consistent(first, roots[first], second, roots[other], path)


@given(st.data())
def test_an_altered_path_proves_nothing(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 40))
    leaves = leaves_of(size)
    root = merkle.root(leaves)
    index = data.draw(st.integers(0, size - 1))
    first = data.draw(st.integers(1, size - 1))
    included = inclusion_path(leaves, index)
    consistent = consistency_path(leaves, first)
    first_root = merkle.root(leaves[:first])
    checks: list[tuple[list[bytes], Callable[[list[bytes]], bool]]] = [
        (included, lambda path: merkle.is_included(leaves[index], index, size, path, root)),
        (consistent, lambda path: merkle.is_consistent(first, first_root, size, root, path)),
    ]
    for path, holds in checks:
        assert holds(path)
        place = data.draw(st.integers(0, len(path) - 1))
        altered = bytes([path[place][0] ^ 1]) + path[place][1:]
        assert not holds([*path[:place], altered, *path[place + 1 :]])
        assert not holds([*path[:place], *path[place + 1 :]])
        assert not holds([*path, root])
        assert not holds([root, *path])
        assert not holds([])


@pytest.mark.parametrize("index", [-1, 3])
def test_there_is_no_proof_of_an_absent_leaf(index: int) -> None:
    with pytest.raises(ValueError, match="there are 3 leaves"):
        inclusion_path(LEAVES[:3], index)
    with pytest.raises(ValueError, match="there are 3 leaves"):
        consistency_path(LEAVES[:3], 4)
    assert not merkle.is_consistent(0, merkle.root([]), 3, merkle.root(LEAVES[:3]), [])
