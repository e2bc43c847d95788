"""Roll cube decisions out: no double and double/take, with the same dice, the cube and variance reduction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gammond.engine.cubeful import make_cube_game
from gammond.engine.kernels.values import OUTCOME_COLUMNS
from gammond.engine.rollout import RolloutEvaluators, RolloutSettings, TrialCubes
from gammond.engine.rollout.dice import FACES
from gammond.engine.rollout.results import Scores
from gammond.engine.rollout.trials import TrialBlock
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import Position
from gammond.tools.parallel.rollout_blocks import RolloutPlayers, load_rollout_evaluators
from gammond.tools.train.cube_decisions.decision_file import DecisionRollout, RatedDecision, write_decisions
from gammond.tools.train.labels.rollouts import derive_dice_seed
from gammond.tools.train.runs.shard_loop import ShardRecord

SHARD_DECISIONS = 8
"""Decisions of a shard: some seconds of work."""

_DICE_SEED_TAG = 0x63756265726F6C6C
"""Stands first in the seeds of the dice of rollouts."""


@dataclass(frozen=True, eq=False)
class DecisionTask:
    """One shard to make.

    Attributes:
        players: Who plays.
        settings: Of the rollouts; ``seed`` is that of the set, the other fields as `roll_out_decision` takes
            them.
        folder: Where the shard goes.
        number: Of the shard.
        first: The place of its first decision in the set.
        decisions: What is rolled out.
    """

    players: RolloutPlayers
    settings: RolloutSettings
    folder: Path
    number: int
    first: int
    decisions: list[RatedDecision]

    @property
    def file(self) -> Path:
        """Where the shard goes."""
        return self.folder / f"rollouts-{self.number:06}.txt"

    def __len__(self) -> int:
        """Return the number of decisions."""
        return len(self.decisions)

    def write(self, content: list[RatedDecision]) -> None:
        """Write the shard."""
        write_decisions(self.file, content)


def make_decision_tasks(
    players: RolloutPlayers, settings: RolloutSettings, folder: Path, decisions: list[RatedDecision]
) -> list[DecisionTask]:
    """Share the decisions of a set among shards; arguments as the attributes of `DecisionTask`."""
    return [
        DecisionTask(players, settings, folder, number, first, decisions[first : first + SHARD_DECISIONS])
        for number, first in enumerate(range(0, len(decisions), SHARD_DECISIONS))
    ]


def roll_out_shard(task: DecisionTask) -> tuple[ShardRecord, list[RatedDecision]]:
    """Roll out the decisions of a shard.

    Returns:
        The number of decisions, of trials, and the root mean square of the standard errors of what doubling
        gains, in points; and the decisions with their rollouts.
    """
    evaluators = load_rollout_evaluators(task.players)
    done = []
    for place, decision in enumerate(task.decisions, task.first):
        settings = replace(task.settings, seed=derive_dice_seed(_DICE_SEED_TAG, task.settings.seed, place))
        found = roll_out_decision(decision.position, decision.match, evaluators, settings)
        done.append((replace(decision, rollout=found), found))
    error = float(np.sqrt(np.mean([found.gain_error**2 for _, found in done])))
    trials = sum(found.trials for _, found in done)
    record = {"labelled": len(done), "trials": trials, "error": error}
    return record, [decision for decision, _ in done]


def roll_out_decision(
    position: Position, match: MatchState, evaluators: RolloutEvaluators, settings: RolloutSettings
) -> DecisionRollout:
    """Roll a cube decision out until its values are known well enough.

    The spread of the first ``min_trials`` games tells how many it takes to a standard error of ``stop_error``
    for what doubling gains, in whole rows of first rolls; no more than ``trials`` are played.

    Args:
        position: The position, not over; the rules let its side double.
        match: The match state.
        evaluators: Play, and decide about the cube.
        settings: Without ``stop_error`` all trials are played.
    """
    game = make_cube_game(match)
    cubes = TrialCubes.make_decision(game)
    starts = np.repeat(position.board[None], 2, axis=0)

    def play(trials: range) -> Scores:
        scores, _ = TrialBlock(starts, trials, settings, game, cubes).play(evaluators)
        return scores

    first = min(settings.min_trials, settings.trials) if settings.stop_error else settings.trials
    scores = play(range(first))
    if settings.stop_error:
        held, taken = game.equities(scores)
        rows = np.ceil(float((taken - held).var(ddof=1)) / settings.stop_error**2 / FACES)
        last = min(int(rows) * FACES, settings.trials)
        if last > first:
            scores = np.concatenate([scores, play(range(first, last))], axis=1)
    held, taken = game.equities(scores)
    return DecisionRollout(
        (float(held.mean()), float(taken.mean())),
        (_compute_error(held), _compute_error(taken)),
        _compute_error(taken - held),
        len(held),
        Outcome(*scores[1, :, :OUTCOME_COLUMNS].mean(axis=0).tolist()),
    )


def _compute_error(values: Scores) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))
