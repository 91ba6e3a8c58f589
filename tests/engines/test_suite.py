"""One suite for every engine: what arrives at a real server, what is kept, and what it cost."""

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests import privacy_generator as generator
from tests.commands import Command
from tests.connect.logs import LOGS, write_log
from tests.engines.clients import stand_ins
from tests.engines.lessons import answer_to
from tests.engines.server import (
    CUT,
    GARBAGE,
    OK,
    OVERLOADED,
    PROSE,
    REFUSAL,
    SLOW,
    TOO_LONG,
    TOO_MANY,
    WRONG,
    Reply,
    Server,
)
from tests.patience import eventually

from reverie.asker import OWNER
from reverie.engines.prices import Usage, most_tokens
from reverie.engines.receipts import Receipt, Receipts
from reverie.errors import CallFailed, Refused, ReverieError, Unavailable
from reverie.memory import Memory
from reverie.operations.engines import catalog as engines
from reverie.operations.engines import thinking

APIS = ("anthropic", "openai")
CLIENTS = ("claude-code", "codex")
NOTHING = Reply(text='{"lessons": [], "statements": [], "memories": [], "diary": []}')
LARGE = Reply(tokens=(7_000, 30, 50, 10))
KEY = "sk-test-" + "8d1f0c2b7a6e"


@pytest.fixture(autouse=True)
def set_up(server: Server, monkeypatch: pytest.MonkeyPatch, project: Path, tmp_path: Path) -> None:
    """Every engine is set up for the server."""
    path = f"{stand_ins(tmp_path / 'bin', server.url)}:{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    monkeypatch.setenv("REVERIE_ENGINES_OPENAI_MODEL", "gpt-5.6-luna")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


every_engine = pytest.mark.parametrize("engine", [*APIS, *CLIENTS])
every_api = pytest.mark.parametrize("engine", APIS)


class Run:
    """What a run did, and how long it waited."""

    def __init__(self, name: str, pieces: int | None = None, **settings: Any) -> None:
        self.thoughts: list[thinking.Thought] = []
        self.waits: list[float] = []
        self.error: ReverieError | None = None
        env = {
            **os.environ,
            **{f"REVERIE_ENGINES_{k}".upper(): str(v) for k, v in settings.items()},
        }
        with Memory.open(asker=OWNER, environ=env) as memory:
            made = engines.chosen(memory, name)
            asked = thinking.wanted(memory, everything=True, pieces=pieces)
            self.estimate = thinking.estimate(memory, made, asked)
            try:
                for thought in thinking.run(memory, made, asked, wait=self.waits.append):
                    self.thoughts.append(thought)
            except ReverieError as error:
                self.error = error
            self.receipts = list(Receipts(memory.config.home, memory.clock).all())
            kept = memory.memories(everywhere=True)
            self.lessons = [item.document.title for item in kept]

    @property
    def done(self) -> list[str]:
        return [thought.sessions[0] for thought in self.thoughts if thought.taken]


@every_engine
@pytest.mark.proves("F2", "F7")
def test_each_session_is_asked_about_once_and_each_call_has_its_receipt(
    engine: str, server: Server
) -> None:
    ran = Run(engine)
    assert ran.error is None
    assert len(ran.done) == len(server.requests) == len(ran.receipts) == 3
    assert ran.lessons == [
        f"{project} commits must stay small" for project in ("Depot", "Feed", "Shop")
    ]
    for receipt, thought in zip(ran.receipts, ran.thoughts, strict=True):
        assert (receipt.engine, receipt.outcome, receipt.known) == (engine, "taken", True)
        assert (receipt.piece, receipt.session) == (thought.piece, thought.sessions[0])
        assert (receipt.output_tokens, receipt.cache_read_tokens) == (30, 50)
        assert receipt.prompt and receipt.model
        assert receipt.cost_usd > 0 or not receipt.priced
    again = Run(engine)
    assert (again.thoughts, len(server.requests)) == ([], 3)


@every_api
@pytest.mark.proves("A7", "F7")
def test_what_a_run_would_take_is_known_before_it(engine: str, server: Server) -> None:
    ran = Run(engine)
    before = ran.estimate
    assert (before.sessions, before.pieces) == (3, 3)
    assert before.input_tokens > 3 * 100
    assert before.usd is not None and 0 < before.usd < 0.1
    assert (before.left_sessions, before.left_tokens) == (20, 200_000)


