"""The request ``getmoves`` of bgweb-api: checkers and dice as JSON in, plays with their values out.

*Source:* the OpenAPI file of foochu/bgweb-api at 57fe515. Each side's points are numbered from its own view;
numbers have three decimals; ``plies`` counts the play itself; money play without the Jacoby rule. As there,
fields that are unknown count for nothing, and a roll without a play gives an empty list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, NotRequired, TypedDict

import msgspec
import numpy as np

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import MAX_CANDIDATES, EvalSettings
from gammond.engine.errors import FormatError, PositionError, StateError
from gammond.engine.evaluation.results import RankedPlay
from gammond.engine.options import convert
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import Play, generate_plays
from gammond.engine.rules.position import BAR, CHECKERS, OFF, Position
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.search import SearchWatch
from gammond.engine.search.ranked_plays import RankedPlays
from gammond.protocol.core.requests import JsonReply, Work, WorkControl
from gammond.protocol.dialects.json_documents import split_fault
from gammond.protocol.questions.plays import Rank
from gammond.protocol.questions.question import make_work
from gammond.protocol.state.session import Session

PLIES = 2
"""The look-ahead of scored plays; in bgweb's words 3 plies."""

DECIMALS = 3

_PLACES = {**{str(point): point for point in range(1, BAR)}, "bar": BAR}
_NAMES = {OFF: "off", **{place: name for name, place in _PLACES.items()}}
_SIDES = ("x", "o")

_Count = Annotated[int, msgspec.Meta(ge=0, le=CHECKERS)]
_Die = Annotated[int, msgspec.Meta(ge=1, le=6)]


_Layout = Annotated[
    dict[str, _Count],
    msgspec.Meta(
        description="Checkers by point of their own side, `1` to `24`, or `bar`; the others of 15 are borne "
        "off.",
        extra_json_schema={"propertyNames": {"enum": list(_PLACES)}},
    ),
]


class _Board(msgspec.Struct):
    """The checkers of both sides, by point or ``bar``; those that are missing are borne off."""

    x: _Layout
    o: _Layout


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
    max_moves: Annotated[int, msgspec.Meta(ge=0, description="0 for all.")] = 0
    score_moves: bool = True


_PLACE = "^([1-9]|1[0-9]|2[0-4]|{})$"
_Chance = Annotated[float, msgspec.Meta(ge=0, le=1)]

CheckerMove = TypedDict(
    "CheckerMove",
    {
        "from": Annotated[str, msgspec.Meta(pattern=_PLACE.format("bar"))],
        "to": Annotated[str, msgspec.Meta(pattern=_PLACE.format("off"))],
    },
)
"""A checker move of a play, from the view of who makes it."""


class _Info(TypedDict):
    cubeful: bool
    plies: Annotated[int, msgspec.Meta(ge=1)]


class _Probability(TypedDict):
    win: _Chance
    winG: _Chance
    winBG: _Chance
    lose: _Chance
    loseG: _Chance
    loseBG: _Chance


class _PlayValues(TypedDict):
    info: _Info
    eq: float
    diff: float
    probability: _Probability


class MovePlay(TypedDict):
    """A play of an answer."""

    play: Annotated[list[CheckerMove], msgspec.Meta(min_length=1, max_length=4)]
    evaluation: NotRequired[_PlayValues]


def read_get_moves(document: object) -> GetMoves:
    """Convert the body of a request.

    Raises:
        FormatError: A field is missing, of another type or out of range.
    """
    try:
        return convert(document, GetMoves)
    except msgspec.ValidationError as error:
        message, place = split_fault(error)
        name = place.partition(".")[0].partition("[")[0]
        raise FormatError(f"{message}{f' in {place}' if place else ''}", field=name or "body") from error


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
    most = request.max_moves or MAX_CANDIDATES

    def list_plays(_: WorkControl) -> Sequence[JsonReply]:
        plays = generate_plays(position, request.dice, STANDARD_RULES)
        return _write([{"play": list_steps(play)} for play in plays[:most]])

    def write(ranked: RankedPlays, _: Engine, control: WorkControl) -> Sequence[JsonReply]:
        best = _get_equity(ranked.best)
        shown = min(len(ranked), most)
        return _write(
            control.run_in_blocks(shown, lambda block: [_describe(each, best) for each in ranked[block]])
        )

    if not request.score_moves:
        return Work(list_plays)
    settings = EvalSettings(PLIES, is_cubeful=request.cubeful, store=session.engine_settings.store)
    question = Rank(position, MatchState(), settings.with_list(most), request.dice)  # each has its difference
    return make_work(session, question, write, lambda control: SearchWatch(control.is_cancelled))


def _write(moves: list[MovePlay]) -> list[JsonReply]:
    return [JsonReply({"moves": [move for move in moves if move["play"]]})]


def list_steps(play: Play) -> list[CheckerMove]:
    """Return the checker moves of a play, from the view of who makes it."""
    return [{"from": _NAMES[source], "to": _NAMES[target]} for source, target in play.moves]


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


def _get_equity(play: RankedPlay) -> float:
    evaluation = play.evaluation
    assert evaluation.cubeless_equity is not None  # a search has it
    return evaluation.equity if evaluation.is_cubeful else evaluation.cubeless_equity


def _describe(play: RankedPlay, best: float) -> MovePlay:
    evaluation, outcome, equity = play.evaluation, play.evaluation.outcome, _get_equity(play)
    assert outcome is not None
    return {
        "play": list_steps(play.play),
        "evaluation": {
            "info": {"cubeful": evaluation.is_cubeful, "plies": (evaluation.plies or 0) + 1},
            "eq": _round(equity),
            "diff": _round(equity - best),
            "probability": {
                "win": _round(outcome.win),
                "winG": _round(outcome.win_g),
                "winBG": _round(outcome.win_bg),
                "lose": _round(1.0 - outcome.win),
                "loseG": _round(outcome.lose_g),
                "loseBG": _round(outcome.lose_bg),
            },
        },
    }


def _round(value: float) -> float:
    return round(float(value), DECIMALS) + 0.0
