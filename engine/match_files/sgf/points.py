"""How SGF for backgammon (GM[6]) names points, plays and analyses, in GNU Backgammon's form.

White is seat 0, Black seat 1. Points are letters in White's numbering, ``a`` White's ace point, ``x`` its 24
point; ``y`` is the bar and ``z`` off, for both.

*Source:* files that gnubg 1.07.001 and 1.08.003 wrote.
"""

from __future__ import annotations

import re

import numpy as np

from engine.match_files.model import RecordedCubeDecision, RecordedEvaluation
from engine.rules.dice import Roll
from engine.rules.match import MatchState
from engine.rules.moves import CheckerMove
from engine.rules.position import BAR, CHECKERS, OFF, Board, Position, fill_borne_off, swap_sides

HEADERS = {
    "EV": "Event",
    "RO": "Round",
    "PC": "Site",
    "AN": "Annotator",
    "US": "Transcriber",
    "DT": "EventDate",
}
"""The name of a header by its property."""

COLOURS = ("W", "B")
"""The letter of each seat."""

MORE_RULES, MORE_HEADERS = "XR", "XH"
"""Private properties for what GNU Backgammon's have no place for: ``NoBeavers:CubeLimit1024``; a header as
``Match ID=77`` in each value."""

NO_BEAVERS, RACCOONS, AUTOMATIC_DOUBLES, CUBE_LIMIT = "NoBeavers", "Raccoons", "AutomaticDoubles", "CubeLimit"

_BAR, _OFF = "y", "z"
_PLAY = re.compile(r"([1-6])([1-6])((?:[a-z][a-z]){0,4})")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,9})(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,2})?")
_POINTS = re.compile(r"([a-y])(?::([a-y]))?")
_PLIES = re.compile(r"([0-9]{1,2})-ply")
_DECISION_VALUES = 7
_SETTINGS = "0 1 0.000000 1"
"""What gnubg writes behind the depth: not reduced, deterministic, without noise, with pruning."""


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
    changed = board.astype(np.int64)
    for letter in clear:
        for seat in (0, 1):
            changed[seat, _to_point(letter, seat)] = 0
    for seat, letters in enumerate((white, black)):
        for letter in letters:
            changed[seat, _to_point(letter, seat)] += 1
    cut: Board = np.minimum(changed, CHECKERS + 1).astype(np.int8)
    fill_borne_off(cut, ("White", "Black"))
    return cut


def list_checkers(position: Position, on_roll: int) -> tuple[list[str], list[str]]:
    """Return the point of each checker on the board, White's and Black's."""
    board = position.board if on_roll == 0 else swap_sides(position.board)
    return tuple(  # type: ignore[return-value]
        sorted(_to_letter(point, seat) for point in range(1, BAR + 1) for _ in range(int(board[seat, point])))
        for seat in (0, 1)
    )


def parse_candidate(
    text: str, seat: int, match: MatchState, scale: tuple[float, float]
) -> tuple[list[CheckerMove], RecordedEvaluation] | None:
    """Parse an evaluated play, ``hefe E ver 3 0.52 0.15 0.01 0.14 0.01 0.09 2C ...``; None if it is none.

    Args:
        text: A value of ``A``; that of a play that was rolled out has ``X`` in place of ``E``.
        seat: Who plays.
        match: The match state before the play.
        scale: As for `parse_decision`.
    """
    letters, *words = text.split() or [""]
    if not re.fullmatch("(?:[a-z][a-z]){0,4}", letters):
        return None
    evaluation: RecordedEvaluation | None = None
    if words[:2] == ["E", "ver"] and len(words) > 9 and (numbers := parse_numbers(words[3:9])):
        evaluation = _make_evaluation(numbers, numbers[5], _read_depth(words[9]))
    elif words[:2] == ["X", "ver"] and (score := _find_numbers(words, "Score", 1)):
        unit = 1.0 if match.is_money else 1.0 / scale[1]
        evaluation = _parse_rollout(words, words, unit, score[0])
    return (parse_moves(letters, seat), evaluation) if evaluation else None


def format_candidate(moves: tuple[CheckerMove, ...], seat: int, evaluation: RecordedEvaluation) -> str:
    """Format an evaluated play; without an outcome, that of a coin."""
    numbers = " ".join(f"{number:.6f}" for number in (*_outcome_of(evaluation), evaluation.equity))
    return f"{format_moves(moves, seat)} E ver 3 {numbers} {_format_depth(evaluation.depth)}C {_SETTINGS}"


