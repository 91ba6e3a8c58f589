"""What the HTTP server works with: the stores as the holder of a key sees them.

A key never has a person's word. What it writes has the trust of an agent and its own id as author;
text that would have to be changed (a secret, a claim that only a person makes) is refused instead,
because clients compare the hashes of what they sent.
"""

from contextlib import suppress
from typing import TYPE_CHECKING

from reverie.errors import Busy, HoldsSecret, InvalidInput
from reverie.home import Home

if TYPE_CHECKING:
    from reverie.store.context import Deed, Redact
    from reverie.store.keys import Key
    from reverie.store.model import Author
    from reverie.store.store import Store


def store_for(home: Home, key: "Key") -> "Store":
    """The stores as the holder of a key sees them.

    What holds a secret is refused, not changed: clients compare hashes of what they sent.
    """
    from reverie.store.store import Store

    deeds: set[Deed] = set()
    if key.human:
        deeds.add("redact")
    if "admin" in key.scopes:
        deeds |= {"archive", "delete"}
    context = home.context._replace(
        redact=refusing(home.redact), may=frozenset(deeds), everywhere=key.all_stores
    )
    return Store(context).acting_as(key.principal)


def author_of(key: "Key", reason: str = "") -> "Author":
    """Who stands in the history of what a key writes: the key, never a person."""
    from reverie.store.model import Actor, Author

    return Author(Actor("key", key.id), reason, "agent")


def refusing(redact: "Redact") -> "Redact":
    """Instead of taking secrets out, say which rule saw one."""

    def refuse(text: str) -> str:
        clean = redact(text)
        if clean != text:
            from reverie.privacy.redactor import marks_in

            rules = sorted(set(marks_in(clean)) - set(marks_in(text))) or ["secret"]
            raise HoldsSecret(
                f"the text holds a secret (rule {', '.join(rules)}); nothing was written",
                hint="take it out, and change it wherever it was used",
            )
        return text

    return refuse


def refuse_claims(content: str, path: str = "") -> None:
    """Refuse a document that says of itself what only a person can: a pin, or their trust.

    Raises:
        InvalidInput: names the field.
    """
    if "pinned" not in content and "trust" not in content:
        return
    from reverie.documents.document import load
    from reverie.trust import TRUSTS, lowest

    document = load(content, path=path)
    if document.pinned:
        raise InvalidInput("only a person pins a memory: leave `pinned` out")
    if document.trust in TRUSTS and lowest(document.trust, "agent") != document.trust:
        raise InvalidInput(f"`trust: {document.trust}` is not a key's to give: leave it out")


def delete_store(home: Home, key: "Key", store_id: str) -> None:
    """Delete a store, and what is left of it in the bytes of the database.

    A reader that still holds old pages delays only the latter, until the next scrub.
    """
    store_for(home, key).delete_store(store_id)
    with suppress(Busy):
        home.store.scrub()