@every_api
@pytest.mark.proves("F7")
@pytest.mark.hostile("R6")
@pytest.mark.parametrize("cap", ["tokens_per_day", "tokens_per_run"])
def test_the_call_beyond_a_cap_never_arrives_and_the_rest_is_sent_later(
    engine: str, server: Server, cap: str
) -> None:
    server.plan = [LARGE, LARGE, LARGE]
    most, _ = dearest_call(engine)
    stops_after_one(Run(engine, **{f"max_{cap}": most + 3_000}), engine, server)


@every_engine
@pytest.mark.proves("F7")
def test_no_more_sessions_are_asked_about_in_a_day_than_agreed(engine: str, server: Server) -> None:
    stops_after_one(Run(engine, max_sessions_per_day=1), engine, server)


@pytest.mark.proves("F7")
def test_a_client_is_told_what_is_left_and_not_asked_when_that_is_nothing(server: Server) -> None:
    ran = Run("claude-code", max_usd_per_day=0.025)
    stops_after_one(ran, "claude-code", server)


@every_api
@pytest.mark.proves("F7")
@pytest.mark.parametrize("cap", ["usd_per_day", "usd_per_run"])
def test_the_call_that_could_cost_more_than_the_cap_never_arrives(
    engine: str, server: Server, cap: str
) -> None:
    server.plan = [LARGE, LARGE, LARGE]
    _, usd = dearest_call(engine)
    ran = Run(engine, None, **{f"max_{cap}": f"{usd * 1.05:.6f}"})
    stops_after_one(ran, engine, server)


def dearest_call(engine: str) -> tuple[int, float]:
    """The most tokens and money that the first call can take."""
    with Memory.open() as memory:
        prompt = thinking.first_task(memory, thinking.wanted(memory, everything=True)).prompt
        price = engines.chosen(memory, engine).price
        output = memory.settings.engines.max_output_tokens
    assert price is not None
    asked = most_tokens(prompt)
    return asked + output, price.of(Usage(0, output, 0, asked))


def stops_after_one(ran: Run, engine: str, server: Server) -> None:
    assert isinstance(ran.error, Refused)
    assert ran.error.exit_code == 5
    assert len(server.requests) == len(ran.done) == 1
    assert [receipt.outcome for receipt in ran.receipts] == ["taken"]
    rest = Run(engine)
    assert (rest.error, len(rest.done), len(server.requests)) == (None, 2, 3)
    assert set(ran.done) & set(rest.done) == set()


@every_api
@pytest.mark.hostile("R5")
@pytest.mark.parametrize(
    ("reply", "waits", "known"),
    [
        (TOO_MANY, [7.0, 7.0], True),
        (OVERLOADED, [2.0, 8.0], True),
        (Reply(status=500), [2.0, 8.0], True),
        (SLOW, [2.0, 8.0], False),
        (CUT, [2.0, 8.0], False),
        (GARBAGE, [2.0, 8.0], False),
    ],
    ids=["429", "529", "500", "slow", "cut", "garbage"],
)
def test_a_server_that_fails_is_tried_again_and_then_left_with_every_receipt(
    engine: str, server: Server, reply: Reply, waits: list[float], known: bool
) -> None:
    server.plan = [OK, reply, reply, reply]
    ran = Run(engine, timeout_seconds=1)
    assert isinstance(ran.error, Unavailable)
    assert ran.error.exit_code == 8
    assert ran.waits == waits
    assert len(ran.done) == 1
    assert len(server.requests) == len(ran.receipts) == 4
    assert [receipt.known for receipt in ran.receipts] == [True] + [known] * 3
    assert all(receipt.cost_usd > 0 for receipt in ran.receipts if not receipt.known)
    assert ran.lessons == ["Depot commits must stay small"]
    # What was done is kept, and the next run sends the rest at once.
    rest = Run(engine)
    assert (rest.error, len(rest.done)) == (None, 2)
    assert len(server.requests) == 6


@every_api
@pytest.mark.parametrize("reply", [TOO_MANY, OVERLOADED, SLOW, CUT, GARBAGE])
def test_a_server_that_fails_once_is_forgiven(engine: str, server: Server, reply: Reply) -> None:
    server.plan = [reply]
    ran = Run(engine, timeout_seconds=1)
    assert (ran.error, len(ran.done), len(server.requests)) == (None, 3, 4)


