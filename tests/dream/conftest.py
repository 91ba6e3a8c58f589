"""What the truth database keeps of dreams is tested on both databases, like the stores."""

from tests.store.conftest import database_url, postgres_server, postgres_url

__all__ = ["database_url", "postgres_server", "postgres_url"]
