"""How OGXM says what plays and cube decisions are worth.

Equities are written on the scale of a money game at the present cube, which the format calls cubeful. Files
of OpenGammon have match-winning chances in matches; the library says what the present cube wins and loses
there. Outcomes are those of the seat that acts, the three equities of a cube decision the doubler's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gammond.engine.evaluation.results import CubeDecision, Evaluation, RankedPlay
from gammond.engine.match_files.ogxm.codec import Document, list_steps
from gammond.engine.rules.game_record import PlayAction
from gammond.engine.rules.outcome import Outcome

CURRENCY = "cubeful"

_CHANCES = frozenset(("cubeful_match", "cubeless_match"))
_OUTCOME = ("win", "gammon_win", "bg_win", "gammon_loss", "bg_loss")
_PLIES = re.compile(r"([0-9]{1,2})[- ]?ply")
_TRUNCATION = re.compile(r"rollout of ([0-9]{1,4}) plies")
_MAX_PRESET_CHARS = 60


class Scale:
    """Turns the equities of a decision into those of the model.

    Args:
        found: The decision.
        currency: What its block counts in, where it does not say so itself.
    """

    def __init__(self, found: Document, currency: str) -> None:
        self._even, self._stake = 0.0, 1.0
        self.is_known = True
        if found.get("currency", currency) in _CHANCES:
            lost, won = found.get("emg_anchors") or (0.0, 0.0)
            self._even, self._stake = (won + lost) / 2, (won - lost) / 2
            self.is_known = self._stake > 0

    def read(self, value: float) -> float:
        """Return an equity."""
        return (value - self._even) / self._stake

    def read_difference(self, value: float) -> float:
        """Return a difference of equities."""
        return value / self._stake


def read_evaluation(found: Document, equity: float, scale: Scale, *, swap: bool = False) -> Evaluation:
    """Read the evaluation of an alternative or a cube decision.

    Args:
        found: It.
        equity: Its equity, for the player that the model has it for.
        scale: Of its decision.
        swap: Whether its outcome is the other player's.
    """
    level = found.get("level") or {}
    rollout = level.get("rollout") or {}
    error = found.get("rollout_se")
    chances, outcome = found.get("eval"), None
    if chances is not None:
        outcome = Outcome(*(float(chances[name]) for name in _OUTCOME))
    return Evaluation(
        equity,
        _swap_sides(outcome) if outcome and swap else outcome,
        _read_depth(level),
        None if error is None else scale.read_difference(error),
        rollout.get("trials", 0),
    )


def _swap_sides(outcome: Outcome) -> Outcome:
    """Return an outcome as the other player sees it."""
    win, gammons, backgammons, lost, lost_more = outcome
    return Outcome(1 - win, lost, lost_more, gammons, backgammons)


def _read_depth(level: Document) -> str:
    preset: str = level.get("preset", "")
    if (plies := _PLIES.fullmatch(preset)) is not None:
        return f"{plies[1]}-ply"
    if preset:
        return preset
    if rollout := level.get("rollout"):
        plies_played = rollout.get("truncation_depth", 0)
        return f"rollout of {plies_played} plies" if plies_played else "rollout"
    return f"{level['checker_ply']}-ply" if "checker_ply" in level else ""


def read_decision(found: Document, currency: str, *, is_response: bool = False) -> CubeDecision | None:
    """Read a cube decision; None if it lacks an equity.

    Args:
        found: The decision.
        currency: Of its block.
        is_response: Whether its outcome is that of the player who responds.
    """
    scale = Scale(found, currency)
    values = [found.get(f"{name}_equity") for name in ("no_double", "double_take", "double_pass")]
    if None in values or not scale.is_known:
        return None
    held, taken, passed = (scale.read(float(value or 0)) for value in values)
    evaluation = read_evaluation(found, held, scale, swap=is_response)
    if evaluation.outcome is None:
        evaluation = Evaluation(held)
    return CubeDecision.of_choices(evaluation, Evaluation(taken), Evaluation(passed))


def format_decision(
    decision: CubeDecision, *, is_double: bool = False, is_take: bool | None = None
) -> Document:
    """Format a cube decision.

    Args:
        decision: It.
        is_double: Whether the player doubled.
        is_take: Whether a double was taken; None for the decision to double.
    """
    no_double, double_take, double_pass = decision.equities
    written: Document = {
        "no_double_equity": no_double,
        "double_take_equity": double_take,
        "double_pass_equity": double_pass,
    }
    if is_take is not None:
        written |= {
            "correct_action": str(decision.response),
            "played_action": "take" if is_take else "pass",
            "equity_loss": decision.find_response_error(is_take=is_take),
        }
    else:
        should_double = decision.double > no_double
        written |= {
            "correct_action": "double" if should_double else "no_double",
            "played_action": "double" if is_double else "no_double",
            "should_double": should_double,
            "equity_loss": decision.find_doubling_error(is_double=is_double),
        }
    return written | _format_evaluation(decision.no_double, swap=is_take is not None)


def format_alternatives(candidates: Sequence[RankedPlay], action: PlayAction) -> Document:
    """Format the plays that were considered for a roll.

    The format wants plays of one depth together, best first, and the one that was made among the first of
    them; otherwise it only says what that one lost. The trials of rollouts are one number for each depth.
    """
    groups: dict[str, dict[bytes, RankedPlay]] = {}
    for candidate in candidates:
        if candidate.play.moves:
            result = candidate.play.result.board.tobytes()
            if not any(result in group for group in groups.values()):
                groups.setdefault(candidate.evaluation.depth, {})[result] = candidate
    if not groups:
        return {}
    played = action.play.result.board.tobytes()
    first, *others = groups.values()
    alternatives: list[Document] = []
    for group in (first, *others):
        trials = max(each.evaluation.trials for each in group.values())
        for result, each in sorted(group.items(), key=lambda pair: -pair[1].evaluation.equity):
            if result == played and group is not first:
                continue
            written: Document = {
                "move": list_steps(each.play.moves, action.seat),
                "equity": each.evaluation.equity,
                "is_played": result == played,
            }
            alternatives.append(written | _format_evaluation(each.evaluation, trials=trials))
    formatted: Document = {"alternatives": alternatives}
    left_out = next((group[played] for group in others if played in group), None)
    if left_out is not None:
        best = alternatives[0]["equity"]
        formatted["equity_loss"] = max(best - left_out.evaluation.equity, 0)
    return formatted


def _format_evaluation(evaluation: Evaluation, *, trials: int = 0, swap: bool = False) -> Document:
    written: Document = {}
    if evaluation.outcome is not None:
        values = _swap_sides(evaluation.outcome) if swap else evaluation.outcome
        written["eval"] = dict(zip(_OUTCOME, values, strict=True))
    level: Document = {}
    if evaluation.depth:
        level["preset"] = evaluation.depth[:_MAX_PRESET_CHARS]
    if (plies := _PLIES.fullmatch(evaluation.depth)) is not None:
        level |= {"checker_ply": int(plies[1]), "cube_ply": int(plies[1])}
    if trials := trials or evaluation.trials:
        truncated = _TRUNCATION.fullmatch(evaluation.depth)
        level["rollout"] = {"trials": trials, "truncation_depth": int(truncated[1]) if truncated else 0}
        if evaluation.error is not None:
            written["rollout_se"] = evaluation.error
    if level:
        written["level"] = level
    return written
