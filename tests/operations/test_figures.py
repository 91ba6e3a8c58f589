"""What memory did, without a command line."""

from reverie.memory import Memory
from reverie.operations import figures


def test_what_helped_is_counted_per_month(read: Memory):
    found = figures.helped(read, project="app")
    assert [(one.month, one.turns) for one in found.periods] == [("2026-09", 2)]
    assert (found.stats.corrections, found.characters, found.tokens) == (0, 0, 0)
    assert figures.helped(read, since="2026-10-01").periods == []
