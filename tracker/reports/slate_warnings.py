"""The warnings of a slate's report: what its figures do not say, in words.

The statements warning_fact and given_outcome supply the dates and counts; an entry here says when a
warning holds, and its sentence.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row

from tracker.reports import attachment_warnings
from tracker.reports.words import SOURCES
from tracker.slates import shared_ids
from tracker.store import statements

# The statements behind warnings; an assessment reads only the second.
_OF_SLATE, _OF_ORIGIN = FACTS = ("warning_fact", "given_outcome")
# A source that lags another by more than a quarter hides more than the usual delay of a release.
_MOST_DAYS_BEHIND = 92

# With fewer, a true enrichment of 3 reads more than 5 % too high: 8 % to 11 % with 80 to 200 drugs,
# 21 % with three diseases (docs/statistics.md#endpoint-worlds).
_ENOUGH_DRUGS, _ENOUGH_DISEASES = 300, 4

# With three or four, if most expected hits are the list's own, the ratio of a list without skill
# reads about 1.5 (docs/statistics.md#endpoint-worlds).
_ENOUGH_OTHER_HITS = 5

# The most pairs or names in a sentence, and the most releases with a sentence each.
_MOST_LISTED, _MOST_STRADDLING = 10, 3

_Facts = Row[Any] | Any
_Warning = tuple[Callable[[_Facts], bool], str]


def _is_behind(one: _Facts) -> bool:
    return bool(one.n_later_events) or (one.days_behind or 0) > _MOST_DAYS_BEHIND


# The condition of a warning and its sentence: `{n:one|several}` is the first for 1, else the
# second.
_BEFORE_SETS: Sequence[_Warning] = (
    (
        lambda one: one.is_replay,
        "Backdated slate: it was made on {made_on} as if on {frozen_on}. It is not a prospective "
        "test.",
    ),
    (
        lambda one: one.withheld_until is not None,
        "Embargoed until {withheld_until}: published sites withhold this slate until then, and "
        "show its number, hash and date. This report and exports have all of it.",
    ),
    (lambda one: one.is_imported, "This slate was published elsewhere and imported."),
)
_BEHIND = (
    "Behind: evidence of {source_behind} reaches {last_day}, {days_behind} {days_behind:day|days} "
    "less far than that of {newest_source}. The curve of pairs with an event ends there and "
)
_HIDDEN = (
    "leaves out the first events of {n_later_events} {n_later_events:prediction|predictions}, "
    "which came later (follow_up_gap)."
)
_NOT_NOVEL = (
    "were not known at the freeze. The others cannot show foresight, and figures of the population "
    "'novel' rest on these few."
)
_AFTER_SETS: Sequence[_Warning] = (
    (
        lambda one: one.n_claims > 0 and not one.n_unpredicted,
        "The {n_claims} {n_claims:outcome|outcomes} that came with the slate {n_claims:is|are} of "
        "its predictions alone, while nobody looked for those of the attached candidates: the "
        "enrichment versus popularity is too high. Detect outcomes in evidence to compare alike.",
    ),
    (
        lambda one: bool(one.duplicates),
        "{n_duplicates} duplicate {n_duplicates:prediction was|predictions were} set aside at "
        "import, the best rank of the pair kept: {duplicates}.",
    ),
    (
        lambda one: bool(one.merged_names),
        "Several names in the files share an identifier and were merged; the highest score and "
        "label of a pair were kept: {merged_names}.",
    ),
    (
        lambda one: not one.is_over,
        "Interim: the horizon of {horizon_months} months ends on {ends_on}, and figures change "
        "until then.",
    ),
    (
        lambda one: one.is_over and one.followed_until and one.followed_until < one.ends_on,
        "Interim: the horizon ended on {ends_on}, but the newest {slowest_source} release is of "
        "{followed_until}.",
    ),
    (
        lambda one: one.n_later_hits > 0,
        "After the horizon: {n_later_hits} {n_later_hits:prediction was|predictions were} hit only "
        "after {ends_on}; the window 'all' counts what came after it, 'prospective' does not "
        "(n_later_hits).",
    ),
    (
        lambda one: _is_behind(one) and one.days_behind and one.n_later_events,
        f"{_BEHIND}{_HIDDEN}",
    ),
    (
        lambda one: _is_behind(one) and not one.n_later_events,
        f"{_BEHIND}leaves out no event on record (follow_up_gap).",
    ),
    (
        lambda one: _is_behind(one) and not one.days_behind,
        f"Followed until {{last_day}}. The curve of pairs with an event ends there and {_HIDDEN}",
    ),
    (
        lambda one: one.n_high is not None and 2 * one.n_novel_high < one.n_high,
        "Few novel pairs: only {n_novel_high} of {n_high} {n_high:prediction|predictions} of the "
        f"high tier {_NOT_NOVEL}",
    ),
    (
        lambda one: 2 * one.n_novel < one.n_all,
        f"Few novel pairs: only {{n_novel}} of {{n_all}} {{n_all:prediction|predictions}} "
        f"{_NOT_NOVEL}",
    ),
    (
        lambda one: one.n_known_by_evidence > 0,
        "{n_known_by_evidence} {n_known_by_evidence:prediction was|predictions were} known at the "
        "freeze by public evidence but not by the labels; the population 'novel' leaves them out.",
    ),
    (
        lambda one: bool(one.n_undated_hits),
        "{n_undated_hits} of {n_endpoint_hits} {n_endpoint_hits:hit|hits} of the primary endpoint "
        "{n_undated_hits:rests|rest} on an undated change of ChEMBL: what is new there may be old "
        "in the world (enrichment_by_dating has the hits that are dated).",
    ),
    (
        lambda one: (one.label_gap or 0) > 1,
        "Label gaps: later evidence shows that {n_gaps} {n_gaps:prediction was|predictions were} "
        "public before the freeze that the labels lack, {label_gap:.2f} times as many as of "
        "equally popular drugs. The model may have known what the labels did not (label_gap).",
    ),
    (
        lambda one: not one.n_hits,
        "No hit is on record yet: hit rates are 0, and only upper limits say something.",
    ),
    (
        lambda one: one.n_prospective < one.n_hits,
        "{n_prospective} of {n_hits} hits are prospective; the window 'all' also counts events "
        "that were past, planned or undated at the freeze.",
    ),
    (
        lambda one: one.n_hits and not one.n_prospective,
        "No hit is prospective: nothing here shows that the slate foresaw anything.",
    ),
    (
        lambda one: one.n_hits and one.n_unverified,
        "{n_unverified} {n_unverified:outcome is|outcomes are} dated after the freeze but "
        "unverified: when {n_unverified:it|they} became public is not known, so "
        "{n_unverified:it does|they do} not count as prospective.",
    ),
    (
        lambda one: one.n_known > 0,
        "{n_known} of {n_prospective} prospective {n_prospective:hit|hits} {n_known:is|are} of "
        "pairs that were known at the freeze: the population 'all' counts them, 'novel' does not.",
    ),
)
# For each release whose outcomes may have been public at the freeze.
_STRADDLING = (
    "{n_outcomes} {source} {n_outcomes:outcome|outcomes} became public between {public_after} and "
    "{public_by}, which contains the freeze, so not prospective: {n_possible_hits} possible "
    "{n_possible_hits:hit|hits} among the predictions. A release between the two days would settle "
    "them."
)
_GIVEN = "{n_given} of {n_outcomes} outcomes were {ways} rather than detected in evidence"
_OF_OUTCOMES: Sequence[_Warning] = (
    (lambda one: one.n_given > 0 and not one.n_recorded_hits, f"{_GIVEN}."),
    (
        lambda one: one.n_given > 0 and one.n_recorded_hits > 0,
        f"{_GIVEN}; {{n_given_hits}} of {{n_recorded_hits}} prospective hits rest on them alone.",
    ),
)
_FEW = "a high enrichment versus equally popular drugs reads about"
_OF_MATCHES: Sequence[_Warning] = (
    (
        lambda one: one.n_weaker > 0,
        "{n_weaker} of {n_hits} {n_hits:hit|hits} {n_weaker:is|are} not found by identifiers, "
        "names and exact synonyms; match_kind_hit_rate and match_kind_enrichment have the figures "
        "without the weaker matches.",
    ),
    (
        lambda one: (one.n_most_hits or 0) > 1,
        "{n_most_hits} of {n_hits} hits rest on one record, {most_record}; {n_records} "
        "{n_records:record has|records have} hits (hit_concentration).",
    ),
    (
        lambda one: one.n_failed_hits > 0,
        "{n_failed_hits} of {n_hits} {n_hits:hit|hits} {n_failed_hits:has|have} failed since: a "
        "trial of the pair was stopped for lack of efficacy or for safety (tier_failure).",
    ),
    (
        lambda one: one.n_unreported > 0,
        "{n_unreported} of {n_ended} ended {n_ended:study|studies} of predicted pairs "
        "{n_unreported:has|have} no results in the registry, more than a year after completion "
        "(unreported_study).",
    ),
    (
        lambda one: one.n_other_studies > 0,
        "{n_other_studies} {n_other_studies:study|studies} of predicted pairs "
        "{n_other_studies:does|do} not count by what the drug is studied for: {other_studies} "
        "(tracker coverage lists {n_other_studies:it|them}); study_setting_enrichment has the "
        "figure with every study.",
    ),
    (
        lambda one: one.n_late > 0,
        "Late matches: {n_late} {n_late:event|events} of {n_late_pairs} predicted "
        "{n_late_pairs:pair|pairs} can be found only through names or vocabularies that the store "
        "did not have when the slate was recorded; they do not count (uncounted_event).",
    ),
)
_LAST: Sequence[_Warning] = (
    (
        lambda one: one.is_above_1 and one.n_drugs < _ENOUGH_DRUGS,
        f"With {{n_drugs}} candidate {{n_drugs:drug|drugs}}, fewer than {_ENOUGH_DRUGS}, {_FEW} "
        "10% too high.",
    ),
    (
        lambda one: one.is_above_1 and one.n_diseases < _ENOUGH_DISEASES,
        f"With {{n_diseases}} {{n_diseases:disease|diseases}}, fewer than {_ENOUGH_DISEASES}, "
        f"{_FEW} 20% too high.",
    ),
    (
        lambda one: one.n_withdrawn > 0,
        "{n_withdrawn} {n_withdrawn:outcome rests|outcomes rest} on evidence that its source has "
        "since withdrawn; {n_withdrawn:it stays|they stay} on record, as before "
        "(outcome_withdrawn).",
    ),
    (
        lambda one: bool(one.annulled),
        "{n_annulled} {n_annulled:outcome that came from a file was|outcomes that came from files "
        "were} annulled and {n_annulled:counts|count} no longer: {annulled}.",
    ),
    (
        lambda one: one.sealed_on is not None,
        "This store has been sealed since {sealed_on}: what was altered before then, while it "
        "already had this slate, cannot be found.",
    ),
    (
        lambda one: one.why_no_ratio is not None,
        "Enrichment versus equally popular drugs is not known: {why_no_ratio}.",
    ),
    (
        lambda one: one.n_other_hits is not None and one.n_other_hits < _ENOUGH_OTHER_HITS,
        "The primary endpoint's enrichment rests on {n_other_hits} {n_other_hits:hit|hits} of "
        "other candidates: one more or less changes it much.",
    ),
)


class _Count(int):
    """A number in a sentence: `1,204`, or with `one|several` the word that fits it."""

    def __format__(self, words: str) -> str:
        one, bar, several = words.partition("|")
        if not bar:
            return f"{int(self):,}"
        return one if self == 1 else several


def of_slate(connection: Connection, slate: Row[Any]) -> list[str]:
    """Return what a reader of the slate's figures must know, a sentence or two each.

    Inside `scope.of_slates`.
    """
    facts = _facts(connection, _OF_SLATE, slate)
    straddling = (facts.straddling or [])[:_MOST_STRADDLING] if facts.n_hits else []
    return [
        *_sentences(_BEFORE_SETS, facts),
        *attachment_warnings.of_sets(connection, slate),
        # Whether outcomes can be trusted comes before their dates.
        *of_outcomes(connection, slate),
        *_sentences(_AFTER_SETS, facts),
        *(_STRADDLING.format_map(_worded(one)) for one in straddling),
        *_sentences(_OF_MATCHES, facts),
        *_sentences(_LAST, facts),
    ]


def of_outcomes(connection: Connection, slate: Row[Any]) -> list[str]:
    """Return the sentence on outcomes loaded without evidence; none if all were detected."""
    return list(_sentences(_OF_OUTCOMES, _facts(connection, _OF_ORIGIN, slate)))


def given_hits(connection: Connection, slate: Row[Any]) -> dict[str, int]:
    """Return the number of prospective hits on record, and of those that rest only on files."""
    facts = _facts(connection, _OF_ORIGIN, slate)
    return {name: getattr(facts, name) for name in ("n_recorded_hits", "n_given_hits")}


def _facts(connection: Connection, name: str, slate: Row[Any]) -> Row[Any]:
    return statements.run(connection, name, {"slate_id": str(slate.slate_id)}).one()


def _sentences(warnings: Sequence[_Warning], facts: _Facts) -> Iterator[str]:
    worded = _worded(facts._asdict())
    return (words.format_map(worded) for holds, words in warnings if holds(facts))


def _worded(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return facts in the form that sentences print."""
    worded: dict[str, Any] = {
        name: _Count(value) if isinstance(value, int) else value for name, value in facts.items()
    }
    worded |= {name: SOURCES.get(facts[name], facts[name]) for name in facts if "source" in name}
    ways = {"loaded from files": "n_loaded", "imported with the slate": "n_imported"}
    worded["ways"] = " or ".join(words for words, name in ways.items() if facts.get(name))
    worded["n_duplicates"] = _Count(len(facts.get("duplicates") or []))
    worded["other_studies"] = _listed(facts.get("other_studies") or [])
    worded["n_annulled"] = _Count(len(facts.get("annulled") or []))
    worded["annulled"] = _listed(facts.get("annulled") or [])
    worded["duplicates"] = _listed(facts.get("duplicates") or [])
    merged = map(json.loads, facts.get("merged_names") or [])
    worded["merged_names"] = _listed(
        [f"{shared_ids.listed(one['names'])} ({one['file']})" for one in merged]
    )
    return worded


def _listed(texts: Sequence[str]) -> str:
    """Return the first of some texts, and the number of the others."""
    n_more = len(texts) - _MOST_LISTED
    return "; ".join([*texts[:_MOST_LISTED], *([f"and {n_more} more"] if n_more > 0 else [])])
