"""What backgammon has to load, and to compile: the kernels of handlers, and requests that need all others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.analysis.many_positions import evaluate_matches
from gammond.engine.formats.position_batch import parse_positions
from gammond.engine.formats.position_id import decode_position_id
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import generate_plays
from gammond.engine.rules.outcome import classify_results
from gammond.engine.rules.position import CHECKERS, OFF
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.protocol.state.readiness import Readiness, ReadyState
from gammond.protocol.state.session import Session

_MATCH_POSITION = "-b----E-C---eE---c-e----B-:1:-1:1:33:3:2:0:7:10"
_BEAROFF = "-BBBBBC------------ccccc--:0:0:1:21:0:0:0:0:10"
_SHORT_BEAROFF = "-AA---------------------a-:0:0:1:21:0:0:0:0:10"

READY_GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "evaluation": ("position startpos", "eval", "eval cubeful=false"),
        "search": (
            "position startpos",
            "eval plies=2",
            "eval plies=2 cubeful=false",
            "eval plies=3",
            "dice 3 1",
            "moves plies=1",
        ),
        "rollouts": (
            "position startpos",
            "rollout trials=2 truncate=3",
            "rollout trials=2 truncate=3 cubeful=false",
            "rollout trials=2 truncate=3 vr=false",
            "rollout trials=2 truncate=2 plies=1 leaf_plies=1",
            "rollout cube trials=2 truncate=2",
            "dice 3 1",
            "rollout trials=2 truncate=2 candidates=2",
        ),
        "plays": (
            "position gnubgid 4HPwATDgc/ABMA",
            "dice 3 1",
            "legal",
            "moves",
            "moves cubeful=false",
            "rank 8/5 6/5",
            "go chequer",
            "play 8/5 6/5",
            f"position xgid {_BEAROFF}",
            "eval plies=1",
            "moves",
            f"position xgid {_SHORT_BEAROFF}",
            "eval plies=1",
            "moves",
        ),
        "cube, matches and the score matrix": (
            "position startpos",
            "cube plies=1",
            "take",
            "resign",
            "matrix away=2 plies=1",
            f"position xgid {_MATCH_POSITION}",
            "eval",
            "eval cubeful=false",
            "eval plies=2",
            "cube plies=1",
            "moves plies=1",
            "moves plies=1 cubeful=false",
            "rollout trials=2 truncate=2 candidates=1",
            "set game.doubles two",
            "newgame",
            "dice 3 3",
            "moves",
        ),
    }
)
"""Requests that need every part of the engine once, in groups that share few kernels; each begins with a
position, and is for a session by the standard rules."""

READY_LINES = tuple(line for lines in READY_GROUPS.values() for line in lines)
"""All of them, for one session."""

READY_TEXTS = (
    "4HPwATDgc/ABMA",
    f"XGID={_MATCH_POSITION}",
    "board:O:X:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
    ":1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0",
)
"""Positions in each form that queries take."""


def _play() -> None:
    """List plays, and find the result of a game."""
    start = STANDARD_RULES.starting_position
    generate_plays(start, (3, 1), STANDARD_RULES)
    board = np.zeros_like(start.board)
    board[:, OFF] = CHECKERS, CHECKERS - 1
    board[1, 1] = 1
    classify_results(board[None])


ID_KERNELS = Readiness(lambda: decode_position_id(READY_TEXTS[0]))
"""Those that read a position ID."""

TEXT_KERNELS = Readiness(lambda: parse_positions(READY_TEXTS))
"""Those that read positions in bulk."""

PLAY_KERNELS = Readiness(_play)
"""Those that play."""


def _warm_rules() -> None:
    for group in (ID_KERNELS, TEXT_KERNELS, PLAY_KERNELS):
        group.warm()


RULE_KERNELS = Readiness(_warm_rules)
"""All that handlers of backgammon call."""

_ENGINES: dict[str, Readiness] = {}
"""Of everything that a session can ask for, by the evaluator's name."""


def load_backgammon(session: Session) -> Callable[[], Readiness]:
    """Capture the evaluator and the player of a session; return what loads them, as `SessionGame.load`."""
    load_decider = session.make_decider_loader()

    def load() -> Readiness:
        decider = load_decider()
        decider.choose_play(decider.engine.rules.starting_position, (3, 1), MatchState())
        engine, parsed = (
            decider.engine.with_rules(STANDARD_RULES),
            parse_positions((*READY_TEXTS, *READY_TEXTS)),
        )
        evaluate_matches(engine, parsed.boards, parsed.matches, parsed.match_indices, EvalSettings())
        found = _ENGINES.get(engine.name)
        if found is None or found.state is ReadyState.FAILED:  # what a file lacked may be there
            found = _ENGINES[engine.name] = Readiness()
        return found

    return load
