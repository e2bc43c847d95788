"""``gammond heritage classic``: nets as in the first years of TD-Gammon, which learn from games.

They have sigmoid hidden units, one, two or five outputs, and free or mirrored weights; one net for everything
or another one for races; bearoffs are learned or looked up. They learn by temporal differences from self-play
or with the help of an expert. At each checkpoint they play fixed opponents, and ``best.npz`` keeps the best
so far; with --backtrack a run that falls behind returns to those and learns at lower rates. --resume
continues a run that was killed; it loses the games since the last checkpoint.
"""

from __future__ import annotations

from gammond.tools.heritage.computational_backgammon.learner import ClassicLearner
from gammond.tools.heritage.computational_backgammon.settings import ClassicSettings
from gammond.tools.train.runs.trainer import Trainer

SUMMARY = "train nets as in the first years of TD-Gammon: sigmoid units, symmetric or not, experts or not"


TRAINER = Trainer(
    "heritage classic",
    ClassicSettings,
    lambda folder, settings, resources: ClassicLearner(settings),
    comparisons=("gammond heritage classic-report runs {folders}",),
)

add_arguments = TRAINER.add_arguments
main = TRAINER.main