@every_api
def test_a_server_that_asks_for_a_long_pause_is_left_alone(engine: str, server: Server) -> None:
    server.plan = [Reply(status=429, headers=(("retry-after", "3600"),))]
    ran = Run(engine)
    assert isinstance(ran.error, CallFailed)
    assert "3600 s" in (ran.error.hint or "")
    assert (ran.waits, len(server.requests)) == ([], 1)


@every_api
@pytest.mark.parametrize("status", [401, 403, 404, 402, 307])
def test_what_waiting_does_not_mend_is_not_tried_again(
    engine: str, server: Server, status: int
) -> None:
    elsewhere = (("location", "http://127.0.0.1:9/v1/messages"),)
    server.plan = [Reply(status=status, headers=elsewhere)]
    ran = Run(engine)
    assert isinstance(ran.error, Unavailable)
    assert (ran.waits, ran.done, len(server.requests)) == ([], [], 1)
    assert [(one.cost_usd, one.known) for one in ran.receipts] == [(0.0, True)]


@every_engine
@pytest.mark.hostile("R5")
@pytest.mark.parametrize("reply", [REFUSAL, TOO_LONG], ids=["refusal", "too-long"])
def test_an_answer_that_cannot_be_used_fails_its_session_alone(
    engine: str, server: Server, reply: Reply
) -> None:
    server.plan = [reply]
    ran = Run(engine)
    assert ran.error is None
    failed, *others = ran.thoughts
    assert isinstance(failed.error, CallFailed)
    assert failed.error.exit_code == 8
    assert all(thought.taken for thought in others)
    assert ran.receipts[0].known and ran.receipts[0].output_tokens == 30
    assert ran.receipts[0].outcome.startswith("failed: ")
    assert Run(engine).done == failed.sessions


@every_engine
def test_a_refused_answer_is_sent_back_with_the_reasons(engine: str, server: Server) -> None:
    server.plan = [WRONG]
    ran = Run(engine, pieces=1)
    assert (ran.error, len(ran.done), len(server.requests)) == (None, 1, 2)
    sent = json.dumps(server.requests[1]["messages"])
    assert "was not taken" in sent and "nothing of note" in sent
    assert [receipt.outcome for receipt in ran.receipts] == ["not taken", "taken"]


@every_engine
def test_after_three_refused_answers_it_is_said_what_was_received(
    engine: str, server: Server
) -> None:
    server.plan = [WRONG, WRONG, WRONG]
    ran = Run(engine)
    failed, *others = ran.thoughts
    assert isinstance(failed.error, Refused)
    assert 'received: {"findings": "nothing of note"}' in failed.error.message
    assert len(others) == 2 and all(thought.taken for thought in others)
    assert Run(engine).thoughts == []  # it was refused too often


@every_api
def test_sending_an_answer_back_keeps_to_the_caps(engine: str, server: Server) -> None:
    server.plan = [replace(PROSE, tokens=LARGE.tokens)]
    most, _ = dearest_call(engine)
    ran = Run(engine, max_tokens_per_run=most + 3_000)
    assert isinstance(ran.error, Refused)
    assert (ran.thoughts, len(server.requests)) == ([], 1)
    assert len(Run(engine).done) == 3


@every_api
def test_a_server_that_does_not_count_is_charged_with_the_most(engine: str, server: Server) -> None:
    server.plan = [Reply(tokens=None)]
    ran = Run(engine, pieces=1)
    (receipt,) = ran.receipts
    assert (receipt.known, receipt.output_tokens) == (False, 6_000)
    assert receipt.cost_usd > 0


