"""``gammond heritage classic``: nets as in the first years of TD-Gammon, which learn from games.

Sigmoid hidden units, one, two or five outputs, weights free or mirrored; one net for everything or another
one for races, and bearoffs learned or looked up. They learn by temporal differences from games against
themselves or with the help of an expert. At each checkpoint they play against fixed opponents, and the best
so far are kept in ``best.npz``; with --backtrack a run that falls behind goes back to those and learns at
lower rates. A run that was killed goes on with --resume; it loses the games since the last checkpoint.
"""

from __future__ import annotations

from pathlib import Path

from tools.heritage.computational_backgammon.learner import ClassicLearner
from tools.heritage.computational_backgammon.settings import ClassicSettings
from tools.train.runs.trainer import Resources, Trainer

SUMMARY = "train nets as in the first years of TD-Gammon: sigmoid units, symmetric or not, experts or not"


def _make_learner(folder: Path, settings: ClassicSettings, resources: Resources) -> ClassicLearner:
    return ClassicLearner(settings)


TRAINER = Trainer(
    "heritage classic",
    ClassicSettings,
    _make_learner,
    comparisons=("gammond heritage classic-report runs {folders}",),
)

add_arguments = TRAINER.add_arguments
main = TRAINER.main
