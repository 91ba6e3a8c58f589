"""The main jobs on the sample, by the Reverie of whichever Python runs this file.

    PYTHON tests/installed.py FOLDER

Only that package and the standard library are used; whatever fails ends it with a traceback.
"""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import HTTPCookieProcessor, Request, build_opener

from reverie.sample import NOW, place


class Person:
    """Somebody with the sample's logs, and a home that believes what scripts say."""

    def __init__(self, folder: Path) -> None:
        self.code = place(folder)
        settings = folder / ".reverie" / "config.toml"
        settings.parent.mkdir(mode=0o700)
        settings.write_text('[trust]\nscripts = "user"\n', encoding="utf-8")
        self.environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "REVERIE_NOW": NOW}

    def reverie(self, *words: str) -> str:
        command = [sys.executable, "-m", "reverie", *words]
        ran = subprocess.run(
            command, env=self.environ, cwd=self.code / "shop-api", text=True, capture_output=True
        )
        if ran.returncode:
            raise SystemExit(f"reverie {' '.join(words)}: {ran.returncode}\n{ran.stderr}")
        return ran.stdout

    @contextmanager
    def listening(self, *words: str, says: str) -> Generator[str]:
        """The address in the line by which a server `says` that it listens; it ends with the
        block."""
        command = [sys.executable, "-u", "-m", "reverie", *words]
        process = subprocess.Popen(
            command,
            env=self.environ,
            cwd=self.code / "shop-api",
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert process.stdout
        try:
            said: list[str] = []
            for line in process.stdout:
                said.append(line)
                if says in line:
                    break
            else:
                raise SystemExit(f"reverie {' '.join(words)} said no address:\n{''.join(said)}")
            yield next(word for word in said[-1].split() if word.startswith("http://"))
        finally:
            process.terminate()
            process.communicate(timeout=60)


def learns_and_recalls(person: Person) -> None:
    person.reverie("learn")
    person.reverie("dream")
    person.reverie("remember", "Invoices are numbered by the warehouse and never by hand.")
    assert "warehouse" in person.reverie("recall", "who numbers the invoices?")


def shows_its_page(person: Person) -> None:
    with person.listening("ui", "--no-open", says="Reverie is at") as link:
        parts = urlsplit(link)
        base = f"{parts.scheme}://{parts.netloc}"
        browser = build_opener(HTTPCookieProcessor(CookieJar()))
        word = parse_qs(parts.query)["word"][0]
        form = Request(
            f"{base}/login", urlencode({"word": word}).encode(), headers={"Origin": base}
        )
        assert "Today" in browser.open(form).read().decode()
        places = ("/memories?q=warehouse", "/review", "/sessions", "/insight", "/stores", "/doctor")
        for path in places:
            assert "</html>" in browser.open(base + path).read().decode(), path
        prompt = urlencode({"prompt": "who numbers the invoices?", "project": "shop-api"})
        assert "warehouse" in browser.open(f"{base}/playground?{prompt}").read().decode()


def serves_its_stores(person: Person) -> None:
    # The key comes on standard output, and nothing else does.
    made = json.loads(person.reverie("keys", "create", "--name", "smoke", "--all-stores", "--json"))
    key = next(value for value in _texts(made) if value.startswith("rvk_"))
    with person.listening("serve", "--port", "0", says="running on") as base:

        def sent(method: str, path: str, body: object = None) -> dict[str, object]:
            data = json.dumps(body).encode() if body is not None else None
            headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
            request = Request(base + path, data, headers, method=method)
            return json.load(build_opener().open(request))

        store = sent("POST", "/v1/memory_stores", {"name": "smoke"})["id"]
        memories = f"/v1/memory_stores/{store}/memories"
        sent("POST", memories, {"path": "/tea", "content": "Tea is served at four."})
        found = sent("POST", "/v1/reverie/search", {"query": "tea"})
        assert "Tea" in json.dumps(found), found


def syncs_what_nobody_else_reads(person: Person, remote: Path) -> None:
    remote.mkdir()
    person.reverie("sync", "--with", str(remote), "--encrypt")
    packs = [path.read_bytes() for path in remote.rglob("*") if path.is_file()]
    assert packs
    assert not any(b"warehouse" in pack for pack in packs)


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for one in value.values() for text in _texts(one)]  # type: ignore[misc]
    return [value] if isinstance(value, str) else []


def main() -> None:
    person = Person(Path(sys.argv[1]))
    learns_and_recalls(person)
    shows_its_page(person)
    serves_its_stores(person)
    syncs_what_nobody_else_reads(person, Path(sys.argv[1]) / "remote")
    # No server of the database is at hand; that both can be imported is what is left.
    importlib.import_module("psycopg")
    importlib.import_module("reverie.engines.anthropic")
    print("all of it works")


if __name__ == "__main__":
    main()
