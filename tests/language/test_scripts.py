"""Words, also where no space parts them."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.language.scripts import beginning, breadth, cut, is_form, unmarked


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Keep created_at, please.", ["keep", "created", "at", "please"]),
        ("数据库迁移", ["数据", "据库", "库迁", "迁移"]),
        ("PRを使う", ["pr", "使"]),
        ("本番データ", ["本番", "番デ", "デー", "ータ"]),
        ("데이터를 씀", ["데이", "이터", "터를", "씀"]),
        ("ＤＢ ﾃｽﾄ", ["db", "テス", "スト"]),
        ("列", ["列"]),
        ("миграции", ["миграции"]),
    ],
)
def test_text_is_cut_into_words_and_signs_without_spaces_into_pairs(
    text: str, words: list[str]
) -> None:
    assert cut(text) == words


def test_all_forms_of_a_japanese_verb_share_its_sign() -> None:
    assert set(cut("使う")) & set(cut("使って")) & set(cut("使わない")) == {"使"}


@pytest.mark.parametrize(
    ("one", "other"),
    [("миграцию", "миграциями"), ("базу", "базы"), ("коммитов", "коммит"), ("новая", "новый")],
)
def test_forms_of_a_cyrillic_word_begin_alike(one: str, other: str) -> None:
    assert beginning(one) == beginning(other)
    assert is_form(one.removeprefix(beginning(one)) or "а")


@pytest.mark.parametrize("word", ["для", "migration", "größe", "数据"])
def test_other_words_stay_as_they_are(word: str) -> None:
    assert beginning(word) == word


def test_marks_go_from_letters_and_stay_on_signs() -> None:
    assert unmarked("naïve Größe ещё") == "naive Große еще"
    assert unmarked("データが") == "データが"


def test_two_sentences_of_one_meaning_are_about_as_broad_in_any_script() -> None:
    english = breadth(cut("Never change the production database directly, use a migration."))
    chinese = breadth(cut("不要直接修改生产数据库，一定要用迁移脚本。"))
    assert 0.5 < chinese / english < 2


@given(st.text())
def test_any_text_is_cut_the_same_however_its_letters_are_put_together(text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    assert cut(unicodedata.normalize("NFD", composed)) == cut(composed)
