"""The servers that tracker can fetch from, by the name that a configuration gives them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tracker.extras.refresh.fetching import chembl, fda, history, trials, vocabularies
from tracker.extras.refresh.fetching.known import Known
from tracker.extras.refresh.fetching.web import Web

# Fetches what is new from the server at a URL into a folder; returns the files that were not there.
Fetch = Callable[[Web, str, Path, Known], Sequence[Path]]


@dataclass(frozen=True)
class Provider:
    """A server: the kind of source it serves, its URL, and the names of the files it yields.

    What is at the URL with `probe` behind it is always there. It `follows_ledger` if what there is
    to fetch depends on the studies in the ledger. A fetch takes in `most_bytes`, several times what
    there was in 2026, unpacked where an answer is compressed.
    """

    name: str
    kind: str
    base_url: str
    probe: str
    pattern: str
    fetch: Fetch
    follows_ledger: bool = False
    most_bytes: int = 4_000_000_000


_ALL = (
    Provider(
        "chembl",
        "chembl",
        chembl.BASE_URL,
        chembl.LIST,
        chembl.PATTERN,
        chembl.fetch,
        most_bytes=60_000_000_000,
    ),
    Provider(
        "clinicaltrials",
        "trials",
        trials.BASE_URL,
        trials.VERSION,
        trials.PATTERN,
        fetch=trials.fetch,
        most_bytes=16_000_000_000,
    ),
    Provider(
        "clinicaltrials-history",
        "trials",
        history.BASE_URL,
        history.PROBE,
        history.PATTERN,
        fetch=history.fetch,
        follows_ledger=True,
        most_bytes=16_000_000_000,
    ),
    Provider(
        "openfda",
        "fda",
        fda.OPENFDA_URL,
        fda.LIST,
        fda.OPENFDA_PATTERN,
        fetch=fda.fetch_openfda,
    ),
    Provider(
        "drugsfda",
        "fda",
        fda.DRUGSFDA_URL,
        "",
        fda.DRUGSFDA_PATTERN,
        fetch=fda.fetch_drugsfda,
    ),
    *(
        Provider(
            name,
            "vocabulary",
            url,
            vocabularies.probe(name),
            vocabularies.pattern(name),
            fetch=vocabularies.fetcher(name),
        )
        for name, url in vocabularies.URLS.items()
    ),
)
PROVIDERS = {provider.name: provider for provider in _ALL}


def find(kind: str, wanted: str | bool) -> Provider | None:
    """Return the provider of a kind by name, or its first one for True; None if there is none.

    Vocabularies have to be named.
    """
    if wanted is True:
        first = next((one for one in PROVIDERS.values() if one.kind == kind), None)
        return None if kind == "vocabulary" else first
    found = PROVIDERS.get(str(wanted))
    return found if found is not None and found.kind == kind else None
