"""A run of ``gammond train heuristic-net``: its two parts, what is measured, and what is kept."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError
from engine.players import RandomPlayer, Scorer, ScorerPlayer
from nets.best_few import BestFewPlayer
from nets.phase_heuristic import PhaseHeuristic
from nets.phase_net import HIDDEN, PhaseNet, random_layers
from tools.progress import Progress
from tools.train.curves import best_strength, standing
from tools.train.epochs import cosine
from tools.train.files import append_once, read_arrays, read_records, write_arrays
from tools.train.heuristic_net.descent import Descent
from tools.train.heuristic_net.files import BEST, CHECKPOINT, IMITATION
from tools.train.heuristic_net.report import agreement, error_of, report, step_line
from tools.train.heuristic_net.samples import Samples, sampled
from tools.train.heuristic_net.settings import HeuristicNetSettings
from tools.train.measuring import (
    load_opponents,
    mean_strength,
    results_against,
    strength_arrays,
    strength_record,
    strengths_of,
)
from tools.train.plots import draw_runs
from tools.train.stage import LOG

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
        self._done = 0
        self._heuristic = PhaseHeuristic()
        checkpoint = folder / CHECKPOINT
        if checkpoint.exists():
            self._restore(checkpoint)
        else:
            layers = random_layers(self._generator(_WEIGHTS), settings.kind.width, HIDDEN)
            self._descent = Descent(layers, settings.kind)
        self._opponents = load_opponents(settings.opponents, settings.games)
        self._records = read_records(folder / LOG)

    def go_on(self) -> None:
        """Do the epochs and the rounds that are left."""
        settings = self._settings
        with Progress(settings.epochs + settings.rounds, "epochs and rounds", start=self._done) as bar:
            if self._done < settings.epochs:
                learned, aside = self._random_samples()
                while self._done < settings.epochs:
                    bar.say(self._epoch(learned, aside))
                    bar.update(self._done, standing(self._records).lstrip(", "))
            while self._done < settings.epochs + settings.rounds:
                bar.say(self._round())
                bar.update(self._done, standing(self._records).lstrip(", "))

    def result(self) -> str:
        """Tell what came out, in a few lines."""
        return report(self._records)

    def _epoch(self, learned: Samples, aside: Samples) -> str:
        """Learn what the heuristic says of positions of random games; returns what to tell."""
        began_s, settings = time.monotonic(), self._settings
        loss = self._learn(
            learned, self._heuristic.scores(learned.boards), self._done, self._done, settings.epochs
        )
        self._done += 1
        net = self._descent.net
        record: dict[str, Any] = {
            "number": self._done,
            "epoch": self._done,
            "learned": len(learned),
            **_errors(loss, error_of(net, aside.boards, self._heuristic.scores(aside.boards))),
        }
        if self._done == settings.epochs:
            record |= self._agreements(net, aside)
            record |= self._measured(net)
            write_arrays(self._folder / IMITATION, {**net.named(), "done": np.array(self._done)})
            self._descent = self._descent.at_rest()
        return self._keep(net, record, began_s)

    def _round(self) -> str:
        """Play games and learn who won them; returns what to tell."""
        began_s, settings = time.monotonic(), self._settings
        number = self._done - settings.epochs
        scorer = self._heuristic if settings.chooser == "heuristic" else self._descent.net
        learned, aside = self._chosen_samples(scorer, number)
        loss = 0.0
        for epoch in range(settings.round_epochs):
            passes = number * settings.round_epochs + epoch
            whole = settings.rounds * settings.round_epochs
            loss = self._learn(learned, learned.won, settings.epochs + passes, passes, whole)
        self._done += 1
        net = self._descent.net
        record: dict[str, Any] = {
            "number": self._done,
            "round": number + 1,
            "games": (number + 1) * settings.round_games,
            "learned": len(learned) * settings.round_epochs,
            **_errors(loss, error_of(net, aside.boards, aside.won)),
        }
        if (number + 1) % settings.measure_every == 0 or number + 1 == settings.rounds:
            record |= self._measured(net)
        return self._keep(net, record, began_s)

    def _learn(
        self, samples: Samples, targets: NDArray[np.float32], order: int, begun: int, whole: int
    ) -> float:
        """Go through positions once, as one of so many passes of a part; returns the mean squared error."""
        settings = self._settings

        def rate(share: float) -> float:
            return cosine(settings.rate, settings.final_rate, (begun + share) / whole)

        generator = self._generator(_ORDER, order)
        return self._descent.learn(samples.boards, targets, settings.batch, rate, generator)

    def _random_samples(self) -> tuple[Samples, Samples]:
        dice, first, second = self._seeds(_RANDOM_GAMES)
        games = self._settings.random_games
        return sampled(RandomPlayer(first), RandomPlayer(second), games, dice).split(games)

    def _chosen_samples(self, scorer: Scorer, number: int) -> tuple[Samples, Samples]:
        """Positions of a round's games, in which a scorer chooses among its best plays."""
        dice, *seeds = self._seeds(_ROUND_GAMES, number)
        first, second = (BestFewPlayer("chooser", scorer, self._settings.among, seed) for seed in seeds)
        games = self._settings.round_games
        return sampled(first, second, games, dice).split(games)

    def _agreements(self, net: PhaseNet, aside: Samples) -> dict[str, object]:
        """How often the net plays as the heuristic does: in random games, and in the chooser's."""
        chosen, _ = self._chosen_samples(self._heuristic, 0)
        generator = self._generator(_ORDER)
        return {
            "agreement_random": agreement(net, self._heuristic, aside.boards, generator),
            "agreement_chosen": agreement(net, self._heuristic, chosen.boards, generator),
        }

    def _measured(self, net: PhaseNet) -> dict[str, object]:
        """Play against each opponent, and keep the best net."""
        player = ScorerPlayer(self._folder.name, net)
        results = results_against(player, self._opponents, self._settings.games)
        strengths = strengths_of(results)
        before = [record for record in self._records if record["number"] < self._done]
        if strengths and mean_strength(strengths) >= best_strength(before):
            kept = {**net.named(), "done": np.array(self._done), **strength_arrays(strengths)}
            write_arrays(self._folder / BEST, kept)
        wins = {name: float(np.mean(each.points > 0)) for name, each in results.items()}
        return {**strength_record(strengths), "win_shares": wins} if strengths else {}

    def _keep(self, net: PhaseNet, record: dict[str, Any], began_s: float) -> str:
        """Write the line of the log, then the checkpoint; returns what to tell."""
        record["seconds"] = time.monotonic() - began_s
        append_once(self._folder / LOG, record, "number")
        state = {"done": np.array(self._done), **self._descent.state()}
        write_arrays(self._folder / CHECKPOINT, {**net.named(), **state})
        self._records = read_records(self._folder / LOG)
        if self._plot:
            draw_runs([self._folder], self._plot)
        return step_line(record)

    def _restore(self, checkpoint: Path) -> None:
        arrays = read_arrays(checkpoint)
        try:
            self._descent = Descent.going_on(PhaseNet.from_arrays(arrays), self._settings.kind, arrays)
        except DataFileError as error:
            raise DataFileError(f"{checkpoint}: {error.message}", field="net") from error
        done, most = arrays.get("done"), self._settings.epochs + self._settings.rounds
        if done is None or done.shape != () or done.dtype.kind not in "iu" or not 0 <= int(done) <= most:
            raise DataFileError(f"{checkpoint}: done is one whole number of 0 to {most}, not {done!r}")
        self._done = int(done)

    def _seeds(self, *purpose: int) -> list[int]:
        """Seeds for dice and two players."""
        return [int(seed) for seed in self._generator(*purpose).integers(0, _LARGEST_SEED, 3)]

    def _generator(self, *purpose: int) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64([self._settings.seed, *purpose]))


def _errors(loss: float, aside: float) -> dict[str, object]:
    """Errors for the log: mean squares of value, and as if it were the chance to win a single game."""
    return {"loss": loss, "aside_loss": aside, "error_points": 2.0 * float(np.sqrt(aside))}
