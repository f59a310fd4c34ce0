"""Caches with a bound on what they hold, not on how often they were asked."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from ingest.types import Chunk

K = TypeVar("K", str, Chunk)
V = TypeVar("V")

ENTRY_CHARS = 100  # what an entry costs besides its characters


def size_of(key: str | Chunk) -> int:
    """Characters that a value was made from; it takes some 10 to 50 bytes for each."""
    if isinstance(key, str):
        return len(key)
    return len(key.text) + len(key.heading) + sum(len(each.text) for each in key.context)


def cached(chars: int) -> Callable[[Callable[[K], V]], Callable[[K], V]]:
    """Keep the newest values of a function of one text or passage; safe to call from threads.

    Args:
        chars: how many characters all texts may have together whose values are kept.
    """

    def wrap(function: Callable[[K], V]) -> Callable[[K], V]:
        held: OrderedDict[K, V] = OrderedDict()
        lock = threading.Lock()
        used = 0

        @wraps(function)
        def wrapped(key: K) -> V:
            nonlocal used
            with lock:
                if key in held:
                    held.move_to_end(key)
                    return held[key]
            value = function(key)
            cost = size_of(key) + ENTRY_CHARS
            with lock:
                if key not in held and cost <= chars:
                    held[key] = value
                    used += cost
                    while used > chars:
                        used -= size_of(held.popitem(last=False)[0]) + ENTRY_CHARS
            return value

        return wrapped

    return wrap
