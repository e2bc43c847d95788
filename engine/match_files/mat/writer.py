"""Format games and matches as ``.mat`` text, which nearly every backgammon program reads.

*Source:* the text files of Jellyfish, as GNU Backgammon 1.07 writes and reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gammond.engine.errors import FormatError, UnsupportedError
from gammond.engine.formats.snowie import encode_snowie
from gammond.engine.formats.xgid import BOTTOM, PREFIX, encode_xgid
from gammond.engine.match_files.conventions import MAT_HEADERS, name_variant
from gammond.engine.match_files.model import USUAL_RULES, RecordedGame, RecordedMatch, number_games
from gammond.engine.rules.dice import ROLLS, encode_roll
from gammond.engine.rules.game_record import (
    DoubleAction,
    GameAction,
    GameSituation,
    PlayAction,
    ResponseAction,
    RollAction,
    SetAction,
)
from gammond.engine.rules.moves import Play, generate_plays
from gammond.engine.rules.rules import Feature, Rules

_CELL_WIDTH = 30
_WIN_INDENTS = 6, 34
_FORBIDDEN = ':;[]"\n\r\t'
_DOUBLES = ("Doubles", "Beavers", "Raccoons")
_TAKE = " Takes"
_FIRST_DOUBLE = 2


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
    names: tuple[str, str],
    games: Sequence[RecordedGame],
    headers: Mapping[str, str] | None = None,
) -> str:
    """Format the games of one match, or money games.

    Resignations that were refused, comments and analyses have no place in the format. Games that begin after
    the Crawford game are written as those of a match without one, for the format has no other sign of it.

    Args:
        names: Of seats 0 and 1, the left and right column.
        games: In order, by the same rules; each has the score before it, in money play too.
        headers: Names and values of further comment lines, as ``; [EventDate "2024.06.20"]``.

    Returns:
        The text, ending in a newline.

    Raises:
        FormatError: There is no game, or a name is empty or has a character that the format reserves.
        UnsupportedError: The format cannot express the rules, or a position set in the midst of a game.
    """
    if not games:
        raise FormatError("expected 1 game or more for a .mat file, got 0", field="games")
    games[0].rules.check_supports(Feature.RECORDS)
    for name in names:
        check_player_name(name)
    variation = name_variant(games[0].rules.variant)
    own_headers = {"Player 1": names[0], "Player 2": names[1], "Variation": variation}
    begun = games[0].initial_state
    if begun.is_post_crawford and (begun.away(0) == 1) != (begun.away(1) == 1):
        own_headers["Crawford"] = "Off"
    lines = [f'; [{word} "{value}"]' for word, value in {**own_headers, **(headers or {})}.items()]
    lines += ["", f" {begun.length} point match", ""]
    for number, game in zip(number_games(games), games, strict=True):
        lines += [f" Game {number}", *_format_game(names, game), ""]
    return "\n".join(lines)


def format_match(match: RecordedMatch) -> str:
    """Format a match that was read from a file; names lose the characters that the format reserves.

    Raises:
        FormatError: It has no game.
        UnsupportedError: As `format_mat`.
    """
    left, right = (
        "".join(" " if letter in _FORBIDDEN else letter for letter in name).strip() or f"Player {number}"
        for number, name in enumerate(match.names, 1)
    )
    headers = dict(match.headers)
    for word, rating in zip(MAT_HEADERS["ratings"], match.ratings, strict=True):
        if rating is not None:
            headers[word] = f"{rating:.10g}"
    for rule in ("crawford", "jacoby", "beavers"):
        if (is_on := getattr(match.rules, rule)) is not getattr(USUAL_RULES, rule):
            headers[MAT_HEADERS[rule][0]] = "On" if is_on else "Off"
    if match.rules.cube_limit != USUAL_RULES.cube_limit:
        headers[MAT_HEADERS["cube_limit"][0]] = str(match.rules.cube_limit)
    return format_mat((left, right), match.games, headers)


def _format_game(names: tuple[str, str], game: RecordedGame) -> list[str]:
    left, right = (f"{name} : {points}" for name, points in zip(names, game.initial_state.score, strict=True))
    lines = [f" {left:{_CELL_WIDTH}} {right}", *_format_beginning(game)]
    by_number: dict[int, dict[int, str]] = {}  # of the moves, then by seat
    for number, seat, cell in _format_actions(names, game):
        by_number.setdefault(number, {})[seat] = cell
    rows, result = list(by_number.values()), _format_result(game)
    winner = game.result.winner if game.result is not None else 0
    is_in_row = winner == 1 and bool(rows) and 1 not in rows[-1]
    if is_in_row:  # behind a drop, as readers expect it: they take a row without it for one to be continued
        rows[-1][1] = result
    for number, cells in enumerate(rows, 1):
        row = f"{number:3}) {cells.get(0, ''):{_CELL_WIDTH - 4}} {cells.get(1, '')}"
        # gnubg takes a take without blanks behind it for one to which a double answers
        lines.append(row if cells.keys() == {0} and cells[0] == _TAKE else row.rstrip())
    return lines if is_in_row or not result else [*lines, f"{'':{_WIN_INDENTS[winner]}}{result}"]


def _format_beginning(game: RecordedGame) -> list[str]:
    """Return the comment line of eXtreme Gammon that sets checkers and cube, if the game needs one."""
    match = game.initial_state
    position = game.position
    if position == game.rules.starting_position and (match.cube, match.cube_owner) == (1, None):
        return []
    left_is_bottom = replace(match, on_roll=match.on_roll ^ BOTTOM)
    letters = encode_xgid(position, left_is_bottom).removeprefix(PREFIX).partition(":")[0]
    cube = match.cube.bit_length() - 1
    return [f"; Set Pos={letters}/{-cube if match.cube_owner == 0 else cube}"]


def _format_actions(names: tuple[str, str], game: RecordedGame) -> Iterator[tuple[int, int, str]]:
    """Yield number, seat and cell of each action that has one; resignations show in the result alone.

    Illegal plays are written as they were made.
    """
    doubles, unplayed = 0, ""
    following = (*game.actions, None)[1:]
    for (situation, action, number), after in zip(game.replayed, following, strict=True):
        match action:
            case PlayAction(seat, roll, play):
                yield number, seat, f"{encode_roll(roll)}: {_format_moves(play)}".rstrip()
            case RollAction(seat, roll):
                unplayed, rolled = f"{encode_roll(roll)}:", number
                continue
            case DoubleAction(seat, cube):
                yield number, seat, f" {_DOUBLES[doubles]} => {cube}"
            case ResponseAction(seat, is_take):
                yield number, seat, _TAKE if is_take else " Drops"
            case SetAction(position, match) if unplayed:  # after an illegal play, as its player sees it
                mover = replace(match, on_roll=1 - match.on_roll)
                seen = encode_snowie(position.swap_sides(), mover, names)
                yield number, mover.on_roll, f"{unplayed} Illegal play ({seen})"
                unplayed = ""
            case SetAction():
                _check_is_read(situation, action, after, game.rules)
        doubles = doubles + 1 if isinstance(action, DoubleAction) else 0
    if unplayed:
        yield rolled, seat, f"{unplayed} ????"


def _check_is_read(
    before: GameSituation, action: SetAction, following: GameAction | None, rules: Rules
) -> None:
    """Make sure that readers may set the table so for what follows: a double out of turn, or a missing turn.

    What stands behind a roll passes for the result of an illegal play, and needs no check.

    Raises:
        UnsupportedError: They cannot.
    """
    seat, now = action.match.on_roll, before.match.before_roll()
    if before.match.doubled and not before.match.beavered:
        now = before.apply(ResponseAction(before.match.to_act, True)).match
    is_turned = seat != now.on_roll
    expected = [replace(now, on_roll=seat)]
    if isinstance(following, DoubleAction):
        owner = seat if following.cube > _FIRST_DOUBLE else None
        turned = replace(now, cube=following.cube // 2, cube_owner=owner, crawford=False)
        expected.append(replace(turned, on_roll=seat))
    is_by_seat = isinstance(following, PlayAction | RollAction | DoubleAction) and following.seat == seat
    is_same = action.position == (before.position.swap_sides() if is_turned else before.position)
    turns = (generate_plays(before.position, roll, rules) for roll in ROLLS if is_turned)
    is_possible = is_same or any(plays.find(action.position.board) is not None for plays in turns)
    if not is_by_seat or not is_possible or action.match not in expected:
        raise UnsupportedError(
            "a .mat file has no place for a position or a cube that was set in the midst of a game",
            field="games",
        )


def _format_moves(play: Play) -> str:
    """Format each checker move by itself, the bar as 25 and off as 0, which all readers know."""
    return " ".join(
        f"{source}/{target}{'*' * hits}" for (source, target), hits in zip(play.moves, play.hits, strict=True)
    )


def _format_result(game: RecordedGame) -> str:
    """Return the words that end a game; none for one that has no result."""
    result = game.result
    if result is None:
        return ""
    score = game.initial_state.score_after(result.winner, result.points)
    wins_match = not game.initial_state.is_money and score[result.winner] >= game.initial_state.length
    points = f"{result.points} point{'' if result.points == 1 else 's'}"
    return f"Wins {points}{' and the match' if wins_match else ''}"
