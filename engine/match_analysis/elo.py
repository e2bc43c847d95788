"""Elo of all players from games won, with standard errors.

*Source:* the model of Bradley and Terry, 1952, in Elo's units; maximum likelihood by Newton's method. The
errors are those of the sandwich estimator (H. White, "Maximum Likelihood Estimation of Misspecified Models",
1982) with the observed variance of paired games, which are not independent of each other.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

ELO_PER_LOGIT = 400.0 / math.log(10.0)

MIN_WINS = 0.5
"""Wins counted for a player who won no game against another: without them Elo would be unbounded."""

_MAX_STEPS = 500
_TOLERANCE = 1e-10


def estimate_elo(
    wins: NDArray[np.float64], variances: NDArray[np.float64], anchor: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Estimate Elo.

    Args:
        wins: ``float64[n, n]``, games that the player of the row won against the player of the column.
        variances: ``float64[n, n]``, symmetric, of the number of wins of each pair.
        anchor: The player whose Elo is 0.

    Returns:
        Elo and standard errors, ``float64[n]`` each; nan for players that no games connect with the anchor.
    """
    games = wins + wins.T
    wins = np.where(games > 0, np.clip(wins, np.minimum(MIN_WINS, games), games - MIN_WINS), 0.0)
    share = np.divide(wins, games, out=np.zeros_like(wins), where=games > 0)
    least = games * share * (1 - share)
    variances = np.where(variances > 0, variances, least)
    elo, errors = (np.full(len(wins), np.nan) for _ in range(2))
    elo[anchor] = errors[anchor] = 0.0
    free = np.array([player for player in _find_connected(games, anchor) if player != anchor], np.int64)
    if len(free):
        logits = _fit_logits(wins, games, free)
        bread = np.linalg.inv(_compute_information(logits, games)[np.ix_(free, free)])
        meat = (np.diag(variances.sum(axis=1)) - variances)[np.ix_(free, free)]
        elo[free] = ELO_PER_LOGIT * logits[free]
        errors[free] = ELO_PER_LOGIT * np.sqrt(np.diag(bread @ meat @ bread))
    return elo, errors


def _find_connected(games: NDArray[np.float64], anchor: int) -> list[int]:
    """Find the players that games connect with the anchor, directly or through others."""
    found, at = [anchor], 0
    while at < len(found):
        found += [int(other) for other in np.flatnonzero(games[found[at]]) if other not in found]
        at += 1
    return sorted(found)


def _fit_logits(
    wins: NDArray[np.float64], games: NDArray[np.float64], free: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Fit the maximum-likelihood strengths; those of players that are not free stay 0."""
    logits = np.zeros(len(wins))
    for _ in range(_MAX_STEPS):
        surplus = (wins - games * _expected_scores(logits)).sum(axis=1)
        step = np.linalg.solve(_compute_information(logits, games)[np.ix_(free, free)], surplus[free])
        farthest = float(np.abs(step).max())
        logits[free] += step / max(1.0, farthest)
        if farthest < _TOLERANCE:
            break
    return logits


def _compute_information(logits: NDArray[np.float64], games: NDArray[np.float64]) -> NDArray[np.float64]:
    expected = _expected_scores(logits)
    spread = games * expected * (1 - expected)
    return np.diag(spread.sum(axis=1)) - spread


def _expected_scores(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share that each row's player wins against each column's."""
    return 1.0 / (1.0 + np.exp(logits[None, :] - logits[:, None]))
