"""Reports on runs of ``gammond heritage heuristic-net``: errors, agreement with the heuristic, strength."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.evaluation.evaluator import Scorer
from gammond.engine.play.player import ScorerPlayer
from gammond.engine.rules.position import CHECKERS, OFF, Board
from gammond.tools.train.runs.strength_games import strengths_from_record

_PERCENT = 100.0
_MAX_COMPARED = 20_000


def compute_mean_squared_error(scorer: Scorer, boards: Board, targets: NDArray[np.float32]) -> float:
    """Compute the mean squared error of a scorer on positions.

    Args:
        scorer: Scores the positions.
        boards: ``int8[n, 2, 26]``, at least one; row 1 has played.
        targets: ``float32[n]``.
    """
    return float(np.square(scorer.score_boards(boards).astype(np.float64) - targets).mean())


def measure_agreement(one: Scorer, other: Scorer, boards: Board, generator: np.random.Generator) -> float:
    """Measure the share of rolls for which two scorers choose the same play.

    Args:
        one: A scorer.
        other: Another.
        boards: ``int8[n, 2, 26]``; the first of them that are not over get one roll each.
        generator: Of the rolls.
    """
    boards = boards[(boards[:, :, OFF] < CHECKERS).all(axis=1)][:_MAX_COMPARED]
    dice = generator.integers(1, 7, (len(boards), 2)).astype(np.int8)
    chosen = [ScorerPlayer("", scorer).choose(boards, dice) for scorer in (one, other)]
    return float((chosen[0] == chosen[1]).all(axis=(1, 2)).mean())


def format_step(record: Mapping[str, Any]) -> str:
    """Format the result of an epoch or a round, with the share of games won against each opponent."""
    what = f"epoch {record['epoch']}" if "epoch" in record else f"round {record['round']}"
    rms, aside = (sqrt(record[name]) for name in ("loss", "aside_loss"))
    text = f"{what}, {record['learned']} positions, RMS error {rms:.4f}, validation {aside:.4f}"
    if "win_shares" not in record:
        return text
    shares = " and ".join(f"{_PERCENT * share:.1f} %" for share in record["win_shares"].values())
    return f"{text}, {shares} won"


def format_report(records: Sequence[Mapping[str, Any]]) -> str:
    """Report a run: a row for each measurement, with the errors before it.

    Args:
        records: Its log.
    """
    lines = []
    for record in records:
        if "agreement_random" in record:
            lines.append(_format_imitation(record))
        if strengths := _format_strengths(record):
            name = "imitation" if "epoch" in record else f"round {record['round']}"
            lines.append(f"{name}: {', '.join(strengths)}")
    if records and "round" in records[-1]:
        lines.append(f"outcomes: RMS error aside {sqrt(records[-1]['aside_loss']):.4f} in the last round")
    return "".join(f"{line}\n" for line in lines)


def _format_imitation(record: Mapping[str, Any]) -> str:
    random, chosen = (_PERCENT * record[f"agreement_{name}"] for name in ("random", "chosen"))
    return (
        f"imitation, {record['epoch']} epochs of {record['learned']} positions: RMS error aside "
        f"{sqrt(record['aside_loss']):.4f}; the heuristic's play in {random:.1f} % of positions of random "
        f"games, in {chosen:.1f} % of those of games of the chooser"
    )


def _format_strengths(record: Mapping[str, Any]) -> list[str]:
    texts = []
    for each in strengths_from_record(record):
        won = _PERCENT * record["win_shares"][each.opponent]
        texts.append(f"{each.points:+.3f} ({won:.1f} % won) against {each.opponent}")
    return texts
