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
            "new-mooring-number-on-post",
        ),
        ("Every boat in the yard needs an anchor light.", "boat-in-yard-needs-anchor-light"),
        ("Ropes that we can mend on board are always preferred.", "ropes-preferred"),
        (
            "Do not lift a crate without oak lid bolt locks. Crates should not have wet ropes.",
            "no-wet-ropes-in-crates",
        ),
    ],
)
def test_a_name_ends_where_a_phrase_does(lesson: str, name: str) -> None:
    assert name_from(lesson) == name
