"""Gather: what the sessions showed, from every source that has something to say.

A source is a function of the chosen sessions that yields observations; they were read before, when
they were learned, and it hands over what was kept of them. Adding one is one line in `SOURCES`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from reverie.data import patterns
from reverie.dream.model import Night, Observation, ObservationSource, Reach
from reverie.dream.steps.remarks import accuses, is_general, is_norm, turns
from reverie.dream.traffic.checks import skipped, unheard
from reverie.dream.traffic.inquiries import inquiries
from reverie.dream.traffic.lags import lags
from reverie.dream.traffic.obstacles import refusals, repairs
from reverie.dream.traffic.overlaps import overlaps
from reverie.dream.traffic.questions import questions
from reverie.dream.traffic.requests import asks
from reverie.dream.traffic.reviews import findings
from reverie.dream.traffic.sequences import sequences
from reverie.dream.traffic.waits import waits
from reverie.language.words import words
from reverie.sessions.derived import Chosen
from reverie.sessions.forgotten import Said
from reverie.sessions.labels import Label
from reverie.sessions.statements import StatementRow, statements
from reverie.trust import Trust

_RE = patterns("dreams.txt", "rules")

LEAST_WORDS = 3  # of what is told without "from now on"


# Traffic: what the tool calls of many sessions show that no one of them does.
TRAFFIC = (
    repairs, skipped, unheard, refusals, questions, asks,
    inquiries, findings, sequences, lags, waits, overlaps,
)  # fmt: skip


def traffic(chosen: Chosen) -> Iterator[Observation]:
    """Everything the tool traffic of the sessions shows, source by source."""
    for source in TRAFFIC:
        yield from source(chosen)


def gather(night: Night) -> Night:
    """The observations of the sessions that were asked for."""
    if night.reach is None:
        return night
    reach = night.reach
    keys = tuple(row.key for row in reach.rows)
    chosen = Chosen(reach.database, keys)
    observations = [
        as_labelled(observation, reach.labels)
        for source in reach.sources
        for observation in source(chosen)
        if not forgotten(observation, reach) and not denied(observation, reach.labels)
    ]
    counts = Counter(observation.source for observation in observations)
    summary = (
        ", ".join(f"{count} {source}" for source, count in sorted(counts.items())) or "nothing"
    )
    note = f"{len(keys)} sessions showed {summary}"
    return night.after("gather", note, sessions=keys, observations=tuple(observations))


def forgotten(seen: Observation, reach: Reach) -> bool:
    """Whether a person had forgotten what was said there."""
    said = Said(seen.evidence, seen.project, (seen.text, seen.quote), seen.evidence, seen.at)
    return reach.forgotten is not None and reach.forgotten.holds(said)


def denied(seen: Observation, labels: Mapping[str, Label]) -> bool:
    """Whether a person said that there is nothing to learn from the turn."""
    label = labels.get(seen.evidence)
    return label is not None and label.denies


def as_labelled(seen: Observation, labels: Mapping[str, Label]) -> Observation:
    """What a person wants remembered lasts, however it reads."""
    label = labels.get(seen.evidence)
    return replace(seen, lasting=1.0) if label is not None and label.lasts else seen


def said(chosen: Chosen) -> Iterator[Observation]:
    """What people said; passing wishes ("just this once") are no evidence of anything lasting."""
    for row in statements(chosen):
        rule = _lasting_part(row) if row.passing else row.rule
        if rule:
            yield _said(row._replace(rule=rule))


def _lasting_part(row: StatementRow) -> str:
    """A wish without what it comes to this time: "each commit needs a ticket, K-7 for this one"."""
    rule, comma, _ = row.rule.rpartition(", ")
    return f"{rule}." if comma and is_general(rule) and is_norm(rule) else ""


def _said(row: StatementRow) -> Observation:
    trust: Trust = "user" if row.trust == "user" else "agent"
    # What the agent did is no reason, but what is complained of.
    blamed = row.why and accuses(row.why) and not accuses(row.rule)
    rule = f"{row.rule.rstrip(' .!')} because {row.why}." if blamed else row.rule
    if turns(row.quote) and len(words(rule)) < LEAST_WORDS:
        rule = f"{row.quote[:1].upper()}{row.quote[1:].rstrip(' .!')}."
    return Observation(
        source="said",
        text=_RE.link.sub(r"`\1`", rule),
        session=row.session,
        project=row.project,
        at=row.at,
        evidence=row.evidence,
        quote=row.quote,
        trust=trust,
        kind=row.kind,
        type=row.type,
        lasting=row.lasting,
        standing=row.standing,
        shared=row.shared,
        why=row.why,
    )


SOURCES: tuple[ObservationSource, ...] = (said, traffic)
