"""A recorded match as keys and values, for JSON."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict, cast

from msgspec import Meta

from gammond.engine.errors import UnsupportedError
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.match_files.model import (
    NO_NOTES,
    RecordedGame,
    RecordedMatch,
    describe_issues,
    number_games,
)
from gammond.engine.options import TrueKey
from gammond.engine.rules.dice import encode_roll
from gammond.engine.rules.game_record import (
    DoubleAction,
    GameAction,
    GameSituation,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
)
from gammond.engine.rules.match import RESULT_NAMES, GameResult
from gammond.engine.rules.notation import format_play

_Seat = Annotated[int, Meta(ge=0, le=1)]
_ResultName = Annotated[str, Meta(extra_json_schema={"enum": list(RESULT_NAMES)})]


class ActionKeys(TypedDict):
    """An action of a recorded game."""

    move: int
    seat: _Seat
    action: Literal["play", "roll", "double", "take", "drop", "resign", "set"]
    dice: NotRequired[str]
    play: NotRequired[str]
    illegal: NotRequired[
        Annotated[TrueKey, Meta(description="Only of a play that the rules forbid; its checkers are moved.")]
    ]
    cube: NotRequired[int]
    resignation: NotRequired[_ResultName]
    accepted: NotRequired[bool]
    by_result: NotRequired[TrueKey]
    comment: NotRequired[str]
    xgid: NotRequired[Annotated[str, Meta(description="What was before the action.")]]


class GameResultKeys(TypedDict):
    """The result of a recorded game."""

    winner: _Seat
    points: Annotated[int, Meta(ge=1)]
    kind: _ResultName


class GameKeys(TypedDict):
    """A recorded game."""

    game: int
    score: list[int]
    crawford: bool
    comment: str
    actions: list[ActionKeys]
    result: GameResultKeys | None
    missing: NotRequired[
        Annotated[
            list[str],
            Meta(min_length=1, description="What could not be read, only of a game that is cut."),
        ]
    ]
    result_by_rules: NotRequired[
        Annotated[GameResultKeys, Meta(description="Only where the file states another one.")]
    ]


class RecordKeys(TypedDict):
    """A recorded match."""

    format: str
    names: Annotated[list[str], Meta(min_length=2, max_length=2)]
    length: Annotated[int, Meta(ge=0)]
    headers: dict[str, str]
    comment: str
    analysed: bool
    games: list[GameKeys]
    issues: list[str]


def describe_record(match: RecordedMatch) -> RecordKeys:
    """Return a match by keys, with every action of its games; seats are 0 and 1."""
    numbers = number_games(match.games)
    return {
        "format": match.format,
        "names": list(match.names),
        "length": match.length,
        "headers": dict(match.headers),
        "comment": match.comment,
        "analysed": match.has_analysis,
        "games": [_describe_game(number, game) for number, game in zip(numbers, match.games, strict=True)],
        "issues": describe_issues(match.issues),
    }


def _describe_game(number: int, game: RecordedGame) -> GameKeys:
    actions = []
    for place, (situation, action, move) in enumerate(game.replayed):
        comment = game.notes.get(place, NO_NOTES).comment
        more = {"comment": comment} if comment else {}
        actions.append({"move": move, **_describe_action(situation, action), **more})
    ruled = game.ruled_result
    described = {
        "game": number,
        "score": list(game.initial_state.score),
        "crawford": game.initial_state.crawford,
        "comment": game.comment,
        **({"missing": list(game.missing)} if game.is_cut else {}),
        "actions": actions,
        "result": _describe_result(game.result),
        **({"result_by_rules": _describe_result(ruled)} if ruled else {}),
    }
    return cast("GameKeys", described)


def _describe_result(result: GameResult | None) -> GameResultKeys | None:
    return None if result is None else {"winner": result.winner, "points": result.points, "kind": result.name}


def _describe_action(situation: GameSituation, action: GameAction) -> dict[str, object]:
    """Return an action by keys, with the XGID of what was before it, where XGIDs have a place for that."""
    said: dict[str, object]
    match = situation.match
    match action:
        case PlayAction(seat, roll, play, is_legal):
            said = {"seat": seat, "action": "play", "dice": encode_roll(roll), "play": format_play(play)}
            said |= {} if is_legal else {"illegal": True}
            match = match.with_roll(roll)
        case RollAction(seat, roll):
            said = {"seat": seat, "action": "roll", "dice": encode_roll(roll)}
        case DoubleAction(seat, cube):
            said = {"seat": seat, "action": "double", "cube": cube}
        case ResponseAction(seat, is_take):
            said = {"seat": seat, "action": "take" if is_take else "drop"}
        case ResignationAction(seat, kind, is_accepted, is_stated):
            name = RESULT_NAMES[kind - 1]
            said = {"seat": seat, "action": "resign", "resignation": name, "accepted": is_accepted}
            said |= {} if is_stated else {"by_result": True}
        case _:
            said = {"seat": match.on_roll, "action": "set"}
    try:
        return {**said, "xgid": encode_xgid(situation.position, match)}
    except UnsupportedError:
        return said
