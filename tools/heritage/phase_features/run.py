"""A run of ``gammond heritage heuristic-net``: its two parts, what is measured, and what is kept."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError
from engine.evaluation.evaluator import Scorer
from engine.play.player import RandomPlayer, ScorerPlayer
from nets.heritage.phase_features.heuristic import PhaseHeuristicScorer
from nets.heritage.phase_features.net import HIDDEN, PhaseNet, draw_weights
from nets.heritage.phase_features.uniform_choice_player import UniformChoicePlayer
from tools.figures import draw_runs
from tools.files import append_new_record, read_arrays, read_records, write_arrays
from tools.heritage.phase_features.files import BEST, CHECKPOINT, IMITATION
from tools.heritage.phase_features.report import (
    compute_mean_squared_error,
    format_report,
    format_step,
    measure_agreement,
)
from tools.heritage.phase_features.samples import Samples, sample_games
from tools.heritage.phase_features.settings import HeuristicNetSettings
from tools.heritage.phase_features.trainer import PhaseNetTrainer
from tools.progress import Progress
from tools.train.fitting.training_loop import cosine_rate
from tools.train.runs.curves import find_best_strength, format_run_strength
from tools.train.runs.run_folder import LOG_FILE
from tools.train.runs.strength_games import (
    load_opponents,
    mean_strength,
    play_opponents,
    strengths_from_results,
    strengths_to_arrays,
    strengths_to_record,
)

_WEIGHTS, _RANDOM_GAMES, _ROUND_GAMES, _ORDER = range(4)
"""What the seed of a run makes random numbers for."""

_LARGEST_SEED = 2**62


class HeuristicNetRun:
    """A run in progress.

    Args:
        folder: Of the run.
        settings: Its settings.
        plot: Where strength and error are drawn; None for nowhere.

    Raises:
        DataFileError: The checkpoint or the log cannot be read, or the checkpoint is of another run.
    """

    def __init__(self, folder: Path, settings: HeuristicNetSettings, plot: Path | None) -> None:
        self._folder = folder
        self._settings = settings
        self._plot = plot
        self._steps_done = 0
        self._heuristic = PhaseHeuristicScorer()
        checkpoint = folder / CHECKPOINT
        if checkpoint.exists():
            self._restore(checkpoint)
        else:
            layers = draw_weights(self._make_generator(_WEIGHTS), settings.encoding.width, HIDDEN)
            self._trainer = PhaseNetTrainer(layers, settings.encoding)
        self._opponents = load_opponents(settings.opponents, settings.games)
        self._records = read_records(folder / LOG_FILE)

    def run(self) -> None:
        """Do the epochs and the rounds that are left."""
        settings = self._settings
        with Progress(settings.epochs + settings.rounds, "epochs and rounds", start=self._steps_done) as bar:
            if self._steps_done < settings.epochs:
                learned, aside = self._sample_random_games()
                while self._steps_done < settings.epochs:
                    bar.write_line(self._run_imitation_epoch(learned, aside))
                    bar.update(self._steps_done, format_run_strength(self._records).lstrip(", "))
            while self._steps_done < settings.epochs + settings.rounds:
                bar.write_line(self._run_outcome_round())
                bar.update(self._steps_done, format_run_strength(self._records).lstrip(", "))

    def format_result(self) -> str:
        """Tell what came out, in a few lines."""
        return format_report(self._records)

    def _run_imitation_epoch(self, learned: Samples, aside: Samples) -> str:
        """Learn what the heuristic says of positions of random games; returns what to tell."""
        began_s, settings = time.monotonic(), self._settings
        loss = self._train_epoch(
            learned,
            self._heuristic.score_boards(learned.boards),
            self._steps_done,
            self._steps_done,
            settings.epochs,
        )
        self._steps_done += 1
        net = self._trainer.net
        record: dict[str, Any] = {
            "number": self._steps_done,
            "epoch": self._steps_done,
            "learned": len(learned),
            **_make_error_fields(
                loss,
                compute_mean_squared_error(net, aside.boards, self._heuristic.score_boards(aside.boards)),
            ),
        }
        if self._steps_done == settings.epochs:
            record |= self._measure_agreements(net, aside)
            record |= self._measure_strengths(net)
            write_arrays(self._folder / IMITATION, {**net.to_arrays(), "done": np.array(self._steps_done)})
            self._trainer = self._trainer.with_fresh_optimizer()
        return self._save_step(net, record, began_s)

    def _run_outcome_round(self) -> str:
        """Play games and learn who won them; returns what to tell."""
        began_s, settings = time.monotonic(), self._settings
        number = self._steps_done - settings.epochs
        scorer = self._heuristic if settings.chooser == "heuristic" else self._trainer.net
        learned, aside = self._sample_chooser_games(scorer, number)
        loss = 0.0
        for epoch in range(settings.round_epochs):
            passes = number * settings.round_epochs + epoch
            whole = settings.rounds * settings.round_epochs
            loss = self._train_epoch(learned, learned.won, settings.epochs + passes, passes, whole)
        self._steps_done += 1
        net = self._trainer.net
        record: dict[str, Any] = {
            "number": self._steps_done,
            "round": number + 1,
            "games": (number + 1) * settings.round_games,
            "learned": len(learned) * settings.round_epochs,
            **_make_error_fields(loss, compute_mean_squared_error(net, aside.boards, aside.won)),
        }
        if (number + 1) % settings.measure_every == 0 or number + 1 == settings.rounds:
            record |= self._measure_strengths(net)
        return self._save_step(net, record, began_s)

    def _train_epoch(
        self, samples: Samples, targets: NDArray[np.float32], order: int, begun: int, whole: int
    ) -> float:
        """Go through positions once, as one of so many passes of a part; returns the mean squared error."""
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
        """Positions of a round's games, in which a scorer chooses among its best plays."""
        dice, *seeds = self._draw_seeds(_ROUND_GAMES, number)
        first, second = (UniformChoicePlayer("chooser", scorer, self._settings.among, seed) for seed in seeds)
        games = self._settings.round_games
        return sample_games(first, second, games, dice).split(games)

    def _measure_agreements(self, net: PhaseNet, aside: Samples) -> dict[str, object]:
        """How often the net plays as the heuristic does: in random games, and in the chooser's."""
        chosen, _ = self._sample_chooser_games(self._heuristic, 0)
        generator = self._make_generator(_ORDER)
        return {
            "agreement_random": measure_agreement(net, self._heuristic, aside.boards, generator),
            "agreement_chosen": measure_agreement(net, self._heuristic, chosen.boards, generator),
        }

    def _measure_strengths(self, net: PhaseNet) -> dict[str, object]:
        """Play against each opponent, and keep the best net."""
        player = ScorerPlayer(self._folder.name, net)
        results = play_opponents(player, self._opponents, self._settings.games)
        strengths = strengths_from_results(results)
        before = [record for record in self._records if record["number"] < self._steps_done]
        if strengths and mean_strength(strengths) >= find_best_strength(before):
            kept = {**net.to_arrays(), "done": np.array(self._steps_done), **strengths_to_arrays(strengths)}
            write_arrays(self._folder / BEST, kept)
        wins = {name: float(np.mean(each.points > 0)) for name, each in results.items()}
        return {**strengths_to_record(strengths), "win_shares": wins} if strengths else {}

    def _save_step(self, net: PhaseNet, record: dict[str, Any], began_s: float) -> str:
        """Write the line of the log, then the checkpoint; returns what to tell."""
        record["seconds"] = time.monotonic() - began_s
        append_new_record(self._folder / LOG_FILE, record, "number")
        state = {"done": np.array(self._steps_done), **self._trainer.state_dict()}
        write_arrays(self._folder / CHECKPOINT, {**net.to_arrays(), **state})
        self._records = read_records(self._folder / LOG_FILE)
        if self._plot:
            draw_runs([self._folder], self._plot)
        return format_step(record)

    def _restore(self, checkpoint: Path) -> None:
        arrays = read_arrays(checkpoint)
        try:
            self._trainer = PhaseNetTrainer.resume(
                PhaseNet.from_arrays(arrays), self._settings.encoding, arrays
            )
        except DataFileError as error:
            raise DataFileError(f"{checkpoint}: {error.message}", field="net") from error
        done, most = arrays.get("done"), self._settings.epochs + self._settings.rounds
        if done is None or done.shape != () or done.dtype.kind not in "iu" or not 0 <= int(done) <= most:
            raise DataFileError(f"{checkpoint}: done is one whole number of 0 to {most}, not {done!r}")
        self._steps_done = int(done)

    def _draw_seeds(self, *purpose: int) -> list[int]:
        """Seeds for dice and two players."""
        return [int(seed) for seed in self._make_generator(*purpose).integers(0, _LARGEST_SEED, 3)]

    def _make_generator(self, *purpose: int) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64([self._settings.seed, *purpose]))


def _make_error_fields(loss: float, aside: float) -> dict[str, object]:
    """Errors for the log: mean squares of value, and as if it were the chance to win a single game."""
    return {"loss": loss, "aside_loss": aside, "error_points": 2.0 * float(np.sqrt(aside))}
