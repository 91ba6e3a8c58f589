"""Files that go along with whatever is added to a folder."""

import pytest
from tests.dream.weeks import seen, weeks

INDEX = ("edit: notes/INDEX.md", "ok: done")


def adding(number: int, *then: str) -> str:
    note = (f"edit: notes/open/{number}.md", "ok: done")
    return "\n".join(["human: note it", *note, *then])


def orders(*scripts: str) -> list[str]:
    return [rows[0].order for rows in seen(weeks(*scripts), "overlap").values()]


def test_a_file_that_is_changed_with_each_new_entry_is_told_with_the_folder() -> None:
    scripts = [adding(n, *INDEX) for n in range(4)] + [adding(4)]
    assert orders(*scripts, "human: go on\nedit: src/a.py\nok: done") == [
        "When you add or move a file in `notes/open/`, update `notes/INDEX.md` as well"
    ]


def test_an_entry_that_is_moved_counts_as_one_that_is_changed() -> None:
    moved = "human: close it\nrun: mv notes/open/{0}.md notes/done/{0}.md\nok: \n"
    scripts = [moved.format(n) + "\n".join(INDEX) for n in range(4)]
    assert len(orders(*scripts)) == 1


@pytest.mark.parametrize(("alone", "elsewhere"), [(3, 0), (0, 3)])
def test_a_file_that_is_changed_by_itself_or_left_out_goes_with_no_folder(
    alone: int, elsewhere: int
) -> None:
    scripts = [adding(n, *INDEX) for n in range(4)]
    scripts += [adding(9 + n) for n in range(alone)]
    scripts += ["\n".join(["human: tidy up", *INDEX])] * elsewhere
    assert orders(*scripts) == []


def test_a_folder_in_which_the_same_file_is_worked_on_holds_no_entries() -> None:
    script = "\n".join(["human: go on", "edit: src/ui/panel.py", "ok: done", *INDEX])
    assert orders(*[script] * 5) == []
