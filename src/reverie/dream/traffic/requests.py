"""Requests: what people ask for again and again once the work is done.

A word of the request must name what was then done: a file that was edited, or a delivery. What else
is run at a word of command is as short to ask for as to prescribe.

delivery   to commit, push or open a pull request, where most deliveries are asked for
document   a document that is hardly ever changed unless somebody asks for it
addition   what most sessions add to a change (tests), where people often had to ask for it
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from reverie.data import patterns
from reverie.dream.model import Observation, named_once
from reverie.dream.proposals.rules import REMINDER, imperative
from reverie.dream.steps.remarks import asks as wants
from reverie.dream.steps.remarks import without_matter
from reverie.dream.traffic.tally import observations, recurring, sessions_of
from reverie.language.words import content, stem, words
from reverie.learn.traffic.commands import act_of
from reverie.learn.traffic.traces import words_of_names
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, shared, traces

# Sessions that ask for a delivery, and their share of those that deliver anything; …
HABIT, NEARLY_ALL = 4, 0.5
# … for one document, and their share of those that change it; …
DOCUMENT, MOSTLY = 3, 0.5
# … for an addition, and the share of all sessions with a change that have it in the end.
ADDITION, USUAL = 4, 0.5
BESIDES = 0.6  # share of a request's turns in which a more usual one was made too
FEW = 4  # words
DELIVER = ""  # what all requests to commit, to push and to open a pull request turn on
DELIVERIES = ("git commit", "git push", "gh pr create")

_RE = patterns("traffic.txt", "requests")

Asked = tuple[str, Sequence[TraceRow], float]  # a word or a file, the requests, their chance


class _Work(NamedTuple):
    """What the sessions of each project did, whether they were asked or not."""

    edited: Mapping[tuple[str, str], Sequence[str]]  # project and session → files
    delivered: Counter[str]  # project → sessions that committed, pushed or opened a request

    def edits(self, rows: Sequence[TraceRow]) -> list[Sequence[str]]:
        """The files of each session that edited any, in the projects of some requests."""
        projects = {named_once(row.project) for row in rows}
        return [files for (project, _), files in self.edited.items() if project in projects]

    def deliveries(self, rows: Sequence[TraceRow]) -> int:
        """How many sessions delivered anything in the projects of some requests."""
        return sum(self.delivered[project] for project in {named_once(row.project) for row in rows})


def asks(chosen: Chosen) -> Iterator[Observation]:
    """Deliveries, documents and additions that people ask for."""
    rows = [row for row in traces(chosen, "ask") if _requests(_request(row))]
    if not rows:
        return
    work = _work(chosen)
    by_word = list(recurring((_sort(row), row) for row in rows))
    for word, asked, chance in by_word:
        if word == DELIVER:
            yield from _delivery(asked, chance, work, _missing(chosen))
    files = recurring((file, row) for row in rows for file in row.trace.data.get("files", ()))
    documents = [asked for asked in files if _RE.document.search(asked[0])]
    additions = sorted(by_word, key=lambda asked: (-len(asked[1]), asked[0]))
    spoken: set[str] = set()
    for tell, sorts in ((_document, documents), (_addition, additions)):
        for asked in sorts:
            if sum(row.evidence in spoken for row in asked[1]) < BESIDES * len(asked[1]):
                shown = list(tell(*asked, work))
                spoken |= {observation.evidence for observation in shown}
                yield from shown


def _work(chosen: Chosen) -> _Work:
    edited: dict[tuple[str, str], list[str]] = {}
    for row in traces(chosen, "edited"):
        edited.setdefault((named_once(row.project), row.session), []).extend(row.trace.data)
    runs = traces(chosen, "runs")
    delivers = (row for row in runs if any(_acts([form]) for form, _ in row.trace.data))
    return _Work(edited, Counter(named_once(row.project) for row in delivers))


def _acts(forms: Sequence[str]) -> list[str]:
    """Which deliveries are among some commands."""
    return [act for act in DELIVERIES if any(f" {act} " in f" {form} " for form in forms)]


def _sort(row: TraceRow) -> str:
    """What a request turns on."""
    word = row.trace.key
    steps = [step.split() for step in row.trace.data["steps"]]
    ships = any(act_of(step) == "ship" and word in map(stem, step) for step in steps)
    return DELIVER if ships else word


def _missing(chosen: Chosen) -> Mapping[str, set[str]]:
    """Skills and commands that agents called and that are not there, with the sessions."""
    missing: defaultdict[str, set[str]] = defaultdict(set)
    for rows in shared(chosen, "failure"):
        if name := _RE.missing.search(rows[0].trace.key):
            missing[name[1]].update(row.session for row in rows)
    return missing


def _delivery(
    rows: Sequence[TraceRow], chance: float, work: _Work, missing: Mapping[str, set[str]]
) -> Iterator[Observation]:
    wording = usual_wording([_request(row) for row in rows])
    # A delivery is asked for in several ways, but in none that shares no word with the others.
    asking = content(words(wording))
    rows = [row for row in rows if not asking.isdisjoint(content(words(_request(row))))]
    of, asked = work.deliveries(rows), sessions_of(rows)
    acts = Counter(act for row in rows for act in _acts(row.trace.data["steps"]))
    steps = tuple(act for act in DELIVERIES if 2 * acts[act] >= len(rows))
    if asked < max(HABIT, NEARLY_ALL * of) or not steps:
        return
    text = f"When the work is done people ask “{wording}”"
    skill = steps[0].split()[-1]
    if (called := len(missing[skill])) > 1:
        text += f", and agents call a skill `{skill}` that does not exist (in {called} sessions)"
    text += f": a command `/{skill}` would do it"
    why = f"asked for in {asked} of the {of} sessions that deliver anything"
    yield from observations(
        "ask", text, rows, "{text}", key="deliver", chance=chance, steps=steps, why=why
    )


def _document(
    file: str, rows: Sequence[TraceRow], chance: float, work: _Work
) -> Iterator[Observation]:
    changed = sum(file in files for files in work.edits(rows))
    asked = sessions_of(rows)
    if asked >= max(DOCUMENT, MOSTLY * changed):
        often = f"{asked} of the {changed} sessions that changed it"
        text = f"`{file}` is changed when people ask for it ({often}): update it with the work"
        order = f"When you commit a change that users notice, add it to `{file}` in that commit"
        if asked < MOSTLY * work.deliveries(rows):
            order = f"Before you commit a change that users notice, offer to add it to `{file}`"
        why = f"people had to ask for it in {often}"
        more = {"key": file, "chance": chance, "order": order, "why": why}
        yield from observations("ask", text, rows, "{text}", **more)


def _addition(
    word: str, rows: Sequence[TraceRow], chance: float, work: _Work
) -> Iterator[Observation]:
    rows = [row for row in rows if not row.trace.data["steps"]]
    edits, asked = work.edits(rows), sessions_of(rows)
    added = sum(word in words_of_names(files) for files in edits)
    orders = [order for row in rows if (order := _order(_request(row)))]
    if asked >= ADDITION and added >= USUAL * len(edits) and orders:
        deed = usual_wording(orders)
        text = f"Once a change is made people ask “{deed}” ({asked} of {len(edits)} sessions), as"
        text += f" {added} sessions did in the end: do it with the change"
        order = f"When you change code, {deed[0].lower()}{deed[1:]} in the same change, unasked"
        why = f"{added} of {len(edits)} sessions have that in the end, {asked} of them because"
        why += " people asked"
        more = {"key": word, "chance": chance, "order": order, "why": why}
        yield from observations("ask", text, rows, "{text}", **more)


def _order(text: str) -> str:
    """What is asked for as an order; "" for what is none."""
    deed = imperative(without_matter(text)).rstrip(" .?!")
    return "" if deed.startswith(REMINDER) else deed


def _request(row: TraceRow) -> str:
    return row.trace.data["text"]


def _requests(text: str) -> bool:
    """Whether it asks for something; a few words do so, whatever their form."""
    return wants(text) or len(words(text)) <= FEW


def usual_wording(texts: Sequence[str]) -> str:
    """The wording that was used most; where all differ, the shortest that says what all say."""
    counts = Counter(" ".join(words(text)) for text in texts)
    shares = Counter(stem for text in texts for stem in content(words(text)))
    common = {stem for stem, count in shares.items() if 2 * count >= len(texts)}

    def order(text: str) -> tuple[int, int, int, int, int, str]:
        stems = content(words(text))
        times = counts[" ".join(words(text))]
        # What only one of them adds is not what all ask for.
        added = 0 if 2 * times >= len(texts) else len(stems - common)
        return added, -times, -texts.count(text), -len(stems & common), len(text), text

    return min(texts, key=order).rstrip(" ?.!")
