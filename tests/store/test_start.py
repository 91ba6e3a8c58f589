"""Opening the store is light: what it does not need is not loaded."""

import subprocess
import sys

from reverie.store.store import Store

HEAVY = ("yaml", "msgspec", "psycopg", "re2", "rich", "numpy", "click", "importlib.resources")


def test_opening_an_existing_store_loads_nothing_heavy(sqlite_store: Store):
    code = f"""
import sys
from reverie.store.store import Store
with Store.open({sqlite_store.database.url!r}) as store:
    assert store.find_store("notes").memories == 0
print([name for name in {HEAVY!r} if name in sys.modules])
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"
