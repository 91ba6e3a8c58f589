"""Forgetting runs on both databases, too."""

from tests.store.conftest import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]
