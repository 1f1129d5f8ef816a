"""The sections of a slate's page, entries of SECTIONS: a finding, a chart and its words."""

from collections.abc import Sequence

from tracker.figures import MATCHED
from tracker.reports.pages import (
    baselines,
    deciles,
    diseases,
    evidence,
    global_lists,
    parts,
    probabilities,
    survival,
    tiers,
)
from tracker.reports.pages.figures import Cell, Matrix
from tracker.reports.pages.lead import Lead
from tracker.reports.pages.sections import Drawing, PageSection
from tracker.reports.records import Section, records
from tracker.reports.words import EVENTS, count, joined

# Ordered from no proof of foresight to proof.
_TIMINGS = (
    "retrospective",
    "coincident",
    "announced",
    "straddles",
    "unverified",
    "undated",
    "prospective",
)


def _outcomes(sections: Sequence[Section], _lead: Lead) -> Drawing | None:
    counts = records(sections, "outcome_count")
    if not counts:
        return None
    kinds = [kind for kind in EVENTS if any(one["outcome_type"] == kind for one in counts)]
    cells = tuple(
        Cell(
            timing,
            EVENTS[kind],
            sum(
                one["n_outcomes"]
                for one in counts
                if (one["timing"], one["outcome_type"]) == (timing, kind)
            ),
        )
        for timing in _TIMINGS
        for kind in kinds
    )
    n_total = sum(one.count for one in cells)
    n_prospective = sum(one.count for one in cells if one.row == "prospective")
    return Drawing(
        f"{n_prospective:,} of {count(n_total, 'outcome')} on record "
        f"{'is' if n_prospective == 1 else 'are'} prospective.",
        Matrix(cells, _TIMINGS, tuple(EVENTS[kind] for kind in kinds), "prospective"),
        [
            f"{timing}: "
            + joined([f"{one.count:,} {one.column}" for one in cells if one.row == timing])
            for timing in _TIMINGS
        ],
    )


