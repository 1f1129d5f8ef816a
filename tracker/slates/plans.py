"""Analysis plans: the criteria of a slate, fixed before any outcome is known.

A plan is a TOML file passed at the freeze. It is completed from the default plan, which ships as
default_plan.toml, and stored and hashed with the slate in that complete form, so that a later
change of the defaults changes no frozen plan.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from sqlalchemy import Row

from tracker import schema
from tracker.errors import ProblemsFound
from tracker.figures import ENRICHMENTS, HAVE_INTERVAL
from tracker.files import toml_file
from tracker.files.fields import FLAG, Problem, listed, number, one_of, problems, table, whole
from tracker.slates import criteria
from tracker.slates.criteria import Criterion

# What the scores of a slate mean: an order, or the probability of a hit by the horizon.
ORDINAL, PROBABILITIES = "ordinal", "probabilities"


@dataclass(frozen=True)
class Plan:
    """A complete plan; `document` is the form stored and hashed."""

    primary: Criterion
    horizon_months: int
    success_bar: float
    min_refreshes: int
    fda_drug_level: bool
    ema_approvals: bool
    breadth_span: float
    match_kinds: tuple[str, ...]
    study_uses: tuple[str, ...]
    one_condition: bool
    tiers: dict[str, int]
    success: tuple[Criterion, ...]
    failure: tuple[Criterion, ...]
    document: dict[str, Any]

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """The success criteria, then the failure criteria."""
        return self.success + self.failure

    @property
    def asked(self) -> str:
        """What the plan asks of a slate for it to work, in words."""
        bounds: dict[str, list[str]] = {}
        for one in self.success:
            bounds.setdefault(one.subject, []).append(one.words.removeprefix(f"{one.metric} "))
        asked = [f"{subject} is {' and '.join(given)}" for subject, given in bounds.items()]
        return f"after {self.horizon_months} months {', and '.join(asked)}"


@dataclass(frozen=True)
class SlatePlan:
    """The plan that applies to a slate, and its origin in words."""

    plan: Plan
    origin: str
    is_frozen: bool


def read(path: Path) -> Plan:
    """Return the plan of a TOML file, completed from the default plan.

    Raises ProblemsFound with one line per problem, among them success and failure criteria that
    one value meets, or InputRefused if the file cannot be read as TOML.
    """
    return checked(toml_file.read(path), path.name)


def given(source: str | Path | Mapping[str, Any]) -> Plan:
    """Return the plan in a TOML file, or of its content; errors as of `read`."""
    if isinstance(source, Mapping):
        return checked(source, "the plan")
    return read(Path(source))


def checked(given: Mapping[str, Any], name: str) -> Plan:
    """Return the plan in a mapping as `read` does; each problem begins with `name`."""
    plan = parse(given, name)
    contradictions = criteria.contradictions(plan.success, plan.failure)
    found = [f"{name}, {problem}" for problem in contradictions]
    if found:
        raise ProblemsFound(found)
    return plan


def parse(given: Mapping[str, Any], name: str) -> Plan:
    """Return the plan in a mapping, completed from the default plan.

    Raises ProblemsFound with one line per problem; each begins with `name`.
    """
    base = tomllib.loads(_default_toml())
    tables = {
        key: {**base[key], **value}
        for key, value in given.items()
        if isinstance(base.get(key), dict) and isinstance(value, Mapping)
    }
    complete = {**base, **given, **tables}
    found = list(problems(name, complete, table(_FIELDS)))
    if found:
        raise ProblemsFound(found)
    for role in ("success", "failure"):
        if role not in given:
            complete[role] = [_following(entry, base, complete) for entry in base[role]]
    dimensions = {key: complete[key] for key in criteria.DIMENSIONS}
    bar = float(complete["thresholds"]["success_bar"])
    success, failure = (
        tuple(criteria.complete(entry, dimensions) for entry in complete[role])
        for role in ("success", "failure")
    )
    kinds = tuple(kind for kind in schema.MATCH_KINDS if kind in complete["matching"]["kinds"])
    uses = tuple(use for use in schema.STUDY_USES if use in complete["studies"]["uses"])
    tiers: dict[str, int] = {tier: complete["tiers"][tier] for tier in schema.TIERS[:-1]}
    return Plan(
        primary=Criterion(complete["primary_endpoint"], "at_least", bar, **dimensions),
        horizon_months=complete["horizon_months"],
        success_bar=bar,
        min_refreshes=complete["thresholds"]["min_refreshes"],
        fda_drug_level=complete["fda_drug_level"],
        ema_approvals=complete["ema_approvals"],
        breadth_span=float(complete["breadth_span"]),
        match_kinds=kinds,
        study_uses=uses,
        one_condition=complete["studies"]["one_condition"],
        tiers=tiers,
        success=success,
        failure=failure,
        document={
            **{key: complete[key] for key in _FIELDS},
            "breadth_span": float(complete["breadth_span"]),
            "matching": {"kinds": list(kinds)},
            # Frozen only where it is set, as in plans from before the setting.
            "studies": {
                "uses": list(uses),
                **({"one_condition": True} if complete["studies"]["one_condition"] else {}),
            },
            "thresholds": {**complete["thresholds"], "success_bar": bar},
            "tiers": tiers,
            "success": [criterion.document for criterion in success],
            "failure": [criterion.document for criterion in failure],
        },
    )


def _following(
    entry: Mapping[str, Any], base: Mapping[str, Any], complete: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a criterion of the default plan as a plan has it that says nothing of criteria.

    One on the primary endpoint is on that of the plan, in its tier and with its bar.
    """
    if entry["metric"] != base["primary_endpoint"]:
        return dict(entry)
    metric = complete["primary_endpoint"]
    found = {**entry, "metric": metric, "tier": complete["tier"]}
    if metric not in HAVE_INTERVAL:
        found["by"] = "point"
    if "at_least" in entry:
        found["at_least"] = complete["thresholds"]["success_bar"]
    return found


