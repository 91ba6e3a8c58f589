"""What is said in one session is known in the next, in its project, and nowhere else."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.commands import repository
from tests.durability import shop
from tests.operations import homes

RULES = {
    "imperative": "From now on always write commit messages in the imperative.",
    "linter": "From now on always run the linter before a commit.",
    "wheelhouse": "From now on always install packages from the wheelhouse.",
    "staging": "From now on always deploy to staging before production.",
    "fixtures": "From now on always keep fixtures beside their tests.",
    "cents": "From now on always count prices in integer cents.",
}
QUESTIONS = tuple(f"what about {word}?" for word in RULES)


@pytest.mark.proves("F12")
def test_what_is_said_in_one_session_is_in_the_digest_and_the_recall_of_the_next(
    isolated_home: Path, tmp_path: Path
) -> None:
    root = homes.shop(tmp_path)
    said = [("you", RULES["linter"]), ("agent", "I will.")]
    shop.log(isolated_home, "aaaa-1", said, cwd=root)
    with shop.opened(tmp_path) as memory:
        assert shop.telling(shop.told(memory, *QUESTIONS), "linter") == []
        memory.learn()
        found = shop.telling(shop.told(memory, "what runs before a commit?"), "linter")
        assert {"recall what runs before a commit?", "digest", "rules", "an agent"} <= set(found)
        # Said again in the second session, it is one memory with two sessions behind it.
        shop.log(isolated_home, "bbbb-2", said, cwd=root, day=1)
        memory.learn()
        (item,) = memory.memories()
        assert item.document.support == 2


@pytest.mark.proves("D6")
def test_words_of_a_project_stay_in_it_and_global_ones_are_everywhere(
    isolated_home: Path, tmp_path: Path
) -> None:
    here, there = homes.shop(tmp_path), repository(tmp_path / "yard")
    shop.log(isolated_home, "aaaa-1", [("you", RULES["cents"]), ("agent", "I will.")], cwd=here)
    shop.log(isolated_home, "bbbb-2", [("you", RULES["staging"])], cwd=there, day=1)
    with shop.opened(tmp_path) as memory:
        memory.learn()
        memory.remember("I am colour-blind, avoid red and green alone.", scope="global")
        in_shop = shop.told(memory, *QUESTIONS)
    with shop.opened(tmp_path, there) as memory:
        in_yard = shop.told(memory, *QUESTIONS)
    for found in (in_shop, in_yard):
        # A day is the person's, over all projects, and no agent sees it; so is a dream.
        for surface in ("dailies", "diaries", "dream"):
            found.pop(surface)
        assert {"digest", "rules", "an agent"} <= set(shop.telling(found, "colour-blind"))
    assert {"digest", "an agent"} <= set(shop.telling(in_shop, "cents"))
    assert {"digest", "an agent"} <= set(shop.telling(in_yard, "staging"))
    assert shop.telling(in_shop, "staging") == shop.telling(in_yard, "cents") == []


@pytest.mark.proves("B8")
@given(
    words=st.lists(st.sampled_from(sorted(RULES)), min_size=2, max_size=5, unique=True),
    split=st.integers(1, 4),
    place=st.integers(0, 4),
)
@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_forgetting_one_thing_removes_nothing_else_and_restoring_it_brings_all_back(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    split: int,
    place: int,
) -> None:
    folder = tmp_path_factory.mktemp("home")
    (folder / "home").mkdir()
    monkeypatch.setenv("HOME", str(folder / "home"))
    root = homes.shop(folder)
    for number, said in enumerate((words[:split], words[split:])):
        turns = [turn for word in said for turn in (("you", RULES[word]), ("agent", "I will."))]
        if turns:
            shop.log(folder / "home", f"aaaa-{number}", turns, cwd=root, day=number)
    gone = words[place % len(words)]
    with shop.opened(folder) as memory:
        memory.learn()
        before = shop.told(memory, *QUESTIONS)
        (item,) = [one for one in memory.memories() if gone in one.document.description]
        memory.forget(f"{item.store}:{item.name}")
        after = shop.told(memory, *QUESTIONS)
        assert shop.telling(after, gone) == []
        for word in set(words) - {gone}:
            # There may be room for more of what is left, never for less.
            assert set(shop.telling(before, word)) <= set(shop.telling(after, word))
        memory.restore(f"{item.store}:{item.name}")
        for word in words:
            back = set(shop.telling(shop.told(memory, *QUESTIONS), word))
            assert set(shop.telling(before, word)) <= back
