"""``gammond train barca-ascend``: gradient ascent on the board evaluation vector of Barca.

A step tries each number of the vector: the vector with that number changed by --delta plays --games games
against the present one, both sides beginning once. The gain per unit of change is the gradient, and the next
vector lies --rate along it. Each vector plays the first one with the same openings, and the run keeps the
best. A run that finds no better vector for --patience steps returns to its best one with another delta and
rate. A victory counts the inverse of the length of the game, a draw the lead in the average evaluation.

The folder gets run.toml, checkpoint.npz, best.npz and a line of log.jsonl for each step. --resume continues a
run that was killed; it loses the step under way. The best vector plays as search:depth=3,weights=run:FOLDER.
"""

from __future__ import annotations

from pathlib import Path

from gammond.tools.barca.matches import COMPARISON, RUN_PLAYER, BarcaMatches, VectorAscendSettings
from gammond.tools.parallel.executor import Executor
from gammond.tools.train.ascent.learner import AscentLearner
from gammond.tools.train.runs.trainer import OneProcessWork, Trainer

SUMMARY = "learn the board evaluation vector of Barca by gradient ascent on match scores"


def _make_learner(
    folder: Path, settings: VectorAscendSettings, work: OneProcessWork, processes: Executor
) -> AscentLearner:
    return AscentLearner(settings, BarcaMatches(settings, processes), "start")


TRAINER = Trainer(
    "train barca-ascend",
    VectorAscendSettings,
    OneProcessWork,
    _make_learner,
    comparisons=(COMPARISON,),
    player=RUN_PLAYER,
)

COMMAND = TRAINER.make_command()