def default() -> Plan:
    """Return the plan of slates frozen without one."""
    return parse({}, "the default plan")


def of_slate(slate: Row[Any]) -> SlatePlan:
    """Return the plan frozen with a slate, else the default, with its origin in words."""
    if slate.plan is None:
        return SlatePlan(default(), "default plan, not frozen with the slate", False)
    try:
        # A plan frozen before kinds of match could be chosen rests on aliases alone; one without
        # a span of breadths has the default's, which stays 1.15; one without uses counts all.
        # Criteria of such plans do not say how they are judged, which was by the point.
        earlier = {
            "matching": {"kinds": []},
            "breadth_span": 1.15,
            "studies": {"uses": list(schema.STUDY_USES)},
        }
        frozen = {**earlier, **slate.plan, **_judged_by_point(slate.plan)}
        return SlatePlan(parse(frozen, "the slate's plan"), "frozen with the slate", True)
    except ProblemsFound as error:
        # Frozen by an earlier tracker, or elsewhere, in another form.
        reason = error.problems[0]
        return SlatePlan(
            default(),
            f"default plan: the one frozen with the slate cannot be read ({reason})",
            False,
        )


def are_probabilities(plan: Mapping[str, Any] | None) -> bool:
    """Return whether a frozen plan declares that the scores are probabilities of a hit.

    Reads the plan as the views do, whether or not the rest of it can be read.
    """
    scores = (plan or {}).get("scores")
    return isinstance(scores, Mapping) and scores.get("are") == PROBABILITIES


def _judged_by_point(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return the criteria of a frozen plan, each with the way in which it is judged."""
    return {
        role: [
            {"by": "point", **entry} if isinstance(entry, Mapping) else entry
            for entry in plan[role]
        ]
        for role in ("success", "failure")
        if isinstance(plan.get(role), list)
    }


@cache
def _default_toml() -> str:
    return (resources.files(__package__) / "default_plan.toml").read_text(encoding="utf-8")


def _weaker_kinds(matching: Mapping[str, Any]) -> Iterator[Problem]:
    # Of a fact the strongest match is kept, so that none stronger can be left out.
    kinds = matching["kinds"]
    if len(set(kinds)) < len(kinds):
        yield ".kinds", "has a kind twice"
        return
    missing = [kind for kind in schema.MATCH_KINDS[: len(kinds)] if kind not in kinds]
    if missing:
        yield ".kinds", f"has a weaker kind without the stronger {missing[0]}"


def _tiers_out_of_order(tiers: Mapping[str, int]) -> Iterator[Problem]:
    if tiers["high"] >= tiers["moderate"]:
        yield "", "the last rank of high is not before that of moderate"


_FIELDS = {
    "primary_endpoint": one_of(*ENRICHMENTS),
    **{name: one_of(*allowed) for name, allowed in criteria.DIMENSIONS.items()},
    "horizon_months": whole(1, 600),
    "fda_drug_level": FLAG,
    "ema_approvals": FLAG,
    # The breadths of a class differ by less than this factor.
    "breadth_span": number("a number above 1 and at most 10", lambda value: 1 < value <= 10),
    "matching": table(
        {"kinds": listed(one_of(*schema.MATCH_KINDS), "a list of kinds of match")},
        rule=_weaker_kinds,
    ),
    "studies": table(
        {
            "uses": listed(one_of(*schema.STUDY_USES), "a list of uses of a drug in a study"),
            "one_condition": FLAG,
        }
    ),
    "scores": table({"are": one_of(ORDINAL, PROBABILITIES)}),
    "thresholds": table(
        {
            "success_bar": number("a number above 1", lambda value: 1 < value <= criteria.MOST),
            "min_refreshes": whole(0, 1000),
        }
    ),
    "tiers": table(
        {tier: whole(1, 999_999_999) for tier in schema.TIERS[:-1]}, rule=_tiers_out_of_order
    ),
    "success": criteria.kind("success"),
    "failure": criteria.kind("failure"),
}
