"""``gammond heritage ascend``: gradient ascent on the weights of a player, by matches against itself.

A step tries each weight: the player with that weight changed by --delta plays --games paired games against
the present player. The gain per unit of change is the gradient, and the next point lies --rate along it. Each
point plays the same reference with the same dice, and the run keeps the best. A run that finds no better
point for --patience steps returns to its best one with another delta and rate. The reward of a game combines
its points, its length and the evaluations of its positions.

The folder gets run.toml, checkpoint.npz, best.npz and a line of log.jsonl for each step. --resume continues a
run that was killed; it loses the step under way. At the end the first and the best point play the reference,
and each other, with fresh dice.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from gammond.tools.heritage.astros.matches import AscendSettings, FamilyMatches
from gammond.tools.train.ascent.learner import AscentLearner
from gammond.tools.train.ascent.steps import GradientAscent
from gammond.tools.train.runs.options import add_workers_option
from gammond.tools.train.runs.trainer import Resources, Trainer

SUMMARY = "learn the weights of a player without nets by gradient ascent on match scores"


def _make_learner(folder: Path, settings: AscendSettings, resources: Resources) -> AscentLearner:
    matches = FamilyMatches(settings, resources.processes)
    return AscentLearner(GradientAscent(settings, matches), settings.reference)


TRAINER = Trainer(
    "heritage ascend",
    AscendSettings,
    _make_learner,
    resource_options=(partial(add_workers_option, default=1),),
)

add_arguments = TRAINER.add_arguments
main = TRAINER.main
