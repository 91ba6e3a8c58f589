"""Correcting: what people said against what agents held, and what they say of it afterwards."""

from typing import TYPE_CHECKING

from reverie.home import Home

if TYPE_CHECKING:
    from reverie.recall.sources import RankedCorrection
    from reverie.sessions.corrections import CorrectionRow


def corrections(
    home: Home, *, project: str | None = None, since: str | None = None, strategy: str = "mixture"
) -> "list[RankedCorrection]":
    """What people said against what agents held, the most telling for its length first.

    What a person said of it by a label comes before what the detector says.

    Args:
        project: Only this project, by name, slug or path.
        since: Only since this moment, ISO.
        strategy: One of `recall.rank.STRATEGIES`.
    """
    from reverie.recall.rank import Ranking, ranked
    from reverie.recall.sources import RankedCorrection, correction_entry, with_label
    from reverie.sessions.labels import as_labelled

    settings = home.settings
    labels = home.labels.all()
    rows = as_labelled(_rows(home, project, since), labels)
    by_id = {row.id: row for row in rows if row.label != "none"}
    ranking = Ranking(
        now=home.clock(),
        settings=settings.recall,
        signals=settings.signals,
        half_life_days=settings.decay.half_life_days,
    )
    entries = [with_label(correction_entry(row), labels.get(row.id)) for row in by_id.values()]
    order = ranked(entries, strategy, ranking)
    return [RankedCorrection(by_id[item.entry.id], item) for item in order]


def label(home: Home, evidence: str, correction: str, durable: str) -> None:
    """Say of a turn whether it is a correction, and what of it lasts.

    Raises:
        InvalidInput: not one of the known labels.
    """
    session = evidence.rpartition("#")[0]
    home.labels.put(evidence, session, correction, durable)


def fit(home: Home) -> int:
    """Weigh corrections as the labels say, once there are enough; returns how many there are."""
    from reverie.learn.run import refit

    labels = home.labels.all()
    refit(home.index, labels)
    return len(labels)


def unlabelled(
    home: Home, *, project: str | None = None, since: str | None = None
) -> "list[CorrectionRow]":
    """The turns nobody judged yet; the least certain first, which teach the detector most."""
    done = home.labels.all()
    waiting = [row for row in _rows(home, project, since) if row.id not in done]
    return sorted(waiting, key=lambda row: (abs(row.score - 0.5), row.id))


def _rows(home: Home, project: str | None, since: str | None) -> "list[CorrectionRow]":
    from reverie.sessions.corrections import corrections

    slugs = [home.projects.find(project).slug] if project else None
    rows = corrections(home.index_database, projects=slugs, since=since)
    return [row for row in rows if home.guest_sees(row.session)] if home.asker.guest else rows
