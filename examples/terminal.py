"""A terminal for interactive sessions of a client, under tmux."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path


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

    def say(self, name: str, text: str) -> None:
        """Type a line and send it."""
        subprocess.run([*self._tmux, "send-keys", "-t", name, "-l", text], check=True)
        self.wait(lambda: text[-20:] in self.screen(name), name)
        subprocess.run([*self._tmux, "send-keys", "-t", name, "Enter"], check=True)

    def screen(self, name: str) -> str:
        command = [*self._tmux, "capture-pane", "-p", "-t", name]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def is_open(self, name: str) -> bool:
        command = [*self._tmux, "has-session", "-t", name]
        return not subprocess.run(command, capture_output=True, check=False).returncode

    def hang_up(self) -> None:
        """End every interactive session."""
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)

    def wait(self, ready: Callable[[], bool], name: str = "", seconds: float = 60) -> None:
        """Wait until something is so; shows the screen when it does not come."""
        end = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > end:
                raise TimeoutError(f"the client did not get there:\n{self.screen(name)}")
            time.sleep(0.1)
