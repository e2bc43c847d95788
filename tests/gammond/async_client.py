"""An `AsyncClient` beside a test that has no event loop."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from functools import partial


class FromThread:
    """An `AsyncClient` as a thread without an event loop can ask it.

    Args:
        client: The client.
        loop: Its loop, which runs in another thread.
    """

    def __init__(self, client, loop):
        self._client, self._loop = client, loop

    def __getattr__(self, name):
        def ask(*arguments, cancel=None, **options):
            if cancel is not None:
                options["cancel"] = there = asyncio.Event()
                follow = partial(self._loop.call_soon_threadsafe, there.set)
                cancel.followers.append(follow)
                if cancel.is_set():
                    follow()
            asked = getattr(self._client, name)(*arguments, **options)
            return asyncio.run_coroutine_threadsafe(asked, self._loop).result(120)

        return ask


@contextmanager
def open_async(make, *arguments, **options):
    """Have an `AsyncClient` in a loop in another thread, made by one of its methods."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        made = asyncio.run_coroutine_threadsafe(make(*arguments, **options), loop).result(60)
        try:
            yield FromThread(made, loop)
        finally:
            asyncio.run_coroutine_threadsafe(made.close(), loop).result(60)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
