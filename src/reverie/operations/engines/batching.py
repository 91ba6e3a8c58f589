"""Batching: pieces of old sessions are sent together, at half the price, and fetched when answered.

A batch is answered within a day. Its pieces are held for so long, and the receipts of the home tell
which were sent with it: whoever fetches it later, also after this process died, needs nothing else.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice

from reverie.engines.anthropic import Anthropic
from reverie.engines.api import Said
from reverie.engines.protocol import Limits, Prompt, only_json
from reverie.engines.receipts import SENT, Receipt, Receipts
from reverie.errors import CallFailed, Conflict, NotFound, Refused, ReverieError, Unavailable
from reverie.home import Home
from reverie.learn.work.assignments import Assignment, Assignments
from reverie.operations.engines import working
from reverie.operations.engines.calling import Caller
from reverie.operations.engines.catalog import Chosen
from reverie.operations.engines.thinking import Thought, Wanted, alone, sessions_of, taken_tasks

MOST = 100  # pieces of one batch
HELD = timedelta(hours=25)  # a batch is answered, or has run out, within 24
SHARE = 0.5  # of the list price
SECONDS = 60.0  # for one question about a batch


@dataclass(frozen=True, slots=True)
class Sent:
    """A batch that is out."""

    id: str
    pieces: int


def out(home: Home) -> list[Sent]:
    """The batches that nobody has fetched, oldest first."""
    counts: dict[str, int] = {}
    for receipt in Receipts(home.config.home, home.clock).sent():
        counts[receipt.batch] = counts.get(receipt.batch, 0) + 1
    return [Sent(name, count) for name, count in counts.items()]


def send(home: Home, engine: Chosen, asked: Wanted) -> Sent:
    """Send the pieces that nobody has, oldest first, as far as the caps allow.

    Raises:
        Refused: a cap allows none of them, or a batch is out.
        NotFound: nothing waits.
        Unavailable: the engine takes no batches, or did not take this one.
    """
    model = _model(engine)
    if waiting := out(home):
        raise Refused(f"batch {waiting[0].id} is out", hint="fetch it first: the same again")
    caller = Caller(home, engine, time.sleep)
    assignments = Assignments(home.store.database, home.clock)
    held: list[Assignment] = []
    with alone(home, time.sleep, None):
        try:
            limits = caller.limits()
            begun: dict[str, tuple[Prompt, Receipt]] = {}
            for task in islice(taken_tasks(home, asked), min(asked.pieces or MOST, MOST)):
                held.append(task.assignment)
                most = caller.most(task.prompt, limits)
                receipt = replace(
                    most, cost_usd=most.cost_usd * SHARE, session=" ".join(sessions_of(task))
                )
                try:
                    caller.reserve(receipt)
                except Refused:
                    if not begun:
                        raise
                    assignments.give_back(held.pop())
                    break
                begun[receipt.id] = task.prompt, receipt
            if not begun:
                raise NotFound("nothing waits to be thought about")
            batch = _sent(model, caller, begun, limits)
        except ReverieError:
            for assignment in held:
                assignments.give_back(assignment)
            raise
        for assignment in held:
            assignments.renew(assignment, HELD)
    return Sent(batch, len(begun))


def _sent(
    model: Anthropic, caller: Caller, begun: dict[str, tuple[Prompt, Receipt]], limits: Limits
) -> str:
    try:
        batch = model.send_together({name: prompt for name, (prompt, _) in begun.items()}, limits)
    except Unavailable as error:
        for _, receipt in begun.values():
            caller.book(caller.charged(receipt, error))
        raise
    for _, receipt in begun.values():
        caller.book(replace(receipt, outcome=SENT, batch=batch))
    return batch


def fetch(home: Home, engine: Chosen) -> Iterator[Thought] | None:
    """Take the answers of the oldest batch, each when it is asked for; None: not yet answered.

    Raises:
        NotFound: none is out.
        Unavailable: the engine does not say.
    """
    waiting = out(home)
    if not waiting:
        raise NotFound("no batch is out")
    model = _model(engine)
    if not model.is_answered(waiting[0].id, SECONDS):
        return None
    return _fetched(home, engine, model, waiting[0].id)


def _fetched(home: Home, engine: Chosen, model: Anthropic, batch: str) -> Iterator[Thought]:
    answers = model.answers_of(batch, SECONDS)
    assignments = Assignments(home.store.database, home.clock)
    caller = Caller(home, engine, time.sleep)
    with alone(home, time.sleep, None):
        sent = [
            receipt
            for receipt in Receipts(home.config.home, home.clock).sent()
            if receipt.batch == batch
        ]
        for receipt in sent:
            thought, came_to = _taken(home, model, receipt, answers.get(receipt.id), caller)
            caller.book(came_to)
            if thought.error is not None:
                _give_back(assignments, receipt.piece)
            yield thought


def _taken(
    home: Home, model: Anthropic, receipt: Receipt, reply: Said | None, caller: Caller
) -> tuple[Thought, Receipt]:
    """What one answer of a batch came to."""
    sessions = receipt.session.split()
    prompt = Prompt(receipt.piece, receipt.purpose, receipt.prompt, "", "", {})
    cost = receipt
    try:
        if reply is None:
            raise CallFailed("it was not answered in time", used=(0, 0, 0, 0))
        answer = model.usable(prompt, reply, Limits(0.0, receipt.output_tokens, SECONDS))
        spent = replace(answer.receipt, cost_usd=answer.receipt.cost_usd * SHARE)
        cost = caller.kept(receipt, spent, "answered")
        text = only_json(answer.text) or answer.text
        taken = working.submit(home, receipt.piece, text, chosen=True)
    except Unavailable as error:
        charged = caller.charged(receipt, error)
        cost = replace(
            charged, cost_usd=charged.cost_usd * SHARE if charged.known else receipt.cost_usd
        )
        return Thought(sessions, receipt.piece, None, error), cost
    except (Conflict, NotFound) as error:
        return Thought(sessions, receipt.piece, None, error), replace(cost, outcome="too late")
    except ReverieError as error:
        return Thought(sessions, receipt.piece, None, error), replace(cost, outcome="not taken")
    return Thought(sessions, receipt.piece, taken), replace(cost, outcome="taken")


def _give_back(assignments: Assignments, piece: str) -> None:
    try:
        assignments.give_back(assignments.find(piece))
    except ReverieError:
        return  # answered meanwhile, refused too often, or gone


def _model(engine: Chosen) -> Anthropic:
    if not isinstance(engine.engine, Anthropic):
        raise Unavailable(f"engine {engine.name} takes no batches", hint="anthropic does")
    return engine.engine
