"""Named points at which a test may kill the process.

`REVERIE_TEST_KILL_AT=after_commit` kills at the first pass of that point, and
`after_commit=0.02,before_write=0.02` at each pass with that chance. Unset, which is always outside
tests, a point is one comparison. The points: `before_write`, `after_write` (before commit),
`after_commit` (before the answer), `mid_migration`, `mid_redact` (before scrubbing), `mid_copy`,
of a dream: `dream_begun`, `dream_` and the name of a step, `dream_offered` (before commit), of
learning: `followed` (before it is noted), `learn_read`, `learn_written` (before the session is
marked), `learn_marked`, of a sync of folders: `sync_file` (after each), `sync_shown` (before it is
noted), and of an exchange with other machines: `sync_arrived` (before commit), `sync_taken`,
`sync_draft` (before a pack has its name), `sync_pack` (after each), `sync_rejected` (by git),
`sync_sent` (before it is noted), `sync_noted`.
"""

import os

_armed = os.environ.get("REVERIE_TEST_KILL_AT", "")


def arm(points: str) -> None:
    """Set the points of this process, for a harness that forks instead of starting anew."""
    global _armed
    _armed = points


def reached(name: str) -> None:
    """Die here with −9 if a test asked for it."""
    if _armed:
        _perhaps_die(name)


def _perhaps_die(name: str) -> None:
    import random
    import signal

    for part in _armed.split(","):
        point, _, chance = part.partition("=")
        if point == name and random.random() < float(chance or 1):  # noqa: S311
            os.kill(os.getpid(), signal.SIGKILL)
