"""Check: nothing leaves a dream that a careful person would have stopped at once.

Trust never rises, what rests on tools or the web waits for a person and so does what gives the
agent a free hand, what the code or git say is left out, no secret, no oversized memory, no link
into nothing, no instruction that only a machine spoke, and nothing that comes from memories handed
out before. Of what passes, a person is shown no more patterns than were asked for.
"""

from collections.abc import Callable
from dataclasses import replace

from reverie.data import patterns
from reverie.documents.bodies import links
from reverie.documents.document import parse
from reverie.documents.exclusions import why_not
from reverie.dream.model import Change, Drop, Night
from reverie.dream.steps.remarks import permits
from reverie.plural import several
from reverie.privacy import has_mark
from reverie.trust import TRUSTS

MAX_BYTES = 100_000
MAX_DESCRIPTION = 300
INDEX_LINES = 200
REPEATED = 3  # sessions

_RE = patterns("dreams.txt", "check")


def check(night: Night) -> Night:
    """The night with only the changes that pass; the others are told with the reason."""
    known = {entry.document.name for entry in night.known}
    known |= {change.path.strip("/").removesuffix(".md") for change in night.changes}
    # Whether an agent may do something unasked is for a person to say.
    unasked = {
        pattern.group.id
        for pattern in night.patterns
        if pattern.group.source == "ask" or permits(pattern.text)
    }
    kept: list[Change] = []
    drops = list(night.drops)
    for change in night.changes:
        why = next((why for rule in RULES if (why := rule(change, known))), "")
        if why:
            drops.append(Drop("check", change.title, why))
        else:
            # What ended by its date or its surroundings may yet hold: that is for a person to say.
            alone = change.trust in {"tool", "web"} or change.verb == "archive"
            alone = alone or change.pattern in unasked
            kept.append(replace(change, quarantined=alone))
    named = list(dict.fromkeys(change.pattern for change in kept if change.pattern))
    beyond = tuple(named[night.ask.most :] if night.ask.most else ())
    kept = [change for change in kept if change.pattern not in beyond]
    held = sum(change.quarantined for change in kept)
    note = f"{len(kept)} changes stand, {held} of them need a person"
    note += f"; {several(len(beyond), 'pattern')} of less worth left" if beyond else ""
    notes = [*night.notes, ("check", note)]
    for store in sorted({change.store for change in kept}):
        count = sum(entry.store == store for entry in night.known)
        count += sum(
            change.store == store and change.verb in {"create", "correct"} for change in kept
        )
        if count > INDEX_LINES:
            notes.append(("check", f"{store} would have {count} memories; {INDEX_LINES} are shown"))
    return replace(night, changes=tuple(kept), left=beyond, drops=tuple(drops), notes=tuple(notes))


def _trust_rises(change: Change, _known: set[str]) -> str:
    worst = max((TRUSTS.index(quote.trust) for quote in change.evidence), default=0)
    if change.verb in {"create", "correct"} and TRUSTS.index(change.trust) < worst:
        return "would be trusted more than its evidence"
    return ""


def _excluded(change: Change, _known: set[str]) -> str:
    if change.verb not in {"create", "correct"} or not change.pattern:
        return ""
    if change.sessions >= REPEATED:
        return ""  # what had to be said, or was run into, so often is not read from the code
    if change.replaces:
        return ""  # it ends something that was thought worth keeping
    exclusion = why_not(change.title)
    return exclusion.reason if exclusion else ""


def _secret(change: Change, _known: set[str]) -> str:
    return "speaks of a secret" if change.after != change.before and has_mark(change.after) else ""


def _size(change: Change, _known: set[str]) -> str:
    if len(change.after.encode("utf-8", "replace")) > MAX_BYTES:
        return "too large for a memory"
    return "too long for one line" if len(change.title) > MAX_DESCRIPTION else ""


def _links(change: Change, known: set[str]) -> str:
    if change.verb not in {"create", "correct"}:
        return ""
    broken = [
        name for name in links(parse(change.after, path=change.path).body) if name not in known
    ]
    return f"links to {broken[0]}, which is not there" if broken else ""


def _machine_speaks(change: Change, _known: set[str]) -> str:
    if change.trust in {"tool", "web"} and _RE.speaks_to_agents.search(change.after):
        return "text of a tool that speaks to agents"
    return ""


RULES: tuple[Callable[[Change, set[str]], str], ...] = (
    _trust_rises,
    _excluded,
    _secret,
    _size,
    _links,
    _machine_speaks,
)
