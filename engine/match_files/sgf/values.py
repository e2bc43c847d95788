"""How SGF for backgammon (GM[6]) writes points, plays, evaluations and rollouts, in GNU Backgammon's form.

White is seat 0, Black seat 1. Points are letters in White's numbering, ``a`` White's ace point, ``x`` its 24
point; ``y`` is the bar and ``z`` off, for both.

*Source:* files that gnubg 1.07.001 and 1.08.003 wrote.
"""

from __future__ import annotations

import re

import numpy as np

from gammond.engine.cubeful import make_dead_cube_game
from gammond.engine.evaluation.results import CubeDecision, Evaluation
from gammond.engine.match_files.model import ANNOTATOR
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import CheckerMove
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import (
    BAR,
    CHECKERS,
    OFF,
    Board,
    Position,
    count_checkers,
    fill_borne_off,
    swap_sides,
)

HEADERS = {
    "EV": "Event",
    "RO": "Round",
    "PC": "Site",
    "AN": ANNOTATOR,
    "US": "Transcriber",
    "DT": "EventDate",
}
"""The name of a header by its property."""

COLOURS = ("W", "B")
"""The letter of each seat."""

PLAY_MARKS = {"very bad": ("BM", "2"), "bad": ("BM", "1"), "doubtful": ("DO", "")}
CUBE_MARKS = {"very bad": ("BC", "2"), "bad": ("BC", "1"), "doubtful": ("DC", "")}
"""Property and value of each mark of a play, and of a cube action."""

RULE_WORDS = {"Crawford": ("crawford", True), "Jacoby": ("jacoby", True)}
MORE_RULE_WORDS = {
    "NoBeavers": ("beavers", False),
    "Raccoons": ("raccoons", True),
    "AutomaticDoubles": ("automatic_doubles", True),
}
"""The rule that each word sets, and how: of ``RU``, and of our own property."""

NO_CUBE, CUBE_LIMIT, CRAWFORD_GAME = "NoCube", "CubeLimit", "CrawfordGame"

MORE_RULES, MORE_HEADERS, REJECTED_RESIGNATION, UNPLAYED_ROLL, BY_RESULT = "XR", "XH", "XJ", "XU", "XE"
"""Private properties for what GNU Backgammon's have no place for: ``NoBeavers:CubeLimit1024``; a header as
``Match ID=77`` in each value; ``W2`` for White's offer of a gammon that Black rejected; ``1`` beside dice
with which nothing could be moved, and which were not played either; ``1`` in a game of which only the result
tells how it ended."""

_BAR, _OFF = "y", "z"
_PLAY = re.compile(r"([1-6])([1-6])((?:[a-z][a-z]){0,4})")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,9})(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,2})?")
_POINTS = re.compile(r"([a-y])(?::([a-y]))?")


def parse_written_play(text: str, seat: int) -> tuple[Roll, list[CheckerMove]] | None:
    """Parse dice and checker moves: ``31hefe``; None if it is none."""
    found = _PLAY.fullmatch(text.strip())
    if found is None:
        return None
    return (int(found[1]), int(found[2])), parse_moves(found[3], seat)


def parse_moves(letters: str, seat: int) -> list[CheckerMove]:
    """Parse pairs of letters a to z as sources and targets in the mover's numbering."""
    places = [_to_point(letter, seat) for letter in letters]
    return list(zip(places[::2], places[1::2], strict=True))


def format_moves(moves: tuple[CheckerMove, ...], seat: int) -> str:
    """Format checker moves as pairs of letters."""
    return "".join(_to_letter(place, seat) for move in moves for place in move)


def parse_points(values: list[str]) -> list[str]:
    """Parse points, and rectangles of them (``a:y``), as letters; those that are none are left out."""
    letters: list[str] = []
    for value in values:
        if found := _POINTS.fullmatch(value.strip()):
            letters += map(chr, range(ord(found[1]), ord(found[2] or found[1]) + 1))
    return letters


def read_checkers(board: Board, clear: list[str], white: list[str], black: list[str]) -> Board:
    """Change the checkers on a board.

    Args:
        board: ``int8[2, 26]``, White first, each side in its own numbering.
        clear: Points that are cleared first, as letters.
        white: A point for each White checker that is added.
        black: The same of Black.

    Raises:
        PositionError: A side has more checkers than it can have.
    """
    checkers = count_checkers(board[None])
    changed = board.astype(np.int64)
    for letter in clear:
        for seat in (0, 1):
            changed[seat, _to_point(letter, seat)] = 0
    for seat, letters in enumerate((white, black)):
        for letter in letters:
            changed[seat, _to_point(letter, seat)] += 1
    cut: Board = np.minimum(changed, CHECKERS + 1).astype(np.int8)
    fill_borne_off(cut, ("White", "Black"), checkers)
    return cut


