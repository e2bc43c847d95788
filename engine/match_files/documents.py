"""A match as its file has it, by keys: for JSON."""

from __future__ import annotations

from engine.errors import UnsupportedError
from engine.formats.xgid import encode_xgid
from engine.match_files.model import NO_NOTES, RecordedGame, RecordedMatch, number_games, number_moves
from engine.rules.dice import encode_roll
from engine.rules.game_record import (
    DoubleAction,
    GameAction,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
)
from engine.rules.game_replay import GameSituation
from engine.rules.match import RESULT_NAMES, GameResult
from engine.rules.notation import format_play


def describe_record(match: RecordedMatch) -> dict[str, object]:
    """Return a match by keys, with every action of its games; seats are 0 and 1.

    Args:
        match: The match.
    """
    numbers = number_games(match.games)
    return {
        "format": match.format,
        "names": list(match.names),
        "length": match.length,
        "headers": dict(match.headers),
        "comment": match.comment,
        "analysed": match.has_analysis,
        "games": [_describe_game(number, game) for number, game in zip(numbers, match.games, strict=True)],
        "issues": [str(issue) for issue in match.issues],
    }


def _describe_game(number: int, game: RecordedGame) -> dict[str, object]:
    walk = zip(game.replay(), number_moves(game.actions), strict=True)
    actions = []
    for place, ((situation, action), move) in enumerate(walk):
        comment = game.notes.get(place, NO_NOTES).comment
        more = {"comment": comment} if comment else {}
        actions.append({"move": move, **_describe_action(situation, action), **more})
    ruled = game.ruled_result
    return {
        "game": number,
        "score": list(game.initial_state.score),
        "crawford": game.initial_state.crawford,
        "comment": game.comment,
        **({"missing": list(game.missing)} if game.is_cut else {}),
        "actions": actions,
        "result": _describe_result(game.result),
        **({"result_by_rules": _describe_result(ruled)} if ruled else {}),
    }


def _describe_result(result: GameResult | None) -> dict[str, object] | None:
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
        case ResignationAction(seat, kind, is_accepted):
            name = RESULT_NAMES[kind - 1]
            said = {"seat": seat, "action": "resign", "resignation": name, "accepted": is_accepted}
        case _:
            said = {"seat": match.on_roll, "action": "set"}
    try:
        return {**said, "xgid": encode_xgid(situation.position, match)}
    except UnsupportedError:
        return said
