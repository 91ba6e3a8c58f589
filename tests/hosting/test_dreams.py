"""Dreams as jobs: what they read and write, and what stops them."""

from reverie.hosting import dreams, jobs
from reverie.hosting.guests import Guest
from reverie.hosting.home import ServerHome
from tests.hosting.nights import DUPLICATES, brought


def heads(home: ServerHome, store: str) -> dict[str, str]:
    return {entry.path: entry.content_sha256 for entry in home.store.manifest(store)}


def run(home: ServerHome, job: jobs.Job) -> jobs.Job:
    claimed = jobs.claim(home.database, home.clock)
    assert claimed is not None
    assert claimed[0].id == job.id
    dreams.run(home, job.id, claimed[1])
    return jobs.find(home.database, job.id)


def test_a_dream_with_a_lag_and_a_duplicate(home: ServerHome, guest: Guest, notes: str) -> None:
    ids = [one.id for one in brought(home, guest)]
    before = heads(home, notes)
    job = dreams.ask(home, guest, store=notes, session_ids=ids[::-1], model="rules")
    assert job.sessions == tuple(sorted(ids))
    done = run(home, job)
    print(done)
    for e in __import__("reverie.hosting.sessions", fromlist=["x"]).walk(home.database, done.session):
        print(e)
    assert done.status == "completed"
    assert heads(home, notes) == before
    for m in home.store.walk(done.output):
        print(m.path, m.trust); print(m.content)
    assert 0
