"""Engine `openai`: chat completions of OpenAI or of any server that speaks like it.

Ollama, vLLM, llama.cpp, LM Studio and OpenRouter do. The form of the answer is asked for as a JSON
schema; a server that refuses that is asked for any JSON object, and then in words alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from reverie.engines.api import ApiModel, Said, counted, fields, in_words, objects
from reverie.engines.http import Endpoint, checked, is_local
from reverie.engines.prices import Usage
from reverie.engines.protocol import Limits, Prompt
from reverie.errors import ConfigError, Unavailable
from reverie.settings import Engines

URL = "https://api.openai.com/v1"

Form = Literal["schema", "object", "words"]
_NEXT: dict[Form, Form] = {"schema": "object", "object": "words"}
_OF_THE_FORM = ("response_format", "json_schema", "schema", "grammar", "json_object")


@dataclass(slots=True)
class OpenAI(ApiModel):
    """Chat completions at one address, with one model."""

    form: Form = "schema"
    # OpenAI's own name for it; older servers pass over a name that they do not know.
    limit: str = "max_tokens"

    path: ClassVar[str] = "/chat/completions"

    @property
    def name(self) -> str:
        return "openai"

    def request(self, prompt: Prompt, limits: Limits) -> dict[str, Any]:
        """Exactly what is sent for an assignment."""
        described = "" if self.form == "schema" else in_words(prompt.schema)
        body: dict[str, Any] = {
            "model": self.model,
            self.limit: limits.output_tokens,
            "messages": [
                {"role": "system", "content": prompt.instructions + described},
                {"role": "user", "content": prompt.material},
            ],
        }
        if self.form == "schema":
            # OpenAI holds a model to a form only if that is closed; others do so always.
            strict = prompt.schema.get("additionalProperties") is False
            schema = {"name": "answer", "schema": dict(prompt.schema), "strict": strict}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif self.form == "object":
            body["response_format"] = {"type": "json_object"}
        return body

    def read(self, reply: Mapping[str, Any]) -> Said:
        """What the server answered."""
        choice = [*objects(reply.get("choices")), fields(None)][0]
        message = fields(choice.get("message"))
        content = message.get("content")
        text = content if isinstance(content, str) else ""
        used = _usage(fields(reply.get("usage")))
        end = choice.get("finish_reason")
        if message.get("refusal") or end == "content_filter":
            return Said(text, "refusal", used)
        return Said(text, "too long" if end == "length" else "done", used)

    def asks_for_less(self, refusal: str) -> bool:
        """Name the limit otherwise, or ask for less of a form."""
        if "max_completion_tokens" in refusal and self.limit == "max_tokens":
            self.limit = "max_completion_tokens"
            return True
        if self.form in _NEXT and any(word in refusal for word in _OF_THE_FORM):
            self.form = _NEXT[self.form]
            return True
        return False


def made(settings: Engines, environ: Mapping[str, str]) -> OpenAI:
    """The engine as the settings and the environment describe it.

    Raises:
        ConfigError: no model is named, or the address is none that a key may be sent to.
        Unavailable: there is no key.
    """
    address = settings.openai_base_url or environ.get("OPENAI_BASE_URL") or URL
    url = checked(address, "engines.openai_base_url")
    if not settings.openai_model:
        raise ConfigError("engine openai needs a model", hint="set engines.openai_model")
    key = environ.get(settings.openai_key_variable, "")
    if not key and not is_local(url):
        hint = f"put it into {settings.openai_key_variable}"
        raise Unavailable("engine openai needs a key", hint=hint)
    headers = {"authorization": f"Bearer {key}"} if key else {}
    endpoint = Endpoint("the model's server", url, headers, environ)
    limit = "max_completion_tokens" if url == URL else "max_tokens"
    return OpenAI(endpoint, settings.openai_model, limit=limit)


def _usage(usage: Mapping[str, Any]) -> Usage | None:
    if not usage:
        return None
    cached = counted(fields(usage.get("prompt_tokens_details")), "cached_tokens")
    asked = counted(usage, "prompt_tokens")
    return Usage(max(0, asked - cached), counted(usage, "completion_tokens"), cached)
