"""Threads that do not wait for the compiler, while they do quick work for clients.

A kernel takes seconds to compile, once. In the thread that serves the clients it would keep all of them
waiting, and the signals that end the process too. So quick work that meets such a kernel there is broken off,
and a worker does it anew, as a whole. What changes something meets none (`gammond.protocol.state.readiness`).
"""

from __future__ import annotations

import threading


class UncompiledKernel(BaseException):
    """A kernel must be compiled or loaded first, for which a prompt thread does not wait.

    Whatever takes errors for answers lets it through, as it does the end of the process.
    """


class _Promptness(threading.local):
    """Whether the calling thread is prompt; as a context, it makes that so in its block.

    From the block an `UncompiledKernel` may be raised, so that nothing may have been changed before.
    """

    is_given = False

    def __enter__(self) -> None:
        self.is_given = True

    def __exit__(self, *_: object) -> None:
        self.is_given = False


PROMPTNESS = _Promptness()
"""That of the threads of this process."""


def check_may_wait() -> None:
    """Check that the calling thread may wait for the compiler.

    Raises:
        UncompiledKernel: It may not.
    """
    if PROMPTNESS.is_given:
        raise UncompiledKernel
