"""``gammond heritage mimic``: a 52-26-1 net that learns to choose the plays that experts chose.

The net sees counts of checkers alone. It learns by a genetic algorithm (--method genetic), by backpropagation
on the same moves (backprop), or without experts from its own games, playing each play out (play).
'gammond heritage expert-moves' makes the file of moves from match files. A share of the matches is held out;
log.jsonl has how often the net ranks the expert's play first in those, beside the fitness. The folder gets
the net as text (net.txt) and checkpoint.npz; --resume continues a run that was killed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gammond.engine.errors import DataFileError
from gammond.tools.common.journal import Record
from gammond.tools.heritage.gengammon.agreement import pack_moves
from gammond.tools.heritage.gengammon.backprop import BackpropLearner
from gammond.tools.heritage.gengammon.expert_moves.dataset import (
    ExpertMoves,
    list_candidates,
    read_expert_moves,
    split_by_match,
)
from gammond.tools.heritage.gengammon.kernels.mimic import PackedMoves
from gammond.tools.heritage.gengammon.learners import GeneticLearner, MimicLearner, SelfPlayLearner
from gammond.tools.heritage.gengammon.runs import draw_agreement
from gammond.tools.heritage.gengammon.settings import MimicSettings
from gammond.tools.parallel.executor import Executor
from gammond.tools.train.runs.trainer import ThreadedWork, Trainer

SUMMARY = "teach a 52-26-1 net to mimic experts: a genetic algorithm, backpropagation, or its own play"


_METHODS: dict[str, type[MimicLearner]] = {
    "genetic": GeneticLearner,
    "backprop": BackpropLearner,
    "play": SelfPlayLearner,
}


def _load_moves(settings: MimicSettings) -> tuple[PackedMoves | None, PackedMoves | None]:
    """Return expert moves to learn from and those of unseen matches; None of either without a file."""
    if not settings.moves:
        return None, None
    moves = read_expert_moves(Path(settings.moves))
    learned, unseen = split_by_match(moves, settings.unseen, settings.seed)
    if settings.learned > len(learned):
        raise DataFileError(
            f"expected {settings.learned} expert moves to learn from, {settings.moves} has {len(learned)}",
            field="learned",
        )
    if settings.learned:
        order = np.random.default_rng([settings.seed, len(learned)]).permutation(len(learned))
        learned = learned.select(np.sort(order[: settings.learned]))
    packed = _pack_expert_moves(learned), _pack_expert_moves(unseen)
    forced = [int((np.diff(each.offsets) == 1).sum()) for each in packed]
    sys.stderr.write(
        f"{len(learned)} expert moves to learn from ({forced[0]} without a choice), "
        f"{len(unseen)} of unseen matches ({forced[1]})\n"
    )
    return packed


def _pack_expert_moves(moves: ExpertMoves) -> PackedMoves:
    return pack_moves(moves.boards, list_candidates(moves))


def _make_learner(
    folder: Path, settings: MimicSettings, work: ThreadedWork, processes: Executor
) -> MimicLearner:
    """Make the learner of a method.

    Raises:
        DataFileError: The expert moves cannot be read, or there are too few.
    """
    learned, unseen = _load_moves(settings)
    method = "play" if learned is None else settings.method
    return _METHODS[method](settings, learned, unseen, work.threads, folder.name)


def _summarise_agreement(records: Sequence[Record]) -> dict[str, str]:
    """Return the agreement with experts at the end of a log, on learned moves and on unseen matches."""
    last = records[-1]
    columns = {"fitness": f"{last['fitness']:.4f}", "ranked first": f"{last['first']:.1%}"}
    if "unseen_first" in last:
        columns |= {
            "unseen: fitness": f"{last['unseen_fitness']:.4f}",
            "unseen: ranked first": f"{last['unseen_first']:.1%}",
        }
    return columns


TRAINER = Trainer(
    "heritage mimic",
    MimicSettings,
    ThreadedWork,
    _make_learner,
    draw=draw_agreement,
    summarise=_summarise_agreement,
    comparisons=(
        "gammond tournament {players} random --games 50000 --home-bound",
        "gammond tournament {players} random pubeval --games 20000",
    ),
)

COMMAND = TRAINER.make_command()
