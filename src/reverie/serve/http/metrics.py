"""Counts of requests, and the text that Prometheus reads.

Names of metrics and labels are constants of the program: nothing that a client sent is among them.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from reverie import __version__
from reverie.hosting.insight import State

MEDIA = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS = (0.005, 0.025, 0.1, 0.5, 2.5, 10.0)  # seconds


class Counters:
    """What one process answered. Written by its event loop alone; others read copies."""

    def __init__(self) -> None:
        self.answered: Counter[tuple[str, str, int]] = Counter()  # method, pattern of path, status
        self.within = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        self.answered[method, route, status] += 1
        self.within[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds


def text(counters: Counters, state: State) -> str:
    """All counts, in the form of Prometheus."""
    parts = [
        _family(
            "reverie_info", "gauge", "The version that runs.", {_labels(version=__version__): 1}
        ),
        _family(
            "reverie_http_requests_total",
            "counter",
            "Requests that this process answered.",
            {
                _labels(method=method, route=route, status=str(status)): many
                for (method, route, status), many in sorted(counters.answered.copy().items())
            },
        ),
        _seconds(counters),
        _family(
            "reverie_dreams",
            "gauge",
            "Dreams that were asked for.",
            {_labels(status=status): many for status, many in state.dreams.items()},
        ),
    ]
    for name, words, many in (
        ("stores", "Memory stores.", state.stores),
        ("memories", "Memories in all stores.", state.memories),
        ("versions", "Versions that were ever made.", state.versions),
        ("sessions", "Sessions that clients brought.", state.sessions),
    ):
        parts.append(_family(f"reverie_{name}", "gauge", words, {"": many}))
    return "".join(line + "\n" for part in parts for line in part)


def _seconds(counters: Counters) -> Iterable[str]:
    name = "reverie_http_request_seconds"
    yield f"# HELP {name} How long requests took."
    yield f"# TYPE {name} histogram"
    total = 0
    for bound, many in zip((*map(str, BOUNDS), "+Inf"), list(counters.within), strict=True):
        total += many
        yield f"{name}_bucket{_labels(le=bound)} {total}"
    yield f"{name}_sum {counters.seconds:.6f}"
    yield f"{name}_count {total}"


def _family(name: str, kind: str, words: str, samples: Mapping[str, float]) -> Iterator[str]:
    yield f"# HELP {name} {words}"
    yield f"# TYPE {name} {kind}"
    for labels, value in samples.items():
        yield f"{name}{labels} {value}"


def _labels(**labels: str) -> str:
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels.items()) + "}"
