"""A plain-dict model, SQLite and PostgreSQL do the same things side by side, and stay the same."""

import itertools
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.databases import PATIENT
from tests.store.model import Model, sha

from reverie.clock import fixed
from reverie.errors import ReverieError
from reverie.store.model import Actor, Author
from reverie.store.store import Store

BY = Author(Actor("agent", "s1"), "machine", "agent")
PATHS = ("/a", "/a/b", "/a/b/c", "/b", "/B", "/日/本.md", "/a.b")
CONTENTS = ("", "one", "two words", "zwei\r\nZeilen", "é")

paths = st.sampled_from(PATHS)
contents = st.sampled_from(CONTENTS)
names = st.sampled_from(("first", "second", "third"))


class Machine(RuleBasedStateMachine):
    """Ids are counted, not random, so that the databases can be compared row by row."""

    urls: tuple[str, ...] = ()

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.counters: dict[str, Iterator[int]] = {
            url: itertools.count(1) for url in self.targets()
        }
        self.stores = {url: self.open(url) for url in self.targets()}
        self.model = Model()

    def targets(self) -> tuple[str, ...]:
        return (f"sqlite:///{self.folder}/memory.db", *self.urls)

    def open(self, url: str) -> Store:
        def counted(prefix: str, clock: object) -> str:
            return f"{prefix}_{next(self.counters[url]):024d}"

        return Store.open(url, clock=fixed("2026-03-01"), limits=PATIENT, new_id=counted)

    def both(self, expected, call) -> Any:
        """Do it everywhere; all return the same value or raise the same error."""
        try:
            wanted, error = expected(), None
        except ReverieError as caught:
            wanted, error = None, type(caught)
        for store in self.stores.values():
            if error is not None:
                with pytest.raises(error):
                    call(store)
                continue
            got = call(store)
            if isinstance(wanted, dict):
                found = {key: getattr(got, key) for key in wanted}
                assert found == wanted
        return wanted

    @initialize()
    def first_store(self) -> None:
        self.make("first")

    @rule(name=names)
    def make(self, name: str) -> None:
        if name not in self.model.stores:
            self.model.add_store(name)
            for store in self.stores.values():
                store.create_store(name)

    def known(self, data, name: str) -> list[str]:
        versions = self.model.stores[name]["versions"]
        return [*PATHS, *sorted({version["memory"] for version in versions})]

    def store_name(self, data) -> str:
        return data.draw(st.sampled_from(sorted(self.model.stores)), "store")

    @rule(data=st.data(), path=paths, content=contents)
    def create(self, data, path: str, content: str) -> None:
        name = self.store_name(data)
        # What the model calls a new memory is what the databases will call it.
        upcoming = f"mem_{self.peek():024d}"
        self.both(
            lambda: self.model.create(name, path, content, upcoming),
            lambda store: store.create(name, path, content, BY),
        )

    def peek(self) -> int:
        numbers = set()
        for url, counter in self.counters.items():
            number = next(counter)
            self.counters[url] = itertools.chain([number], counter)
            numbers.add(number)
        assert len(numbers) == 1
        return numbers.pop()

    @rule(data=st.data())
    def update(self, data) -> None:
        name = self.store_name(data)
        memory = data.draw(st.sampled_from(self.known(data, name)), "memory")
        content = data.draw(st.none() | contents, "content")
        path = data.draw(st.none() | paths, "path")
        if content is None and path is None:
            return
        if_sha256 = data.draw(st.none() | contents.map(sha), "if_sha256")
        if_version = data.draw(st.none() | st.integers(1, 4), "if_version")
        self.both(
            lambda: self.model.update(name, memory, content, path, if_sha256, if_version),
            lambda store: store.update(
                name,
                memory,
                content=content,
                path=path,
                if_sha256=if_sha256,
                if_version=if_version,
                by=BY,
            ),
        )

    @rule(data=st.data(), if_sha256=st.none() | contents.map(sha))
    def delete(self, data, if_sha256: str | None) -> None:
        name = self.store_name(data)
        memory = data.draw(st.sampled_from(self.known(data, name)), "memory")
        self.both(
            lambda: self.model.delete(name, memory, if_sha256),
            lambda store: store.delete(name, memory, if_sha256=if_sha256, by=BY),
        )

    def version_of(self, data, name: str) -> int:
        return data.draw(st.integers(0, len(self.model.stores[name]["versions"]) - 1), "version")

    def version_id(self, store: Store, name: str, index: int) -> str:
        return store.versions(name, limit=1000).items[-1 - index].id

    @precondition(lambda self: any(s["versions"] for s in self.model.stores.values()))
    @rule(data=st.data())
    def redact(self, data) -> None:
        name = self.store_name(data)
        if self.model.stores[name]["versions"]:
            index = self.version_of(data, name)
            self.both(
                lambda: self.model.redact(name, index),
                lambda store: store.redact(self.version_id(store, name, index), BY),
            )

    @precondition(lambda self: any(s["versions"] for s in self.model.stores.values()))
    @rule(data=st.data())
    def restore(self, data) -> None:
        name = self.store_name(data)
        if self.model.stores[name]["versions"]:
            index = self.version_of(data, name)
            memory = self.model.stores[name]["versions"][index]["memory"]
            self.both(
                lambda: self.model.restore(name, index),
                lambda store: store.restore(name, memory, self.version_id(store, name, index), BY),
            )

    @precondition(lambda self: len(self.model.stores) > 1)
    @rule(data=st.data())
    def archive(self, data) -> None:
        name = self.store_name(data)
        self.model.stores[name]["archived"] = True
        for store in self.stores.values():
            store.archive_store(name)

    @rule(data=st.data(), prefix=st.sampled_from(("/", "/a/", "/a/b/", "/none/")))
    def look(self, data, prefix: str) -> None:
        name = self.store_name(data)
        for store in self.stores.values():
            seen: list[str] = []
            page = store.list(name, prefix, depth=1, limit=2)
            while True:
                seen += [item.path for item in page.items]
                if page.next_page is None:
                    break
                page = store.list(name, prefix, depth=1, limit=2, page=page.next_page)
            assert seen == self.model.folded(name, prefix)

    @rule()
    def crash_and_reopen(self) -> None:
        """A process dies inside a transaction that has changed everything."""
        for url, store in list(self.stores.items()):
            with store.database.lend() as connection:
                connection.execute("BEGIN")
                connection.execute("UPDATE versions SET content = 'never committed'")
                connection.execute("UPDATE stores SET sequence = 999")
                connection.close()
            store.close()
            self.stores[url] = self.open(url)

    @invariant()
    def all_agree(self) -> None:
        for store in self.stores.values():
            for name, state in self.model.stores.items():
                heads = {memory.id: memory for memory in store.walk(name)}
                assert {
                    key: {"id": m.id, "path": m.path, "content": m.content, "version": m.version}
                    for key, m in heads.items()
                } == state["memories"]
                assert [
                    {
                        "memory": v.memory_id,
                        "number": v.number,
                        "operation": v.operation,
                        "path": v.path,
                        "content": v.content,
                        "redacted": v.redacted_at is not None,
                    }
                    for v in reversed(store.versions(name, limit=1000).items)
                ] == state["versions"]

    @invariant()
    def the_chain_adds_up(self) -> None:
        assert all(store.verify() == [] for store in self.stores.values())

    def teardown(self) -> None:
        for store in self.stores.values():
            assert store.database.damage() == []
            for info in store.stores(archived=True):
                store.delete_store(info.id)
            store.close()
        shutil.rmtree(self.folder)


def drive(machine: type[Machine], examples: int) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )


@pytest.mark.proves("C3", "C4")
def test_sqlite_agrees_with_the_model():
    drive(Machine, 40)


@pytest.mark.needs("postgres")
@pytest.mark.proves("C3", "C4")
@pytest.mark.hostile("DO2")
def test_sqlite_and_postgresql_agree_with_the_model(postgres_url: str):
    drive(type("Both", (Machine,), {"urls": (postgres_url,)}), 20)
