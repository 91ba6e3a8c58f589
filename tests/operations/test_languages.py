"""A rule said in one session is there in a later one, in whatever language it was said."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.learn.work.test_desk import Desk
from tests.recall.conftest import Correct, Remember
from tests.recall.conftest import correct as correct
from tests.recall.conftest import memory as memory
from tests.recall.conftest import remember as remember

from reverie.memory import Memory
from reverie.store.model import Actor, Author


class Said(NamedTuple):
    first: str
    rule: str
    later: str
    other: str  # a prompt of the same language that the rule has nothing to do with


SAID = {
    "japanese": Said(
        "決済モジュールのテストを書いてください。",
        "本番データベースには絶対に直接書き込まず、必ずマイグレーションを使ってください。",
        "本番データベースに直接データを書き込みたい",
        "ログイン画面の色を青にして",
    ),
    "chinese": Said(
        "给支付模块写测试。",
        "不要直接修改生产数据库，一定要用迁移脚本。",
        "帮我直接修改生产数据库的表结构",
        "登录页面的颜色换成蓝色",
    ),
    "korean": Said(
        "결제 모듈 테스트를 작성해 주세요.",
        "운영 데이터베이스를 절대 직접 수정하지 말고 항상 마이그레이션을 사용하세요.",
        "데이터베이스에 열을 추가하고 싶어요",
        "로그인 화면 색을 파란색으로",
    ),
    "russian": Said(
        "Напиши тесты для модуля оплаты.",
        "Никогда не меняй боевую базу напрямую, всегда пиши миграции.",
        "Добавь столбец в базу новой миграцией",
        "Сделай кнопку входа синей",
    ),
    "german": Said(
        "Schreib Tests für das Bezahlmodul.",
        "Ändere die Produktionsdatenbank nie direkt, nimm immer eine Migration.",
        "Füge der Tabelle per Migration eine Spalte hinzu",
        "Mach den Knopf zum Anmelden blau",
    ),
}
LANGUAGES = pytest.mark.parametrize("language", SAID)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.close()


def recalled(memory: Memory, prompt: str) -> list[str]:
    return [item.text for item in memory.recall(prompt).items]


@LANGUAGES
def test_what_was_said_in_one_session_is_told_to_the_next(desk: Desk, language: str) -> None:
    said = SAID[language]
    desk.learn("one", ("user", said.first), ("assistant", "Done."), ("user", said.rule))
    with Memory.open(folder=desk.project, clock=desk.memory.clock) as here:
        assert said.rule in [line.text for line in here.digest().lines]
        assert any(said.rule in text for text in recalled(here, said.later))
        assert not any(said.rule in text for text in recalled(here, said.other))


@LANGUAGES
def test_a_memory_is_found_whatever_it_is_written_in(
    memory: Memory, remember: Remember, language: str
) -> None:
    said = SAID[language]
    remember("rule", said.rule)
    for name, other in SAID.items():
        remember(f"other-{name}", other.other)
    assert said.rule in recalled(memory, said.later)[0]
    assert said.rule in memory.store.search(said.later)[0].memory.content
    memory.store.delete("harbour", "/rule.md", by=Author(Actor("user"), "test"))
    assert not any(said.rule in text for text in recalled(memory, said.later))
    assert not any(said.rule in hit.memory.content for hit in memory.store.search(said.later))


@LANGUAGES
def test_a_correction_is_found_whatever_it_is_written_in(
    memory: Memory, correct: Correct, language: str
) -> None:
    said = SAID[language]
    for line, other in enumerate(SAID.values(), start=10):
        correct(line, other.other, score=0.9, label="explicit")
    correct(3, said.rule, score=0.9, label="explicit")
    assert said.rule in recalled(memory, said.later)[0]
    correct(3, "Something else", score=0.9, label="explicit")
    assert not any(said.rule in text for text in recalled(memory, said.later))
