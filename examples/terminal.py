"""A terminal for interactive sessions of a client, under tmux."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

TRIES = 10
TYPED_SECONDS = 20
SENT_SECONDS = 30


class Terminal:
    """Types into sessions of a client and reads their screens."""

    program: str
    project: Path
    env: dict[str, str]
    mark: str  # what a screen shows when it waits for a prompt

    @property
    def _tmux(self) -> list[str]:
        # A server of its own, so that nobody's sessions are touched.
        return ["tmux", "-L", f"reverie-{os.getpid()}-{id(self)}"]

    def open(self, name: str, *arguments: str, **more: str) -> None:
        """Start an interactive session; `more` is added to its environment."""
        exports = [f"{key}={value}" for key, value in {**self.env, **more}.items()]
        start = ["new-session", "-d", "-s", name, "-x", "160", "-y", "50", "-c", str(self.project)]
        command = [*self._tmux, *start, "env", "-i", *exports, self.program, *arguments]
        subprocess.run(command, check=True)

    def ready(self, name: str) -> None:
        """Wait for the prompt."""
        self.wait(lambda: self.mark in self.screen(name), name)

    def say(self, name: str, text: str, until: Callable[[], bool] | None = None) -> None:
        """Type a line and send it, `until` something shows that it arrived.

        A busy client loses keys, and takes those that come too fast for a paste.
        """
        for _ in range(TRIES):
            self._press(name, "-l", text)
            if self._comes(lambda: text[-20:] in self.screen(name), TYPED_SECONDS):
                break
            self._press(name, "C-u")
        for _ in range(TRIES):
            time.sleep(0.5)
            self._press(name, "Enter")
            if until is None or self._comes(until, SENT_SECONDS):
                return
        raise TimeoutError(f"the client did not take {text!r}:\n{self.screen(name)}")

    def _comes(self, true: Callable[[], bool], seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not true() and time.monotonic() < end:
            time.sleep(0.1)
        return true()

    def _press(self, name: str, *keys: str) -> None:
        # A session that has ended takes no keys; whoever waits for it sees that.
        command = [*self._tmux, "send-keys", "-t", name, *keys]
        subprocess.run(command, check=False, capture_output=True)

    def screen(self, name: str) -> str:
        command = [*self._tmux, "capture-pane", "-p", "-t", name]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def is_open(self, name: str) -> bool:
        command = [*self._tmux, "has-session", "-t", name]
        return not subprocess.run(command, capture_output=True, check=False).returncode

    def hang_up(self) -> None:
        """End every interactive session."""
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)

    def wait(self, ready: Callable[[], bool], name: str = "", seconds: float = 600) -> None:
        """Wait until something is so; shows the screen when it does not come."""
        if not self._comes(ready, seconds):
            raise TimeoutError(f"the client did not get there:\n{self.screen(name)}")
