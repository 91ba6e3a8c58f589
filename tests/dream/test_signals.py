"""A run that is asked to stop leaves nothing behind that stops the next one."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.patience import SECONDS

from reverie.clock import system_clock
from reverie.db import leases
from reverie.store.store import Store

# Takes the lease as a dream does, says so, and then works for as long as it is let.
DREAMER = """
import sys
from reverie.clock import system_clock
from reverie.db import leases
from reverie.store.store import Store
store = Store.open(sys.argv[1])
leases.take(store.database, system_clock, "all", doing="a dream")
with store.database.atomic() as tx:
    tx.execute("INSERT INTO labels VALUES ('a:b#1', 'a:b', 'none', 'none', '2026')")
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.mark.hostile("K9")
@pytest.mark.parametrize("times", [1, 2])
def test_a_dream_that_is_terminated_leaves_no_lease_and_no_half_write(
    tmp_path: Path, times: int
) -> None:
    url = f"sqlite:///{tmp_path}/memory.db"
    with Store.open(url) as store:
        command = [sys.executable, "-c", DREAMER, url]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ
        ) as dreamer:
            assert dreamer.stdout is not None
            assert dreamer.stdout.readline() == b"ready\n"
            for _ in range(times):
                dreamer.send_signal(signal.SIGTERM)
            assert dreamer.wait(SECONDS) == -signal.SIGTERM
        assert store.database.query("SELECT count(*) FROM labels") == [(0,)]
        leases.take(store.database, system_clock, "all", "another:1", doing="a dream")
        assert store.verify() == []
