"""A real model on this machine through an OpenAI-compatible port: plumbing, not thoughts."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.asker import OWNER
from reverie.engines.protocol import Limits, Prompt
from reverie.engines.receipts import Receipts
from reverie.memory import Memory
from reverie.operations.engines import catalog as engines
from reverie.operations.engines import thinking

SCHEMA = {
    "type": "object",
    "required": ["lessons"],
    "properties": {
        "lessons": {
            "type": "array",
            "minItems": 1,
            "maxItems": 2,
            "items": {"type": "string", "maxLength": 8},
        }
    },
}
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of the model; engine `openai` is set up for it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.engines.tiny_model"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    assert url.startswith("http://127.0.0.1:")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
    monkeypatch.setenv("REVERIE_ENGINES_OPENAI_MODEL", "tiny-random")
    yield url
    process.kill()
    process.communicate()


@pytest.mark.needs("llama")
def test_a_local_model_answers_in_the_form_it_was_asked_for(served: str, project: Path) -> None:
    with Memory.open() as memory:
        made = engines.chosen(memory, "openai")
        prompt = Prompt("work_1", "learn", "1", "Say something.", "<material/>", SCHEMA)
        answer = made.engine.answer(prompt, Limits(0.0, 500, 120.0))
    said = json.loads(answer.text)["lessons"]
    assert 1 <= len(said) <= 2
    assert all(len(text) <= 8 for text in said)
    assert answer.receipt.output_tokens > 0
    assert (answer.receipt.cost_usd, answer.receipt.known) == (0.0, True)


@pytest.mark.needs("llama")
def test_what_a_model_without_thoughts_says_is_checked_like_all_else(
    served: str, project: Path
) -> None:
    with Memory.open(asker=OWNER) as memory:
        before = len(memory.review().pending().reviews)
        made = engines.chosen(memory, "openai")
        asked = thinking.wanted(memory, pieces=1)
        (thought,) = thinking.run(memory, made, asked)
        receipts = list(Receipts(memory.config.home, memory.clock).all())
        assert receipts and all(one.known and one.input_tokens for one in receipts)
        # An empty list of lessons is an answer; lessons without evidence are none.
        assert thought.error is not None or thought.taken is not None
        assert len(memory.review().pending().reviews) == before
