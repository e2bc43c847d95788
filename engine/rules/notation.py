"""Play notation: formats plays in one way and parses all common ones.

Plays are compared by the position that they lead to: ``13/8 13/10`` and ``13/10, 13/8`` are the same play,
and so are ``bar/22/18`` and ``25/18``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

from engine.errors import FormatError, PlayError
from engine.rules.dice import Roll, format_roll
from engine.rules.moves import CheckerMove, LegalPlays, Play, generate_plays, list_checker_moves
from engine.rules.play_interpretation import (
    CheckerPath,
    Dice,
    PlayInterpretation,
    find_interpretations,
    format_move,
)
from engine.rules.position import BAR, OFF, Board, Position
from engine.rules.rules import STANDARD_RULES, Rules

NO_MOVE_TEXT = "pass"

_NO_MOVE_WORDS = frozenset(
    (
        "pass",
        "cannot move",
        "can not move",
        "can't move",
        "cant move",
        "no move",
        "no moves",
        "no play",
        "no legal move",
        "no legal moves",
        "no legal play",
        "dance",
        "dances",
        "fan",
        "fans",
        "o-o",
    )
)
_NO_MOVE_MARKS = re.compile(r"[-\u2013\u2014]+|(?:(?:0|25)/(?:0|25) ?)+")
"""What stands in the place of a play where no checker moved: dashes, and moves from a place to itself."""

_PADDING = frozenset(("0/0", "25/25", "-"))
"""Moves that fill a play up to the number of its dice."""

_POINT_TEXTS = ("off", *map(str, range(1, BAR)), "bar")
_POINT_WORDS = {"bar": BAR, "b": BAR, "off": OFF, "o": OFF}
_ROLL_PREFIX = re.compile(r"\s*\(?([1-6])[-, ]?([1-6])\)?\s*:")
_POINT = r"(?:bar|off|b|o|[0-9]{1,2})"
_PATH = re.compile(rf"({_POINT}\*?(?:[/-]{_POINT}\*?)+)(?:\(([1-4])\)|x([1-4]))?(\*?)")
_MAX_TEXT_LENGTH = 200


def format_play(play: Play, *, is_legal: bool = True) -> str:
    """Format a play as people write it: ``8/5 6/5``, ``bar/22*``, ``6/off(2)``, ``24/18*/13``, ``pass``.

    Moves of one checker are joined, with intermediate points only where it hits; equal moves are counted.

    Args:
        play: The play.
        is_legal: False for a play that was made against the rules, as in ``14/10 (illegal)``.
    """
    return _format_moves(play.moves, play.hits) + " (illegal)" * (not is_legal)


def format_plays(plays: LegalPlays) -> list[str]:
    """Format many plays, as `format_play` does, without making objects of them."""
    return [_format_bytes(moves, hit_points) for moves, hit_points in plays.list_moves()]


def format_moves_plain(play: Play) -> str:
    """Format a play as UBGI does: each checker move as ``from/to``, without hits or counts; ``pass``."""
    return (
        " ".join(f"{_POINT_TEXTS[source]}/{_POINT_TEXTS[target]}" for source, target in play.moves)
        or NO_MOVE_TEXT
    )


def parse_play(text: str, position: Position, roll: Roll, rules: Rules = STANDARD_RULES) -> Play:
    """Parse a play.

    Accepted: ``/`` or ``-`` between points, blanks or commas between moves, any order and case, ``bar``,
    ``b`` or 25, ``off``, ``o`` or 0, chains (``24/18/13``), counts (``6/off(2)``), the roll in front (``31:
    8/5 6/5``), and ``pass``, ``cannot move`` or nothing at all where no checker can move. A ``*`` is needed
    only where a checker can reach its target both with and without hitting on the way; without it, the move
    that does not hit is meant.

    Args:
        text: The play, in the numbering of the player on roll.
        position: The position, the player on roll to move.
        roll: The dice to be played.
        rules: The rules of the game.

    Returns:
        The legal play with the same result.

    Raises:
        FormatError: The text is not a play; the message quotes the part at fault.
        PlayError: The play breaks a rule, which the message names, or is ambiguous; the message lists the
            choices.
    """
    paths = _parse_paths(text, roll)
    return _find_play(paths, position, roll, rules, generate_plays(position, roll, rules))


def find_written_play(
    written: str | Sequence[CheckerMove], position: Position, roll: Roll, rules: Rules, plays: LegalPlays
) -> Play:
    """Find the legal play that a text, or a list of checker moves in any order, means.

    Args:
        written: The text as for `parse_play`, or sources and targets; a long move may be one.
        position: The position, the player on roll to move.
        roll: The dice to be played.
        rules: The rules of the game.
        plays: The legal plays of the roll.

    Raises:
        FormatError: As `parse_play`.
        PlayError: As `parse_play`.
    """
    if isinstance(written, str):
        paths = _parse_paths(written, roll)
    else:
        paths = [CheckerPath(move) for move in written]
        for path in paths:
            _check_falls(path.points)
    return _find_play(paths, position, roll, rules, plays)


def _find_play(
    paths: list[CheckerPath], position: Position, roll: Roll, rules: Rules, plays: LegalPlays
) -> Play:
    dice = rules.dice_of(roll)
    direct = _find_as_written(paths, position, dice, plays) if paths else None
    if direct is not None:
        return direct
    if not paths:
        if plays[0].is_no_move:
            return plays[0]
        raise PlayError(
            f"a checker can move with {format_roll(roll)}, for example {format_play(plays[0])}", field="move"
        )
    if plays[0].is_no_move:
        raise PlayError(
            f"no checker can move with {format_roll(roll)}: expected '{NO_MOVE_TEXT}'", field="move"
        )
    trials, reason = find_interpretations(position, dice, paths)
    found = {result: plays.find(result.board) for result in {trial.result for trial in trials}}
    by_result = {result: play for result, play in found.items() if play is not None}
    fitting = [trial for trial in trials if trial.result in by_result]
    if not fitting:
        raise PlayError(_explain_illegal_play(trials, reason, plays, roll), field="move")
    return by_result[_choose_result(fitting, paths, by_result)]


def carry_out_play(written: str | Sequence[CheckerMove], position: Position) -> Play:
    """Carry out a play as it is written, whatever the rules and the dice say of it.

    Args:
        written: As for `find_written_play`.
        position: The position, the player on roll to move.

    Returns:
        The play; a checker hits where it comes upon a single one of the other side.

    Raises:
        FormatError: The text is not a play.
        PlayError: A checker is not where it would move from, moves backwards, or lands on a point that the
            other side holds.
    """
    paths = _parse_paths(written) if isinstance(written, str) else [CheckerPath(move) for move in written]
    steps = [step for path in paths for step in pairwise(path.points)]
    own, opponent = position.board.tolist()
    moved = []
    for step in steps:
        _check_falls(step)
        if not own[step[0]]:
            raise PlayError(f"there is no checker to play {format_move(step)}", field="move")
        if step[1] > OFF and opponent[BAR - step[1]] > 1:
            raise PlayError(f"the other side holds the point of {format_move(step)}", field="move")
        moved.append((step, _move_checker(own, opponent, step)))
    moved.sort(key=lambda each: each[0], reverse=True)
    result = Position(np.array([opponent, own], np.int8), position.checkers)
    return Play(tuple(move for move, _ in moved), tuple(is_hit for _, is_hit in moved), result)


def infer_play(position: Position, after: Board) -> Play:
    """Return a play that leads from a position to a board, whatever the rules and the dice say of it.

    Args:
        position: The position, the player on roll to move.
        after: ``int8[2, 26]``, as the next mover sees it.

    Raises:
        PlayError: No moves of one side lead there.
    """
    own, opponent = after[1].astype(int) - position.board[0], after[0].astype(int) - position.board[1]
    sources = [point for point in range(BAR, OFF, -1) for _ in range(-own[point])]
    targets = [point for point in range(BAR, OFF - 1, -1) for _ in range(own[point])]
    hit = [BAR - point for point in range(1, BAR) for _ in range(-opponent[point])]
    moves = tuple(zip(sources, targets, strict=False))
    if (
        len(sources) != len(targets)
        or any(source <= target for source, target in moves)
        or opponent.clip(0).sum() != opponent[BAR]
        or opponent[BAR] != len(hit)
        or not set(hit) <= set(targets)
    ):
        raise PlayError("no moves of the player lead to the position that follows", field="move")
    hits = []
    for _, target in moves:
        hits.append(target in hit)
        if target in hit:
            hit.remove(target)
    return Play(moves, tuple(hits), Position(after.astype(np.int8), position.checkers))


def _move_checker(own: list[int], opponent: list[int], step: CheckerMove) -> bool:
    """Move a checker, whether it is there or not, and return whether it hits."""
    source, target = step
    own[source] -= 1
    own[target] += 1
    if target == OFF or opponent[BAR - target] != 1:
        return False
    opponent[BAR - target] = 0
    opponent[BAR] += 1
    return True


def _find_as_written(
    paths: list[CheckerPath], position: Position, dice: Dice, plays: LegalPlays
) -> Play | None:
    """Play paths point by point as written, which most texts allow; None where that is ambiguous."""
    steps = [step for path in paths for step in pairwise(path.points)]
    if len(steps) > len(dice):
        return None
    own, opponent = position.board.tolist()
    hits = [step[1] for step in steps if _move_checker(own, opponent, step)]
    play = plays.find(np.array([opponent, own], np.int8))
    if play is None:
        return None
    has_every_point = len(steps) == len(play.moves)
    starred = {point for path in paths for point in path.marked_hits}
    return play if has_every_point or sorted(starred) == sorted(hits) else None


def _choose_result(
    interpretations: list[PlayInterpretation], paths: list[CheckerPath], by_result: dict[Position, Play]
) -> Position:
    """Choose the result whose hits differ least from the stars in the text, in number and then in place."""
    starred = {point for path in paths for point in path.marked_hits}
    differences: dict[Position, tuple[int, int]] = {}
    for trial in interpretations:
        difference = abs(len(trial.hits) - len(starred)), len(starred ^ set(trial.hits))
        differences[trial.result] = min(difference, differences.get(trial.result, difference))
    least = min(differences.values())
    results = [result for result, difference in differences.items() if difference == least]
    if len(results) > 1:
        choices = ", ".join(format_play(by_result[result]) for result in results)
        raise PlayError(f"ambiguous play, it could be {choices}: write the intermediate points", field="move")
    return results[0]


def _explain_illegal_play(
    interpretations: Iterable[PlayInterpretation], reason: str, plays: Sequence[Play], roll: Roll
) -> str:
    """Return which rule forbids a play that leads to none of the legal results."""
    most = len(plays[0].moves)
    used = max((trial.dice_used for trial in interpretations), default=0)
    if used == 0:
        return reason
    example = f", for example {format_play(plays[0])}"
    if used >= most:
        return f"only one die can be played: it must be the larger one, {max(roll)}{example}"
    if roll[0] == roll[1]:
        return f"expected {most} moves of {roll[0]}, got {used}{example}"
    return f"both dice must be played{example}"


def _parse_paths(text: str, roll: Roll | None = None) -> list[CheckerPath]:
    if len(text) > _MAX_TEXT_LENGTH:
        raise FormatError(
            f"expected a play of at most {_MAX_TEXT_LENGTH} characters, got {len(text)}", field="move"
        )
    bare = text.lower()
    prefix = _ROLL_PREFIX.match(bare)
    if prefix:
        said = int(prefix[1]), int(prefix[2])
        if roll is not None and sorted(said) != sorted(roll):
            raise PlayError(
                f"expected a play of {format_roll(roll)}, got one of {format_roll(said)}", field="move"
            )
        bare = bare[prefix.end() :]
    bare = " ".join(bare.replace(",", " ").replace(";", " ").split()).rstrip(".")
    words = bare.removeprefix("(").removesuffix(")")
    if not bare or words in _NO_MOVE_WORDS or _NO_MOVE_MARKS.fullmatch(words):
        return []
    bare = re.sub(r" ?([/(-]) ?", r"\1", bare)
    return [path for part in bare.split() if part not in _PADDING for path in _parse_path(part)]


@lru_cache(maxsize=4096)  # game records repeat themselves
def _parse_path(part: str) -> tuple[CheckerPath, ...]:
    match = _PATH.fullmatch(part)
    if not match:
        raise FormatError(
            f"expected a move such as 8/5, bar/22* or 6/off(2), got {part[:40]!r}", field="move"
        )
    steps = re.split("[/-]", match[1] + match[4])
    words = [step.rstrip("*") for step in steps]
    points = tuple(_POINT_WORDS[word] if word in _POINT_WORDS else int(word) for word in words)
    _check_falls(points)
    starred = tuple(point for point, step in zip(points, steps, strict=True) if step.endswith("*"))
    return (CheckerPath(points, starred),) * int(match[2] or match[3] or 1)


def _check_falls(points: tuple[int, ...]) -> None:
    for source, target in pairwise(points):
        if not BAR >= source > target >= OFF:
            raise PlayError(
                f"expected a move from bar or 24 down to 1 or off, got {format_move((source, target))}",
                field="move",
            )


@lru_cache(maxsize=8192)
def _format_bytes(moves: bytes, hit_points: frozenset[int]) -> str:
    return _format_moves(*list_checker_moves(moves, hit_points))


@lru_cache(maxsize=8192)  # the plays of a game repeat themselves, and so do those of its next roll
def _format_moves(moves: tuple[CheckerMove, ...], hits: tuple[bool, ...]) -> str:
    chains: list[list[tuple[int, bool]]] = []
    for (source, target), hit in zip(moves, hits, strict=True):
        for chain in chains:
            if chain[-1][0] == source:
                chain.append((target, hit))
                break
        else:
            chains.append([(source, False), (target, hit)])
    written = [_format_chain(chain) for chain in chains]
    counted = {text: written.count(text) for text in written}
    return " ".join(text if n == 1 else f"{text}({n})" for text, n in counted.items()) or NO_MOVE_TEXT


def _format_chain(chain: list[tuple[int, bool]]) -> str:
    shown = [chain[0], *(step for step in chain[1:-1] if step[1]), chain[-1]]
    return "/".join([_POINT_TEXTS[point] + "*" if hits else _POINT_TEXTS[point] for point, hits in shown])
