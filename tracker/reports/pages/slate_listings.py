"""The tables of a slate's page that support no finding: hits, predictions, provenance."""

from typing import Any

from tracker.entities.folding import fold
from tracker.reports.kinds import Report
from tracker.reports.listing import Listings
from tracker.reports.pages.lead import Lead
from tracker.reports.pages.page import Listing
from tracker.reports.records import Record, first
from tracker.reports.words import EVENTS, SOURCES, count
from tracker.rows import Rows

_MOST_HITS = 14
# Columns of the list of hits that the list of all predictions lacks.
_OF_HITS = (
    "is_novel",
    "near_known",
    "is_hit",
    "hit_event",
    "hit_date",
    "hit_source",
    "hit_record",
    "failure",
    "drug_withdrawn",
)


def hits(report: Report, lead: Lead, rows: Rows) -> list[Listing]:
    """List the first of the hits that sentences count, each with its record."""
    found = [one for one in rows.records() if one["is_novel"] or lead.population == "all"]
    if not found or lead.window == "all":
        return []
    n_hits = first(report.sections, "tier_hit_rate", tier="all", **lead.keys).get("n_hits", 0)
    n_more = n_hits - min(len(found), _MOST_HITS)
    shown = found[:_MOST_HITS]
    has_near = any(one["near_known"] for one in shown)
    return [
        Listing(
            "hits",
            "The hits",
            f"The {lead.kind}predictions that came true after the freeze, best ranks first, each "
            "with its first event and the record that shows it.",
            Rows(
                [
                    "rank",
                    "drug_name",
                    "disease_name",
                    *(["near_known"] if has_near else []),
                    "tier",
                    "event",
                    "event_date",
                    "record",
                ],
                [
                    (
                        one["rank"],
                        one["drug_name"],
                        one["disease_name"],
                        *([one["near_known"]] if has_near else []),
                        one["tier"],
                        _event(one),
                        one["hit_date"],
                        _record(one),
                    )
                    for one in shown
                ],
            ),
            f"{count(n_more, 'more hit')} among all predictions." if n_more > 0 else "",
        )
    ]


def _event(hit: Record) -> str:
    """Name the event of a hit, with any failed trial and withdrawal."""
    event = EVENTS.get(hit["hit_event"], hit["hit_event"])
    return "; ".join(filter(None, [event, hit["failure"], hit["drug_withdrawn"]]))


def _record(hit: Record) -> str:
    """Name the source of a hit and its record; ChEMBL's compounds have addresses, its rows none."""
    record = hit["hit_record"]
    if hit["hit_source"] == "chembl" and str(hit["drug_identifier"]).startswith("CHEMBL"):
        record = hit["drug_identifier"]
    return " ".join(filter(None, [SOURCES.get(hit["hit_source"], hit["hit_source"]), record]))


def predictions(facts: dict[str, Any], rows: Rows) -> Listing:
    """List the predictions, with the number left out."""
    n_omitted = facts["n_predictions"] - len(rows.values)
    omitted = (
        f"{count(n_omitted, 'prediction')} of lower rank left out; all of them: tracker slate "
        f"export {facts['slate_id'][:8]} exported/"
        if n_omitted
        else ""
    )
    table = _without_names_again(rows)
    return Listing("predictions", "The predictions", "", table, omitted)


def provenance(listings: Listings) -> list[Listing]:
    """List the slates before this one, and the releases behind its outcomes."""
    return [
        Listing(
            "chain",
            "Chain of slates",
            "Each slate's hash covers the hash of the slate frozen before it.",
            listings.chain,
        ),
        Listing(
            "releases",
            "Releases of evidence",
            "The releases in which the outcomes were found."
            if listings.releases.values
            else "None is in the store: outcomes were loaded from files.",
            listings.releases,
        ),
    ]


def _without_names_again(rows: Rows) -> Rows:
    """Put identifiers last, without mere folded names; if none is left, drop their columns.

    The columns of hits go, since the evidence has the first event. On a phone the style sheet names
    cells by their position.
    """
    found = rows.records()
    for entity in ("disease", "drug"):
        for one in found:
            if one[f"{entity}_identifier"] == fold(one[f"{entity}_name"]):
                one[f"{entity}_identifier"] = None
    last = ["disease_identifier", "drug_identifier"]
    columns = [name for name in rows.columns if name not in (*last, *_OF_HITS)]
    if any(one[name] for one in found for name in last):
        columns += last
    return Rows(columns, [tuple(one[name] for name in columns) for one in found])
