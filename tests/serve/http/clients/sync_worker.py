"""Two sync workers of the official client on one store, as two sessions at once would run them.

    python sync_worker.py URL KEY FOLDER FILES

Each downloads the store, writes, edits and deletes files of its own, and both edit the same file.
Prints, as JSON, what each wrote, what the store holds in the end, and how many writes a further
sync of unchanged folders makes.
"""

import asyncio
import importlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

anthropic: Any = importlib.import_module("anthropic")
workers: Any = importlib.import_module("anthropic.lib.tools._memories")


class Counting:
    """Counts the requests of a client that change something."""

    def __init__(self) -> None:
        self.writes = 0

    async def seen(self, request: Any) -> None:
        self.writes += request.method != "GET"


async def worker(url: str, key: str, folder: Path, store: str, access: str = "read_write") -> Any:
    count = Counting()
    http = anthropic.DefaultAsyncHttpxClient(event_hooks={"request": [count.seen]})
    client = anthropic.AsyncAnthropic(
        base_url=url, api_key=key, http_client=http, _strict_response_validation=True
    )
    stores = workers.SessionMemoryStores(client, workdir=folder)
    attached = SimpleNamespace(
        type="memory_store",
        memory_store_id=store,
        access=access,
        name="notes",
        mount_path=str(folder / "mount"),
    )
    await stores.download(SimpleNamespace(resources=[attached]))
    return SimpleNamespace(
        stores=stores, root=folder / "mount", count=count, client=client, sync=stores._sync_all
    )


def files_of(root: Path) -> dict[str, str]:
    return {
        str(file.relative_to(root)): file.read_text(encoding="utf-8")
        for file in sorted(root.rglob("*"))
        if file.is_file() and file.name != workers.MARKER_PATH
    }


async def listed(client: Any, store: str) -> dict[str, str]:
    memories = client.beta.memory_stores.memories
    return {m.path.lstrip("/"): m.content async for m in memories.list(store, view="full")}


async def run(url: str, key: str, folder: Path, files: int) -> dict[str, Any]:
    first = anthropic.AsyncAnthropic(base_url=url, api_key=key)
    store = (await first.beta.memory_stores.create(name="notes")).id
    await first.beta.memory_stores.memories.create(store, path="/shared.md", content="shared 0")
    both = [await worker(url, key, folder / name, store) for name in ("a", "b")]
    wrote: dict[str, str] = {}
    for round_ in range(3):
        for number, one in enumerate(both):
            for n in range(files // 2):
                name = f"w{number}/f{n:03}.md"
                if round_ and n % 10 != round_:
                    continue
                wrote[name] = f"worker {number} file {n} round {round_} é\n"
                file = one.root / name
                file.parent.mkdir(exist_ok=True)
                file.write_text(wrote[name], encoding="utf-8")
            (one.root / "shared.md").write_text(f"shared {round_} by {number}", encoding="utf-8")
        await asyncio.gather(*(one.sync(final=False) for one in both))
        await asyncio.gather(*(one.sync(final=False) for one in both))
    for one in both:
        one.count.writes = 0
    await asyncio.gather(*(one.sync(final=False) for one in both))
    await asyncio.gather(*(one.sync(final=False) for one in both))
    steady = sum(one.count.writes for one in both)
    reader = await worker(url, key, folder / "reader", store, "read_only")
    (reader.root / "mine.md").write_text("not pushed", encoding="utf-8")
    for n in range(3):
        gone = f"w0/f{n:03}.md"
        (both[0].root / gone).unlink()
        del wrote[gone]
    await both[0].stores.finish()
    await both[1].stores.finish()
    await reader.stores.finish()
    held = await listed(first, store)
    told = {
        "store": store,
        "wrote": wrote,
        "held": held,
        "mounts": [files_of(one.root) for one in both],
        "steady_writes": steady,
        "reader_writes": reader.count.writes,
    }
    for one in (*both, reader):
        await one.stores.dispose()
        await one.client.close()
    await first.close()
    return told


def main() -> None:
    url, key, folder, files = sys.argv[1:5]
    print(json.dumps(asyncio.run(run(url, key, Path(folder), int(files)))))


if __name__ == "__main__":
    main()
