"""Format games and matches as ``.mat`` text, which nearly every backgammon program reads.

*Source:* the text files of Jellyfish, as GNU Backgammon 1.07 writes and reads them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.errors import FormatError
from engine.rules.game_record import (
    DoubleAction,
    GameAction,
    GameRecord,
    PlayAction,
    ResponseAction,
    RollAction,
)
from engine.rules.moves import Play
from engine.rules.rules import Feature

_CELL_WIDTH = 30
_WIN_INDENTS = 6, 34
_WrittenAction = PlayAction | RollAction | DoubleAction | ResponseAction
_FORBIDDEN = ':;[]"\n\r\t'


def check_player_name(name: str) -> None:
    """Make sure that a file can hold the name of a player.

    Raises:
        FormatError: It is empty or has a character that the format reserves.
    """
    if not name.strip() or any(character in _FORBIDDEN for character in name):
        raise FormatError(
            f"expected a name that is not empty and has no {' '.join(_FORBIDDEN[:5])} for a .mat file, "
            f"got {name[:60]!r}",
            field="name",
        )


def format_mat(
    names: tuple[str, str], games: Sequence[GameRecord], headers: Mapping[str, str] | None = None
) -> str:
    """Format the games of one match, or money games.

    Args:
        names: Of seats 0 and 1, the left and right column.
        games: In order, by the same rules; each has the score before it, in money play too.
        headers: Names and values of further comment lines, as ``; [EventDate "2024.06.20"]``.

    Returns:
        The text, ending in a newline.

    Raises:
        FormatError: There is no game, or a name is empty or has a character that the format reserves.
        UnsupportedError: The format cannot express the rules.
    """
    if not games:
        raise FormatError("expected 1 game or more for a .mat file, got 0", field="games")
    games[0].rules.check_supports(Feature.RECORDS)
    for name in names:
        check_player_name(name)
    variation = games[0].rules.variant.name.capitalize()
    own_headers = {"Player 1": names[0], "Player 2": names[1], "Variation": variation}
    lines = [f'; [{word} "{value}"]' for word, value in {**own_headers, **(headers or {})}.items()]
    lines += ["", f" {games[0].initial_state.length} point match", ""]
    for number, game in enumerate(games, 1):
        lines += [f" Game {number}", *_format_game(names, game), ""]
    return "\n".join(lines)


def _format_game(names: tuple[str, str], game: GameRecord) -> list[str]:
    left, right = (f"{name} : {points}" for name, points in zip(names, game.initial_state.score, strict=True))
    lines = [f" {left:{_CELL_WIDTH}} {right}"]
    rows, result = _arrange_rows(game.actions), _format_result(game)
    is_in_row = game.result.winner == 1 and bool(rows) and 1 not in rows[-1]
    if is_in_row:  # behind a drop, as readers expect it: they take a row without it for one to be continued
        rows[-1][1] = result
    for number, cells in enumerate(rows, 1):
        row = f"{number:3}) {cells.get(0, ''):{_CELL_WIDTH - 4}} {cells.get(1, '')}"
        lines.append(row.rstrip())
    return lines if is_in_row else [*lines, f"{'':{_WIN_INDENTS[game.result.winner]}}{result}"]


def _arrange_rows(actions: Sequence[GameAction]) -> list[dict[int, str]]:
    """Arrange actions in rows by seat; a row ends when seat 1 has acted, or seat 0 acts again.

    The format has no place for resignations, except in the result.
    """
    rows: list[dict[int, str]] = []
    before: _WrittenAction | None = None
    for action in actions:
        if not isinstance(action, _WrittenAction):
            continue
        if action.seat == 0 or not rows or 1 in rows[-1]:
            rows.append({})
        rows[-1][action.seat] = _format_action(action, before)
        before = action
    return rows


def _format_action(action: _WrittenAction, before: _WrittenAction | None) -> str:
    """Format an action; a double right after a double is a beaver."""
    match action:
        case PlayAction(roll=(die, other), play=play):
            return f"{die}{other}: {_format_moves(play)}".rstrip()
        case RollAction(roll=(die, other)):
            return f"{die}{other}: ????"
        case DoubleAction(cube=cube):
            return f" {'Beavers' if isinstance(before, DoubleAction) else 'Doubles'} => {cube}"
        case ResponseAction(is_take=took):
            return " Takes" if took else " Drops"


def _format_moves(play: Play) -> str:
    """Format each checker move by itself, the bar as 25 and off as 0, which all readers know."""
    return " ".join(
        f"{source}/{target}{'*' * hits}" for (source, target), hits in zip(play.moves, play.hits, strict=True)
    )


def _format_result(game: GameRecord) -> str:
    result = game.result
    score = game.initial_state.score_after(result.winner, result.points)
    wins_match = not game.initial_state.is_money and score[result.winner] >= game.initial_state.length
    points = f"{result.points} point{'' if result.points == 1 else 's'}"
    return f"Wins {points}{' and the match' if wins_match else ''}"
