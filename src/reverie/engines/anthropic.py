"""Engine `anthropic`: the Messages API, with a key of the user's own.

The instructions come first and are marked for the provider's cache: they are the same for every
piece of a kind. The form of the answer is asked for as `output_config`; a server or model that does
not know it is asked in words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from reverie.engines.api import ApiModel, Said, anthropic_usage, fields, in_words, objects
from reverie.engines.http import Endpoint, checked, is_local
from reverie.engines.protocol import Limits, Prompt
from reverie.errors import Unavailable
from reverie.settings import Engines

URL = "https://api.anthropic.com"
VERSION = "2023-06-01"
KEY = "ANTHROPIC_API_KEY"

# What the API does not take in a schema; it is told in words instead, and checked here anyway.
_SIZES = frozenset(
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems"
    " minProperties maxProperties".split()
)


@dataclass(slots=True)
class Anthropic(ApiModel):
    """The Messages API at one address, with one model."""

    knows_schemas: bool = True  # until the server says otherwise

    path: ClassVar[str] = "/v1/messages"

    @property
    def name(self) -> str:
        return "anthropic"

    def request(self, prompt: Prompt, limits: Limits) -> dict[str, Any]:
        """Exactly what is sent for an assignment."""
        described = "" if self.knows_schemas else in_words(prompt.schema)
        text = {"type": "text", "text": prompt.instructions + described}
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": limits.output_tokens,
            "system": [text | {"cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": prompt.material}],
        }
        if self.knows_schemas:
            form = {"type": "json_schema", "schema": fitted(prompt.schema)}
            body["output_config"] = {"format": form}
        return body

    def read(self, reply: Mapping[str, Any]) -> Said:
        """What the server answered."""
        texts = [
            block.get("text") for block in objects(reply.get("content")) if block["type"] == "text"
        ]
        text = "".join(part for part in texts if isinstance(part, str))
        used = anthropic_usage(reply.get("usage"))
        stop = reply.get("stop_reason")
        if stop == "refusal":
            return Said(text, "refusal", used)
        cut = stop in {"max_tokens", "model_context_window_exceeded"}
        return Said(text, "too long" if cut else "done", used)

    def send_together(self, prompts: Mapping[str, Prompt], limits: Limits) -> str:
        """Send many at once, each by a name of its own, at half the price; the id of the batch.

        Raises:
            CallFailed: it was not taken.
        """
        requests = [
            {"custom_id": name, "params": self.request(prompt, limits)}
            for name, prompt in prompts.items()
        ]
        path = f"{self.path}/batches"
        return str(self.endpoint.post(path, {"requests": requests}, limits.seconds).get("id"))

    def is_answered(self, batch: str, seconds: float) -> bool:
        """Whether all of a batch is answered; it takes up to a day.

        Raises:
            CallFailed: the server does not say.
        """
        status = self.endpoint.get(f"{self.path}/batches/{batch}", seconds)
        return status.get("processing_status") == "ended"

    def answers_of(self, batch: str, seconds: float) -> dict[str, Said | None]:
        """What a batch brought, by the names of its requests; None where there is no answer.

        Raises:
            CallFailed: the server does not hand it out.
        """
        answers: dict[str, Said | None] = {}
        for row in self.endpoint.get_lines(f"{self.path}/batches/{batch}/results", seconds):
            result = fields(row.get("result"))
            good = result.get("type") == "succeeded"
            answers[str(row.get("custom_id"))] = (
                self.read(fields(result.get("message"))) if good else None
            )
        return answers

    def asks_for_less(self, refusal: str) -> bool:
        """Ask for the form in words if the server takes no schema."""
        asked = self.knows_schemas and any(word in refusal for word in ("output", "schema"))
        self.knows_schemas = self.knows_schemas and not asked
        return asked


def made(settings: Engines, environ: Mapping[str, str]) -> Anthropic:
    """The engine as the settings and the environment describe it.

    Raises:
        ConfigError: the address is none that a key may be sent to.
        Unavailable: there is no key.
    """
    address = settings.anthropic_base_url or environ.get("ANTHROPIC_BASE_URL") or URL
    url = checked(address, "engines.anthropic_base_url").removesuffix("/v1")
    key = environ.get(KEY, "")
    if not key and not is_local(url):
        raise Unavailable("engine anthropic needs a key", hint=f"put it into {KEY}")
    headers = {"anthropic-version": VERSION} | ({"x-api-key": key} if key else {})
    return Anthropic(Endpoint("the Anthropic API", url, headers, environ), settings.anthropic_model)


def fitted(schema: Any) -> Any:
    """A schema as the API takes it: nothing unnamed in objects, sizes in words."""
    if isinstance(schema, list):
        return [fitted(part) for part in cast("list[Any]", schema)]
    if not isinstance(schema, Mapping):
        return schema
    members = cast("Mapping[str, Any]", schema)
    sizes = {key: value for key, value in members.items() if _is_size(key, value)}
    kept = {key: fitted(value) for key, value in members.items() if key not in sizes}
    if sizes:
        notes = [members["description"]] if "description" in members else []
        kept["description"] = "; ".join([*notes, *(f"{key} {sizes[key]}" for key in sizes)])
    if members.get("type") == "object":
        kept["additionalProperties"] = False
    return kept


def _is_size(key: str, value: Any) -> bool:
    # The properties of an object may have any name; a size is a number.
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and (key in _SIZES or (key == "minItems" and value > 1))
