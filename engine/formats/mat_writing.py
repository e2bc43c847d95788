"""Writing games and matches as ``.mat`` text, the format that nearly every backgammon program reads.

*Source:* the text files of Jellyfish, as GNU Backgammon 1.07 writes and reads them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.errors import FormatError
from engine.game_record import Action, Answered, Doubled, RecordedGame, Rolled
from engine.moves import Play

_CELL = 30
_WIN_INDENTS = 6, 34
_FORBIDDEN = ':;[]"\n\r\t'


def mat_text(
    names: tuple[str, str], games: Sequence[RecordedGame], headers: Mapping[str, str] | None = None
) -> str:
    """Write games of one match, or money games.

    Args:
        names: Of seats 0 and 1, whose columns stand left and right.
        games: In their order; the scores of money games are what stood before each.
        headers: Words and values of further comment lines, as ``; [EventDate "2024.06.20"]``.

    Returns:
        The text, with a newline at its end.

    Raises:
        FormatError: There is no game, or a name is empty or has a character in it that the format needs.
    """
    if not games:
        raise FormatError("a .mat file has 1 game or more, not 0", field="games")
    for name in names:
        if not name.strip() or any(character in _FORBIDDEN for character in name):
            raise FormatError(
                f"a name in a .mat file is not empty and has no {' '.join(_FORBIDDEN[:5])}, "
                f"not {name[:60]!r}",
                field="name",
            )
    said = {"Player 1": names[0], "Player 2": names[1], "Variation": "Backgammon", **(headers or {})}
    lines = [f'; [{word} "{value}"]' for word, value in said.items()]
    lines += ["", f" {games[0].begun.length} point match", ""]
    for number, game in enumerate(games, 1):
        lines += [f" Game {number}", *_game_lines(names, game), ""]
    return "\n".join(lines)


def _game_lines(names: tuple[str, str], game: RecordedGame) -> list[str]:
    left, right = (f"{name} : {points}" for name, points in zip(names, game.begun.score, strict=True))
    lines = [f" {left:{_CELL}} {right}"]
    for number, cells in enumerate(_rows(game.actions), 1):
        row = f"{number:3}) {cells.get(0, ''):{_CELL - 4}} {cells.get(1, '')}"
        lines.append(row.rstrip())
    return [*lines, _win_line(game)]


def _rows(actions: Sequence[Action]) -> list[dict[int, str]]:
    """Put actions into rows by seat; a row is full once seat 1 has acted, or seat 0 acts again."""
    rows: list[dict[int, str]] = []
    before: Action | None = None
    for action in actions:
        if action.seat == 0 or not rows or 1 in rows[-1]:
            rows.append({})
        rows[-1][action.seat] = _cell(action, before)
        before = action
    return rows


def _cell(action: Action, before: Action | None) -> str:
    """Write an action; a double on top of a double is a beaver."""
    match action:
        case Rolled(roll=(die, other), play=play):
            return f"{die}{other}: {_moves(play)}".rstrip()
        case Doubled(cube=cube):
            return f" {'Beavers' if isinstance(before, Doubled) else 'Doubles'} => {cube}"
        case Answered(took=took):
            return " Takes" if took else " Drops"


def _moves(play: Play) -> str:
    """Write every checker move on its own, the bar as 25 and off as 0, which all readers know."""
    return " ".join(
        f"{source}/{target}{'*' * hits}" for (source, target), hits in zip(play.moves, play.hits, strict=True)
    )


def _win_line(game: RecordedGame) -> str:
    result = game.result
    score = game.begun.score_after(result.winner, result.points)
    wins_match = not game.begun.is_money and score[result.winner] >= game.begun.length
    points = f"{result.points} point{'' if result.points == 1 else 's'}"
    return f"{'':{_WIN_INDENTS[result.winner]}}Wins {points}{' and the match' if wins_match else ''}"
