"""Trusted timestamps: asked for, verified, refused for each fault, stored, verified again."""

import base64
import json
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import authority
import duckdb
import pytest
from authority import NAME, Authority, Usage, altered, endless, says, sends, silent
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID
from support import WORLD, Tracker, as_json, exited, ok, tracker_on

from tracker import store
from tracker.log import timestamps
from tracker.log.timestamps import (
    ReplyRefused,
    RootNotPinned,
    asking,
    roots,
)

pytestmark = pytest.mark.skipif(authority.OPENSSL is None, reason="no openssl here")

SLATE = "5c9f4a52"
SHA256 = json.loads((WORLD / "spring_slate" / "manifest.json").read_text())["content_sha256"]
OTHER = "ab" * 32


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority.make(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def served(made: Authority) -> Iterator[Authority]:
    made.faults.clear()
    made.requests.clear()
    with authority.serving(made):
        yield made


@pytest.fixture(scope="module")
def trusting(empty_store: Path, made: Authority, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a slate, which trusts the authority."""
    path = Path(shutil.copy(empty_store, tmp_path_factory.mktemp("trusting") / "store.duckdb"))
    for words in (
        ["slate", "import", str(WORLD / "spring_slate")],
        ["timestamp", "trust", str(made.root), "--name", "test root"],
    ):
        ok(tracker_on(path)(*words))
    return path


@pytest.fixture
def world(trusting: Path, db: Path, tracker: Tracker) -> Tracker:
    shutil.copy(trusting, db)
    return tracker


def certificates(*paths: Path) -> timestamps.Roots:
    return timestamps.by_sha256(one for path in paths for one in timestamps.read_roots(path))


def n_tokens(db: Path) -> int:
    with duckdb.connect(str(db), read_only=True) as connection:
        (found,) = connection.execute("select count(*) from timestamp_token").fetchall()
    return int(found[0])


@pytest.mark.slow
def test_a_token_proves_a_slate(world: Tracker, db: Path, served: Authority) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    done = ok(world("slate", "prove", SLATE, "--authority", served.url))
    assert done.stdout.startswith("frozen no later than 20")
    assert done.stdout.endswith(f" UTC, by {NAME} (accurate to 1 s)\n")
    assert len(served.requests) == 1
    with store.reader(db) as connection:
        (token,) = timestamps.of_hash(connection, SHA256)
    assert (token.authority, token.url) == (NAME, served.url)
    assert before <= token.generated_at <= datetime.now(UTC)
    assert list(certificates(served.root)) == [token.root_sha256]
    verified = ok(world("slate", "verify", "--format", "json"))
    (row,) = json.loads(verified.stdout)
    assert row["verdict"] == "as frozen"
    shown = token.generated_at.astimezone(UTC)
    assert row["proof"] == f"frozen no later than {shown:%Y-%m-%d %H:%M:%S} UTC, by {NAME}"


def test_without_a_token_the_date_is_claimed(world: Tracker) -> None:
    (row,) = as_json(world, "slate", "verify")
    assert (row["verdict"], row["proof"]) == ("as frozen", "date claimed")


@pytest.mark.slow
def test_openssl_verifies_what_is_stored(
    world: Tracker, db: Path, served: Authority, tmp_path: Path
) -> None:
    ok(world("slate", "prove", SLATE, "--authority", served.url))
    with store.reader(db) as connection:
        (token,) = timestamps.of_hash(connection, SHA256)
    (tmp_path / "token.tsr").write_bytes(base64.b64decode(token.reply))
    words = ["ts", "-verify", "-in", str(tmp_path / "token.tsr"), "-CAfile", str(served.root)]
    for digest, is_right in ((SHA256, True), (OTHER, False)):
        done = subprocess.run(
            [str(authority.OPENSSL), *words, "-digest", digest], capture_output=True, check=False
        )
        assert (done.returncode == 0) is is_right, done.stderr


def test_the_request_is_what_openssl_asks(tmp_path: Path) -> None:
    """The hash itself is stamped, with a nonce and the wish for certificates."""
    (tmp_path / "query.tsq").write_bytes(asking.query(SHA256, 0xFEDCBA9876543210))
    words = ["ts", "-query", "-in", str(tmp_path / "query.tsq"), "-text"]
    done = subprocess.run([str(authority.OPENSSL), *words], capture_output=True, check=True)
    text = done.stdout.decode()
    digits = "".join(
        line[11:58].replace(" ", "").replace("-", "")
        for line in text.splitlines()
        if line.startswith("    00")
    )
    assert digits == SHA256
    for line in ("Hash Algorithm: sha256", "Nonce: 0xFEDCBA9876543210", "required: yes"):
        assert line in text


@pytest.mark.slow
def test_a_reply_got_by_hand(world: Tracker, made: Authority, db: Path, tmp_path: Path) -> None:
    path = tmp_path / "token.tsr"
    path.write_bytes(made.of(SHA256))
    for _ in range(2):
        done = ok(world("slate", "prove", SLATE, "--token", path))
        assert f"by {NAME}" in done.stdout
    assert n_tokens(db) == 1, "the same token is stored once"
    path.write_bytes(made.of(OTHER))
    done = exited(3, world("slate", "prove", SLATE, "--token", path))
    assert "error: token.tsr: is for another hash, abababababab..., not " in done.output
    assert n_tokens(db) == 1
    exited(2, world("slate", "prove", SLATE, "--token", path, "--authority", "http://a"))


def test_the_fraction_of_a_second_is_kept_and_rounded_up_in_words(tmp_path: Path) -> None:
    precise = authority.make(tmp_path / "precise", digits=3)
    found = [
        timestamps.verify(precise.of(SHA256), SHA256, certificates(precise.root)).generated_at
        for _ in range(4)
    ]
    assert any(one.microsecond for one in found)
    assert all(one.microsecond % 1000 == 0 for one in found)


FAULTS: dict[str, tuple[authority.Fault, str]] = {
    "a web page": (sends(b"<!DOCTYPE html><html>Log in</html>"), "is a web page, not a timestamp"),
    "nothing": (sends(b""), "is not a timestamp reply"),
    "noise": (sends(b"\x30\x82\x00\x05noise"), "is not a timestamp reply"),
    "a cut reply": (altered(lambda reply: reply[:-40]), "or is truncated"),
    "more behind it": (altered(lambda reply: reply + b"\0"), "is not a timestamp reply"),
    "an altered signature": (
        altered(lambda reply: reply[:-3] + bytes([reply[-3] ^ 1]) + reply[-2:]),
        "its signature does not verify",
    ),
    "another reply": (
        lambda handler, _query: handler.answer(handler.authority.of(SHA256)),
        "does not answer this request: its nonce is different",
    ),
    "another hash": (
        lambda handler, _query: handler.answer(handler.authority.of(OTHER)),
        "is for another hash, abababababab..., not ",
    ),
    "a refusal": (
        lambda handler, _query: handler.answer(handler.authority.reply(b"no request")),
        "the authority refused (rejection: ",
    ),
    "a page that is not there": (says(404), ": 404 Not Found"),
    "a server in trouble": (says(500), ": 500 Internal Server Error (tried "),
    "a way to another host": (
        says(302, {"Location": "http://localhost:9/elsewhere"}),
        ": leads to http://localhost:9/elsewhere; give that address if you trust it",
    ),
    "a way round and round": (says(307, {"Location": "/tsr"}), ": is redirected more than 3 times"),
    "far too much": (sends(b"\x30" * 200_000), ": sends more than 100,000 bytes"),
    "a reply without end": (endless, ": takes longer than 0.4 seconds"),
    "silence": (silent, "timed out after 0.4 seconds (tried "),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_one_line_and_nothing_is_stored(
    fault: str, world: Tracker, db: Path, served: Authority
) -> None:
    broken, message = FAULTS[fault]
    served.faults += [broken] * 5
    before = db.read_bytes()
    done = exited(3, world("slate", "prove", SLATE, "--authority", served.url, "--timeout", "0.4"))
    assert message in done.stderr
    assert done.stderr.startswith(f"error: {served.url}: ")
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""
    assert db.read_bytes() == before


@pytest.mark.slow
def test_an_authority_that_fails_does_not_stop_the_others(
    world: Tracker, db: Path, served: Authority
) -> None:
    served.faults.append(says(404))
    twice = ("--authority", served.url, "--authority", f"{served.url}2")
    done = exited(3, world("slate", "prove", SLATE, *twice))
    assert done.stderr == f"error: {served.url}: 404 Not Found\n"
    assert done.stdout.startswith("frozen no later than ")
    assert n_tokens(db) == 1


def test_a_redirect_on_the_same_host_is_followed(world: Tracker, served: Authority) -> None:
    served.faults.append(says(307, {"Location": "/elsewhere"}))
    ok(world("slate", "prove", SLATE, "--authority", served.url))


@pytest.mark.slow
def test_credentials_are_neither_shown_nor_stored(
    world: Tracker, db: Path, served: Authority
) -> None:
    secret = served.url.replace("http://", "http://user:password@") + "?key=1"
    served.faults.append(says(403))
    refused = world("slate", "prove", SLATE, "--authority", secret)
    assert refused.stderr == f"error: {served.url}: 403 Forbidden\n"
    ok(world("slate", "prove", SLATE, "--authority", secret))
    with store.reader(db) as connection:
        (token,) = timestamps.of_hash(connection, SHA256)
    assert token.url == f"{served.url}?key=1"


@pytest.mark.parametrize("url", ["ftp://authority.example", "authority.example", "http://"])
def test_what_is_no_address_is_refused(url: str, world: Tracker) -> None:
    done = exited(3, world("slate", "prove", SLATE, "--authority", url))
    assert done.stderr.startswith(f"error: {url}: is not the address of an authority")


# Authorities whose signature cannot count, and why.
UNFIT: dict[str, tuple[dict[str, Any], tuple[str, ...], str]] = {
    "no purpose": (
        {"usage": Usage(purposes=())},
        ("-cades",),
        f"the certificate of {NAME} is not for timestamps",
    ),
    "another purpose": (
        {"usage": Usage(purposes=[ExtendedKeyUsageOID.CODE_SIGNING])},
        ("-cades",),
        f"the certificate of {NAME} is not for timestamps",
    ),
    "a purpose too many": (
        {"usage": Usage([ExtendedKeyUsageOID.TIME_STAMPING, ExtendedKeyUsageOID.CODE_SIGNING])},
        ("-cades",),
        f"the certificate of {NAME} is not for timestamps",
    ),
    "a purpose that does not bind": (
        {"usage": Usage(is_critical=False)},
        ("-cades",),
        "(extended key usage is not critical)",
    ),
    "an expired certificate": (
        {"years": (2020, 2022)},
        ("-cades",),
        f"the certificate of {NAME} had expired when the token was made",
    ),
    "a certificate of the future": (
        {"years": (2100, 2110)},
        ("-cades",),
        f"the certificate of {NAME} was not valid yet when the token was made",
    ),
    "an expired root": (
        {"root_years": (2020, 2022)},
        ("-cades",),
        f"the certificate of {NAME} Issuer had expired when the token was made",
    ),
    "an issuer that is no authority": (
        {"between_is_authority": False},
        ("-cades",),
        "its signature does not verify (invalid CA certificate)",
    ),
    "a weak hash": ({}, ("-cades", "-md", "sha1"), "is signed over a hash other than SHA-256"),
    "a certificate that is not named": ({}, (), "does not name the certificate of its signer"),
}


@pytest.mark.parametrize("case", UNFIT)
def test_a_signer_that_is_not_fit_is_refused(case: str, tmp_path: Path) -> None:
    settings, words, message = UNFIT[case]
    unfit = authority.make(tmp_path / "unfit", **settings)
    reply = unfit.forged(unfit.query(SHA256), *words)
    with pytest.raises(ReplyRefused, match=re.escape(message)) as refused:
        timestamps.verify(reply, SHA256, certificates(unfit.root))
    assert not isinstance(refused.value, RootNotPinned)


@pytest.mark.parametrize("is_chained", [True, False])
@pytest.mark.parametrize("named_by", ["sha1", "sha256", "sha512"])
def test_a_fit_signer_is_accepted(is_chained: bool, named_by: str, tmp_path: Path) -> None:
    """Also by `openssl cms`, which the refusals of others rest on."""
    fit = authority.make(tmp_path / "fit", is_chained=is_chained, named_by=named_by)
    trusted = certificates(fit.root)
    for reply in (fit.of(SHA256), fit.forged(fit.query(SHA256), "-cades")):
        verified = timestamps.verify(reply, SHA256, trusted)
        assert verified.authority == NAME
        assert verified.root_sha256 in trusted


def test_an_authority_with_keys_of_rsa(tmp_path: Path) -> None:
    made = authority.make(tmp_path / "rsa", is_rsa=True)
    assert timestamps.verify(made.of(SHA256), SHA256, certificates(made.root)).authority == NAME


def test_a_root_that_an_older_one_vouches_for(tmp_path: Path) -> None:
    """As the public authorities have it: either root is enough, and is the one that is named."""
    made = authority.make(tmp_path / "crossed")
    older = authority.cross(made)
    reply = made.of(SHA256)
    for root in (made.root, older):
        trusted = certificates(root)
        assert timestamps.verify(reply, SHA256, trusted).root_sha256 == next(iter(trusted))


def test_a_certificate_that_was_put_in_place_of_another_is_refused(tmp_path: Path) -> None:
    """Of the same key and name, but not the one that the signature names."""
    honest = authority.make(tmp_path / "honest", is_chained=False)
    reply = honest.of(SHA256)
    path = honest.folder / "signer.pem"
    before = x509.load_pem_x509_certificate(path.read_bytes())
    authority.renew(honest)
    after = x509.load_pem_x509_certificate(path.read_bytes())
    swapped = reply.replace(before.public_bytes(Encoding.DER), after.public_bytes(Encoding.DER))
    assert swapped != reply
    assert timestamps.verify(reply, SHA256, certificates(honest.root)).authority == NAME
    with pytest.raises(ReplyRefused, match="names a certificate other than"):
        timestamps.verify(swapped, SHA256, certificates(honest.root))


@pytest.mark.slow
def test_without_its_root_a_token_is_refused_with_the_remedy(
    trusting: Path, db: Path, tracker: Tracker, tmp_path: Path
) -> None:
    shutil.copy(trusting, db)
    stranger = authority.make(tmp_path / "stranger", name="Stranger")
    (tmp_path / "token.tsr").write_bytes(stranger.of(SHA256))
    done = exited(3, tracker("slate", "prove", SLATE, "--token", tmp_path / "token.tsr"))
    assert "is from Stranger, whose root (Stranger Root) is not trusted here" in done.stderr
    assert "'tracker timestamp trust FILE --name NAME'" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    ok(tracker("timestamp", "trust", stranger.root, "--name", "the stranger"))
    ok(tracker("slate", "prove", SLATE, "--token", tmp_path / "token.tsr"))


def test_of_two_roots_of_one_name_the_one_that_signed_counts(tmp_path: Path) -> None:
    """A root with the name of a trusted one, and with all its names below, is another root."""
    good, forger = (authority.make(tmp_path / name) for name in ("good", "forger"))
    both = certificates(good.root, forger.root)
    assert timestamps.verify(good.of(SHA256), SHA256, both).root_sha256 == next(iter(both))
    with pytest.raises(RootNotPinned):
        timestamps.verify(forger.of(SHA256), SHA256, certificates(good.root))


def test_the_public_roots_are_in_the_installed_list(db: Path) -> None:
    with store.reader(db) as connection:
        found = timestamps.pinned(connection)
    assert {root.root_sha256 for root in found} == set(roots.PUBLIC)
    for root in found:
        assert roots._no_root(root.certificate) is None
        names = root.certificate.subject.rfc4514_string()
        assert root.name.split(" (")[0].split(" - ")[-1] in names


@pytest.mark.slow
def test_roots_are_trusted_from_a_file(tracker: Tracker, made: Authority) -> None:
    done = tracker("timestamp", "trust", made.root, "--name", "ours")
    assert done.stdout.startswith("trusted 'ours', SHA-256 ")
    again = tracker("timestamp", "trust", made.root, "--name", "renamed")
    assert again.stdout.startswith("trusted already: 'ours', SHA-256 ")
    listed = as_json(tracker, "timestamp", "list", "--roots")
    assert [row["name"] for row in listed if row["added_at"]] == ["ours"]
    assert len(listed) == len(roots.PUBLIC) + 1


@pytest.mark.parametrize(
    ("stem", "message"),
    [
        ("signer.pem", "is not that of a certificate authority"),
        ("chain.pem", "is not a root: it is issued by"),
        ("signer.key", "has no certificates in PEM"),
        ("absent.pem", "no such file"),
        ("both.pem", f"certificate 2 (CN={NAME}) is not that of a certificate authority"),
    ],
)
def test_what_is_no_root_is_not_trusted(
    stem: str, message: str, tracker: Tracker, made: Authority
) -> None:
    both = made.root.read_bytes() + (made.folder / "signer.pem").read_bytes()
    (made.folder / "both.pem").write_bytes(both)
    done = exited(3, tracker("timestamp", "trust", made.folder / stem, "--name", "ours"))
    assert message in done.stderr
    listed = as_json(tracker, "timestamp", "list", "--roots")
    assert not any(row["added_at"] for row in listed)


@pytest.fixture(scope="module")
def proved(trusting: Path, made: Authority, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a slate that two tokens prove, the later from an authority of its own root."""
    folder = tmp_path_factory.mktemp("proved")
    path = Path(shutil.copy(trusting, folder / "store.duckdb"))
    second = authority.make(folder / "second", name="Second")
    words = [["timestamp", "trust", str(second.root), "--name", "second"]]
    for number, one in enumerate((made, second)):
        (folder / f"{number}.tsr").write_bytes(one.of(SHA256))
        words.append(["slate", "prove", SLATE, "--token", str(folder / f"{number}.tsr")])
    for command in words:
        ok(tracker_on(path)(*command))
    return path


ALTERATIONS = {
    "generated_at = generated_at - interval 1 year": "generated_at was altered",
    "authority = 'Somebody Better'": "authority was altered",
    "root_sha256 = (select max(root_sha256) from timestamp_root where root_sha256 <> "
    "timestamp_token.root_sha256)": "root_sha256 was altered",
    "root_sha256 = repeat('0', 64)": "root_sha256 was altered",
    f"sha256 = '{OTHER}'": "is for another hash",
    "reply = reply[:40] || 'A' || reply[42:]": "is not a timestamp reply",
    "reply = 'no Base64!'": "its reply is not Base64",
    "reply = ''": "is not a timestamp reply",
}


@pytest.mark.parametrize("change", ALTERATIONS)
def test_an_altered_token_is_found(change: str, proved: Path, db: Path, tracker: Tracker) -> None:
    shutil.copy(proved, db)
    with duckdb.connect(str(db)) as connection:
        connection.execute(f"update timestamp_token set {change} where token_id = 1")  # noqa: S608 - the test's own words
    done = exited(4, tracker("slate", "verify"))
    (line,) = done.stderr.splitlines()
    assert "token 1 by " in line
    assert ALTERATIONS[change] in line


def test_a_token_without_its_root_is_not_checked(proved: Path, db: Path, tracker: Tracker) -> None:
    shutil.copy(proved, db)
    with duckdb.connect(str(db)) as connection:
        connection.execute("delete from timestamp_root where name = 'test root'")
    (row,) = as_json(tracker, "slate", "verify")
    assert row["verdict"] == "as frozen"
    assert re.fullmatch(
        rf"frozen no later than .* UTC, by Second; token 1 by {NAME} is not checked: its root "
        r"[0-9a-f]{12}\.\.\. is no longer trusted here",
        row["proof"],
    )
    with duckdb.connect(str(db)) as connection:
        connection.execute("delete from timestamp_root")
    (row,) = as_json(tracker, "slate", "verify")
    assert row["proof"].startswith("date claimed; token 1 by ")


def test_an_altered_root_is_found(proved: Path, db: Path, tracker: Tracker) -> None:
    """A root of a forger in place of the one that was trusted."""
    shutil.copy(proved, db)
    with duckdb.connect(str(db)) as connection:
        connection.execute(
            "update timestamp_root set certificate = "
            "(select certificate from timestamp_root where name = 'second')"
        )
    done = exited(4, tracker("slate", "verify"))
    assert "the certificate of 'test root' was altered" in done.stderr


def test_no_change_of_bytes_proves_anything_else(tmp_path: Path) -> None:
    """A changed reply is refused, or what was changed is none of what it states."""
    made = authority.make(tmp_path / "made")
    trusted, reply = certificates(made.root), made.of(SHA256)
    verified = timestamps.verify(reply, SHA256, trusted)
    chance = random.Random(20261124)  # noqa: S311 - it only chooses what to break
    n_refused = 0
    for _ in range(600):
        changed = bytearray(reply)
        for _ in range(chance.choice((1, 1, 3))):
            place = chance.randrange(len(changed))
            if chance.random() < 0.8:
                changed[place] ^= 1 << chance.randrange(8)
            else:
                del changed[place]
        try:
            assert timestamps.verify(bytes(changed), SHA256, trusted) == verified
        except ReplyRefused:
            n_refused += 1
    assert n_refused > 400
