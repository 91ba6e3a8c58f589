"""`reverie review`: the one queue of what waits for a person."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from reverie.cli import sitting
from reverie.cli.editor import edited, settled
from reverie.cli.opening import opened_in_step
from reverie.cli.printing import (
    agree,
    hanging,
    one_line,
    out,
    out_json,
    plain,
    say,
    say_dim,
    styled,
)
from reverie.cli.speaker import only_a_person
from reverie.errors import InvalidInput, Refused

if TYPE_CHECKING:
    from reverie.dream.model import Form
    from reverie.dream.proposals.applying import Applied
    from reverie.dream.proposals.proposals import Offer
    from reverie.forget.stale import Stale
    from reverie.learn.memories.candidate import Candidate
    from reverie.learn.memories.queue import Review
    from reverie.memory import Memory
    from reverie.operations.reviewing import Desk
    from reverie.store.library import Item

# Whose words a candidate rests on, by the trust they have.
SPEAKERS = {"user": "the person", "agent": "a program", "tool": "a tool", "web": "a page"}


@click.command()
@click.argument("proposal", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the queue as JSON and ask nothing.")
@click.option("--accept", multiple=True, metavar="ID", help="Accept this one (may be repeated).")
@click.option("--reject", multiple=True, metavar="ID", help="Reject this one (may be repeated).")
@click.option("--accept-all", is_flag=True, help="Accept everything that waits.")
@click.option("--reject-all", is_flag=True, help="Reject everything that waits.")
@click.option("--advised", is_flag=True, help="Decide all as a model advised, after one look.")
@click.option("--forms", help="Also put these in place: rule,command,skill,hook,test or all.")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where forms are put; the working directory if not given.",
)
@click.option("--project", help="Only what was said in this project (name, slug or path).")
@click.option("--stale", is_flag=True, help="Memories that name something that changed, instead.")
def review(
    proposal: str | None,
    as_json: bool,
    accept: tuple[str, ...],
    reject: tuple[str, ...],
    accept_all: bool,
    reject_all: bool,
    advised: bool,
    forms: str | None,
    root: Path | None,
    project: str | None,
    stale: bool,
) -> None:
    """Decide about what was learned but is not sure enough, and what dreams propose.

    One keystroke each: accept, edit, reject, skip, back, undo; ? lists them. What you decide is
    remembered and never asked again, and teaches the detector; stop at any time and go on later.
    With PROPOSAL, only that one.
    With --stale, accepting STORE:NAME says that a memory is still right, rejecting archives it.
    """
    from reverie import forms as json_forms
    from reverie.forms import dreams

    if accept_all and reject_all:
        raise InvalidInput("--accept-all and --reject-all cannot both be meant")
    if reject or reject_all or advised:
        all_of_it = "--advised" if advised else "--reject-all"
        which = f"--reject {reject[0]}" if reject else all_of_it
        only_a_person("turn down what waits for you", f"review {which}")
    asked = sys.stdin.isatty() and sys.stderr.isatty() and not as_json
    bulk = accept_all or reject_all
    memory = opened_in_step(speaking=bool(accept or reject) or bulk or asked or advised)
    if stale:
        _review_stale(memory, accept, reject, as_json=as_json)
        return
    desk = memory.review(root=root, forms=_forms_named(forms))
    if advised:
        _take_advice(desk, project)
        return
    for reference in (*accept, *reject):
        _say(desk.accept(reference) if reference in accept else desk.reject(reference))
    reviews, offers = desk.pending(proposal=proposal, project=project)
    if bulk and (reviews or offers):
        _decide_all(desk, reviews, offers, accept=accept_all)
    elif as_json:
        out_json([*map(json_forms.review, reviews), *map(dreams.offer, offers)])
    elif accept or reject:
        say(f"{len(reviews) + len(offers)} waiting")
    elif not reviews and not offers:
        say("nothing waits for review")
    elif asked:
        ask(memory, desk, [*offers, *reviews])
    else:
        _list(reviews, offers)


def _forms_named(text: str | None) -> "tuple[Form, ...]":
    """`rule,hook` or `all`."""
    from reverie.dream.model import FORMS

    if not text:
        return ()
    if text == "all":
        return FORMS
    known: dict[str, Form] = {str(form): form for form in FORMS}
    wanted = [word.strip() for word in text.split(",")]
    for word in wanted:
        if word not in known:
            raise InvalidInput(f"no form {word!r}", hint=f"there are {', '.join(FORMS)}, and all")
    return tuple(known[word] for word in wanted)


def _say(applied: "Applied") -> None:
    for line in (applied.words, *applied.placed):
        say(line)
    if applied.back:
        say_dim(f"`{applied.back}` takes it back")


def _decide_all(
    desk: "Desk", reviews: "list[Review]", offers: "list[Offer]", *, accept: bool
) -> None:
    """Decide one after the other; what only a person may accept goes on waiting."""
    titled = [(entry, entry.candidate.lesson) for entry in reviews]
    for waiting, title in [*titled, *((offer, offer.change.title) for offer in offers)]:
        try:
            applied = desk.accept(waiting) if accept else desk.reject(waiting)
        except Refused as error:
            say(f"left for you: {error.message}")
            continue
        say(f"{applied.words}: {title}")
        for line in applied.placed:
            say(f"  {line}")


def _take_advice(desk: "Desk", project: str | None) -> None:
    """Show what was advised, ask once, and decide."""
    advised = desk.advised(project)
    if not advised:
        say("nothing that waits was looked at: `reverie work next --kind triage` hands it out")
        return
    for review, advice in advised:
        words = advice.text if advice.verdict == "reword" else review.candidate.lesson
        say(hanging(f"{advice.verdict:<7} ", one_line(words, 300)))
        say_dim(f"        {one_line(advice.reason, 200)}")
    agree(f"Decide these {len(advised)} so?", yes=False, otherwise="nothing was decided")
    for review, advice in advised:
        say(desk.take_advice(review, advice).words)


def _list(reviews: "list[Review]", offers: "list[Offer]") -> None:
    for entry in reviews:
        store, times = entry.candidate.store, len(entry.also) + 1
        notes = f" (said {times} times)" if times > 1 else ""
        notes += "" if entry.candidate.trust == "user" else f" (by {speaker(entry.candidate)})"
        out(f"{entry.id[:12]}  {entry.score:.2f}  [{store}] {entry.candidate.lesson}{notes}")
    for offer in offers:
        change = offer.change
        out(f"{change.id[:12]}  {change.confidence:.2f}  [{change.store}] {change.title}")
    say("hint: decide in a terminal, one key each, or with --accept ID, --reject ID, --accept-all")


# --- one key each -------------------------------------------------------------------------------


def ask(memory: "Memory", desk: "Desk", waiting: "Sequence[Review | Offer]") -> None:
    """Put what waits before the person, one after the other."""
    sitting.ask([_Waiting(memory, desk, entry) for entry in waiting], desk.take_back)


class _Waiting:
    """A lesson or a change that waits for a person."""

    def __init__(self, memory: "Memory", desk: "Desk", what: "Review | Offer") -> None:
        self._memory = memory
        self._desk = desk
        self._what = what

    @property
    def _change(self) -> "Offer | None":
        from reverie.dream.proposals.proposals import Offer

        return self._what if isinstance(self._what, Offer) else None

    @property
    def keys(self) -> dict[str, str]:
        forms = self._change is not None and any(
            artefact.path for artefact in self._change.change.forms
        )
        return {
            "a": "accept",
            **({"f": "accept with its forms, put where they belong"} if forms else {}),
            "e": "edit, and accept what you saved",
            "r": "reject",
            "d": "details",
        }

    @property
    def waits(self) -> bool:
        return self._desk.find(self._what.id).status == "pending"

    def show(self, place: str) -> None:
        from reverie.cli.dreaming import show_offer

        if self._change is not None:
            show_offer(self._change, place, short=True)
        else:
            _show(cast("Review", self._what), place)

    def press(self, key: str) -> sitting.Decided | None:
        from reverie.dream.model import FORMS

        desk, what = self._desk, self._what
        match key:
            case "a":
                applied = desk.accept(what)
            case "f" if "f" in self.keys:
                applied = desk.accept(what, forms=FORMS)
            case "r":
                applied = desk.reject(what)
            case "e":
                return self._edit()
            case "d":
                return self._details()
            case _:
                return None
        settled(self._memory, what.id)
        return _decided(applied)

    def _edit(self) -> sitting.Decided | None:
        text = edited(self._memory, self._what.id, self._text, resumed=True)
        if text is None:
            say("nothing changed")
            return None
        # What is refused can be opened once more.
        document = self._desk.edited(self._what, text)
        applied = self._desk.accept(self._what, document=document)
        settled(self._memory, self._what.id)
        return _decided(applied)

    def _details(self) -> None:
        from reverie.cli.dreaming import show_offer

        if self._change is not None:
            show_offer(self._change, "details of")
        else:
            say(self._text)

    @property
    def _text(self) -> str:
        if self._change is not None:
            return self._change.change.after
        return cast("Review", self._what).candidate.document().text()


def _decided(applied: "Applied") -> sitting.Decided | None:
    if applied.outcome != "done":
        _say(applied)
        return None
    return sitting.Decided((applied.words, *applied.placed), applied.back)


def speaker(candidate: "Candidate") -> str:
    """Who said it, as far as it is known: words that a script may have sent are no person's."""
    if candidate.name and candidate.trust == "agent":
        return "a model, from what was said"
    return SPEAKERS.get(candidate.trust, "somebody")


