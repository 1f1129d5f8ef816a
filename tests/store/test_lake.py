"""Sealed candidate sets in object storage, against a local server of S3 (s3fs, moto)."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from bench import Bench

s3fs = pytest.importorskip("s3fs", reason="object storage needs the extra 'lake'")
servers = pytest.importorskip("moto.server", reason="its tests need moto and flask-cors")
pytest.importorskip("flask_cors", reason="its tests need moto and flask-cors")

# A server of S3, and sets written to it and read from it.
pytestmark = pytest.mark.slow

PLACE = "s3://lake/tracker"
SUM = "select count(*) as n, sum(cast(round(1e9 * score) as bigint)) as total from candidate"
SEAL = ("candidate", "seal", "base", "--to", PLACE)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = servers.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An empty bucket, and an environment in which it is named and can be used."""
    for name in [one for one in os.environ if one.startswith("AWS_")]:
        monkeypatch.delenv(name)
    settings = {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "none"),
        "TRACKER_SEALED": PLACE,
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    storage = s3fs.S3FileSystem(skip_instance_cache=True, use_listings_cache=False)
    if storage.exists("lake"):
        storage.rm("lake", recursive=True)
    storage.mkdir("lake")
    return storage


def answer(bench: Bench) -> object:
    return bench.read("sql", SUM)


def objects(bucket: Any) -> list[str]:
    return sorted(bucket.find("lake/tracker"))


