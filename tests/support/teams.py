"""Two teams who witness each other: their keys, and checkpoints of an invented log."""

import base64
from dataclasses import dataclass
from pathlib import Path

from bench import Bench
from click.testing import CliRunner, Result

from tracker.cli import main
from tracker.log import merkle, signed_notes
from tracker.log.signed_notes import Note, SigningKey

LOG, WITNESS = "a.example/tracker", "b.example/tracker"


class Anywhere(Bench):
    """A folder without a store, which witnesses need as little as those who verify."""

    def run(self, *words: object, stdin: str | bytes | None = None) -> Result:
        arguments = ["--wait", "0.2", *[str(word) for word in words]]
        return CliRunner().invoke(main, arguments, input=stdin, color=True)


@dataclass
class Teams:
    """A folder with the keys of a log and of its witness, and checkpoints of an invented log."""

    bench: Bench
    log: SigningKey
    witness: SigningKey

    @property
    def folder(self) -> Path:
        return self.bench.folder

    @property
    def seen(self) -> Path:
        (found,) = (self.folder / "b.key.seen").glob("*.txt")
        return found

    def checkpoint(
        self, n_entries: int, *, since: int | None = None, salt: str = "", key: str = "log"
    ) -> Path:
        """Write a checkpoint; of another `salt` is a history whose last three entries differ."""
        salts = [""] * (n_entries - 3) + [salt] * 3
        leaves = [entry(number, one) for number, one in enumerate(salts)]
        signing: SigningKey = getattr(self, key)
        text = f"{signing.name}\n{n_entries}\n{coded(merkle.root(leaves))}\n"
        proof = ""
        if since is not None:
            (path,) = merkle.consistency_paths(leaves, [since])
            proof = f"old {since}\n" + "".join(f"{coded(step)}\n" for step in path) + "\n"
        note = Note(text, (signing.sign(text),))
        return self.bench.write("checkpoint.txt", f"{proof}{note}")

    def words(self) -> tuple[object, ...]:
        """What the witness runs."""
        path = self.folder / "checkpoint.txt"
        return "log", "witness", path, "--vkey", self.log.verifier, "--key", self.folder / "b.key"

    def verification(self) -> tuple[object, ...]:
        """What anybody runs."""
        vkeys = ("--vkey", self.log.verifier, "--vkey", self.witness.verifier)
        return "verify", self.folder / "checkpoint.txt", *vkeys


def entry(number: int, salt: str = "") -> bytes:
    return merkle.leaf_hash(f"{number}{salt}".encode())


def coded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def made(folder: Path) -> Teams:
    """Make the keys of both in a folder."""
    keys = [signed_notes.make_key(name, folder / f"{name[0]}.key") for name in (LOG, WITNESS)]
    return Teams(Anywhere(folder / "absent.duckdb"), *keys)
