"""The composition root of the command line: configuration is read here, once, and passed down."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from reverie import config
from reverie.clock import Clock, system_clock
from reverie.config import Config, Settings


@dataclass
class App:
    """What a command needs: settings, places, the clock; databases are opened on first use."""

    config: Config
    clock: Clock = system_clock

    @classmethod
    def load(cls) -> "App":
        return cls(config.load())

    @property
    def settings(self) -> Settings:
        return self.config.settings

    @cached_property
    def home(self) -> Path:
        """The home, made with mode 0700 if it is not there yet."""
        self.config.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.config.home
