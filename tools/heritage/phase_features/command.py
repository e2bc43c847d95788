"""``gammond heritage heuristic-net``: a net on phase features that imitates a heuristic, then learns who won.

First the net learns the heuristic's scores of positions of random games. Then, round by round, it learns
outcomes: positions of games of a player that chooses among its 4 best plays, 1 for those of the winner, 0 for
those of the loser. The folder gets ``imitation.npz`` (the net after the first part), ``best.npz`` (the
strongest net measured), ``checkpoint.npz`` and a line of ``log.jsonl`` after each epoch and round. --resume
continues a run that was killed; it loses the epoch or the round under way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gammond.engine.evaluation.evaluator import Scorer
from gammond.engine.formats.array_file import Arrays, read_count
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import Player, RandomPlayer, ScorerPlayer
from gammond.engine.rules.position import Board
from gammond.nets.heritage.phase_features.net import PhaseNet, draw_weights
from gammond.nets.heritage.phase_features.players import PhaseHeuristicScorer, UniformChoicePlayer
from gammond.tools.common.files import write_arrays
from gammond.tools.common.journal import Record, read_records
from gammond.tools.heritage.phase_features.files import IMITATION
from gammond.tools.heritage.phase_features.report import (
    compute_mean_squared_error,
    format_report,
    format_step,
    measure_agreement,
)
from gammond.tools.heritage.phase_features.settings import HeuristicNetSettings
from gammond.tools.heritage.phase_features.trainer import PhaseNetTrainer
from gammond.tools.train.fitting.recipe import cosine_rate
from gammond.tools.train.runs.run import Learner, RunProgress, check_same_settings
from gammond.tools.train.runs.run_folder import KIND_ARRAY, LOG_FILE
from gammond.tools.train.runs.strength_games import load_opponents, measure_results, play_opponents
from gammond.tools.train.runs.trainer import KeepingWork, Trainer

SUMMARY = "train a net on phase features: it imitates a heuristic, then learns from outcomes"

_ASIDE_EVERY = 20


@dataclass(frozen=True, eq=False)
class Samples:
    """Positions after plays.

    Attributes:
        boards: ``int8[n, 2, 26]`` as the next mover sees them: row 1 has played. Finished games are among
            them.
        games: ``int64[n]``, the number of the game.
        won: ``float32[n]``, 1 where the side that has played wins the game, else 0.
    """

    boards: Board
    games: NDArray[np.int64]
    won: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.boards)

    def split(self, games: int) -> tuple[Samples, Samples]:
        """Hold out the last games: one in 20, at least two.

        Args:
            games: Number of games in all.

        Returns:
            The positions to learn from, and those held out.
        """
        is_aside = self.games >= games - max(2, games // _ASIDE_EVERY)
        return self._select(~is_aside), self._select(is_aside)

    def _select(self, rows: NDArray[np.bool_]) -> Samples:
        return Samples(self.boards[rows], self.games[rows], self.won[rows])


def sample_games(first: Player, second: Player, games: int, seed: int) -> Samples:
    """Play games and keep the position after each play; games that do not end have none.

    Args:
        first: A player.
        second: Another. Games are paired: two deterministic players would play each game twice.
        games: Number of games, even.
        seed: Of the dice.
    """
    log = _TurnRecorder()
    results = play_games(first, second, games, seed, may_be_endless=True, log=log)
    numbers, seats, boards = map(np.concatenate, zip(*log.turns, strict=True))
    kinds = results.kinds[numbers]
    won = (kinds > 0) == (seats == 0)
    samples = Samples(boards, numbers, won.astype(np.float32))
    return samples._select(kinds != 0)


class _TurnRecorder:
    """Records every turn; an `gammond.engine.play.lockstep.TurnLog`."""

    def __init__(self) -> None:
        self.turns: list[tuple[NDArray[np.int64], NDArray[np.int64], Board]] = []

    def add(self, games: NDArray[np.int64], seat: int, dice: NDArray[np.int8], after: Board) -> None:
        self.turns.append((games, np.full(len(games), seat), after))


KIND = "heuristic-net"
"""The kind of these runs."""

_WEIGHTS, _RANDOM_GAMES, _ROUND_GAMES, _ORDER = range(4)
"""Purposes of the seed of a run."""

_LARGEST_SEED = 2**62


class HeuristicNetLearner(Learner):
    """A net that imitates a heuristic, epoch by epoch, then learns from outcomes, round by round.

    Args:
        folder: Of the run; it names the player.
        settings: Of the run.
    """

    unit = "number"
    label = "epochs and rounds"

    def __init__(self, folder: Path, settings: HeuristicNetSettings) -> None:
        self._folder = folder
        self._settings = settings
        self._heuristic = PhaseHeuristicScorer()
        self._opponents = load_opponents(settings.opponents, settings.games)
        self._steps_done = 0
        self._metrics: Record = {}
        self._random_samples: tuple[Samples, Samples] | None = None
        self._trainer: PhaseNetTrainer

    @property
    def steps_done(self) -> int:
        """Epochs and rounds done."""
        return self._steps_done

    @property
    def total_steps(self) -> int:
        """Epochs and rounds in all."""
        return self._settings.epochs + self._settings.rounds

    def start(self, records: Sequence[Record]) -> None:
        """Make the first net."""
        encoding = self._settings.encoding
        first, second = self._settings.hidden
        layers = draw_weights(self._make_generator(_WEIGHTS), encoding.width, (first, second))
        self._trainer = PhaseNetTrainer(layers, encoding)

    def run_step(self, progress: RunProgress) -> None:
        """Learn for one epoch or one round."""
        if self._steps_done < self._settings.epochs:
            self._run_imitation_epoch()
        else:
            self._run_outcome_round()
        progress.update(self._steps_done, "")

    def compute_metrics(self, elapsed_s: float) -> Record:
        """Describe the epoch or the round."""
        return self._metrics

    def measure_strength(self) -> Record:
        """Play all opponents after the imitation, every few rounds, and after the last one."""
        if not self._is_measurement_due():
            return {}
        player = ScorerPlayer(self._folder.name, self._trainer.net)
        results = play_opponents(player, self._opponents, self._settings.games)
        if not results:
            return {}
        wins = {name: each.win_share for name, each in results.items() if each.games}
        return measure_results(results, win_shares=wins)

    def format_record(self, record: Record) -> str:
        """Format a line of the log."""
        return format_step(record)

    def state_dict(self) -> Arrays:
        """Return the net and the state of its optimizer."""
        return {**self.best_state_dict(), **self._trainer.state_dict()}

    def best_state_dict(self) -> Arrays:
        """Return the net."""
        return {**self._trainer.net.to_arrays(), "done": np.array(self._steps_done)}

    def load_state_dict(self, arrays: Arrays) -> None:
        """Resume from a checkpoint, as `Learner.load_state_dict`."""
        net = PhaseNet.from_arrays(arrays)
        check_same_settings(self._settings, {"hidden": net.hidden})
        self._trainer = PhaseNetTrainer.resume(net, self._settings.encoding, arrays)
        self._steps_done = read_count(arrays, "done")

    def write_files(self, folder: Path) -> None:
        """Write the net after the imitation."""
        if self._steps_done == self._settings.epochs:
            write_arrays(folder / IMITATION, {**self.best_state_dict(), KIND_ARRAY: np.array(KIND)})

    def finish(self, folder: Path) -> str:
        """Report the run."""
        return format_report(read_records(folder / LOG_FILE))

    def _run_imitation_epoch(self) -> None:
        """Learn how the heuristic scores positions of random games."""
        settings, number = self._settings, self._steps_done
        learned, aside = self._random_samples = self._random_samples or self._sample_random_games()
        targets = self._heuristic.score_boards(learned.boards)
        loss = self._train_epoch(learned, targets, number, number, settings.epochs)
        self._steps_done += 1
        net = self._trainer.net
        aside_targets = self._heuristic.score_boards(aside.boards)
        aside_loss = compute_mean_squared_error(net, aside.boards, aside_targets)
        self._metrics = {
            "epoch": self._steps_done,
            "learned": len(learned),
            **_make_error_fields(loss, aside_loss),
        }
        if self._steps_done == settings.epochs:
            self._metrics |= self._measure_agreements(net, aside)
            self._trainer = self._trainer.with_fresh_optimizer()
            self._random_samples = None

    def _run_outcome_round(self) -> None:
        """Play games and learn who won them."""
        settings = self._settings
        number = self._steps_done - settings.epochs
        scorer = self._heuristic if settings.chooser == "heuristic" else self._trainer.net
        learned, aside = self._sample_chooser_games(scorer, number)
        loss = 0.0
        for epoch in range(settings.round_epochs):
            passes = number * settings.round_epochs + epoch
            whole = settings.rounds * settings.round_epochs
            loss = self._train_epoch(learned, learned.won, settings.epochs + passes, passes, whole)
        self._steps_done += 1
        aside_loss = compute_mean_squared_error(self._trainer.net, aside.boards, aside.won)
        self._metrics = {
            "round": number + 1,
            "games": (number + 1) * settings.round_games,
            "learned": len(learned) * settings.round_epochs,
            **_make_error_fields(loss, aside_loss),
        }

    def _is_measurement_due(self) -> bool:
        settings = self._settings
        rounds = self._steps_done - settings.epochs
        return rounds >= 0 and (rounds % settings.measure_every == 0 or rounds == settings.rounds)

    def _train_epoch(
        self, samples: Samples, targets: NDArray[np.float32], order: int, begun: int, whole: int
    ) -> float:
        """Train on positions once, as one pass of a part; return the mean squared error."""
        settings = self._settings

        def rate(share: float) -> float:
            return cosine_rate(settings.rate, settings.final_rate, (begun + share) / whole)

        generator = self._make_generator(_ORDER, order)
        return self._trainer.train_epoch(samples.boards, targets, settings.batch, rate, generator)

    def _sample_random_games(self) -> tuple[Samples, Samples]:
        dice, first, second = self._draw_seeds(_RANDOM_GAMES)
        games = self._settings.random_games
        return sample_games(RandomPlayer(first), RandomPlayer(second), games, dice).split(games)

    def _sample_chooser_games(self, scorer: Scorer, number: int) -> tuple[Samples, Samples]:
        """Return positions of a round's games, in which a scorer chooses among its best plays."""
        dice, *seeds = self._draw_seeds(_ROUND_GAMES, number)
        first, second = (UniformChoicePlayer("chooser", scorer, self._settings.among, seed) for seed in seeds)
        games = self._settings.round_games
        return sample_games(first, second, games, dice).split(games)

    def _measure_agreements(self, net: PhaseNet, aside: Samples) -> dict[str, object]:
        """Return how often the net plays as the heuristic does: in random games, and in the chooser's."""
        chosen, _ = self._sample_chooser_games(self._heuristic, 0)
        generator = self._make_generator(_ORDER)
        return {
            "agreement_random": measure_agreement(net, self._heuristic, aside.boards, generator),
            "agreement_chosen": measure_agreement(net, self._heuristic, chosen.boards, generator),
        }

    def _draw_seeds(self, *purpose: int) -> list[int]:
        """Return seeds for dice and two players."""
        return [int(seed) for seed in self._make_generator(*purpose).integers(0, _LARGEST_SEED, 3)]

    def _make_generator(self, *purpose: int) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64([self._settings.seed, *purpose]))


def _make_error_fields(loss: float, aside: float) -> dict[str, object]:
    """Return errors for the log: mean squares, and points as if the value were a winning chance."""
    return {"loss": loss, "aside_loss": aside, "error_points": 2.0 * float(np.sqrt(aside))}


TRAINER = Trainer(
    f"heritage {KIND}",
    HeuristicNetSettings,
    KeepingWork,
    lambda folder, settings, work, processes: HeuristicNetLearner(folder, settings),
)

COMMAND = TRAINER.make_command()
