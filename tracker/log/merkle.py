"""The Merkle tree of RFC 9162 over the hashes of leaves: roots, proofs, and their verification.

A tree of n leaves is split after the greatest power of two below n (section 2.1.1). Its peaks are
the roots of the perfect subtrees that the binary digits of n stand for, the largest first; they
are all that is needed to append. Hashes are 32 bytes; leaves are counted from 0.
"""

import hashlib
from collections.abc import Iterable, Sequence

EMPTY_ROOT = hashlib.sha256().digest()


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf: of a zero byte and its data."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of the node above two nodes: of a byte 1 and their hashes."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def appended(peaks: Sequence[bytes], n_leaves: int, leaves: Iterable[bytes]) -> list[bytes]:
    """Return the peaks of a tree of `n_leaves` with further leaves appended to it."""
    grown = list(peaks)
    for leaf in leaves:
        top, n_merged = leaf, n_leaves
        # Each low digit that is 1 is a perfect subtree as large as the one that ends here.
        while n_merged & 1:
            top = node_hash(grown.pop(), top)
            n_merged >>= 1
        grown.append(top)
        n_leaves += 1
    return grown


def root_of_peaks(peaks: Sequence[bytes]) -> bytes:
    """Return the root of the tree with these peaks."""
    if not peaks:
        return EMPTY_ROOT
    *larger, root = peaks
    for peak in reversed(larger):
        root = node_hash(peak, root)
    return root


def root(leaves: Sequence[bytes]) -> bytes:
    """Return the root of the tree over these leaves."""
    return root_of_peaks(appended([], 0, leaves))


def inclusion_paths(leaves: Sequence[bytes], indexes: Sequence[int]) -> list[list[bytes]]:
    """Return for each leaf the hashes beside its way to the root, the lowest first (2.1.3.1).

    All of them take one pass over the tree.
    """
    if not all(0 <= index < len(leaves) for index in indexes):
        raise ValueError(f"there are {len(leaves)} leaves")
    paths: list[list[bytes]] = [[] for _ in indexes]
    for height, level in enumerate(_levels(leaves)[:-1]):
        for path, index in zip(paths, indexes, strict=True):
            # The last node of an odd row has none beside it.
            if (beside := (index >> height) ^ 1) < len(level):
                path.append(level[beside])
    return paths


def consistency_paths(leaves: Sequence[bytes], sizes: Sequence[int]) -> list[list[bytes]]:
    """Return for each size the hashes that prove the tree of the first leaves a part (2.1.4.1).

    All of them take one pass over the tree.
    """
    if not all(0 < size <= len(leaves) for size in sizes):
        raise ValueError(f"there are {len(leaves)} leaves")
    levels = _levels(leaves)
    return [_consistency_path(levels, size) for size in sizes]


def _consistency_path(levels: Sequence[Sequence[bytes]], n_first: int) -> list[bytes]:
    """Return the path of `consistency_paths` for one size, from the rows of the tree."""
    path: list[bytes] = []
    start, end, is_known = 0, len(levels[0]), True

    def node(first: int, after: int) -> bytes:
        height = (after - first - 1).bit_length()
        return levels[height][first >> height]

    while n_first < end:
        middle = start + (1 << (end - start - 1).bit_length() - 1)
        if n_first <= middle:
            path.append(node(middle, end))
            end = middle
        else:
            path.append(node(start, middle))
            start, is_known = middle, False
    if not is_known:
        path.append(node(start, end))
    return path[::-1]


def _levels(leaves: Sequence[bytes]) -> list[list[bytes]]:
    """Return the rows of the tree from the leaves up; the last node of an odd row moves up."""
    levels = [list(leaves)]
    while len(level := levels[-1]) > 1:
        levels.append(
            [
                node_hash(*level[at : at + 2]) if at + 1 < len(level) else level[at]
                for at in range(0, len(level), 2)
            ]
        )
    return levels


def is_included(leaf: bytes, index: int, n_leaves: int, path: Sequence[bytes], root: bytes) -> bool:
    """Whether the path leads from the leaf at this index to the root of a tree (2.1.3.2)."""
    if not 0 <= index < n_leaves:
        return False
    place, last, reached = index, n_leaves - 1, leaf
    for sibling in path:
        if last == 0:
            return False
        if place & 1 or place == last:
            reached = node_hash(sibling, reached)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            reached = node_hash(reached, sibling)
        place, last = place >> 1, last >> 1
    return last == 0 and reached == root


def is_consistent(
    n_first: int, first_root: bytes, n_second: int, second_root: bytes, path: Sequence[bytes]
) -> bool:
    """Whether the path proves that the second tree begins with all leaves of the first (2.1.4.2).

    Of an empty tree nothing can be proved.
    """
    if not 0 < n_first <= n_second:
        return False
    if n_first == n_second:
        return not path and first_root == second_root
    # A perfect first tree is a node of the second one, and not sent.
    rest = list(path) if n_first & (n_first - 1) else [first_root, *path]
    if not rest:
        return False
    place, last = n_first - 1, n_second - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    first = second = rest[0]
    for sibling in rest[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            first, second = node_hash(sibling, first), node_hash(sibling, second)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            second = node_hash(second, sibling)
        place, last = place >> 1, last >> 1
    return last == 0 and first == first_root and second == second_root
