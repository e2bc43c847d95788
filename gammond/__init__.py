"""gammond, a backgammon engine: evaluate positions, rank plays, decide about the cube, roll out.

In this process::

    import gammond

    engine = gammond.Engine()
    print(engine.rank(gammond.Position.start(), (3, 1), plies=2))

Over the wire, `Client` and `AsyncClient` ask a server the same questions. ``docs/reference/api.md`` has all
of it. The packages behind (engine, nets, protocol, tools) are internal: this one is stable, they are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gammond._finder import install_finder

install_finder()

if TYPE_CHECKING:
    from gammond.aio import AsyncClient
    from gammond.client import Client
    from gammond.engine import Engine
    from gammond.errors import (
        CancelledWork,
        ConnectionLost,
        DataFileError,
        FormatError,
        GammondError,
        LimitError,
        PlayError,
        PositionError,
        ServerError,
        StateError,
        UnsupportedError,
        ValueRangeError,
    )
    from gammond.match import Dice, MatchState
    from gammond.position import Board, Play, Position, parse, stack_boards
    from gammond.results import (
        CubeDecision,
        Evaluation,
        Evaluations,
        Outcome,
        PlayEvaluation,
        PlayRollout,
        RankedPlays,
        Rollout,
        RolloutEstimate,
    )

    __version__: str

__all__ = [
    "AsyncClient",
    "Board",
    "CancelledWork",
    "Client",
    "ConnectionLost",
    "CubeDecision",
    "DataFileError",
    "Dice",
    "Engine",
    "Evaluation",
    "Evaluations",
    "FormatError",
    "GammondError",
    "LimitError",
    "MatchState",
    "Outcome",
    "Play",
    "PlayError",
    "PlayEvaluation",
    "PlayRollout",
    "Position",
    "PositionError",
    "RankedPlays",
    "Rollout",
    "RolloutEstimate",
    "ServerError",
    "StateError",
    "UnsupportedError",
    "ValueRangeError",
    "__version__",
    "parse",
    "stack_boards",
]

_PLACES = {
    "AsyncClient": "aio",
    "Client": "client",
    "Engine": "engine",
    **dict.fromkeys(
        (
            "CancelledWork",
            "ConnectionLost",
            "DataFileError",
            "FormatError",
            "GammondError",
            "LimitError",
            "PlayError",
            "PositionError",
            "ServerError",
            "StateError",
            "UnsupportedError",
            "ValueRangeError",
        ),
        "errors",
    ),
    **dict.fromkeys(("Dice", "MatchState"), "match"),
    **dict.fromkeys(("Board", "Play", "Position", "parse", "stack_boards"), "position"),
    **dict.fromkeys(
        (
            "CubeDecision",
            "Evaluation",
            "Evaluations",
            "Outcome",
            "PlayEvaluation",
            "PlayRollout",
            "RankedPlays",
            "Rollout",
            "RolloutEstimate",
        ),
        "results",
    ),
}
"""Public names, and the module of each, which is imported when the name is first used."""

if not TYPE_CHECKING:  # a checker that saw this would take any name for a public one

    def __getattr__(name: str) -> object:
        if name == "__version__":
            from engine.runtime.version import read_version

            return read_version()
        if name not in _PLACES:
            raise AttributeError(f"module 'gammond' has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f"gammond.{_PLACES[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
