"""Play notation: formats plays in one way and parses all common ones.

Plays are compared by the position that they lead to: ``13/8 13/10`` and ``13/10, 13/8`` are the same play,
and so are ``bar/22/18`` and ``25/18``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from gammond.engine.errors import FormatError, PlayError
from gammond.engine.rules.dice import Roll, format_roll
from gammond.engine.rules.moves import CheckerMove, LegalPlays, Play, generate_plays, list_checker_moves
from gammond.engine.rules.position import BAR, OFF, Board, Position, swap_sides
from gammond.engine.rules.rules import STANDARD_RULES, Rules
from gammond.engine.wording import format_count

NO_MOVE_TEXT = "pass"

_NO_MOVE_WORDS = {
    *("pass", "cannot move", "can not move", "can't move", "cant move", "no move", "no moves", "no play"),
    *("no legal move", "no legal moves", "no legal play", "dance", "dances", "fan", "fans", "o-o"),
}
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

_Dice = tuple[int, ...]
"""One for each checker move."""


class _CheckerPath(NamedTuple):
    """The path of one checker as written.

    Attributes:
        points: Source, intermediate points and target, falling (25 the bar, 0 off).
        marked_hits: Points marked as hits.
    """

    points: tuple[int, ...]
    marked_hits: tuple[int, ...] = ()


class _Interpretation(NamedTuple):
    """One way to play all paths.

    Attributes:
        result: The position afterwards, as the next mover sees it.
        hits: Points hit on, in the mover's numbering.
        dice_used: How many dice it takes.
    """

    result: Position
    hits: tuple[int, ...]
    dice_used: int


def format_play(play: Play, *, is_legal: bool = True) -> str:
    """Format a play as people write it: ``8/5 6/5``, ``bar/22*``, ``6/off(2)``, ``24/18*/13``, ``pass``.

    Moves of one checker are joined, with intermediate points only where it hits; equal moves are counted. A
    play that was made against the rules is marked: ``14/10 (illegal)``.
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
    that does not hit is meant. Points are numbered as the player on roll sees them.

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
    """Find among the legal plays of a roll the one that is meant.

    Args:
        written: A text as for `parse_play`, or sources and targets in any order; a long move may be one.
        position: The position before the play.
        roll: The dice to be played.
        rules: The rules of the game.
        plays: The legal plays.

    Raises:
        GammondError: As `parse_play`.
    """
    if isinstance(written, str):
        paths = _parse_paths(written, roll)
    else:
        paths = [_CheckerPath(move) for move in written]
        for path in paths:
            _check_falls(path.points)
    return _find_play(paths, position, roll, rules, plays)