def parse_decision(text: str, match: MatchState, scale: tuple[float, float]) -> RecordedCubeDecision | None:
    """Parse ``E ver 3 2C 1 0.0 1``, then outcome, cubeless and cubeful value of either choice.

    Args:
        text: The value of ``DA``; that of a rollout has ``X`` in place of ``E`` and names its numbers.
        match: The match state before the decision.
        scale: The value at which equity is 0, and that of an equity of 1 (`CubeStateSpace.equity_scale`).
    """
    words, (even, stake) = text.split(), scale
    evaluations: list[RecordedEvaluation | None] = []
    for turns, choice in enumerate(("NoDouble", "DoubleTake")):
        unit, zero = (1.0, 0.0) if match.is_money else (1.0 / stake, even)
        if words[:2] == ["X", "ver"] and choice in words:
            own = words[words.index(choice) :]
            if numbers := _find_numbers(own, "Output", _DECISION_VALUES):
                evaluations.append(_parse_rollout(words, own, unit, (numbers[6] - zero) * unit))
        elif words[:2] == ["E", "ver"]:
            unit *= 1 + turns * match.is_money  # in money play a taken double has the unit of its own cube
            start = 7 + turns * _DECISION_VALUES
            numbers = parse_numbers(words[start : start + _DECISION_VALUES]) or []
            if len(numbers) == _DECISION_VALUES:
                equity = (numbers[6] - zero) * unit
                evaluations.append(_make_evaluation(numbers, equity, _read_depth(words[3])))
    match evaluations:
        case [RecordedEvaluation() as held, RecordedEvaluation() as taken]:
            return RecordedCubeDecision(held.equity, taken.equity, 1.0, held, taken)
    return None


def format_decision(decision: RecordedCubeDecision, match: MatchState, scale: tuple[float, float]) -> str:
    """Format a cube decision, arguments as `parse_decision`."""
    even, stake = scale
    numbers: list[float] = []
    evaluations = decision.evaluation, decision.taken_evaluation or decision.evaluation
    for turns, evaluation in enumerate(evaluations):
        equity = decision.double_take if turns else decision.no_double
        win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = outcome = _outcome_of(evaluation)
        cubeless = 2 * win - 1 + win_gammon + win_backgammon - lose_gammon - lose_backgammon
        value = equity / (1 + turns) if match.is_money else even + stake * equity
        numbers += [*outcome, cubeless, value]
    depth = _format_depth(decision.evaluation.depth if decision.evaluation else "")
    written = " ".join(f"{number:.6f}" for number in numbers)
    return f"E ver 3 {depth}C 1 0.000000 1 {written}"


def parse_numbers(words: list[str]) -> list[float] | None:
    """Parse finite numbers; None if one is none."""
    return [float(word) for word in words] if all(map(_NUMBER.fullmatch, words)) else None


def _parse_rollout(words: list[str], own: list[str], unit: float, equity: float) -> RecordedEvaluation | None:
    """Parse the outcome and the standard error of a rollout; None if they are not there.

    Args:
        words: All words of the analysis.
        own: Those from the choice on that was rolled out.
        unit: The equity that a value of 1 is worth.
        equity: What the rollout found.
    """
    outcome = _find_numbers(own, "Output", _DECISION_VALUES)
    deviations = _find_numbers(own, "StdDev", _DECISION_VALUES)
    trials = _find_numbers(words, "Trials", 1)
    if not (outcome and deviations and trials):
        return None
    return _make_evaluation(outcome, equity, "rollout", error=deviations[6] * unit, trials=int(trials[0]))


def _find_numbers(words: list[str], name: str, count: int) -> list[float] | None:
    """Return the numbers behind a word; None if it or one of them is missing."""
    start = words.index(name) + 1 if name in words else len(words)
    numbers = parse_numbers(words[start : start + count])
    return numbers if numbers and len(numbers) == count else None


def _make_evaluation(
    values: list[float], equity: float, depth: str, error: float | None = None, trials: int = 0
) -> RecordedEvaluation:
    outcome = values[0], values[1], values[2], values[3], values[4]
    return RecordedEvaluation(equity, outcome, depth, error, trials)


def _outcome_of(evaluation: RecordedEvaluation | None) -> tuple[float, float, float, float, float]:
    return (evaluation and evaluation.outcome) or (0.5, 0.0, 0.0, 0.0, 0.0)


def _read_depth(word: str) -> str:
    return f"{word.rstrip('C')[:2]}-ply" if word[:1].isdigit() else ""


def _format_depth(depth: str) -> int:
    found = _PLIES.search(depth)
    return int(found[1]) if found else 0


def _to_point(letter: str, seat: int) -> int:
    if letter in (_BAR, _OFF):
        return BAR if letter == _BAR else OFF
    number = ord(letter) - ord("a") + 1
    return number if seat == 0 else BAR - number


def _to_letter(point: int, seat: int) -> str:
    if point in (BAR, OFF):
        return _BAR if point == BAR else _OFF
    return chr(ord("a") - 1 + (point if seat == 0 else BAR - point))
