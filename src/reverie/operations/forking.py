"""Engine `claude-code` as a fork of the session that a piece is about."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from reverie.engines.claude_code import NAME, ClaudeCode
from reverie.engines.protocol import Answer, Limits, Prompt
from reverie.engines.receipts import Receipt, Receipts
from reverie.errors import Unavailable
from reverie.home import Home


class _Unkept(Receipts):
    """Whoever runs the engine checks the caps and keeps the receipt."""

    def add(self, receipt: Receipt) -> None:
        pass

    def check(self, run_usd: float, day_usd: float) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Fork:
    """The user's Claude Code."""

    home: Home
    program: str
    scratch: Path
    environ: Mapping[str, str]
    model: str

    @property
    def name(self) -> str:
        return NAME

    def answer(self, prompt: Prompt, limits: Limits) -> Answer:
        """Think about one assignment in a fork of its session.

        Raises:
            Unavailable: the client or the folder of the session is gone, or it does not answer.
        """
        session = self.home.index.session(prompt.session)
        folder = Path(session.cwd)
        if not session.cwd or not folder.is_dir():
            raise Unavailable(f"the folder of {session.key} is gone, so it cannot be forked")
        settings = replace(
            self.home.settings.engines,
            max_usd_per_run=limits.usd,
            timeout_seconds=int(limits.seconds),
        )
        receipts = _Unkept(self.home.config.home, self.home.clock)
        engine = ClaudeCode(self.program, self.scratch, settings, receipts, self.model)
        said = engine.ask(session.session_id, prompt.text, folder, self.environ)
        return Answer(said.text, said.receipt)
