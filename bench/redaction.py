"""How fast secrets are taken out of text, and how many are found, in one run.

    python -m bench.redaction [DIR]

Speed over the text of DIR's logs (of the bundled sample without DIR), beside `json.loads` of the
same text and beside the keyword pass alone; then recall and false positives on generated secrets in
places that were not looked at while the rules were written.
"""

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests import privacy_generator as generator

from reverie.privacy import Redactor
from reverie.privacy.rules import gate
from reverie.sample import place
from reverie.sessions.logs.discover import logs_under
from reverie.sessions.readers.agents import by_agent

SEEDS = range(100, 110)
MEGABYTES = 20


def texts(folder: Path) -> list[str]:
    """The texts of the turns below a folder, about twenty megabytes of them, from all over it."""
    logs = logs_under(folder)
    random.Random(1).shuffle(logs)
    found: list[str] = []
    size = 0
    for log in logs:
        for turn in by_agent(log.agent).open(log.path):
            found.append(turn.text)
            size += len(turn.text)
        if size > MEGABYTES * 1_000_000:
            break
    return found


def speed(name: str, work: Callable[[str], object], found: list[str]) -> None:
    size = sum(len(text.encode("utf-8", "replace")) for text in found) / 1e6
    times: list[float] = []
    for _ in range(3):
        start = time.process_time()
        for text in found:
            work(text)
        times.append(time.process_time() - start)
    print(f"{name:<28}{size / min(times):8.1f} MB/s")


def main() -> None:
    import tempfile

    redactor = Redactor(b"k" * 32)
    with tempfile.TemporaryDirectory() as scratch:
        place(Path(scratch))
        found = texts(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(scratch))
    if len(sys.argv) == 1:
        found *= 200
    quoted = {text: json.dumps(text) for text in found}
    speed("json.loads of the same text", lambda text: json.loads(quoted[text]), found)
    speed("keywords only", lambda text: gate().look(text.encode("utf-8", "replace")), found)
    speed("redact", redactor.redact, found)
    samples = [s for seed in SEEDS for s in generator.secrets(seed, generator.HELD_OUT)]
    missed = sum(generator.survives(s, redactor.redact(s.text)) for s in samples)
    innocent = [s for seed in SEEDS for s in generator.innocents(seed)]
    touched = sum(redactor.redact(s.text) != s.text for s in innocent)
    print(f"recall          {100 * (1 - missed / len(samples)):6.2f} % of {len(samples)} secrets")
    print(
        f"false positives {100 * touched / len(innocent):6.2f} % of {len(innocent)} innocent texts"
    )


if __name__ == "__main__":
    main()
