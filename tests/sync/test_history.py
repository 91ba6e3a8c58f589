"""Which state a set of versions stands for."""

import random
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.sync.history import Fact, State, conflict_path, derived_id, state_of, tips_of

TEXT = "a\nb\nc\nd\ne\nf\ng\n"


def fact(name: str, *parents: str, content: str | None = TEXT, path: str = "/n.md") -> Fact:
    return Fact(
        name, parents, path if content is not None else None, content, "user", None, None, name
    )


def state(*facts: Fact) -> State:
    return state_of({one.id: one for one in facts})


def test_one_tip_is_the_state():
    now = state(fact("1"), fact("2", "1", content="later\n"))
    assert (now.tips, now.content) == (("2",), "later\n")


def test_edits_of_different_lines_become_one_text():
    mine, theirs = TEXT.replace("a\n", "A\n"), TEXT.replace("g\n", "G\n")
    now = state(fact("1"), fact("2", "1", content=mine), fact("3", "1", content=theirs))
    assert now.content == "A\nb\nc\nd\ne\nf\nG\n"
    assert now.beside == ()


def test_edits_of_the_same_line_are_kept_as_both():
    now = state(fact("1"), fact("2", "1", content="A\n"), fact("3", "1", content="B\n"))
    assert (now.content, now.beside) == ("A\n", ("3",))


def test_an_edit_outlives_a_deletion_it_did_not_know_of():
    now = state(fact("1"), fact("2", "1", content=None), fact("3", "1", content="B\n"))
    assert now.content == "B\n"


def test_a_deletion_that_knew_the_edit_stands():
    now = state(fact("1"), fact("2", "1", content="B\n"), fact("3", "2", content=None))
    assert not now.live


def test_a_memory_that_a_sync_began_is_there_until_it_is_deleted():
    copy = fact("2", "of another memory")._replace(automatic=True)
    assert state(copy).live
    moved = fact("3", "2", path="/m.md")._replace(automatic=True)
    assert state(copy, moved).live
    assert not state(copy, moved, fact("4", "2", content=None)._replace(deleted=True)).live


def test_a_move_and_an_edit_are_both_kept():
    now = state(fact("1"), fact("2", "1", path="/m.md"), fact("3", "1", content="B\n"))
    assert (now.path, now.content) == ("/m.md", "B\n")


def test_what_one_put_away_stays_away_when_another_renamed_it():
    away = fact("3", "1", path="/archive/2026-01-01/n.md")
    now = state(fact("1"), fact("2", "1", path="/m.md"), away)
    assert now.path == "/archive/2026-01-01/n.md"


def test_the_words_of_two_are_trusted_as_the_less_trusted():
    mine = fact("2", "1", content=TEXT.replace("a\n", "A\n"))
    theirs = fact("3", "1", content=TEXT.replace("g\n", "G\n"))._replace(trust="agent")
    assert state(fact("1"), mine, theirs).trust == "agent"


def test_the_same_words_of_somebody_trusted_less_lower_nothing():
    mine, theirs = fact("2", "1", content="A\n"), fact("3", "1", content="A\n")
    assert state(fact("1"), mine, theirs._replace(trust="agent")).trust == "user"


def test_what_is_kept_beside_has_a_clear_name():
    assert conflict_path("/a/b.md", "12ab") == "/a/b.conflict-12ab.md"
    assert conflict_path("/a.d/b", "12ab") == "/a.d/b.conflict-12ab"