def list_checkers(position: Position, on_roll: int) -> tuple[list[str], list[str]]:
    """Return the point of each checker on the board, White's and Black's."""
    board = position.board if on_roll == 0 else swap_sides(position.board)
    return tuple(  # type: ignore[return-value]
        sorted(_to_letter(point, seat) for point in range(1, BAR + 1) for _ in range(int(board[seat, point])))
        for seat in (0, 1)
    )


def parse_numbers(words: list[str]) -> list[float] | None:
    """Parse finite numbers; None if one is none."""
    return [float(word) for word in words] if all(map(_NUMBER.fullmatch, words)) else None


def _to_point(letter: str, seat: int) -> int:
    if letter in (_BAR, _OFF):
        return BAR if letter == _BAR else OFF
    number = ord(letter) - ord("a") + 1
    return number if seat == 0 else BAR - number


def _to_letter(point: int, seat: int) -> str:
    if point in (BAR, OFF):
        return _BAR if point == BAR else _OFF
    return chr(ord("a") - 1 + (point if seat == 0 else BAR - point))


_PLIES = re.compile(r"([0-9]{1,2})-ply")
_TRUNCATION = re.compile(r"rollout of ([0-9]{1,4}) plies")
_LETTERS = re.compile("(?:[a-z][a-z]){0,4}")
_CHOICES = ("NoDouble", "DoubleTake")
_VALUES = 7
"""Of an output: outcome, cubeless value, cubeful value."""

_COIN = Outcome(0.5, 0.0, 0.0, 0.0, 0.0)
"""Written for an evaluation without an outcome."""

_SETTINGS = "0 1 0.000000 1"
"""What gnubg writes behind the depth: not reduced, deterministic, without noise, with pruning."""

_PLAYERS = " ".join(
    f"{name} ver 3 0C 1 0.000000 1"
    for name in (
        *("cube0", "cheq0", "cube1", "cheq1", "latecube0", "latecheq0", "latecube1", "latecheq1"),
        *("cubetrunc", "cheqtrunc"),
    )
)
"""The settings of both sides in a rollout, at 0-ply."""


def parse_candidate(text: str, match: MatchState) -> tuple[list[CheckerMove], Evaluation] | None:
    """Parse an evaluated play; None if it is none.

    ``hefe E ver 3 0.52 0.15 0.01 0.14 0.01 0.09 2C …`` is a search, ``hefe X ver 3 Score 0.09 0.07 Trials 36
    Output 0.52 … StdDev 0.01 … SK 0 RC …`` a rollout.

    Args:
        text: A value of ``A``.
        match: The match state before the roll; its seat on roll plays.
    """
    words = text.split()
    if len(words) < 11 or words[2] != "ver" or not _LETTERS.fullmatch(words[0]):
        return None
    if words[1] == "X" and (score := _find_numbers(words, "Score", 1)):
        evaluation = _parse_rollout(words, words, score[0], match)
    elif words[1] == "E" and (numbers := parse_numbers(words[4:10])):
        evaluation = Evaluation(numbers[5], Outcome(*numbers[:5]), _read_depth(words[10]))
    else:
        return None
    return None if evaluation is None else (parse_moves(words[0], match.on_roll), evaluation)


def format_candidate(moves: tuple[CheckerMove, ...], evaluation: Evaluation, match: MatchState) -> str:
    """Format an evaluated play, arguments as `parse_candidate`; without an outcome, that of a coin."""
    letters = format_moves(moves, match.on_roll)
    if evaluation.trials:
        even, stake = make_dead_cube_game(match).equity_scale
        score = f"Score {evaluation.equity:.6f} {(evaluation.outcome or _COIN).equity:.6f}"
        output = _format_output(evaluation, even + stake * evaluation.equity, stake)
        return f"{letters} X ver 3 {score} Trials {evaluation.trials} {output} {_format_context(evaluation)}"
    numbers = " ".join(f"{number:.6f}" for number in (*(evaluation.outcome or _COIN), evaluation.equity))
    return f"{letters} E ver 3 {numbers} {_format_depth(evaluation.depth)}C {_SETTINGS}"


def parse_decision(text: str, match: MatchState) -> CubeDecision | None:
    """Parse a cube decision; None if it is none.

    ``E ver 3 2C 1 0.0 1`` is a search, then outcome, cubeless and cubeful value of either choice;
    ``X ver 3 Eq Trials 36 NoDouble Output … StdDev … DoubleTake Output … StdDev … SK 0 RC …`` a rollout.

    Args:
        text: The value of ``DA``.
        match: The match state before the decision, its seat on roll the one that may double.
    """
    words = text.split()
    if len(words) < 7 + 2 * _VALUES or words[1] != "ver":
        return None
    if words[0] == "X":
        held, taken = (_parse_rolled_choice(words, name, match) for name in _CHOICES)
        return None if held is None or taken is None else CubeDecision.of_choices(held, taken)
    numbers = parse_numbers(words[7 : 7 + 2 * _VALUES]) if words[0] == "E" else None
    if numbers is None:
        return None
    depth = _read_depth(words[3])
    held, taken = (
        Evaluation(unit * _to_equity(values[6], match), Outcome(*values[:5]), depth)
        for unit, values in zip(_get_units(match), (numbers[:_VALUES], numbers[_VALUES:]), strict=True)
    )
    return CubeDecision.of_choices(held, taken)