def alter(bucket: Any, name: str) -> None:
    (path,) = [one for one in objects(bucket) if one.endswith(name)]
    content = bytearray(bucket.cat(path))
    content[len(content) // 2] ^= 1
    bucket.pipe(path, bytes(content))


def test_a_set_is_sealed_in_object_storage_and_read_there(bench: Bench, bucket: Any) -> None:
    before = answer(bench), bench.read("report", bench.slate)
    bench.accept(*SEAL)
    names = [name.rpartition("/")[2] for name in objects(bucket)]
    assert names == ["manifest.json", "part-00001.parquet"]
    assert not [*bench.folder.rglob("*.parquet")]
    assert answer(bench) == before[0]
    after = bench.read("report", bench.slate)
    assert after["sections"] == before[1]["sections"]
    bench.accept("check")
    (listed,) = bench.read("candidate", "list")
    assert listed["place"] == "s3://" + objects(bucket)[0].rpartition("/")[0]
    file = bench.write("c.csv", "disease_name,drug_name,score\nA,B,0.5\nA,C,0.25\n")
    bench.accept("load", "candidates", file, "--set", "other", "--model", "m", "--sealed", PLACE)
    assert answer(bench) != before[0]
    bench.accept("slate", "freeze", "--candidates", "other", "--top-k", "1")
    bench.accept("check")


@pytest.mark.usefixtures("spark")
def test_spark_reads_a_copy_that_is_as_it_was_sealed(bench: Bench, bucket: Any) -> None:
    bench.accept(*SEAL)
    evaluate = ("evaluate", "--candidates", "base", "--labels", "known", "--format", "json")
    on_duckdb = json.loads(bench.accept("retrospective", *evaluate))
    on_spark = json.loads(bench.accept("spark", *evaluate))
    assert on_spark["sections"]["auc"][0]["auc"] == on_duckdb["sections"]["auc"][0]["auc"]
    assert on_spark["sections"]["auc"][0]["auc"] is not None
    alter(bucket, "part-00001.parquet")
    words = ["part 1 of the sealed candidate set 1 was altered", "s3://lake/tracker/"]
    bench.refuse("spark", *evaluate, message=words, code=4)
    bucket.rm([one for one in objects(bucket) if one.endswith("parquet")])
    bench.refuse("spark", *evaluate, message=["part-00001.parquet", "does not exist"], code=4)


def test_an_address_that_the_user_does_not_name_is_not_read(
    bench: Bench, bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.accept(*SEAL)
    assert objects(bucket)
    monkeypatch.delenv("TRACKER_SEALED")
    words = ["part 1 of the sealed candidate set 1 ", "TRACKER_SEALED does not list that"]
    bench.refuse("sql", SUM, message=words, code=4)
    bench.refuse("check", message=words, code=4)
    bench.refuse("slate", "freeze", "--candidates", "base", message=words, code=4)
    bench.accept("slate", "list")


@pytest.mark.parametrize("name", ["part-00001.parquet", "manifest.json"])
def test_an_altered_object_is_found(name: str, bench: Bench, bucket: Any) -> None:
    bench.accept(*SEAL)
    alter(bucket, name)
    words = ["sealed_sets: ", "was altered after it was sealed: s3://lake/tracker/", name]
    bench.refuse("check", message=words, code=4)


def test_a_missing_object_is_named(bench: Bench, bucket: Any) -> None:
    bench.accept(*SEAL)
    bucket.rm([one for one in objects(bucket) if one.endswith("parquet")])
    bench.refuse("check", message=["sealed_sets: part 1 ", "does not exist"], code=4)
    bench.refuse("sql", SUM, message=["part-00001.parquet"], code=4)


def test_a_half_uploaded_set_is_begun_again(bench: Bench, bucket: Any) -> None:
    bench.accept(*SEAL)
    manifest, part = objects(bucket)
    bench.db.write_bytes(_before(bench))
    # Without a manifest it is what an interrupted upload left.
    bucket.rm(manifest)
    bucket.pipe(part, b"half")
    bench.accept(*SEAL)
    bench.accept("check")


def test_a_set_that_was_uploaded_but_not_recorded_is_recorded(bench: Bench, bucket: Any) -> None:
    """A kill between the two must not leave a set that nobody can seal."""
    bench.accept(*SEAL)
    names, before = objects(bucket), answer(bench)
    bench.db.write_bytes(_before(bench))
    bench.accept(*SEAL)
    assert objects(bucket) == names
    assert answer(bench) == before
    bench.accept("check")


def _before(bench: Bench) -> bytes:
    """Return the store as it is before its set is sealed, with the same log."""
    return (bench.folder / "before.duckdb").read_bytes()


@pytest.fixture(autouse=True)
def _kept(bench: Bench) -> None:
    (bench.folder / "before.duckdb").write_bytes(bench.db.read_bytes())


def test_a_complete_set_is_not_written_over(bench: Bench, bucket: Any) -> None:
    bench.accept(*SEAL)
    bench.db.write_bytes(_before(bench))
    manifest, _ = objects(bucket)
    bucket.pipe(manifest, bucket.cat(manifest).replace(b"base", b"bass"))
    kept = {one: bucket.cat(one) for one in objects(bucket)}
    bench.refuse(*SEAL, message=["candidate_set_id=1: exists, and is not of a set of this store"])
    assert {one: bucket.cat(one) for one in objects(bucket)} == kept
    assert bench.db.read_bytes() == _before(bench)


def test_a_failed_upload_leaves_nothing(
    bench: Bench, bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = s3fs.S3FileSystem.put_file

    def broken(storage: Any, local: str, remote: str) -> None:
        if remote.endswith("manifest.json"):
            raise OSError("Connection was closed")
        put(storage, local, remote)

    monkeypatch.setattr(s3fs.S3FileSystem, "put_file", broken)
    bench.refuse(*SEAL, message=["candidate_set_id=1: Connection was closed"], code=1)
    assert objects(bucket) == []


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}, "no credentials; set AWS_"),
        ({"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, "cannot be reached"),
        ({"TRACKER_SEALED": "s3://absent/tracker"}, "does not exist"),
    ],
)
def test_what_is_wrong_with_the_storage_is_one_line(
    settings: dict[str, str | None],
    words: str,
    bench: Bench,
    bucket: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert objects(bucket) == []
    for name, value in settings.items():
        if value is None:
            monkeypatch.delenv(name)
        else:
            monkeypatch.setenv(name, value)
    place = settings.get("TRACKER_SEALED") or PLACE
    bench.refuse(*SEAL[:-1], place, message=[f"error: {place}/sealed-", words], code=1)


def test_an_address_that_could_be_a_text_of_sql_is_refused(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for address in ("s3://lake/it's", "s3://lake/*", "http://host/sets", "s3://L"):
        monkeypatch.setenv("TRACKER_SEALED", address)
        bench.refuse("sql", "select 1", message=["is not an address like s3://bucket/prefix"])


def test_a_forged_address_is_not_read(bench: Bench, bucket: Any) -> None:
    bench.accept(*SEAL)
    assert objects(bucket)
    with duckdb.connect(str(bench.db)) as other:
        other.execute("update sealed_address set address = 's3://other/place'")
    bench.refuse("sql", SUM, message=["bring it up to date with 'tracker init'"])
    words = ["is in s3://other/place: TRACKER_SEALED does not list that"]
    bench.refuse("init", message=words, code=4)
