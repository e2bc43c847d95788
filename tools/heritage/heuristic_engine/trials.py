"""The games of one trial: a changed configuration against the previous one, in several processes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import Player
from gammond.engine.rules.rules import STANDARD_RULES, Rules
from gammond.nets.heritage.heuristic_engine.heuristic import (
    HeuristicConfig,
    HeuristicPlayer,
    OnePlyHeuristicPlayer,
)
from gammond.tools.heritage.heuristic_engine.acceptance import AcceptanceRule, ChangeDecision
from gammond.tools.parallel.executor import Executor
from gammond.tools.tournament.statistics.scores import PairedScores

GAMES_PER_TASK = 500
"""Games of a task; no effect on the result."""

_PAIRS_PER_TRIAL = 2**24
"""Distance of the trials in the numbering of pairs of games."""


@dataclass(frozen=True)
class PlaySettings:
    """How configurations play.

    Attributes:
        rules: The rules of the games.
        uses_probability_score: Whether they play by the probability score, the average of the opponent's best
            replies.
    """

    rules: Rules = STANDARD_RULES
    uses_probability_score: bool = False

    def make_player(self, configuration: HeuristicConfig) -> Player:
        """Make the player of a configuration."""
        kind = OnePlyHeuristicPlayer if self.uses_probability_score else HeuristicPlayer
        return kind("heuristic", configuration.tables)


@dataclass(frozen=True)
class ClimbTrial:
    """A trial: its players, dice and rules.

    Attributes:
        changed: The configuration whose points count.
        baseline: Its opponent.
        seed: Of the dice.
        number: The number of the trial; each has its own dice.
        play_settings: How both play.
    """

    changed: HeuristicConfig
    baseline: HeuristicConfig
    seed: int
    number: int
    play_settings: PlaySettings = PlaySettings()


@dataclass(frozen=True)
class _TrialGames:
    """Some games of a trial, and whether they come in pairs with the same dice."""

    trial: ClimbTrial
    first_game: int
    games: int
    has_pairs: bool


def run_trial(
    trial: ClimbTrial, rule: AcceptanceRule, processes: Executor
) -> tuple[ChangeDecision, PairedScores]:
    """Play until a rule decides.

    Args:
        trial: The trial.
        rule: Decides.
        processes: Play the games; no effect on the result.

    Returns:
        The decision, and the games that it is based on.
    """
    scores = PairedScores.empty()
    for points in processes.map(play_trial_games, _split_trial(trial, rule)):
        scores = scores.concatenate(PairedScores(points.astype(np.float64), points))
        decision = rule.decide(scores)
        if decision is not None:
            return decision, scores.take_first(decision.games)
    raise AssertionError("a rule decides after its last game at the latest")


def play_trial_games(games: _TrialGames) -> NDArray[np.int8]:
    """Play some games; return ``int8[games]``, points of the changed configuration; 0 for an endless one."""
    trial = games.trial
    first, second = (trial.play_settings.make_player(each) for each in (trial.changed, trial.baseline))
    return play_games(
        first,
        second,
        games.games,
        trial.seed,
        first_pair=trial.number * _PAIRS_PER_TRIAL + games.first_game // 2,
        has_pairs=games.has_pairs,
        rules=trial.play_settings.rules,
        may_be_endless=True,
    ).points


def _split_trial(trial: ClimbTrial, rule: AcceptanceRule) -> Iterator[_TrialGames]:
    for start in range(0, rule.most_games, GAMES_PER_TASK):
        yield _TrialGames(trial, start, min(GAMES_PER_TASK, rule.most_games - start), rule.has_pairs)
