"""Histories rebuilt under a budget: what is packed, how it is judged, and by whom."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engines.server import Reply, serving
from tests.measure import outside_scorer
from tests.sessions.logs import claude, prompt, reply

from reverie.cli.root import run as reverie
from reverie.engines.protocol import Prompt
from reverie.errors import InvalidInput, Refused
from reverie.measure.fidelity import judged as judging
from reverie.measure.fidelity.histories import learned, pools
from reverie.measure.fidelity.judged import (
    NOTHING,
    WHOLE,
    Asked,
    Judged,
    Thinker,
    agreement,
    check_families,
    kappa,
    recommendation,
)
from reverie.measure.fidelity.measurement import ENGINE_SUMMARY, Engines, measure_fidelity
from reverie.measure.fidelity.questions import Judge, Question, read_questions, words
from reverie.measure.fidelity.run import Plan, Rebuildings, rebuild, write_contexts
from reverie.measure.fidelity.strategies import ABLATED, AWARE, BLIND, DRAWS, OURS, summary
from reverie.measure.fidelity.tables import tables, verdict
from reverie.measure.result import Estimate

FIXES = (
    (
        "I will install from the public index.",
        "no, that is wrong: packages come from the wheelhouse",
    ),
    ("I painted the buoy blue.", "no, wrong again: paint the buoy red, not blue"),
    ("I opened port 8080.", "that is wrong, the gateway listens on port 9443"),
    ("I wrote the dates in local time.", "don't do that, store every date in UTC"),
)
ASKED = (
    ("Where do packages come from?", "from the wheelhouse"),
    ("Which colour has the buoy?", "red, not blue"),
    ("Which port does the gateway use?", "9443"),
    ("Should dates be stored in local time?", "no, in UTC"),
)
PLAN = Plan(budgets=(300, 1_024), sizes=(2, None))


def made_up(folder: Path) -> tuple[Path, Path]:
    """Two projects of two sessions each, and a question for each session."""
    labels: list[Mapping[str, Any]] = []
    for number, ((held, fix), (question, answer)) in enumerate(zip(FIXES, ASKED, strict=True)):
        name = f"p{number % 2}/claude-code/{number:08d}-0000-4000-8000-000000000000.jsonl"
        lines = claude(
            prompt("Please go on with the harbour."), reply(held), prompt(fix), reply("Done.")
        )
        text = "".join(json.dumps({**line, "sessionId": f"s-{number}"}) + "\n" for line in lines)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
        told = {"transcript": name, "text": fix, "span": "", "id": f"q{number}"}
        labels.append({**told, "question": question, "answer": answer})
        labels.append({**told, "question": None, "answer": None})
    file = folder / "labels.jsonl"
    file.write_text("".join(json.dumps(label) + "\n" for label in labels), encoding="utf-8")
    return folder, file


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return made_up(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def run(corpus: tuple[Path, Path]) -> Rebuildings:
    return rebuild(*corpus, PLAN)


# --- what is packed -----------------------------------------------------------------------------


@pytest.mark.proves("E5")
def test_no_context_of_any_strategy_is_longer_than_its_budget(run: Rebuildings) -> None:
    seen = {(one.context.strategy, one.aware) for one in run.contexts}
    blind = {(name, False) for name in (*BLIND, *ABLATED)}
    assert seen == blind | {(name, True) for name in AWARE}
    assert all(len(one.context.text) <= one.context.budget for one in run.contexts)
    assert {one.context.budget for one in run.contexts} == set(PLAN.budgets)
    assert {one.pool for one in run.contexts} == {"2", "all"}


def test_a_question_is_packed_for_only_by_strategies_that_may_see_it(run: Rebuildings) -> None:
    for name in BLIND:
        blind = [o for o in run.contexts if not o.aware and o.context.strategy == name]
        made = {
            (o.context.budget, o.context.draw, o.context.text) for o in blind if o.pool == "all"
        }
        assert len(made) == len(PLAN.budgets) * (DRAWS if name == "random" else 1)
    ours = [one.context.text for one in run.contexts if one.aware and one.pool == "all"]
    assert len(set(ours)) > len(AWARE)


@pytest.mark.proves("E5")
def test_the_same_seed_gives_the_same_bytes_and_another_draws_another_way(
    corpus: tuple[Path, Path], run: Rebuildings, tmp_path: Path
) -> None:
    files = [tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.jsonl.gz", "d.jsonl.gz")]
    again = rebuild(*corpus, PLAN)
    for file, made in zip(files, (run, again, run, again), strict=True):
        write_contexts(file, made.contexts)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[2].read_bytes() == files[3].read_bytes()
    assert tables(run) == tables(again)
    other = rebuild(*corpus, replace(PLAN, seed=8))
    assert [one.context.text for one in other.contexts if one.context.strategy == "random"] != [
        one.context.text for one in run.contexts if one.context.strategy == "random"
    ]


def test_the_order_of_sets_in_a_process_moves_no_byte(
    corpus: tuple[Path, Path], tmp_path: Path
) -> None:
    folder, labels = corpus
    files = [tmp_path / f"{seed}.jsonl" for seed in ("1", "2")]
    call = ["measure", "fidelity", "--corpus", str(folder), "--labels", str(labels)]
    for file in files:
        subprocess.run(
            [sys.executable, "-P", "-m", "reverie", *call, "--pool", "0", "--contexts", str(file)],
            env={**os.environ, "PYTHONHASHSEED": file.stem},
            check=True,
            capture_output=True,
        )
    assert files[0].read_bytes() == files[1].read_bytes()


def test_every_question_is_asked_of_its_own_session_among_as_many_as_were_asked_for(
    corpus: tuple[Path, Path],
) -> None:
    folder, labels = corpus
    questions = read_questions(labels)
    made = pools(folder, questions, (1, 3, 400, None), seed=7)
    assert [pool.name for pool in made].count("all") == 1
    assert made[-1].name == "all"
    for pool in made:
        assert len(pool.logs) == (4 if pool.name == "all" else int(pool.name))
        assert all(question.transcript in pool.logs for question in pool.questions)
    for name in ("1", "3", "all"):
        ids = [one.id for pool in made if pool.name == name for one in pool.questions]
        assert sorted(ids) == sorted(question.id for question in questions)
    with_others = next(pool for pool in made if pool.name == "3")
    assert len({log.partition("/")[0] for log in with_others.logs}) == 2


def test_candidates_come_from_learning_and_no_label_reaches_the_home(
    corpus: tuple[Path, Path],
) -> None:
    folder, labels = corpus
    (pool,) = pools(folder, read_questions(labels), (None,), seed=7)
    with learned(folder, pool) as home:
        assert {row.project for row in home.index.sessions()} == {"history"}
        assert {turn.text for turn in home.said()} >= {fix for _, fix in FIXES}
        assert not any("labels" in row.path for row in home.index.sessions())


def test_labels_of_other_logs_and_impossible_sizes_are_errors(corpus: tuple[Path, Path]) -> None:
    folder, labels = corpus
    with pytest.raises(InvalidInput, match="no question belongs"):
        pools(folder / "p0", read_questions(labels), (None,), seed=7)
    with pytest.raises(InvalidInput, match="at least one"):
        rebuild(folder, labels, Plan(budgets=(0,)))


def test_a_file_without_what_a_question_needs_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text('{"question": "why?"}\n', encoding="utf-8")
    with pytest.raises(InvalidInput, match="not a file of labels"):
        read_questions(file)
    file.write_text("{}\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="no question"):
        read_questions(file)


@given(
    st.lists(st.text(alphabet="abcdé .\n", min_size=1, max_size=40), max_size=12),
    st.integers(1, 120),
)
def test_a_summary_holds_whole_sentences_and_never_more_than_fits(
    sentences: list[str], budget: int
) -> None:
    told = summary(sentences, budget)
    assert len(told) <= budget
    assert all(any(line in sentence for sentence in sentences) for line in told.splitlines())


# --- judging by words ---------------------------------------------------------------------------


def question(**fields: Any) -> Question:
    made = Question(
        "q", "p/a.jsonl", "Which colour?", "red", "open", "paint the buoy red", ("red",), ()
    )
    return replace(made, **fields)


def test_the_correction_counts_only_word_for_word_and_layout_is_nothing() -> None:
    asked = question()
    assert Judge("> Paint\n> the **buoy** RED!").of(asked).evidence
    assert not Judge("paint the red buoy").of(asked).evidence
    assert not Judge("repaint the buoy red").of(asked).evidence


def test_the_words_of_an_answer_must_stand_together() -> None:
    asked = question(telling=("wheelhouse", "offline"))
    assert Judge("take it from the wheelhouse, offline").of(asked).answer
    assert not Judge("wheelhouse " + "and " * 80 + "offline").of(asked).answer
    assert not Judge("the wheelhouse").of(asked).answer


@pytest.mark.proves("E5")
def test_what_was_superseded_counts_against_a_context_that_lacks_what_replaced_it() -> None:
    asked = question(telling=("red",), superseded=("blue",))
    assert Judge("the buoy is blue").of(asked).misleads
    assert not Judge("the buoy is red, not blue").of(asked).misleads
    assert not Judge("the buoy").of(asked).misleads


@given(st.text(max_size=80), st.text(max_size=80))
def test_what_a_context_holds_it_holds_whatever_is_added(context: str, more: str) -> None:
    asked = question(evidence=" ".join(words(context)) or "x", telling=tuple(words(context)[:5]))
    verdict = Judge(f"{context} {more}").of(asked)
    assert verdict.evidence or not words(context)
    assert verdict.answer or not words(context)


def test_questions_that_give_their_answer_away_stand_apart(corpus: tuple[Path, Path]) -> None:
    kinds = {one.id: one for one in read_questions(corpus[1])}
    assert [kinds[f"q{n}"].kind for n in range(4)] == ["open", "open", "open", "yes/no"]
    assert (kinds["q1"].telling, kinds["q1"].superseded) == (("red",), ("blue",))
    assert kinds["q0"].evidence == "no that is wrong packages come from the wheelhouse"


# --- tables, and somebody else's figures --------------------------------------------------------


def figures(run: Rebuildings, title: str) -> dict[str, tuple[Any, ...]]:
    found = next(table for table in tables(run) if table.title.startswith(title))
    return {row.name: row.cells for row in found.rows}


@pytest.mark.proves("E5")
def test_an_outside_scorer_gets_every_figure_without_a_model(
    run: Rebuildings, tmp_path: Path
) -> None:
    source = Path(outside_scorer.__file__).read_text(encoding="utf-8")
    imported = {
        alias.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert not any("reverie" in name for name in imported)
    write_contexts(tmp_path / "contexts.jsonl", run.contexts)
    scores = outside_scorer.scores(str(tmp_path / "contexts.jsonl"))
    compared = 0
    for pool in ("all", "2"):
        for aware, head in ((True, "with"), (False, "without")):
            for name, cells in figures(run, f"{head} the question, pool {pool}").items():
                half = len(PLAN.budgets)
                for n, budget in enumerate(PLAN.budgets):
                    at = (pool, aware, name, budget)
                    assert cells[n].value == pytest.approx(scores[*at, "correction"], abs=1e-12)
                    assert cells[n + half].value == pytest.approx(scores[*at, "open"], abs=1e-12)
                    compared += 1
    assert compared == 2 * len(PLAN.budgets) * (len(BLIND) + len(AWARE))


def test_null_results_and_ablations_are_told_like_any_other(run: Rebuildings) -> None:
    ablated = figures(run, "the mixture without one")
    assert len(ablated) == len(ABLATED)
    assert ablated["without label"][1] == "level"
    assert set(figures(run, "better than random")) == set(BLIND) - {"random"}
    paired = figures(run, "ours with the question")
    assert len(paired) == 2 * len(PLAN.budgets) * (len(AWARE) - 1)


@pytest.mark.parametrize(
    ("low", "high", "said"), [(0.01, 0.2, "leads"), (-0.2, -0.01, "trails"), (-0.1, 0.1, "level")]
)
def test_a_difference_leads_only_where_its_interval_leaves_nothing_out(
    low: float, high: float, said: str
) -> None:
    assert verdict(Estimate((low + high) / 2, low, high)) == said


# --- with engines -------------------------------------------------------------------------------


def unsaid(_: Prompt) -> str:
    raise AssertionError("nobody is asked")


def thinker(engine: str, model: str, ask: Callable[[Prompt], str] = unsaid) -> Thinker:
    return Thinker(engine, model, ask)


@pytest.mark.proves("E5")
@pytest.mark.parametrize(
    ("answerer", "judge"),
    [
        (thinker("anthropic", "claude-sonnet-5-5"), thinker("claude-code", "default")),
        (thinker("openai", "gpt-5"), thinker("codex", "default")),
        (thinker("openai", "llama-4"), thinker("openai", "meta/Llama-3-70b")),
        (thinker("openai", "homemade-1"), thinker("openai", "homemade-1")),
    ],
)
def test_a_judge_of_the_answerers_family_is_refused_or_the_figures_say_so(
    answerer: Thinker, judge: Thinker
) -> None:
    with pytest.raises(Refused, match="family of the answerer"):
        check_families(answerer, [judge], same_family=False)
    assert check_families(answerer, [judge], same_family=True).startswith("SAME FAMILY")


def test_judges_of_another_family_are_welcome_and_none_at_all_is_an_error() -> None:
    one, other = thinker("anthropic", "claude-x"), thinker("openai", "qwen-3")
    assert "SAME" not in check_families(one, [other], same_family=True)
    with pytest.raises(InvalidInput, match="needs a judge"):
        check_families(one, [], same_family=False)


@pytest.mark.proves("E5")
def test_kappa_is_that_of_known_tables() -> None:
    # Cohen's textbook case: 20 both yes, 15 both no, 5 and 10 apart.
    one = [True] * 25 + [False] * 25
    other = [True] * 20 + [False] * 5 + [True] * 10 + [False] * 15
    assert kappa(one, other) == pytest.approx(0.4)
    assert kappa(one, one) == 1
    assert kappa(one, [not said for said in one]) == pytest.approx(-1)
    assert kappa([True, True], [True, True]) is None
    assert kappa([], []) is None


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_kappa_does_not_depend_on_who_is_first_and_never_exceeds_one(
    said: list[tuple[bool, bool]],
) -> None:
    one, other = [pair[0] for pair in said], [pair[1] for pair in said]
    found, turned = kappa(one, other), kappa(other, one)
    assert (found is None) == (turned is None)
    if found is not None:
        assert found == pytest.approx(turned)
        assert found <= 1 + 1e-12


def outcome(strategy: str, right: tuple[bool, ...], number: int) -> Judged:
    asked = Asked(question(transcript=f"p/{number}"), strategy, False, "")
    return Judged(asked, "said", right)


def shares(agree: bool, **by: int) -> list[Judged]:
    """Of a hundred answers of each strategy so many are right."""
    return [
        outcome(name.replace("_", " "), (n < many, (n < many) == agree), n)
        for name, many in by.items()
        for n in range(100)
    ]


@pytest.mark.proves("E5")
def test_weights_change_only_if_judges_agree_and_much_more_is_retained() -> None:
    risen = {"mixture": 40, "mixture_without_tier": 46, "mixture_without_recency": 30}
    (told,) = recommendation(shares(agree=True, **risen), seed=7)
    assert "recommended: signals.tier = 0" in told
    assert "+6.0 points" in told
    (told,) = recommendation(shares(agree=True, **risen | {"mixture_without_tier": 45}), seed=7)
    assert "no weight is recommended" in told
    (told,) = recommendation(shares(agree=False, **risen), seed=7)
    assert "needs κ > 0.6" in told
    (told,) = recommendation([outcome("mixture", (True,), 1)], seed=7)
    assert "one judge" in told


def answering(prompt: Prompt) -> str:
    """Says what stands in the notes if it is about the wheelhouse."""
    if prompt.kind == "summary":
        return json.dumps({"summary": "the wheelhouse " * 2_000})
    return json.dumps(
        {"answer": "the wheelhouse" if "wheelhouse" in prompt.material else "Unknown."}
    )


def judging_right(prompt: Prompt) -> str:
    lines = [json.loads(line) for line in prompt.material.splitlines() if line.startswith("{")]
    verdicts = [
        {"id": one["id"], "verdict": "right" if one["answer"] in one["right"] else "wrong"}
        for one in lines
    ]
    return json.dumps({"verdicts": verdicts})


@pytest.mark.proves("E5")
def test_engines_answer_from_a_context_alone_and_never_see_its_strategy(
    corpus: tuple[Path, Path],
) -> None:
    seen: list[Prompt] = []

    def heard(answer: Callable[[Prompt], str]) -> Callable[[Prompt], str]:
        def ask(prompt: Prompt) -> str:
            seen.append(prompt)
            return answer(prompt)

        return ask

    judges = (
        thinker("anthropic", "claude-x", heard(judging_right)),
        thinker("openai", "qwen-3", judging_right),
    )
    engines = Engines(thinker("openai", "gpt-5", heard(answering)), judges)
    made = measure_fidelity(*corpus, Plan(budgets=(1_024,), sizes=(None,)), engines=engines)
    rows: dict[str, tuple[Any, ...]] = {row.name: row.cells for row in made.tables[0].rows}
    # One of four questions is about the wheelhouse; from nothing nobody knows.
    assert rows[NOTHING][0].value == 0
    assert rows[NOTHING][-1] == 1
    for name in (f"{WHOLE}, question seen", f"{OURS}, question seen", ENGINE_SUMMARY):
        assert rows[name][0].value == rows[name][1].value == 0.25
    assert set(rows) >= {*BLIND, *ABLATED}
    assert "judged by anthropic:claude-x (anthropic) and openai:qwen-3 (alibaba)" in made.notes[-2]
    assert "κ of the judges: 1.00" in made.notes[-1]
    told = "\n".join(prompt.text for prompt in seen)
    assert not any(name in told for name in ("mixture", "BM25", "long-term page", "digest"))
    answered = [one.id for one in seen if one.kind == "answer"]
    assert len(answered) == len(set(answered))


def test_answers_are_judged_in_drawn_order_and_what_is_unknown_is_not_judged() -> None:
    asked = [
        Asked(question(id=f"q{n}", text=f"Which {n}?"), OURS, True, f"it is {n}") for n in range(50)
    ]
    orders: list[list[str]] = []

    def ask(prompt: Prompt) -> str:
        orders.append([line for line in prompt.material.splitlines() if line.startswith("{")])
        return judging_right(prompt)

    def answer(prompt: Prompt) -> str:
        number = prompt.material.split("Which ")[1].partition("?")[0]
        return json.dumps({"answer": number if int(number) % 2 else "unknown"})

    found = judging.judged(asked, thinker("a", "x", answer), [thinker("b", "y", ask)], seed=7)
    assert [bool(one.answer) for one in found] == [n % 2 == 1 for n in range(50)]
    lines = [json.loads(line)["answer"] for part in orders for line in part]
    assert len(lines) == 25
    assert lines != sorted(lines, key=int)
    assert agreement(found) is None


def test_an_engine_that_talks_is_asked_again_and_then_given_up() -> None:
    said = iter(["well…", '{"answer": "red"}'])
    asked = [Asked(question(), OURS, True, "")]
    answerer = thinker("a", "x", lambda _: next(said))
    (found,) = judging.judged(asked, answerer, [thinker("b", "y", judging_right)], seed=7)
    assert found.right == (True,)
    talker = thinker("a", "x", lambda _: "well…")
    with pytest.raises(InvalidInput, match="not of the form"):
        judging.judged(asked, talker, [talker], seed=7)


# --- the command --------------------------------------------------------------------------------


def test_the_command_prints_tables_and_writes_contexts(
    corpus: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, labels = corpus
    call = ["measure", "fidelity", "--corpus", str(folder), "--labels", str(labels)]
    file = tmp_path / "contexts.jsonl"
    small = ["--budget", "1024", "--pool", "0"]
    assert reverie([*call, *small, "--contexts", str(file), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["measurement"] == "fidelity"
    assert made["tables"][0]["title"] == "fidelity with the question, 1024 characters, pool all"
    asked = {json.loads(line)["question"] for line in file.read_text().splitlines()}
    assert asked == {"q0", "q1", "q2", "q3"}
    assert reverie([*call, "--judge", "openai"]) == 2


def test_the_command_asks_real_engines_within_their_caps(
    corpus: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder, labels = corpus
    call = ["measure", "fidelity", "--corpus", str(folder), "--labels", str(labels)]
    call += ["--budget", "1024", "--pool", "0", "--questions", "2", "--answerer", "openai:gpt-5"]

    def reply(body: dict[str, Any]) -> Reply:
        shown = Prompt("", "", "", "", body["messages"][-1]["content"], {})
        if "the right answer" in json.dumps(body):
            return Reply(text=judging_right(shown))
        return Reply(text=answering(replace(shown, kind=_kind(body))))

    with serving() as server:
        server.refuses = reply
        for name in ("OPENAI", "ANTHROPIC"):
            monkeypatch.setenv(f"{name}_BASE_URL", server.url)
            monkeypatch.setenv(f"{name}_API_KEY", "k")
        assert reverie([*call, "--judge", "openai:gpt-4"]) != 0
        assert "family of the answerer" in capsys.readouterr().err
        assert not server.requests
        assert reverie([*call, "--judge", "openai:gpt-4", "--same-family", "--json"]) == 0
        assert "SAME FAMILY" in capsys.readouterr().out
        assert {request["model"] for request in server.requests} == {"gpt-5", "gpt-4"}
    assert reverie(["costs", "--json"]) == 0
    spent = capsys.readouterr().out
    assert "gpt-5" in spent
    assert "gpt-4" in spent


def _kind(body: dict[str, Any]) -> str:
    return "summary" if "Write one summary" in json.dumps(body) else "answer"
