"""How classic nets learn: from games against themselves, against an expert, or of an expert's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError
from engine.play.player import EvaluatorPlayer, Player
from engine.rules.position import Position
from nets.heritage.computational_backgammon.net import SYMMETRIC, ClassicWeights, outcomes_to_nodes
from tools.heritage.computational_backgammon.endgames import compute_probe_metrics
from tools.heritage.computational_backgammon.kernels import games as kernel_games
from tools.heritage.computational_backgammon.kernels.evaluation import LearningParameters
from tools.heritage.computational_backgammon.lockstep_games import play_in_lockstep
from tools.heritage.computational_backgammon.net_set import (
    TWO_SIDED,
    ClassicNetSet,
    load_bearoff_table,
    read_classic_nets,
)
from tools.heritage.computational_backgammon.settings import SELF, TAUGHT, WATCHING, ClassicSettings
from tools.opponents import load_opponent
from tools.train.td.self_play import RoundReport
from tools.train.weights.net_set import find_nets_file

ROUND_GAMES = 50
"""Games between two looks at whether a checkpoint is due; those of an expert are played side by side."""

_SELF_DICE, _EXPERT_DICE = range(2)

_NO_RANKS, _NO_WINS = np.zeros((7, 1), np.int64), np.zeros((0, 0), np.float32)
for _array in (_NO_RANKS, _NO_WINS):  # read-only as those of a table: the loops are compiled once
    _array.setflags(write=False)


class ClassicLearner:
    """A player that learns, as `Learner`; the same settings give the same weights.

    Args:
        settings: Of the run.
        nets: To start from; random ones unless given.
        games_done: Games that led to these nets.
        cuts: How often the run went back to the best nets.
    """

    def __init__(
        self,
        settings: ClassicSettings,
        nets: ClassicNetSet | None = None,
        games_done: int = 0,
        cuts: int = 0,
    ) -> None:
        self.settings = settings
        self.nets = nets or make_initial_nets(settings)
        self.games_done = games_done
        self.cuts = cuts
        self._expert = None if settings.teacher == SELF else load_opponent(settings.expert)

    @property
    def player(self) -> Player:
        """What plays with what was learned so far."""
        return EvaluatorPlayer(self.nets.make_evaluator("classic"))

    @property
    def rate(self) -> float:
        """α of the next round."""
        return self.settings.compute_rates(self.cuts)[0]

    @property
    def can_cut_rate(self) -> bool:
        """Whether a rate can be cut."""
        return max(self.settings.compute_rates(self.cuts)) > self.settings.least_rate

    def save(self, file: Path, extra: dict[str, NDArray[Any]]) -> None:
        """Write all that it takes to go on, and other arrays, whole or not at all.

        Raises:
            DataFileError: It cannot be written.
        """
        state = {"games_done": np.array(self.games_done), "cuts": np.array(self.cuts)}
        self.nets.save(file, {**state, **extra})

    def backtrack_to(self, file: Path) -> int:
        """Go on with the nets of a file at lower rates; returns the games that had led to them.

        Raises:
            DataFileError: The file cannot be read.
        """
        self.nets, arrays = read_classic_nets(file)
        self.cuts += 1
        return _read_count(file, arrays, "games_done")

    def compute_metrics(self) -> dict[str, object]:
        """What the nets say of the start and of decided endgames."""
        return compute_probe_metrics(self.nets.make_evaluator("classic"))

    def play_rounds(self) -> Iterator[RoundReport]:
        """Learn, round by round, until all games are through."""
        settings = self.settings
        while self.games_done < settings.games:
            games, rate = min(ROUND_GAMES, settings.games - self.games_done), self.rate
            tally = np.zeros(4, np.int64)
            squares = (
                self._learn_from_self_play(games, tally)
                if self._expert is None
                else self._learn_with_expert(games, tally)
            )
            self.games_done += games
            played, plies, gammons, _ = tally.tolist()
            yield RoundReport(self.games_done, rate, played, plies, gammons, squares)

    def _learn_from_self_play(self, games: int, tally: NDArray[np.int64]) -> float:
        seeds = np.random.SeedSequence([self.settings.seed, self.games_done, _SELF_DICE])
        dice = seeds.generate_state(1, np.uint64).astype(np.uint64)
        start = Position.start().board.copy()
        return kernel_games.run_self_play(games, start, *self._weights, self._learning, dice, tally)

    def _learn_with_expert(self, games: int, tally: NDArray[np.int64]) -> float:
        """Play games with the expert's help and learn from each; returns the sum of squared errors."""
        assert self._expert is not None
        own, teacher, squares = self.player, self.settings.teacher, 0.0
        first = self._expert if teacher == WATCHING else own
        second = own if teacher == TAUGHT else self._expert
        generator = np.random.default_rng([self.settings.seed, self.games_done, _EXPERT_DICE])
        for boards in play_in_lockstep(first, second, games, generator):
            if teacher == TAUGHT:
                assert self._expert.evaluator is not None
                told = outcomes_to_nodes(self._expert.evaluator.evaluate(boards[:-1]), self.settings.outputs)
                squares += kernel_games.learn_targets(boards, told, *self._weights, self._learning, tally)
            else:
                squares += kernel_games.learn_game(boards, *self._weights, self._learning, tally)
        return squares

    @property
    def _weights(self) -> tuple[ClassicWeights, ClassicWeights]:
        return self.nets.contact.weights, self.nets.race.weights

    @property
    def _learning(self) -> LearningParameters:
        alpha, beta = self.settings.compute_rates(self.cuts)
        ranks, wins = _NO_RANKS, _NO_WINS
        if self.nets.bearoff == TWO_SIDED:
            table = load_bearoff_table()
            ranks, wins = table.numbering.ranks, table.wins
        is_mirrored = self.settings.layout == SYMMETRIC
        return LearningParameters(alpha, beta, self.settings.trace, is_mirrored, ranks, wins)


