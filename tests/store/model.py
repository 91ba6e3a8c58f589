"""What a store should do, in plain dictionaries: the other side of the state machine."""

from hashlib import sha256
from typing import Any

from reverie import errors


def sha(content: str) -> str:
    return sha256(content.encode()).hexdigest()


def overlaps(one: str, other: str) -> bool:
    return one == other or one.startswith(other + "/") or other.startswith(one + "/")


class Model:
    """Stores by name. Each operation returns what it expects, or raises what it expects."""

    def __init__(self) -> None:
        self.stores: dict[str, dict[str, Any]] = {}

    def add_store(self, name: str) -> None:
        self.stores[name] = {"archived": False, "memories": {}, "versions": []}

    def create(self, store: str, path: str, content: str, new_id: str) -> dict[str, Any]:
        state = self._writable(store)
        self._check_free(state, path, None)
        return self._write(state, new_id, "created", path, content)

    def update(self, store, memory, content, path, if_sha256, if_version) -> dict[str, Any]:
        state = self._writable(store)
        head = self._head(state, memory)
        content = head["content"] if content is None else content
        path = head["path"] if path is None else path
        if (content, path) == (head["content"], head["path"]):
            return head
        if if_sha256 not in (None, sha(head["content"])):
            raise errors.PreconditionFailed("")
        if if_version not in (None, head["version"]):
            raise errors.PreconditionFailed("")
        self._check_free(state, path, head["id"])
        return self._write(state, head["id"], "modified", path, content)

    def delete(self, store, memory, if_sha256) -> None:
        state = self.stores[store]
        head = self._head(state, memory)
        if if_sha256 not in (None, sha(head["content"])):
            raise errors.PreconditionFailed("")
        del state["memories"][head["id"]]
        self._record(state, head["id"], "deleted", head["path"], None)

    def redact(self, store: str, index: int) -> None:
        state = self.stores[store]
        version = state["versions"][index]
        head = state["memories"].get(version["memory"])
        if head and head["version"] == version["number"]:
            raise errors.InvalidInput("")
        version.update(path=None, content=None, redacted=True)

    def restore(self, store: str, index: int) -> dict[str, Any]:
        state = self._writable(store)
        version = state["versions"][index]
        if version["redacted"] or version["content"] is None:
            raise errors.InvalidInput("")
        memory_id, content = version["memory"], version["content"]
        head = state["memories"].get(memory_id)
        if head is None:
            self._check_free(state, version["path"], None)
            return self._write(state, memory_id, "created", version["path"], content)
        if head["content"] == content:
            return head
        return self._write(state, memory_id, "modified", head["path"], content)

    def folded(self, store: str, prefix: str) -> list[str]:
        found = set()
        for path in self.paths(store):
            if path.startswith(prefix):
                name, slash, _ = path.removeprefix(prefix).partition("/")
                found.add(prefix + name + slash)
        return sorted(found, key=str.encode)

    def paths(self, store: str) -> list[str]:
        memories = self.stores[store]["memories"].values()
        return sorted((memory["path"] for memory in memories), key=str.encode)

    def _writable(self, store: str) -> dict[str, Any]:
        if self.stores[store]["archived"]:
            raise errors.Archived("")
        return self.stores[store]

    def _head(self, state: dict[str, Any], memory: str) -> dict[str, Any]:
        for head in state["memories"].values():
            if memory in (head["id"], head["path"]):
                return head
        raise errors.NotFound("")

    def _check_free(self, state: dict[str, Any], path: str, own: str | None) -> None:
        for head in state["memories"].values():
            if head["id"] != own and overlaps(path, head["path"]):
                raise errors.PathTaken("")

    def _write(self, state, memory_id, operation, path, content) -> dict[str, Any]:
        number = self._record(state, memory_id, operation, path, content)
        state["memories"][memory_id] = {
            "id": memory_id,
            "path": path,
            "content": content,
            "version": number,
        }
        return state["memories"][memory_id]

    def _record(self, state, memory_id, operation, path, content) -> int:
        number = 1 + sum(version["memory"] == memory_id for version in state["versions"])
        state["versions"].append(
            {
                "memory": memory_id,
                "number": number,
                "operation": operation,
                "path": path,
                "content": content,
                "redacted": False,
            }
        )
        return number
