"""Where the official clients are installed: each version in an environment of its own."""

import os
from pathlib import Path

# Found before a test has a home of its own.
_PREFIX = Path(os.environ.get("REVERIE_TEST_SDKS", "~/.cache/reverie-sdks")).expanduser()
JAVASCRIPT = _PREFIX / "js" / "node_modules" / "@anthropic-ai" / "sdk" / "package.json"
PYTHON = ("2.8.0", "1.17.0", "0.100.0")


def python_of(version: str) -> str:
    """The interpreter of one version, which need not be there."""
    return str(_PREFIX / f"anthropic-{version}" / "bin" / "python")


def node(script: Path) -> list[str]:
    """Node with the JavaScript client as its first argument."""
    return ["node", str(script), str(JAVASCRIPT.parent)]
