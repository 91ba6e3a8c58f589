"""Every promise has its tests and every claim its promise."""

from scripts import requirements


def test_the_file_lists_exactly_the_tests_that_claim_each_row() -> None:
    written = requirements.FILE.read_text(encoding="utf-8")
    fresh = requirements.rendered(requirements.rows(), requirements.marks())
    assert written == fresh, "run `make docs`"


def test_no_row_counts_as_kept_without_a_test() -> None:
    bare = [
        f"{kind} {row['id']}"
        for kind, rows in requirements.rows().items()
        for row in rows
        if row["status"] == "kept" and not row["tests"]
    ]
    assert bare == []


def test_every_status_is_kept_or_open_and_every_id_stands_once() -> None:
    for rows in requirements.rows().values():
        assert {row["status"] for row in rows} <= {"kept", "open"}
        ids = [row["id"] for row in rows]
        assert len(ids) == len(set(ids))


def test_a_promise_and_a_hostile_case_never_share_an_id() -> None:
    promises, cases = ({row["id"] for row in rows} for rows in requirements.rows().values())
    assert promises & cases == set()


def test_an_open_row_that_has_tests_says_what_they_do_not_prove() -> None:
    for kind, rows in requirements.rows().items():
        for row in rows:
            wanted = row["status"] == "open" and bool(row["tests"])
            assert bool(row.get("missing")) == wanted, f"{kind} {row['id']}"


def test_no_test_claims_an_id_that_does_not_exist() -> None:
    known = {kind: {row["id"] for row in rows} for kind, rows in requirements.rows().items()}
    for kind, by_id in requirements.marks().items():
        assert set(by_id) <= known[kind]