def test_a_model_on_this_machine_costs_nothing_and_an_unlisted_one_is_unknown(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    ran = Run("openai", openai_model="qwen3:8b")
    assert (ran.estimate.usd, ran.receipts[0].cost_usd, ran.receipts[0].priced) == (0, 0, True)
    assert "authorization" not in server.headers[0]
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.example/v1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("REVERIE_ENGINES_OPENAI_MODEL", "house-model")
    with Memory.open() as memory:
        assert engines.chosen(memory, "openai").price is None


@every_engine
@pytest.mark.hostile("X1")
def test_nothing_secret_is_sent_and_no_key_is_kept(
    engine: str, server: Server, project: Path, tmp_path: Path, isolated_home: Path
) -> None:
    secrets = {
        "token": "gh" + "p_" + "h4Qz8Lw2Rk7Vt1Xc9Nb5Mj3Fd6Gs0Pa4Ye8U",
        "aws": "AKIA" + "Q7ZL2MXR5TNBWVCE",
        "url": "postgres://svc:" + "Zk8-qLw2Rn7t@db.internal/app",
    }
    write_log(
        tmp_path / LOGS,
        "four",
        project,
        ("user", f"Deploy with {secrets['token']} and {secrets['aws']}."),
        ("assistant", f"It answers at {secrets['url']} now."),
        ("user", f"export GITHUB_TOKEN={secrets['token']}\nDeploys should stay small."),
    )
    with Memory.open(folder=project, asker=OWNER) as memory:
        memory.learn(tmp_path / LOGS, jobs=1)
    Run(engine)
    assert "Deploys should stay small" in server.texts()
    for secret in (*secrets.values(), "Zk8-qLw2Rn7t"):
        assert secret not in server.texts()
    for file in isolated_home.rglob("*"):
        if file.is_file():
            assert KEY.encode() not in file.read_bytes(), file


@pytest.mark.hostile("X1")
def test_none_of_the_kinds_of_secrets_is_sent_wherever_it_stood(
    server: Server, project: Path, tmp_path: Path
) -> None:
    places = "sentence, env dump, diff, json in json, base64 alone, password is, postgres url"
    samples = list(generator.secrets(11, {one: generator.SEEN[one] for one in places.split(", ")}))
    assert len({sample.kind for sample in samples}) >= 25
    turns = [(("user", "assistant")[n % 2], sample.text) for n, sample in enumerate(samples)]
    write_log(tmp_path / LOGS, "secrets", project, *turns)
    with Memory.open(folder=project, asker=OWNER) as memory:
        memory.learn(tmp_path / LOGS, jobs=1)
    server.plan = [NOTHING] * 100
    ran = Run("anthropic")
    assert ran.error is None and len(server.requests) > 3
    sent = [(one.kind, one.place) for one in samples if generator.survives(one, server.texts())]
    # Plain words in base64 have no form that gives them away; nothing of ours knows them.
    assert set(sent) <= {("mnemonic", "base64 alone")}


@every_api
def test_no_error_repeats_the_key(engine: str, server: Server) -> None:
    said = {"type": "authentication_error", "message": f"Incorrect API key provided: {KEY}."}
    server.plan = [Reply(status=401, body=json.dumps({"error": said}).encode())]
    ran = Run(engine)
    assert ran.error is not None
    assert "authentication_error" in ran.error.message
    assert KEY not in ran.error.message
    assert KEY not in json.dumps([receipt.outcome for receipt in ran.receipts])


PROGRAM = """
import sys
from reverie.asker import OWNER
from reverie.memory import Memory
from reverie.operations.engines import catalog as engines, thinking
with Memory.open(asker=OWNER) as memory:
    asked = thinking.wanted(memory, everything=True)
    for thought in thinking.run(memory, engines.chosen(memory, sys.argv[1]), asked):
        print(*thought.sessions, flush=True)
"""


@every_engine
@pytest.mark.proves("F7")
@pytest.mark.hostile("R5")
@pytest.mark.skipif(os.name == "nt", reason="kill -9 is of POSIX")
def test_a_run_killed_in_a_call_has_paid_for_it_and_the_next_sends_the_rest(
    engine: str, server: Server
) -> None:
    server.plan = [OK, SLOW]
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, engine], stdout=subprocess.PIPE)
    assert eventually(lambda: len(server.requests) == 2)
    process.send_signal(signal.SIGKILL)
    out, _ = process.communicate()
    first = out.decode().split()
    assert len(first) == 1
    ran = Run(engine)
    assert (ran.error, len(ran.done), len(server.requests)) == (None, 2, 4)
    assert set(first) & set(ran.done) == set()
    outcomes = [receipt.outcome for receipt in ran.receipts]
    assert outcomes == ["taken", "killed", "taken", "taken"]
    killed = ran.receipts[1]
    assert not killed.known and killed.output_tokens == 6_000
    assert killed.cost_usd > 0 or not killed.priced


@every_engine
def test_one_process_at_a_time_asks(engine: str, server: Server) -> None:
    server.plan = [SLOW]
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, engine], stdout=subprocess.PIPE)
    try:
        assert eventually(lambda: len(server.requests) == 1)
        ran = Run(engine)
        assert ran.error is not None and ran.error.exit_code == 4
        assert len(server.requests) == 1
    finally:
        process.kill()
        process.communicate()


