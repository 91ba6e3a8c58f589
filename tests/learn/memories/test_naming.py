import pytest

from reverie.learn.memories.naming import name_from


@pytest.mark.parametrize(
    ("lesson", "name"),
    [
        ("Given the weight of the crane, store no load on deck.", "store-no-load-on-deck"),
        ("If there's fog, we should sound the horn twice.", "sound-horn-twice"),
        ("For old boats we keep paper logs, so every boat has one.", "old-boats-keep-paper-logs"),
        ("Get rid of the paper logbook (it is wet).", "drop-paper-logbook"),
        ("In this repo we want to sign the harbour log.", "sign-harbour-log"),
        ("Tests in boats/hull_test.go name the hull.", "tests-in-hull-test-name-hull"),
        ("From now on, coil the ropes.", "coil-ropes"),
        ("Before rain, go to the shed, and cover the hay.", "go-to-shed-cover-hay"),
        ("The tide table is hosted at https://tides.example/.", "tide-table"),
        (
            "For every lock in the canal there should be two keepers.",
            "two-keepers-in-lock-in-canal",
        ),
    ],
)
def test_a_name_says_what_is_to_be_done_and_not_when(lesson: str, name: str) -> None:
    assert name_from(lesson) == name


@pytest.mark.parametrize(
    ("lesson", "name"),
    [
        ("We don't need the old ferry timetable.", "no-old-ferry-timetable"),
        ("I don't want to have keys on the quay.", "no-keys-on-quay"),
        ("We can't moor without a pilot.", "do-not-moor-without-pilot"),
        ("Do not store any fuel in the boat house.", "no-fuel-in-boat-house"),
        (
            "Crew lists should not have any old home phone numbers.",
            "no-home-phone-numbers-in-crew-lists",
        ),
        ("Never sail on Mondays.", "never-sail-on-mondays"),
    ],
)
def test_a_name_begins_with_what_is_ruled_out(lesson: str, name: str) -> None:
    assert name_from(lesson) == name


@pytest.mark.parametrize(
    ("lesson", "name"),
    [
        (
            "Every new mooring of the harbour, also old ones, needs to have a number on a post.",
            "new-mooring-needs-number-on-post",
        ),
        ("Every boat in the yard needs an anchor light.", "boat-in-yard-needs-anchor-light"),
        ("Ropes that we can mend on board are always preferred.", "prefer-ropes"),
        (
            "Do not lift a crate without oak lid bolt locks. Crates should not have wet ropes.",
            "no-wet-ropes-in-crates",
        ),
    ],
)
def test_a_name_ends_where_a_phrase_does(lesson: str, name: str) -> None:
    assert name_from(lesson) == name


@pytest.mark.parametrize(
    ("lesson", "name"),
    [
        ("A berth needs to be booked by phone.", "book-berth-by-phone"),
        ("The harbour log must be signed by two keepers.", "sign-harbour-log-by-two-keepers"),
        ("Lamps should never be painted by hand.", "do-not-paint-lamps-by-hand"),
        ("Keys must not be copied.", "do-not-copy-keys"),
        ("Keys must not be lent.", "keys-do-not-lent"),
        ("Tide tables have to be kept for ten years.", "keep-tide-tables-for-ten-years"),
        ("We should be counting the whole catch.", "count-whole-catch"),
        # Who does it, or that it is so, is no order.
        ("Lamps are painted by the keeper.", "lamps-painted-by-keeper"),
        ("The bell must be loud.", "bell-loud"),
    ],
)
def test_what_is_to_be_done_with_a_thing_is_called_by_its_verb(lesson: str, name: str) -> None:
    assert name_from(lesson) == name


@pytest.mark.parametrize(
    ("lesson", "name"),
    [
        ("I want every boat to have two oars.", "boat-needs-two-oars"),
        ("We're happy to open both locks at night.", "open-both-locks-at-night"),
        ("We decided to keep the old crane.", "keep-old-crane"),
        ("I don't want to paint the oars.", "do-not-paint-oars"),
        ("I don't like wet ropes on deck.", "no-wet-ropes-on-deck"),
        ("We don't sell bait any more.", "do-not-sell-bait"),
        ("Do not ring the bell, read the log.", "do-not-ring-bell"),
        ("When fog comes up we should call the harbour office.", "call-harbour-office"),
    ],
)
def test_a_name_leaves_out_who_wants_it(lesson: str, name: str) -> None:
    assert name_from(lesson) == name
