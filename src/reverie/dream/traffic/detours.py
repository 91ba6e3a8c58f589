"""Detours: the same long way round to the same call, in several sessions."""

from collections.abc import Iterator

from reverie.db.database import Database
from reverie.dream.model import Cost, Observation
from reverie.dream.traffic.tally import Tally
from reverie.sessions.traces import TraceRow, traces


def detours(database: Database) -> Iterator[Observation]:
    """What several sessions came to only after other calls had failed."""
    tally: Tally[str, TraceRow] = Tally(lambda row: row.session)
    tally.fill((row.trace.key, row) for row in traces(database, "detour"))
    for key, rows, chance in tally.several():
        worked, tries = rows[0].trace.data["worked"], rows[0].trace.data["tries"]
        vain = ", ".join(f"`{one}`" for one in tries if one != worked) or f"`{tries[0]}`"
        text = f"Start with `{worked}`: sessions came to it only after {vain} had failed"
        for row in rows:
            yield Observation(
                source="detour",
                text=text,
                session=row.session,
                project=row.project,
                at=row.trace.at,
                evidence=row.evidence,
                key=key,
                quote=f"{row.trace.failed} calls failed before {row.trace.data['shown']} worked",
                trust="tool",
                kind="command",
                type="reference",
                cost=Cost(row.trace.failed, round(row.trace.seconds / 60, 2), row.trace.tokens),
                chance=chance,
                detail={"worked": worked, "tries": tries},
            )
