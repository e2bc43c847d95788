"""The request ``getmoves`` of bgweb-api: checkers and dice as JSON in, plays with their values out.

*Source:* the OpenAPI file of foochu/bgweb-api at 57fe515. Each side's points are numbered from its own view;
numbers have three decimals; ``plies`` counts the play itself; money play without the Jacoby rule. As there,
fields that are unknown count for nothing, and a roll without a play gives an empty list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
import numpy as np

from engine.analysis.levels import MAX_CANDIDATES, EvalSettings
from engine.errors import FormatError, PositionError, StateError
from engine.options import convert
from engine.rules.match import MatchState
from engine.rules.moves import Play, generate_plays
from engine.rules.position import BAR, CHECKERS, OFF, Position
from engine.rules.rules import STANDARD_RULES
from engine.search import SearchWatch
from engine.search.results import PlayEvaluation
from protocol.core.requests import JsonReply, Work, WorkControl
from protocol.state.session import Session

PLIES = 2
"""The look-ahead of scored plays; in bgweb's words 3 plies."""

DECIMALS = 3

_PLACES = {**{str(point): point for point in range(1, BAR)}, "bar": BAR}
_NAMES = {OFF: "off", **{place: name for name, place in _PLACES.items()}}
_SIDES = ("x", "o")

_Count = Annotated[int, msgspec.Meta(ge=0, le=CHECKERS)]
_Die = Annotated[int, msgspec.Meta(ge=1, le=6)]


class _Board(msgspec.Struct):
    """The checkers of both sides, by point or ``bar``; those that are missing are borne off."""

    x: dict[str, _Count]
    o: dict[str, _Count]


class GetMoves(msgspec.Struct, rename="kebab"):
    """The body of a request.

    Attributes:
        board: The checkers.
        dice: The roll.
        player: Who plays it, ``x`` or ``o``.
        cubeful: Whether plays are scored with the cube, which is centred.
        max_moves: The most plays of the answer; 0 for all.
        score_moves: Whether plays are ranked and have values.
    """

    board: _Board
    dice: tuple[_Die, _Die]
    player: Literal["x", "o"]
    cubeful: bool = False
    max_moves: Annotated[int, msgspec.Meta(ge=0)] = 0
    score_moves: bool = True


def read_get_moves(document: object) -> GetMoves:
    """Convert the body of a request.

    Raises:
        FormatError: A field is missing, of another type or out of range.
    """
    try:
        return convert(document, GetMoves)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$.")
        name = place.rstrip("`").partition(".")[0].partition("[")[0]
        where = f" in {place.rstrip('`')}" if place else ""
        raise FormatError(f"{message}{where}", field=name or "body") from error


def answer_get_moves(session: Session, request: GetMoves) -> Work:
    """Return the work of a request; its reply has the list of plays as ``moves``.

    Args:
        session: For its service and settings.
        request: The request.

    Raises:
        FormatError: A place on the board is unknown.
        PositionError: The position is impossible, or the game is over.
    """
    position = _make_position(request)
    settings = EvalSettings(PLIES, is_cubeful=request.cubeful, store=session.engine_settings.store)
    settings = settings.with_list(request.max_moves or MAX_CANDIDATES)  # each has its difference
    load_engine = session.make_engine_loader()

    def run(control: WorkControl) -> Sequence[JsonReply]:
        if not request.score_moves:
            plays = list(generate_plays(position, request.dice, STANDARD_RULES))
            moves: list[dict[str, object]] = [
                {"play": list_steps(play)} for play in _limit(plays, request.max_moves)
            ]
        else:
            watch = SearchWatch(control.is_cancelled)
            ranked = load_engine().rank_plays(position, request.dice, MatchState(), settings, watch)
            shown = len(ranked.plays)
            if request.max_moves:
                shown = min(shown, request.max_moves)
            best = _get_equity(ranked.best)
            moves = control.run_in_blocks(
                shown, lambda block: [_describe(each, best) for each in ranked.plays[block]]
            )
        return [JsonReply({"moves": [move for move in moves if move["play"]]})]

    return Work(run, is_long=request.score_moves)


def list_steps(play: Play) -> list[dict[str, str]]:
    """Return the checker moves of a play, from the view of who makes it."""
    return [{"from": _NAMES[source], "to": _NAMES[target]} for source, target in play.moves]


def _limit(plays: list[Play], most: int) -> list[Play]:
    return plays[:most] if most else plays


def _make_position(request: GetMoves) -> Position:
    board = np.zeros((2, BAR + 1), np.int8)
    sides = _SIDES if request.player == "x" else _SIDES[::-1]
    for row, side in enumerate(sides):
        for name, count in getattr(request.board, side).items():
            if name not in _PLACES:
                raise FormatError(
                    f"expected a point 1..24 or bar for {side}, got {name[:40]!r}", field=f"board.{side}"
                )
            board[row, _PLACES[name]] = count
        if (total := int(board[row].sum())) > CHECKERS:
            raise PositionError(
                f"expected at most {CHECKERS} checkers for {side}, got {total}", field=f"board.{side}"
            )
        board[row, OFF] = CHECKERS - total
    try:
        position = Position(board)
    except PositionError as error:
        raise error.with_field("board") from error
    if position.is_over:
        raise StateError("the game is over: there is nothing to play", field="board")
    return position


def _get_equity(evaluation: PlayEvaluation) -> float:
    return evaluation.equity if evaluation.cubeful is None else evaluation.cubeful


def _describe(evaluation: PlayEvaluation, best: float) -> dict[str, object]:
    outcome, equity = evaluation.outcome, _get_equity(evaluation)
    probability = {
        "win": outcome.win,
        "winG": outcome.win_g,
        "winBG": outcome.win_bg,
        "lose": 1.0 - outcome.win,
        "loseG": outcome.lose_g,
        "loseBG": outcome.lose_bg,
    }
    return {
        "play": list_steps(evaluation.play),
        "evaluation": {
            "info": {"cubeful": evaluation.cubeful is not None, "plies": evaluation.plies + 1},
            "eq": _round(equity),
            "diff": _round(equity - best),
            "probability": {name: _round(value) for name, value in probability.items()},
        },
    }


def _round(value: float) -> float:
    return round(float(value), DECIMALS) + 0.0
