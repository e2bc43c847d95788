"""What only the seat to act is told of a position: its legal plays, found once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from protocol.core.fault_log import FAULT_LOG
from protocol.core.requests import JsonReply
from protocol.tables.game_view import TableView
from protocol.tables.submission import Submit, WorkResult

TakeChoices = Callable[[dict[str, Any]], object]
"""Takes the keys that a state has for the seat to act."""


class ChoiceSource:
    """The choices of a position. Where it takes long to find them, a worker does.

    Args:
        view: The view of the game, at this position.
        submit: Has work done.
        client: The table, for shares of the threads.
    """

    def __init__(self, view: TableView, submit: Submit, client: object) -> None:
        self._waiting: list[TakeChoices] = []
        self._found: dict[str, Any] | None = None
        if work := view.plan_choices():
            submit(work, self._take_result, client)
        else:
            self._found = view.describe_choices()

    def give(self, take: TakeChoices) -> None:
        """Give the choices to a function: now, or once they are found."""
        if self._found is None:
            self._waiting.append(take)
        else:
            take(self._found)

    def _take_result(self, result: WorkResult) -> None:
        if isinstance(result, Exception):
            FAULT_LOG.log_own("the plays at a table were not found", result)
            self._found = {}
        else:
            self._found = dict(cast("JsonReply", result[-1]).document)
        for take in self._waiting:
            take(self._found)
        self._waiting.clear()
