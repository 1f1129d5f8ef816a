"""Whether an outcome is a hit of a slate, in a sentence that says why."""

from tracker.reports.records import Record
from tracker.reports.words import EVENTS

_REASONS = {
    "not predicted": "the slate scored the pair, but did not predict it",
    "retrospective": "it happened on {event_date}, before the freeze of {counted_from}",
    "coincident": "it happened on {event_date}, the day of the freeze",
    "announced": "it was already public at the freeze of {counted_from}",
    "straddles": "it became public between {public_after} and {public_by}, and the freeze of "
    "{counted_from} lies between them",
    "unverified": "nothing shows that it was not yet public at the freeze of {counted_from}",
    "undated": "its date is not known",
    "annulled": "it was annulled on {annulled_on}: {reason}",
    "low signal": "only a first trial, a phase advance or an approval is one",
    "later hit": "it came on {event_date}, after the end of the horizon",
}


def counted(card: Record) -> str:
    """Say whether a row of `outcome_card` is a hit of its slate, and why or why not."""
    event = _event(card)
    article = "an" if event.startswith(("FDA", "EMA", "approval")) else "a"
    slate = str(card["slate_id"])[:8]
    pair = f"{card['drug_name']} for {card['disease_name']}"
    if card["counts_as"] == "hit":
        # ChEMBL has no dates: the event is first known on the day of the release.
        is_shown = card["source"] == "chembl" and card["event_date"] == card["released_on"]
        when = (
            f"first shown by ChEMBL {card['version']} of {card['released_on']}"
            if is_shown
            else f"on {card['event_date']}"
        )
        return (
            f"A hit of slate {slate}: {pair}, predicted at rank {card['rank']} ({card['tier']} "
            f"tier), had {article} {event} {when}, after the freeze of {card['counted_from']}."
            + (f" Of the pair, a {card['failure']}." if card["failure"] else "")
            + (f" In ChEMBL: {card['drug_withdrawn']}." if card["drug_withdrawn"] else "")
        )
    reason = _REASONS[card["counts_as"]].format_map(card)
    if card["counts_as"] == "unverified" and card["undated_reason"]:
        reason = card["undated_reason"]
    return f"Not a hit of slate {slate}: the {event} of {pair} does not count, since {reason}."


def _event(card: Record) -> str:
    """Name the event; for an approval that ChEMBL shows, only the agencies that it cites."""
    if card["source"] != "chembl" or card["outcome_type"] not in ("fda_approved", "approved"):
        return EVENTS[card["outcome_type"]]
    given = card["reference_types"]
    basis = f"with references to {given}" if given else "without references"
    return f"approval (ChEMBL phase 4, {basis})"
