"""``gammond heritage heuristic-net``: a net on phase features that imitates a heuristic, then learns who won.

First the net learns the heuristic's scores of positions of random games. Then, round by round, it learns
outcomes: positions of games of a player that chooses among its 4 best plays, 1 for those of the winner, 0 for
those of the loser. The folder gets ``imitation.npz`` (the net after the first part), ``best.npz`` (the
strongest net measured), ``checkpoint.npz`` and a line of ``log.jsonl`` after each epoch and round. --resume
continues a run that was killed; it loses the epoch or the round under way.
"""

from __future__ import annotations

from gammond.tools.heritage.phase_features.run import KIND, HeuristicNetLearner
from gammond.tools.heritage.phase_features.settings import HeuristicNetSettings
from gammond.tools.train.runs.trainer import Trainer

SUMMARY = "train a net on phase features: it imitates a heuristic, then learns from outcomes"


TRAINER = Trainer(
    f"heritage {KIND}",
    HeuristicNetSettings,
    lambda folder, settings, resources: HeuristicNetLearner(folder, settings),
    "run.toml, checkpoint.npz, imitation.npz, best.npz, log.jsonl",
)

add_arguments = TRAINER.add_arguments
main = TRAINER.main