def make_initial_nets(settings: ClassicSettings) -> ClassicNetSet:
    """The nets that a run begins with: random ones, or those of its parent without what ties their weights.

    Raises:
        DataFileError: The parent cannot be read.
        ValueRangeError: It is of another size, or has other outputs.
    """
    made = ClassicNetSet.untrained(
        settings.layout,
        settings.outputs,
        settings.hidden,
        settings.race_hidden,
        settings.bearoff,
        settings.seed,
    )
    if not settings.parent:
        return made
    parent, _ = read_classic_nets(find_nets_file(Path(settings.parent)))
    return made.with_weights_of(parent)


def resume_learner(file: Path, settings: ClassicSettings) -> ClassicLearner:
    """Go on from a checkpoint; from the start where there is none.

    Raises:
        DataFileError: It cannot be read, or is of a run with other settings.
    """
    if not file.exists():
        return ClassicLearner(settings)
    nets, arrays = read_classic_nets(file)
    own_race = nets.race.hidden[0] if nets.race is not nets.contact else 0
    found = {
        "hidden": nets.contact.hidden[0],
        "race_hidden": own_race,
        "outputs": nets.contact.outputs,
        "layout": nets.contact.layout,
        "bearoff": nets.bearoff,
    }
    for name, value in found.items():
        if value != getattr(settings, name):
            raise DataFileError(f"{file} has {name} {value}, run.toml beside it {getattr(settings, name)}")
    return ClassicLearner(
        settings, nets, _read_count(file, arrays, "games_done"), _read_count(file, arrays, "cuts")
    )


def _read_count(file: Path, arrays: dict[str, NDArray[Any]], name: str) -> int:
    value = arrays.get(name)
    if value is None or value.shape != () or value.dtype.kind not in "iu" or int(value) < 0:
        raise DataFileError(f"{file} is no checkpoint of a run: {name} is {value!r}, no number of 0 or more")
    return int(value)
