"""gammond, a backgammon engine: evaluate positions, rank plays, decide about the cube, roll out.

In this process::

    import gammond

    engine = gammond.Engine()
    print(engine.rank(gammond.Position.start(), (3, 1), plies=2))

Over the wire, `Client` and `AsyncClient` ask a server the same questions. ``docs/reference/api.md`` has all
of it. The packages behind (engine, nets, protocol, tools) are internal: this one is stable, they are not.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if not (_HERE := Path(__file__).resolve().parent).joinpath("engine").is_dir():
    __path__.append(str(_HERE.parent))  # a checkout, which has the folders of the packages beside this one

if TYPE_CHECKING:
    from gammond.api.aio import AsyncClient
    from gammond.api.client import Client
    from gammond.api.engine import Engine
    from gammond.api.errors import (
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
    from gammond.api.game import Action, AnalysedPlay, Game
    from gammond.api.match import Dice, MatchState
    from gammond.api.match_file import Match, read_match, read_matches
    from gammond.api.player import Player
    from gammond.api.position import Board, Play, Position, parse, stack_boards
    from gammond.api.results import (
        CubeDecision,
        Evaluation,
        Evaluations,
        Opinion,
        Outcome,
        PlayEvaluation,
        PlayRollout,
        RankedPlays,
        Rollout,
        RolloutEstimate,
    )

    __version__: str

__all__ = [
    "Action",
    "AnalysedPlay",
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
    "Game",
    "GammondError",
    "LimitError",
    "Match",
    "MatchState",
    "Opinion",
    "Outcome",
    "Play",
    "PlayError",
    "PlayEvaluation",
    "PlayRollout",
    "Player",
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
    "read_match",
    "read_matches",
    "stack_boards",
]

_MODULES = (
    "errors",
    "match",
    "position",
    "results",
    "game",
    "match_file",
    "engine",
    "player",
    "client",
    "aio",
)
"""Where public names are, the lowest first; a module is imported when a name is looked for in it."""

if not TYPE_CHECKING:  # a checker that saw this would take any name for a public one

    def __getattr__(name: str) -> object:
        if name == "__version__":
            from gammond.engine.runtime.version import read_version

            return read_version()
        if name in __all__:
            from importlib import import_module

            for module in _MODULES:
                if hasattr(found := import_module(f"gammond.api.{module}"), name):
                    value = globals()[name] = getattr(found, name)
                    return value
        raise AttributeError(f"module 'gammond' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
