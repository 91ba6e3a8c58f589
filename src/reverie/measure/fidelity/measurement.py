"""`reverie measure fidelity`: all tables of one run, and with engines what they say."""

import random
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.errors import InvalidInput
from reverie.learn.work.asking import read_summary, summary_prompt
from reverie.measure.fidelity.histories import Said, learned, pools
from reverie.measure.fidelity.judged import (
    NOTHING,
    WHOLE,
    Asked,
    Thinker,
    asked_of,
    check_families,
    judged,
    recommendation,
    retention,
)
from reverie.measure.fidelity.questions import Question, words
from reverie.measure.fidelity.run import Plan, Rebuildings, rebuild, write_contexts
from reverie.measure.fidelity.tables import tables
from reverie.measure.result import Measurement, Table

if TYPE_CHECKING:
    from reverie.engines.protocol import Prompt
    from reverie.home import Home

ENGINE_SUMMARY = "one-pass summary, engine"
LONGEST = 60_000  # characters of a session or of a history that an engine is shown

NOTES = (
    "correction inside: the words of the labelled turn that carry the correction stand in the"
    " context, one after the other.",
    "answer inside: 0.7 of the answer's telling words that the question does not give stand"
    " within 60 words; of open questions. Yes/no and half-given ones apart.",
    "superseded told: what the correction replaced stands there and the answer does not; less is"
    " better.",
    "Candidates come from `learn`. Nobody labelled anything in these homes: the order of `label`"
    " is that of ties. random: the mean of five draws.",
    "Form: random, signals, mixture, BM25 and TF-IDF as recall shows entries; BM25 over all human"
    " turns as bare text, which leaves most room; page, digest and ours as they are handed over.",
)


@dataclass(frozen=True, slots=True)
class Engines:
    """Who answers and who judges."""

    answerer: Thinker
    judges: tuple[Thinker, ...]
    same_family: bool = False
    questions: int | None = None  # so many, drawn by the seed


def measure_fidelity(
    corpus: Path,
    labels: Path,
    plan: Plan,
    *,
    contexts: Path | None = None,
    engines: Engines | None = None,
) -> Measurement:
    """Rebuild every history in every way and say what is left of each correction.

    Args:
        contexts: Where what was packed is written, for another scorer.

    Raises:
        InvalidInput: the labels have no question of the corpus.
        Refused: a judge is of the answerer's family.
    """
    families = engines and check_families(
        engines.answerer, engines.judges, same_family=engines.same_family
    )
    run = rebuild(corpus, labels, plan)
    if contexts is not None:
        write_contexts(contexts, run.contexts)
    results, notes = tables(run), list(NOTES)
    if engines is not None and families:
        table, more = _by_engines(corpus, run, engines)
        results.insert(0, table)
        notes += [families, *more]
    return Measurement("fidelity", tuple(results), plan.seed, run.data, tuple(notes))


def _by_engines(corpus: Path, run: Rebuildings, engines: Engines) -> tuple[Table, list[str]]:
    seed, budget = run.plan.seed, run.plan.main
    questions = list(dict.fromkeys(case.question for case in run.contexts))
    if engines.questions is not None:
        dice = random.Random(seed)  # noqa: S311  (a sample, not a secret)
        questions = dice.sample(questions, min(engines.questions, len(questions)))
    chosen = set(questions)
    asked = [
        Asked(case.question, case.context.strategy, case.aware, case.context.text)
        for case in run.contexts
        if case.question in chosen
        and (case.pool, case.context.budget, case.context.draw) == (run.largest, budget, 0)
    ]
    asked += _bounds(corpus, run, questions, engines.answerer)
    cases = judged(asked, engines.answerer, engines.judges, seed)
    table = replace(
        retention(cases, seed),
        note=f"{len(questions)} questions, {budget} characters, pool {run.largest}",
    )
    return table, recommendation(cases, seed)


def _bounds(
    corpus: Path, run: Rebuildings, questions: Sequence[Question], answerer: Thinker
) -> list[Asked]:
    """What bounds the strategies from below and above, and a summary by the engine."""
    bounds = [Asked(question, NOTHING, False, "") for question in questions]
    for pool in pools(corpus, questions, run.plan.sizes, run.plan.seed):
        if pool.name != run.largest:
            continue
        with learned(corpus, pool) as home:
            spoken = home.said()
            paths = {row.key: Path(row.path) for row in home.index.sessions()}
        summary = _summary(answerer, spoken, run.plan.main)
        for question in pool.questions:
            log = (corpus / question.transcript).resolve()
            turns = [turn for turn in spoken if paths[turn.session].resolve() == log]
            bounds.append(Asked(question, WHOLE, True, session_around(turns, question)))
            bounds.append(Asked(question, ENGINE_SUMMARY, False, summary))
    return bounds


def _summary(answerer: Thinker, turns: Sequence[Said], budget: int) -> str:
    lines: list[str] = []
    left = LONGEST
    for turn in reversed([turn for turn in turns if turn.role == "human"]):
        left -= len(turn.text) + 1
        if left < 0:
            break
        lines.append(turn.text)
    # What is longer than it was asked to be is cut, as whoever hands it over would.
    return asked_of(answerer, summary_prompt(lines[::-1], budget), read_summary)[:budget]


def session_around(turns: Sequence[Said], question: Question) -> str:
    """A session as it was said, of a long one the part around what answers."""
    lines = [f"{turn.role}: {turn.text}" for turn in turns]
    wanted = f" {question.evidence} "
    place = next((n for n, line in enumerate(lines) if wanted in f" {' '.join(words(line))} "), 0)
    first = last = place
    size = len(lines[place]) if lines else 0
    while lines and (first > 0 or last + 1 < len(lines)):
        nearer = first - 1 if first > 0 and (place - first <= last - place) else last + 1
        nearer = nearer if nearer < len(lines) else first - 1
        if nearer < 0 or size + len(lines[nearer]) + 1 > LONGEST:
            break
        size += len(lines[nearer]) + 1
        first, last = min(first, nearer), max(last, nearer)
    return "\n".join(lines[first : last + 1])[:LONGEST]


@contextmanager
def thinkers(home: "Home", names: Sequence[str]) -> Generator[list[Thinker]]:
    """Engines of a home as `ENGINE` or `ENGINE:MODEL`, within its caps, each call with a receipt.

    Raises:
        InvalidInput: there is no engine of that name.
        Unavailable: it needs something that is not there.
    """
    from reverie.operations.engines import thinking
    from reverie.operations.engines.calling import Caller
    from reverie.operations.engines.catalog import chosen

    with thinking.alone(home, time.sleep, None) as keep:
        engines: list[Thinker] = []
        for name in names:
            engine, _, model = name.partition(":")
            at = _with_model(home, engine, model) if model else home
            made = chosen(at, engine)
            caller = Caller(at, made, time.sleep)

            def ask(prompt: "Prompt", caller: Caller = caller) -> str:
                return caller.call(prompt, [], keep).text

            engines.append(Thinker(engine, made.model, ask))
        yield engines


def _with_model(home: "Home", engine: str, model: str) -> "Home":
    setting = f"{engine.replace('-', '_')}_model"
    settings = home.settings
    if not hasattr(settings.engines, setting):
        raise InvalidInput(f"there is no engine {engine!r}")
    engines = replace(settings.engines, **{setting: model})
    return home.at(config=replace(home.config, settings=replace(settings, engines=engines)))