@every_api
def test_what_waits_for_a_piece_can_be_seen_and_nothing_is_sent(
    engine: str, server: Server, command: Command
) -> None:
    code, out, err = command("engines", "test", engine)
    assert (code, server.requests) == (0, [])
    assert "commits must stay small" in out
    assert KEY not in out + err
    shown = json.loads(command("engines", "test", engine, "--json")[1])["request"]
    sent = json.loads(command("engines", "test", engine, "--send", "--json")[1])
    (arrived,) = server.requests
    assert shown.pop("url") == server.url + arrived.pop("path")
    assert shown == arrived
    assert sent["receipt"]["outcome"] == "answered"


@every_api
def test_learn_with_an_engine_says_first_what_it_takes(
    engine: str, server: Server, command: Command
) -> None:
    before = json.loads(command("learn", "--engine", engine, "--all", "--dry-run", "--json")[1])
    assert (before["pieces"], server.requests) == (3, [])
    code, _, err = command("learn", "--engine", engine, "--all", given="")
    assert (code, server.requests) == (5, [])
    assert "3 sessions in 3 pieces" in err and "USD" in err
    server.plan = [OK, REFUSAL]
    code, out, err = command("learn", "--engine", engine, "--all", "--yes", "--json")
    assert (code, len(server.requests)) == (8, 3)
    errors = [one["error"] for one in json.loads(out)]
    assert errors == [None, "the model refuses to answer", None]
    assert "2 pieces done" in err
    days = json.loads(command("costs", "--json")[1])["days"]
    assert [(day["engine"], day["calls"]) for day in days] == [(engine, 3)]
    assert command("costs")[1].count(engine) == 1


@every_engine
def test_no_engine_is_asked_inside_a_run_of_one(
    engine: str, server: Server, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_INSIDE", "1")
    assert command("learn", "--engine", engine, "--all", "--yes")[0] == 5
    assert command("engines", "test", engine, "--send")[0] == 5
    assert server.requests == []


@every_engine
def test_a_project_can_be_left_out(engine: str, server: Server) -> None:
    ran = Run(engine, ignore_projects="shop,depot")
    assert (ran.done, ran.estimate.pieces) == (["claude-code:in-feed"], 1)
    assert "Shop" not in server.texts()


@every_api
@pytest.mark.proves("D6")
def test_a_file_of_the_project_cannot_send_words_and_keys_elsewhere(
    engine: str,
    server: Server,
    command: Command,
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checkout = tmp_path / "checkout"
    shutil.copytree(project, checkout)
    (checkout / ".claude").mkdir()
    settings = checkout / ".claude" / "settings.json"
    variable = f"{engine.upper()}_BASE_URL"
    settings.write_text(json.dumps({"env": {variable: server.url}}), encoding="utf-8")
    monkeypatch.chdir(checkout)
    # Nor does the server that the person chose give way to another one without a word.
    code, shown, err = command("engines", "test", engine, "--all", "--json")
    assert (code, shown) == (5, "") and f"{settings} may have set" in err
    assert variable in err
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    shown = json.loads(command("engines", "test", engine, "--all", "--json")[1])["request"]
    assert server.url not in shown["url"]


def test_receipts_of_earlier_versions_are_read(tmp_path: Path, project: Path) -> None:
    old = {"at": "2026-11-01T08:00:00.000Z", "engine": "claude-code", "purpose": "extract"}
    line = json.dumps({**old, "session": "s", "cost_usd": 0.5, "known": True})
    with Memory.open() as memory:
        path = memory.config.home / "receipts.jsonl"
        path.write_text(f"{line}\n{line}\n" + '{"at": "2026-11-01T0', encoding="utf-8")
        kept = Receipts(memory.config.home, memory.clock)
        kept.add(Receipt("2026-11-02T08:00:00.000Z", "openai", "learn", "t", 0.25))
        assert [receipt.cost_usd for receipt in kept.all()] == [0.5, 0.5, 0.25]


def test_a_lesson_that_three_answers_did_not_settle_waits_and_no_run_fails_by_it(
    server: Server, command: Command
) -> None:
    answer = answer_to("a0 PERSON: x", "x", "Commits must stay small, at most 999 lines.")
    answer["lessons"][0] |= {"name": "small-commits", "when": "Committing."}
    server.plan = [Reply(text=json.dumps(answer))] * 3
    code, _, err = command("learn", "--engine", "openai", "--all", "--yes", "--pieces", "1")
    assert (code, len(server.requests)) == (0, 3)
    assert "queued: Commits must stay small, at most 999 lines." in err
    assert "'999' stands neither in its evidence nor beside it" in err
    assert "1 lesson not written, for a person to decide" in err