SECTIONS = (
    PageSection(
        "leak_alarm",
        "Beside lists that need no model",
        "Hits are what a list found. Popular drugs are tried more often whatever the disease, so a "
        "list of them finds many; equally popular drugs find as many again, and the list adds "
        "nothing. What a model adds to popularity is the distance between its two dots. Each list "
        "has as many pairs in each disease as the slate predicts there, the degree product as many "
        "over all.",
        baselines.drawing,
        is_first=True,
    ),
    PageSection(
        "tier_hit_rate",
        "Hit rate by tier",
        "Tiers are ranks within a disease, as frozen. Lines are 95% intervals by drug and disease. "
        "Prospective counts only events dated after the freeze and not yet public on it; every "
        "outcome on record also counts past, planned and undated ones.",
        tiers.hit_rates,
    ),
    PageSection(
        MATCHED,
        "Enrichment against equally popular drugs and against random",
        "Equally popular drugs: other candidates of the same disease, known for about as many "
        "diseases. Random: the hit rate of the whole slate. At 1 the tier does no better.",
        tiers.enrichment,
    ),
    PageSection(
        "hits_by_month",
        "Hits since the freeze",
        "Predictions of the primary endpoint that had come true by the end of each month, and the "
        "hits that as many equally popular drugs had by then. The band is the 95% interval of "
        "their ratio, times the expected hits, for each month on its own, from three hits on. "
        "Only the last month counts: of many months, one or another lies apart from the expected "
        "hits by chance.",
        parts.by_month,
        is_first=True,
    ),
    PageSection(
        "time_to_event",
        "When the first events came",
        "Each dot is a prediction whose first event was prospective: when it came, and the rank "
        "within its disease at which it had been predicted, 1 being the best. Events after the "
        "horizon are shown too.",
        evidence.timeline,
    ),
    PageSection(
        "enrichment_by_k",
        "Enrichment by rank",
        "The predictions up to a rank within each disease, whatever the tier, against equally "
        "popular drugs. Beside each dot hits and predictions; lines are 95% intervals.",
        parts.by_k,
    ),
    PageSection(
        "enrichment_by_knowledge",
        "Enrichment by what was known at the freeze",
        "The predictions of the primary endpoint in groups: by the number of drugs known for "
        "their disease, and by the number of diseases their drug was known for. Beside each dot "
        "hits and predictions; lines are 95% intervals.",
        parts.by_knowledge,
    ),
    PageSection(
        "enrichment_by_nearness",
        "Enrichment by nearness to what was known",
        "Near-known: the drug was known for a closely related disease (an ancestor, a descendant "
        "or a sibling in the vocabulary), or another salt of it for this one. New: neither. Each "
        "class is compared with other candidates of the class alone, near-known pairs with those "
        "as closely related, so that a list that copies the drugs of related diseases gains "
        "nothing in either. Beside each dot hits and "
        "predictions; lines are 95% intervals.",
        parts.by_nearness,
    ),
    PageSection(
        "enrichment_by_area",
        "Enrichment by area of disease",
        "The predictions of the primary endpoint by the upper classes of a vocabulary. Areas "
        "overlap: a prediction counts in every area of its disease. Among many areas, some lie "
        "above 1 by chance. Beside each dot hits and predictions; lines are 95% intervals.",
        parts.by_area,
    ),
    PageSection(
        "global_list",
        "Global lists over all diseases",
        "The predictions with the highest scores, whatever the disease, for those who act on one "
        "short list. This compares scores of different diseases, and says something only where the "
        "model's scores can be compared. The baseline, equally popular candidates of the same "
        "diseases, includes the predictions, so the advantage is understated. Lines are 95% "
        "intervals by drug and disease.",
        global_lists.drawing,
    ),
    PageSection(
        "breadth_decile_hit_rate",
        "Hit rate by popularity of the drug",
        "Drugs in ten equal groups by the number of diseases they were known for at the freeze. "
        "Columns: every candidate of the slate's diseases. Dots: the slate's predictions, with 95% "
        "intervals by drug and disease.",
        deciles.by_breadth,
    ),
    PageSection(
        "score_decile_hit_rate",
        "Do higher scores come true more often?",
        "Predictions in ten equal groups by score; each dot is a group, at its mean score. Lines "
        "are 95% intervals by drug and disease. A useful score rises to the right.",
        deciles.by_score,
    ),
    PageSection(
        "reliability_bin",
        "Are the probabilities right?",
        "The slate declared at its freeze that its scores are probabilities of a prospective hit "
        "by the end of the horizon. Each dot is a tenth of the predictions; the band is the 95% "
        "interval by drug and disease. On the dashed line as many came true as was predicted. "
        "Pairs without follow-up up to the horizon are censored, not misses.",
        probabilities.drawing,
    ),
    PageSection(
        "survival_curve",
        "Time to the first event",
        "Kaplan-Meier, with 95% intervals by drug and disease as bands. Left of "
        "the freeze: what had already happened, which proves nothing. Right of it, from zero "
        "again: pairs without an event until then; announced, straddling and unverified events are "
        "among them. Pairs count up to the last day that every source covers, and later events are "
        "left out. A curve ends where less than a tenth of its pairs are still followed.",
        survival.drawing,
    ),
    PageSection(
        "evidence_flow",
        "From the evidence to the hits",
        "How many of the pairs that the model scored have an outcome in the releases of the store, "
        "and how many are left at each stage: predicted pairs, prospective outcomes, hits. "
        "A pair that was scored and not predicted is one that the slate missed.",
        evidence.flow,
    ),
    PageSection(
        "outcome_count",
        "Outcomes by type and timing",
        "Announced: dated after the freeze but already public then. Unverified: after the freeze, "
        "first public date unknown. A status change is a low signal and makes no hit. Pairs that "
        "were candidates but not predicted are counted too.",
        _outcomes,
    ),
    PageSection(
        "disease_performance",
        "Disease by disease",
        "The hit rate of each disease's predictions against the rate that popularity alone would "
        "give them. Lines are exact 95% intervals of independent pairs, each disease on its own; "
        "among many, some differ from 1 by chance. Beside each dot hits and predictions.",
        diseases.forest,
        is_first=True,
    ),
    PageSection(
        "coverage",
        "What the sources can see",
        "The slate's drugs and diseases that some record of a source names, by any of their names "
        "or identifiers. What no record names can have no outcome there. The table has the kinds "
        "of match, the strongest of each drug or disease.",
        evidence.coverage,
        is_awaiting=True,
    ),
)
