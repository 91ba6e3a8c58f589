"""`reverie worker`: runs what waits, and says how much that was."""

from tests.commands import Command


def test_a_worker_without_jobs_ends_when_it_is_told_to(command: Command) -> None:
    assert "0 dreams came to an end" in command("worker", "--once").err