def format_decision(decision: CubeDecision, match: MatchState) -> str:
    """Format a cube decision, arguments as `parse_decision`."""
    even, stake = make_dead_cube_game(match).equity_scale
    held, taken = decision.no_double, decision.double_take or decision.no_double
    if taken.outcome is None:
        taken = held._replace(equity=taken.equity)
    if held.trials:
        outputs = [
            f"{name} {_format_output(choice, even + stake * choice.equity, stake)}"
            for name, choice in zip(_CHOICES, (held, taken), strict=True)
        ]
        return f"X ver 3 Eq Trials {held.trials} {' '.join(outputs)} {_format_context(held)}"
    numbers: list[float] = []
    for unit, choice in zip(_get_units(match), (held, taken), strict=True):
        value = even + stake * choice.equity / unit
        outcome = choice.outcome or _COIN
        numbers += [*outcome, outcome.equity, value]
    written = " ".join(f"{number:.6f}" for number in numbers)
    return f"E ver 3 {_format_depth(held.depth)}C 1 0.000000 1 {written}"


def _parse_rolled_choice(words: list[str], name: str, match: MatchState) -> Evaluation | None:
    own = words[words.index(name) :] if name in words else []
    means = _find_numbers(own, "Output", _VALUES)
    return None if means is None else _parse_rollout(words, own, _to_equity(means[6], match), match)


def _parse_rollout(words: list[str], own: list[str], equity: float, match: MatchState) -> Evaluation | None:
    """Parse the outcome and the standard error of a rollout; None if they are not there.

    Of all words, its own are those from the choice on that was rolled out.
    """
    means = _find_numbers(own, "Output", _VALUES)
    errors = _find_numbers(own, "StdDev", _VALUES)
    trials = _find_numbers(words, "Trials", 1)
    if not (means and errors and trials):
        return None
    _, stake = make_dead_cube_game(match).equity_scale
    outcome, error = Outcome(*means[:5]), abs(errors[6] / stake)
    return Evaluation(equity, outcome, _read_truncation(words), error, int(trials[0]))


def _find_numbers(words: list[str], name: str, count: int) -> list[float] | None:
    """Return the numbers behind a word; None if it or one of them is missing."""
    start = words.index(name) + 1 if name in words else len(words)
    numbers = parse_numbers(words[start : start + count])
    return numbers if numbers and len(numbers) == count else None


def _read_truncation(words: list[str]) -> str:
    """Return in words how a rollout was made: to the end, or truncated."""
    place = words.index("RC") if "RC" in words else len(words)
    truncation = words[place + 6 : place + 8]
    if truncation[:1] != ["1"] or not truncation[-1].isdecimal() or len(truncation[-1]) > 4:
        return "rollout"
    return f"rollout of {truncation[-1]} plies"


def _format_output(evaluation: Evaluation, value: float, stake: float) -> str:
    """Format the output of a rollout with its cubeful value; only that has its standard error."""
    outcome = evaluation.outcome or _COIN
    numbers = *outcome, outcome.equity, value
    error = stake * (evaluation.error or 0.0)
    return f"Output {' '.join(f'{number:.10g}' for number in numbers)} StdDev 0 0 0 0 0 0 {abs(error):.10g}"


def _format_context(evaluation: Evaluation) -> str:
    """Format how a rollout was made: with the cube, variance reduction and quasi-random dice."""
    found = _TRUNCATION.search(evaluation.depth)
    truncation = f"1 {found[1]}" if found else "0 0"
    return f'SK 0 RC 1 1 0 1 0 {truncation} 1 1 5 "Mersenne Twister" 0  {_PLAYERS}'


def _to_equity(value: float, match: MatchState) -> float:
    """Return the equity of a value: of a match-winning chance, or of points."""
    even, stake = make_dead_cube_game(match).equity_scale
    return (value - even) / stake


def _get_units(match: MatchState) -> tuple[int, int]:
    """Return the units of the values of not doubling and of a take: in money play each is of its own cube."""
    return (1, 2) if match.is_money else (1, 1)


def _read_depth(word: str) -> str:
    return f"{word.rstrip('C')[:2]}-ply" if word[:1].isdigit() else ""


def _format_depth(depth: str) -> int:
    found = _PLIES.search(depth)
    return int(found[1]) if found else 0
