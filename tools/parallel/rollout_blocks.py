"""Blocks of rollout trials, played by an executor: a task names the evaluator and holds no nets."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache

from gammond.engine.analysis.rollout_requests import make_rollout_evaluators
from gammond.engine.rollout.results import Scores
from gammond.engine.rollout.settings import RolloutEvaluators
from gammond.engine.rollout.trials import TrialBlock
from gammond.engine.rules.rules import Rules
from gammond.tools.common.opponents import load_net_engine
from gammond.tools.parallel.executor import Executor

_EVALUATORS_KEPT = 4


@dataclass(frozen=True)
class RolloutPlayers:
    """Who plays in a rollout.

    Attributes:
        net: The name of the evaluator, as `gammond.tools.common.opponents.load_net_engine` takes it.
        rules: The rules of the game.
        plies: Look-ahead for checker plays and cube decisions.
        leaf_plies: Look-ahead for the values at the truncation.
    """

    net: str
    rules: Rules
    plies: int
    leaf_plies: int


@dataclass(frozen=True)
class RolloutTask:
    """Trials to play.

    Attributes:
        players: Who plays them.
        block: Which.
    """

    players: RolloutPlayers
    block: TrialBlock

    def __str__(self) -> str:
        return f"{self.block}, played by {self.players.net}"


class ExecutorBlocks:
    """Plays blocks by an executor, an `gammond.engine.rollout.runner.BlockPlayer`.

    Args:
        executor: Does the work.
        players: Who plays.
    """

    def __init__(self, executor: Executor, players: RolloutPlayers) -> None:
        self._executor = executor
        self._players = players

    @property
    def count(self) -> int:
        """How many blocks are under way: one more than workers, so that none waits for the next."""
        return self._executor.count + 1

    def submit(self, block: TrialBlock) -> Future[tuple[Scores, float]]:
        """Play a block."""
        return self._executor.submit(play_block, RolloutTask(self._players, block))


def play_block(task: RolloutTask) -> tuple[Scores, float]:
    """Play the trials of a task; return their scores, and the seconds that it took."""
    return task.block.play(load_rollout_evaluators(task.players))


@lru_cache(_EVALUATORS_KEPT)
def load_rollout_evaluators(players: RolloutPlayers) -> RolloutEvaluators:
    """Load the evaluators of a rollout, once for each process."""
    engine = load_net_engine(players.net).with_rules(players.rules)
    return make_rollout_evaluators(engine, players.plies, players.leaf_plies)