class Replica(NamedTuple):
    """One home as the rule sees it: a set of versions."""

    facts: dict[str, Fact]

    def edit(self, name: str, chance: random.Random) -> None:
        now = state_of(self.facts)
        if not now.live or chance.random() < 0.1:
            content = None if now.live else f"{chance.choice('xyz')}\n{TEXT}"
        else:
            lines = (now.content or "").splitlines(keepends=True) or ["a\n"]
            lines[chance.randrange(len(lines))] = f"{chance.choice('xyz')}\n"
            content = "".join(lines)
        path = chance.choice(["/n.md", "/m.md", now.path or "/n.md"])
        made = fact(name, *now.tips, content=content, path=path)
        self.facts[name] = made._replace(
            trust=chance.choice(["user", "agent"]), foreign=chance.random() < 0.3
        )

    def take(self, other: "Replica", chance: random.Random) -> None:
        """Some of what another has, in any order, parents first; and what is known again."""
        names = list(other.facts)
        chance.shuffle(names)
        wanted = set(names[: chance.randint(0, len(names))])
        moved = True
        while moved:
            moved = False
            for name in names:
                came = other.facts[name]
                if name in wanted and set(came.parents) <= self.facts.keys():
                    moved |= name not in self.facts
                    self.facts[name] = came


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 4), st.integers(1, 30))
def test_any_order_grouping_and_repetition_gives_the_same_state(seed: int, homes: int, steps: int):
    chance = random.Random(seed)
    first = fact("v")
    replicas = [Replica({"v": first}) for _ in range(homes)]
    for step in range(steps):
        one = chance.choice(replicas)
        if chance.random() < 0.5:
            one.edit(f"{chance.randrange(10**6):06}-{step}", chance)
        else:
            one.take(chance.choice(replicas), chance)
    union = {name: one for replica in replicas for name, one in replica.facts.items()}
    shuffled = list(union)
    chance.shuffle(shuffled)
    assert state_of({name: union[name] for name in shuffled}) == state_of(union)
    for replica in replicas:
        for other in chance.sample(replicas, len(replicas)):
            names = chance.sample(list(other.facts), len(other.facts))
            replica.facts.update((name, other.facts[name]) for name in names)
    last = state_of(union)
    assert [state_of(replica.facts) for replica in replicas] == [last] * homes
    # No words are lost: every tip that lives is in the text, or named to be kept beside, or waits.
    live = [union[tip] for tip in tips_of(union) if union[tip].live]
    if not last.waiting:
        assert (last.content is None) == (not live)
        assert set(last.beside) <= {one.id for one in live}
    assert all(union[one].foreign and one in tips_of(union) for one in last.waiting)


def theirs(name: str, *parents: str, content: str | None = TEXT, path: str = "/n.md") -> Fact:
    made = fact(name, *parents, content=content, path=path)
    return made._replace(trust="agent", foreign=True, deleted=content is None)


def test_a_persons_word_stays_and_what_others_make_of_it_waits():
    for other in (theirs("2", "1", content="B\n"), theirs("2", "1", content=None)):
        now = state(fact("1"), other)
        assert (now.tips, now.content, now.trust, now.waiting) == (("1",), TEXT, "user", ("2",))


def test_what_an_agent_of_theirs_said_is_changed_by_others_unless_it_is_pinned():
    said = fact("1")._replace(trust="agent")
    assert state(said, theirs("2", "1", content="B\n")).content == "B\n"
    text = "---\nname: n\ndescription: d\npinned: true\n---\n\nWords.\n"
    pinned = said._replace(content=text)
    assert state(pinned, theirs("2", "1", content="B\n")).waiting == ("2",)


def test_what_was_taken_over_waits_no_more():
    now = state(fact("1"), theirs("2", "1", content="B\n"), fact("3", "2", content="C\n"))
    assert (now.content, now.waiting) == ("C\n", ())


def test_what_others_repeat_does_not_wait():
    assert state(fact("1"), theirs("2", "1")).waiting == ()


def test_what_others_accepted_of_two_texts_does_not_wait():
    two = (fact("1"), fact("2", "1", content="A\n"), fact("3", "1", content="B\n"))
    now = state(*two)
    assert now.beside == ("3",)
    assert state(*two, theirs("4", "2", "3", content=now.content)).waiting == ()
    assert state(*two, theirs("4", "2", "3", content="C\n")).waiting == ("4",)


def test_an_edit_outlives_what_a_sync_put_away_and_keeps_what_that_followed():
    first, mine = fact("1", content="a\nb\nc\nd\n"), fact("2", "1", content="A\nb\nc\nd\n")
    away = fact("3", "2", content=mine.content, path="/archive/2026-03-01/n.md")
    away = away._replace(automatic=True)
    assert state(first, mine, away).path == away.path
    now = state(first, mine, away, fact("4", "1", content="a\nb\nc\nD\n"))
    assert (now.path, now.content) == ("/n.md", "A\nb\nc\nD\n")


def test_an_id_follows_from_what_it_is_made_of():
    assert derived_id("mem", "a", "b") == derived_id("mem", "a", "b")
    assert derived_id("mem", "ab") != derived_id("mem", "a", "b")
    assert len(derived_id("mem", "a")) == len("mem_") + 24