def _show(entry: "Review", place: str) -> None:
    candidate = entry.candidate
    say(f"\n{place}  {entry.id[:12]}  {entry.score:.0%} sure")
    lesson = hanging("  ", plain(candidate.lesson), err=True)
    click.echo(styled(lesson, bold=True, err=True), err=True)
    for source in (candidate, *entry.also):
        if source.premise:
            say(hanging("  the agent:  ", one_line(source.premise, 200), err=True))
        say(
            hanging(f"  {speaker(source) + ':':<11} ", f"“{one_line(source.quote, 300)}”", err=True)
        )
        say(f"              {source.at[:10]} {source.evidence}")
    kept_as = f"{candidate.type}/{candidate.kind} in {candidate.store}"
    say(f"  would be kept as {kept_as}, trust {candidate.trust}")


# --- memories that name something which changed -------------------------------------------------


def _review_stale(
    memory: "Memory", accept: Sequence[str], reject: Sequence[str], *, as_json: bool
) -> None:
    """Put each stale memory before a person: still right, archive, edit, or later."""
    from reverie import forms
    from reverie.operations import forgetting

    for name in accept:
        say(_kept(forgetting.still_right(memory, name)))
    for name in reject:
        say(_archived(forgetting.no_longer_right(memory, name)))
    waiting = forgetting.stale(memory)
    if as_json:
        out_json([forms.stale(outdated) for outdated in waiting])
        return
    if not waiting:
        say("no memory names anything that changed")
    questions = [_Outdated(memory, outdated) for outdated in waiting]
    if sys.stdin.isatty() and sys.stderr.isatty() and not (accept or reject):
        decided: list[_Outdated] = []
        for question in questions:
            question.decided = decided
        sitting.ask(questions, lambda: decided.pop().take_back())
        return
    for question in questions:
        question.show("")


