"""How SGF for backgammon (GM[6]) writes evaluations and rollouts, in GNU Backgammon's form.

*Source:* files that gnubg 1.07.001 and 1.08.003 wrote.
"""

from __future__ import annotations

import re

from gammond.engine.cubeful import make_dead_cube_game
from gammond.engine.evaluation.results import CubeDecision, Evaluation
from gammond.engine.match_files.sgf.points import format_moves, parse_moves, parse_numbers
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import CheckerMove
from gammond.engine.rules.outcome import Outcome

_PLIES = re.compile(r"([0-9]{1,2})-ply")
_TRUNCATION = re.compile(r"rollout of ([0-9]{1,4}) plies")
_LETTERS = re.compile("(?:[a-z][a-z]){0,4}")
_CHOICES = ("NoDouble", "DoubleTake")
_VALUES = 7
"""Of an output: outcome, cubeless value, cubeful value."""

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
    if words[1] == "X":
        evaluation = _parse_rolled_play(words, match)
    elif words[1] == "E" and (numbers := parse_numbers(words[4:10])):
        evaluation = _make_evaluation(numbers, numbers[5], _read_depth(words[10]))
    else:
        return None
    return None if evaluation is None else (parse_moves(words[0], match.on_roll), evaluation)


def format_candidate(moves: tuple[CheckerMove, ...], evaluation: Evaluation, match: MatchState) -> str:
    """Format an evaluated play, arguments as `parse_candidate`; without an outcome, that of a coin."""
    letters = format_moves(moves, match.on_roll)
    if evaluation.trials:
        even, stake = make_dead_cube_game(match).equity_scale
        score = f"Score {evaluation.equity:.6f} {_compute_cubeless(evaluation):.6f}"
        output = _format_output(evaluation, even + stake * evaluation.equity, stake)
        return f"{letters} X ver 3 {score} Trials {evaluation.trials} {output} {_format_context(evaluation)}"
    numbers = " ".join(f"{number:.6f}" for number in (*_outcome_of(evaluation), evaluation.equity))
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
        return _parse_rolled_decision(words, match)
    numbers = parse_numbers(words[7 : 7 + 2 * _VALUES]) if words[0] == "E" else None
    if numbers is None:
        return None
    depth = _read_depth(words[3])
    outputs = numbers[:_VALUES], numbers[_VALUES:]
    held, taken = (
        _make_evaluation(values, unit * _to_equity(values[6], match), depth)
        for unit, values in zip(_get_units(match), outputs, strict=True)
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
        numbers += [*_outcome_of(choice), _compute_cubeless(choice), value]
    written = " ".join(f"{number:.6f}" for number in numbers)
    return f"E ver 3 {_format_depth(held.depth)}C 1 0.000000 1 {written}"


def _parse_rolled_play(words: list[str], match: MatchState) -> Evaluation | None:
    score = _find_numbers(words, "Score", 1)
    return _parse_rollout(words, words, score[0], match) if score else None


def _parse_rolled_decision(words: list[str], match: MatchState) -> CubeDecision | None:
    evaluations = []
    for name in _CHOICES:
        own = words[words.index(name) :] if name in words else []
        means = _find_numbers(own, "Output", _VALUES)
        found = means and _parse_rollout(words, own, _to_equity(means[6], match), match)
        if not found:
            return None
        evaluations.append(found)
    held, taken = evaluations
    return CubeDecision.of_choices(held, taken)


def _parse_rollout(words: list[str], own: list[str], equity: float, match: MatchState) -> Evaluation | None:
    """Parse the outcome and the standard error of a rollout; None if they are not there.

    Args:
        words: All words of the analysis.
        own: Those from the choice on that was rolled out.
        equity: What the rollout found.
        match: The match state before the decision.
    """
    means = _find_numbers(own, "Output", _VALUES)
    errors = _find_numbers(own, "StdDev", _VALUES)
    trials = _find_numbers(words, "Trials", 1)
    if not (means and errors and trials):
        return None
    _, stake = make_dead_cube_game(match).equity_scale
    return _make_evaluation(means, equity, _read_truncation(words), abs(errors[6] / stake), int(trials[0]))


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
    numbers = (*_outcome_of(evaluation), _compute_cubeless(evaluation), value)
    error = stake * (evaluation.error or 0.0)
    return f"Output {' '.join(f'{number:.10g}' for number in numbers)} StdDev 0 0 0 0 0 0 {abs(error):.10g}"


def _format_context(evaluation: Evaluation) -> str:
    """Format how a rollout was made: with the cube, variance reduction and quasi-random dice."""
    found = _TRUNCATION.search(evaluation.depth)
    truncation = f"1 {found[1]}" if found else "0 0"
    return f'SK 0 RC 1 1 0 1 0 {truncation} 1 1 5 "Mersenne Twister" 0  {_PLAYERS}'


def _make_evaluation(
    numbers: list[float], equity: float, depth: str, error: float | None = None, trials: int = 0
) -> Evaluation:
    return Evaluation(equity, Outcome(*numbers[:5]), depth, error, trials)


def _to_equity(value: float, match: MatchState) -> float:
    """Return the equity of a value: of a match-winning chance, or of points."""
    even, stake = make_dead_cube_game(match).equity_scale
    return (value - even) / stake


def _get_units(match: MatchState) -> tuple[int, int]:
    """Return the units of the values of not doubling and of a take: in money play each is of its own cube."""
    return (1, 2) if match.is_money else (1, 1)


def _compute_cubeless(evaluation: Evaluation) -> float:
    return _outcome_of(evaluation).equity


def _outcome_of(evaluation: Evaluation) -> Outcome:
    return evaluation.outcome or Outcome(0.5, 0.0, 0.0, 0.0, 0.0)


def _read_depth(word: str) -> str:
    return f"{word.rstrip('C')[:2]}-ply" if word[:1].isdigit() else ""


def _format_depth(depth: str) -> int:
    found = _PLIES.search(depth)
    return int(found[1]) if found else 0
