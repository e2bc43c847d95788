"""Answers that are given again as they were written: made of kept analyses, for as long as these are kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from functools import partial
from typing import NamedTuple

import msgspec

from gammond.protocol.core.requests import KeptSource, Work

MAX_BYTES = 16 << 20
"""What all of them take, with what was asked and the analyses that they are made of."""

MAX_ANSWER_BYTES = 64 * 1024
"""The longest that is kept: some 300 plays."""

_QUESTION_BYTES = 2048
"""What a question takes: its position and match state, the settings, the places in tables."""


class _KeptAnswer(NamedTuple):
    """An answer as it is sent, without a tag, what it is made of, and how many bytes all that takes."""

    answer: bytes
    sources: tuple[KeptSource, ...]
    size: int


class KeptAnswers:
    """The answers that were given last; all in the thread that serves the clients.

    Args:
        max_bytes: What they may take; beyond, those that were asked for the longest ago go.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._answers: OrderedDict[Hashable, _KeptAnswer] = OrderedDict()
        self._bytes = 0

    def recall(self, key: Hashable) -> bytes | None:
        """Return the lines of the answer to a question, and count the visit; None if it would differ now.

        Args:
            key: All that the answer depends on beside the analyses.
        """
        if (found := self._answers.get(key)) is None:
            return None
        for source in found.sources:
            if not source.ask_again():
                self._forget(key)
                return None
        self._answers.move_to_end(key)
        return found.answer

    def keep_answer_of(self, work: Work, key: Hashable, before: bytes = b"") -> Work:
        """Return work whose answer is kept, if it is made of kept analyses and no time limit can cut it.

        Args:
            work: The work.
            key: As for `recall`.
            before: What the answer begins with that is not kept.
        """
        if not work.sources or work.deadline_s is not None:
            return work
        return msgspec.structs.replace(work, take_answer=partial(self._keep, key, work.sources, before))

    def _keep(self, key: Hashable, sources: tuple[KeptSource, ...], before: bytes, data: bytes) -> None:
        if len(data) > MAX_ANSWER_BYTES or not data.startswith(before):
            return
        self._forget(key)
        answer = data[len(before) :]
        size = _QUESTION_BYTES + len(answer) + sum(source.size for source in sources)
        self._answers[key] = _KeptAnswer(answer, sources, size)
        self._bytes += size
        while self._bytes > self._max_bytes:
            self._forget(next(iter(self._answers)))

    def _forget(self, key: Hashable) -> None:
        if (found := self._answers.pop(key, None)) is not None:
            self._bytes -= found.size
