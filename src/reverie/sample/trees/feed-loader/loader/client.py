from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def with_retries(call: Callable[[], T], tries: int = 3) -> T:
    for _ in range(tries - 1):
        try:
            return call()
        except ConnectionError:
            continue
    return call()
