"""Files and folders are replaced in one step: no names to plant a link at, no collisions."""

import os
import stat
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tracker import replacing
from tracker.cli.common import Settings
from tracker.cli.output import write_output
from tracker.errors import InputRefused, TrackerError

N_WRITERS = 12


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return an empty folder to write in."""
    made = tmp_path / "place"
    made.mkdir()
    return made


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def _write(text: str, path: Path) -> None:
    write_output(text, path, Settings(path.with_name("store.duckdb"), 1.0, False))


def test_twelve_writers_of_one_file_all_succeed(place: Path) -> None:
    texts = [f"{number}\n" * 100_000 for number in range(N_WRITERS)]
    for _ in range(5):
        with ThreadPoolExecutor(N_WRITERS) as pool:
            list(pool.map(lambda text: _write(text, place / "out.txt"), texts))
        assert (place / "out.txt").read_text() in texts
    assert _names(place) == {"out.txt"}


def test_a_planted_link_is_not_written_through(place: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("dear")
    (place / ".out.txt.part").symlink_to(victim)
    _write("new", place / "out.txt")
    assert victim.read_text() == "dear"
    assert (place / ".out.txt.part").is_symlink()
    assert not (place / "out.txt").is_symlink()
    assert (place / "out.txt").read_text() == "new"


def test_a_link_stays_and_its_target_is_replaced(place: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("there", "absent"):
        (place / name).symlink_to(elsewhere / name)
    (elsewhere / "there").write_text("old")
    for name in ("there", "absent"):
        _write("new", place / name)
        assert (place / name).is_symlink()
        assert (elsewhere / name).read_text() == "new"
    (place / "circle").symlink_to(place / "circle")
    with pytest.raises(TrackerError, match="circle: cannot be written"):
        _write("new", place / "circle")


def test_permissions_are_kept_or_follow_the_umask(place: Path) -> None:
    kept, made = place / "kept", place / "made"
    kept.write_text("old")
    kept.chmod(0o640)
    before = os.umask(0o027)
    try:
        _write("new", kept)
        _write("new", made)
    finally:
        os.umask(before)
    assert kept.stat().st_mode & 0o777 == 0o640
    assert made.stat().st_mode & 0o777 == 0o640


def _fill(path: Path, word: str) -> None:
    with replacing.folder(path, lambda _path: None) as staged:
        for name in ("a", "b"):
            (staged / name).write_text(word)


def _words(path: Path) -> set[str]:
    return {(path / name).read_text() for name in ("a", "b")}


def _no_exchange(_one: Path, _other: Path) -> bool:
    return False


@pytest.mark.parametrize("exchange", [replacing._exchange, _no_exchange])
def test_folders_replaced_at_once_are_complete(
    exchange: Callable[[Path, Path], bool], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replacing, "_exchange", exchange)
    words = [str(number) for number in range(N_WRITERS)]
    with ThreadPoolExecutor(N_WRITERS) as pool:
        list(pool.map(lambda word: _fill(place / "site", word), words))
    (word,) = _words(place / "site")
    assert word in words
    assert _names(place) == {"site"}


def test_a_folder_is_there_at_every_moment(place: Path) -> None:
    """Only where the file system exchanges folders; the fallback is recovered from instead."""
    (place / "one").mkdir()
    (place / "other").mkdir()
    if not replacing._exchange(place / "one", place / "other"):
        pytest.skip("this file system cannot exchange folders")
    _fill(place / "site", "0")
    is_done = threading.Event()

    def look() -> bool:
        is_there = True
        while is_there and not is_done.is_set():
            is_there = (place / "site").is_dir()
        return is_there

    with ThreadPoolExecutor(1) as pool:
        looking = pool.submit(look)
        for number in range(50):
            _fill(place / "site", str(number))
        is_done.set()
        assert looking.result()


@pytest.mark.parametrize("is_replaced", [False, True])
def test_the_next_command_completes_a_replacement_cut_short(
    is_replaced: bool, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where folders cannot be exchanged, a kill may come between the two renames or after them."""
    monkeypatch.setattr(replacing, "_exchange", _no_exchange)
    _fill(place / "site", "old")
    (place / "site").rename(place / ".site.replaced")
    if is_replaced:
        _fill_without_recovery(place / "site")
    seen = []
    with (
        pytest.raises(InputRefused, match="stop here"),
        replacing.folder(place / "site", lambda path: seen.append(_words(path))),
    ):
        raise InputRefused("stop here")
    # The leftover is checked before it is touched, then the folder to be replaced.
    assert seen == [{"old"}, {"new"} if is_replaced else {"old"}]
    assert _words(place / "site") == seen[1]
    assert _names(place) == {"site"}


def _fill_without_recovery(path: Path) -> None:
    path.mkdir()
    for name in ("a", "b"):
        (path / name).write_text("new")


def test_files_that_appear_in_the_folder_meanwhile_are_not_removed(
    place: Path,
) -> None:
    def refuse(path: Path) -> None:
        if path.exists():
            raise InputRefused("foreign")

    def write() -> None:
        with replacing.folder(place / "site", refuse):
            (place / "site").mkdir()
            (place / "site" / "dear").write_text("dear")

    with pytest.raises(InputRefused, match="foreign"):
        write()
    assert (place / "site" / "dear").read_text() == "dear"
    assert _names(place) == {"site"}


def test_another_programs_folder_is_not_taken_for_a_leftover(tmp_path: Path) -> None:
    foreign = tmp_path / ".site.replaced"
    foreign.mkdir()
    (foreign / "diary.txt").write_text("mine")

    def refuse(folder: Path) -> None:
        if folder.is_dir() and any(folder.iterdir()):
            raise InputRefused(f"{folder}: contains more")

    site = tmp_path / "site"
    with pytest.raises(InputRefused, match="contains more"), replacing.folder(site, refuse):
        pass
    assert (foreign / "diary.txt").read_text() == "mine"


def test_a_replaced_folder_keeps_its_permissions(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir(mode=0o700)
    with replacing.folder(folder, lambda _: None) as staged:
        (staged / "a").write_text("a")
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_cannot_be_synchronised_is_not_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synchronise = os.fsync

    def refuse(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(22, "Invalid argument")
        synchronise(handle)

    monkeypatch.setattr(os, "fsync", refuse)
    with replacing.file(tmp_path / "a") as part:
        part.write_text("new")
    assert (tmp_path / "a").read_text() == "new"