def _find_play(
    paths: list[_CheckerPath], position: Position, roll: Roll, rules: Rules, plays: LegalPlays
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
    trials, reason = _find_interpretations(position, dice, paths)
    found = {result: plays.find(result.board) for result in {trial.result for trial in trials}}
    by_result = {result: play for result, play in found.items() if play is not None}
    fitting = [trial for trial in trials if trial.result in by_result]
    if not fitting:
        raise PlayError(_explain_illegal_play(trials, reason, plays, roll), field="move")
    return by_result[_choose_result(fitting, paths, by_result)]


def carry_out_play(written: str | Sequence[CheckerMove], position: Position) -> Play:
    """Carry out a play as it is written, whatever the rules and the dice say of it.

    A checker hits where it comes upon a single one of the other side; arguments as `find_written_play`.

    Raises:
        FormatError: The text is not a play.
        PlayError: A checker is not where it would move from, moves backwards, or lands on a point that the
            other side holds.
    """
    paths = _parse_paths(written) if isinstance(written, str) else [_CheckerPath(move) for move in written]
    steps = [step for path in paths for step in pairwise(path.points)]
    own, opponent = position.board.tolist()
    moved = []
    for step in steps:
        _check_falls(step)
        if not own[step[0]]:
            raise PlayError(f"there is no checker to play {_format_ends(step)}", field="move")
        if step[1] > OFF and opponent[BAR - step[1]] > 1:
            raise PlayError(f"the other side holds the point of {_format_ends(step)}", field="move")
        moved.append((step, _move_checker(own, opponent, step)))
    moved.sort(key=lambda each: each[0], reverse=True)
    result = Position(np.array([opponent, own], np.int8), position.checkers)
    return Play(tuple(move for move, _ in moved), tuple(is_hit for _, is_hit in moved), result)


def infer_play(position: Position, after: Board) -> Play:
    """Return a play that leads to a board as the next mover sees it, whatever the rules and dice say of it.

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
    paths: list[_CheckerPath], position: Position, dice: _Dice, plays: LegalPlays
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


_Attempt = tuple[list[int], list[int], _Dice, tuple[tuple[int, ...], ...], tuple[int, ...]]
"""Checkers of both sides, the dice and the parts of paths that are left, and the points of hits."""


def _find_interpretations(
    position: Position, dice: _Dice, paths: list[_CheckerPath]
) -> tuple[list[_Interpretation], str]:
    """Play paths in every way that the rules for single checker moves allow.

    Depth-first over which checker moves next and by which die, no state twice. The caller checks whether
    enough dice were used, and the right one.

    Returns:
        The interpretations, and if there are none, the rule that stopped the one that went furthest.
    """
    reason = _explain_dice_mismatch(paths, dice)
    if reason:
        return [], reason
    found: list[_Interpretation] = []
    seen: set[tuple[object, ...]] = set()
    refusals: list[tuple[tuple[int, int, int], str]] = []
    """With how many paths and dice were left; rules of the game go before arithmetic."""

    own, opponent = position.board.tolist()
    starts = tuple(path.points for path in paths)  # pending paths begin where their checkers are
    waiting: list[_Attempt] = [(own, opponent, dice, starts, ())]
    while waiting:
        own, opponent, left, pending, hits = waiting.pop()
        state = tuple(own), left, tuple(sorted(pending)), tuple(sorted(hits))
        if state in seen:
            continue
        seen.add(state)
        if not pending:
            result = Position(swap_sides(np.array([own, opponent], np.int8)), sum(own))
            found.append(_Interpretation(result, hits, len(dice) - len(left)))
        following: list[_Attempt] = []
        for points in dict.fromkeys(pending):
            source, goal, *ahead = points
            others = list(pending)
            others.remove(points)
            for die in dict.fromkeys(left):
                rest = list(left)
                rest.remove(die)
                target = max(source - die, OFF)
                if not _is_within_reach(source - die, goal, tuple(rest)):
                    remaining = "-".join(map(str, left)) or "no dice"
                    refusal = f"{_format_ends(points)} cannot be played with {remaining} left"
                    refusals.append(((len(others), len(left), 1), refusal))
                elif refusal := _explain_illegal_move(own, opponent, source, die):
                    refusals.append(((len(others), len(left), 0), refusal))
                else:
                    after = own.copy(), opponent.copy()
                    hit = (target,) if _move_checker(*after, (source, target)) else ()
                    further = tuple(ahead) if target == goal else (goal, *ahead)
                    paths_left = (*others, (target, *further)) if further else tuple(others)
                    following.append((*after, tuple(rest), paths_left, hits + hit))
        waiting += reversed(following)
    return found, min(refusals, key=lambda each: each[0])[1] if refusals else ""


def _explain_illegal_move(own: list[int], opponent: list[int], source: int, die: int) -> str:
    """Return the rule that forbids moving a checker by a die; empty if it is legal."""
    if not own[source]:
        return f"no checker on {'the bar' if source == BAR else source}"
    if own[BAR] and source != BAR:
        return "checkers on the bar must enter first"
    target = source - die
    if target > OFF:
        holders = opponent[BAR - target]
        if holders < 2:
            return ""
        return f"{_format_ends((source, target))} is blocked by {holders} checkers of the opponent"
    highest = max(point for point in range(1, BAR + 1) if own[point])
    if highest > 6:
        return f"no bearing off while a checker is on {'the bar' if highest == BAR else highest}"
    if target < OFF and source < highest:
        return f"a {die} bears off from {source} only when no checker is higher, and one is on {highest}"
    return ""


def _explain_dice_mismatch(paths: list[_CheckerPath], dice: _Dice) -> str:
    """Return why paths do not fit the dice in any position; empty if they may fit."""
    steps = [step for path in paths for step in pairwise(path.points)]
    if len(steps) > len(dice):
        return f"expected at most {len(dice)} checker moves with {format_roll(dice)}, got {len(steps)}"
    for source, goal in steps:
        if not _is_within_reach(source, goal, dice):
            pips = format_count(source - goal, "pip")
            return f"{_format_ends((source, goal))} is {pips}, not possible with {format_roll(dice)}"
    return ""


def _is_within_reach(source: int, goal: int, dice: _Dice) -> bool:
    """Return whether some of the dice move a checker exactly to its goal, or off if that is the goal."""
    if goal == OFF:
        return source - sum(dice) <= OFF
    return source - goal in {
        sum(some) for count in range(len(dice) + 1) for some in combinations(dice, count)
    }


def _choose_result(
    interpretations: list[_Interpretation], paths: list[_CheckerPath], by_result: dict[Position, Play]
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
    interpretations: Iterable[_Interpretation], reason: str, plays: Sequence[Play], roll: Roll
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


def _parse_paths(text: str, roll: Roll | None = None) -> list[_CheckerPath]:
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
def _parse_path(part: str) -> tuple[_CheckerPath, ...]:
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
    return (_CheckerPath(points, starred),) * int(match[2] or match[3] or 1)


def _check_falls(points: tuple[int, ...]) -> None:
    for source, target in pairwise(points):
        if not BAR >= source > target >= OFF:
            raise PlayError(
                f"expected a move from bar or 24 down to 1 or off, got {_format_ends((source, target))}",
                field="move",
            )


def _format_ends(points: tuple[int, ...]) -> str:
    """Format the ends of a path: ``bar/18``."""
    return "/".join("bar" if p == BAR else "off" if p == OFF else str(p) for p in (points[0], points[-1]))


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