class _Outdated:
    """A memory that names something that changed."""

    waits = True

    def __init__(self, memory: "Memory", stale: "Stale") -> None:
        self._memory = memory
        self._stale = stale
        self.decided: list[_Outdated] = []

    @property
    def keys(self) -> dict[str, str]:
        return {
            "k": "keep, it is still right",
            "a": "archive",
            "e": "edit, and keep what you saved",
        }

    @property
    def _name(self) -> str:
        return f"{self._stale.item.store}:{self._stale.item.name}"

    def show(self, place: str) -> None:
        out(f"{place}  {self._name}  {self._stale.item.document.description}".lstrip())
        for change in self._stale.changes:
            out(f"  {change.state}: {change.reference}, {change.what}")

    def press(self, key: str) -> sitting.Decided | None:
        from reverie.operations import forgetting

        item = self._stale.item
        if key == "k":
            words = _kept(forgetting.still_right(self._memory, item))
        elif key == "a":
            words = _archived(forgetting.no_longer_right(self._memory, item))
        elif key == "e":
            text = edited(self._memory, item.name, item.memory.content)
            if text is None:
                say("nothing changed")
                return None
            forgetting.put_right(self._memory, item, text)
            settled(self._memory, item.name)
            words = f"{self._name} edited"
        else:
            return None
        self.decided.append(self)
        return sitting.Decided((words,), f"reverie restore {self._name} {item.memory.version}")

    def take_back(self) -> None:
        from reverie.operations import forgetting

        before = forgetting.as_before(self._memory, self._stale.item)
        self._stale = replace(self._stale, item=before)


def _kept(item: "Item") -> str:
    return f"{item.store}:{item.name} is still right"


def _archived(item: "Item") -> str:
    return f"{item.store}:{item.name} archived"
