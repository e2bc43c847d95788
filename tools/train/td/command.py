"""``gammond train td``: self-play with temporal differences, from random weights.

At each checkpoint the nets play against fixed opponents, and the best so far are kept in ``best.npz``. With
--backtrack a run whose nets fall behind the best goes back to those and learns at a lower rate. A run that
was killed resumes with --resume; it loses the games since the last checkpoint.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from gammond.engine.errors import UnsupportedError
from gammond.engine.formats.array_file import Arrays, load_arrays, read_count
from gammond.engine.play.player import EvaluatorPlayer, Player
from gammond.tools.common.command_options import ToolCommand, option, written_file
from gammond.tools.common.journal import Record
from gammond.tools.common.progress import format_short_number
from gammond.tools.train.runs.game_learner import GameLearner, RoundReport
from gammond.tools.train.runs.run import BEST_FILE, check_same_settings
from gammond.tools.train.runs.strength_games import format_strengths, strengths_from_arrays
from gammond.tools.train.runs.trainer import KeepingWork, Resume, RunOptions, Trainer, TrainingOptions
from gammond.tools.train.td.plan import describe_plan, measure_speed
from gammond.tools.train.td.self_play import SelfPlay, TdSettings

SUMMARY = "train a contact and a race net by self-play (temporal differences)"

BENCH_GAMES = 40_000
"""Games that --bench times at most."""

BENCH_WARM_UP_GAMES = 6_000
"""Games before those: untrained nets play games that are far longer than usual."""


class TdLearner(GameLearner):
    """Self-play as a run sees it.

    Args:
        settings: Of the run.
        name: Of its nets.
    """

    def __init__(self, settings: TdSettings, name: str) -> None:
        super().__init__(settings)
        self.play = SelfPlay(settings)
        self._name = name

    @property
    def steps_done(self) -> int:
        """Games done."""
        return self.play.games_done

    @property
    def player(self) -> Player:
        """The player with the present weights."""
        return EvaluatorPlayer(self.play.nets)

    @property
    def rate(self) -> float:
        """The learning rate of the next round."""
        return self.play.rate

    def play_rounds(self) -> Iterator[RoundReport]:
        """Play and learn, round by round."""
        return self.play.play_rounds()

    def state_dict(self) -> Arrays:
        """Return the weights, the dice and how often the run went back."""
        return {**self.play.nets.to_arrays(), **self.play.state_dict()}

    def load_state_dict(self, arrays: Arrays) -> None:
        """Resume from a checkpoint, as `Learner.load_state_dict`."""
        play = SelfPlay.from_arrays(self.play.settings, self._name, arrays)
        (hidden,), (race_hidden,) = play.nets.contact.hidden, play.nets.race.hidden
        found = {"hidden": hidden, "race_hidden": race_hidden, "threads": len(play.dice_states)}
        check_same_settings(play.settings, found)
        self.play = play

    def can_backtrack(self) -> bool:
        """Return whether the learning rate is still above its last value."""
        return self.rate > self.play.settings.final_rate

    def backtrack_to(self, arrays: Arrays) -> Record:
        """Go back to the best nets, as `Learner.backtrack_to`."""
        best = SelfPlay.from_arrays(self.play.settings, self._name, arrays)
        self.play.backtrack_to(best.nets)
        return {"back_to": best.games_done, "cuts": self.play.cuts}

    def finish(self, folder: Path) -> str:
        """Tell how strong the best nets measured, and how to use them."""
        best, head = folder / BEST_FILE, ""
        if best.exists():
            games, strengths = load_arrays(
                best, lambda arrays: (read_count(arrays, "games_done"), strengths_from_arrays(arrays))
            )
            if measured := format_strengths(strengths):
                head = f"{folder}: best after {games:,} games, points per game {measured}\n"
        return head + "".join(
            f"  gammond {command.format(shlex.quote(str(folder)))}\n" for command in _NEXT_COMMANDS
        )


_NEXT_COMMANDS = ("tournament run:{} pubeval", "export {} --name NAME")

TRAINER = Trainer(
    "train td",
    TdSettings,
    KeepingWork,
    lambda folder, settings, work, processes: TdLearner(settings, folder.name),
    describe_plan=describe_plan,
)


class TdOptions(TrainingOptions[TdSettings, KeepingWork], frozen=True, kw_only=True):
    """Which run is begun or resumed, or what is measured instead."""

    run: Annotated[Path, written_file("folder of the run", "RUN", count="?")] | None = None
    resume: Resume = False
    bench: Annotated[bool, option("only measure games per second; keep nothing")] = False


def run(options: TdOptions) -> int:
    """Train; return the exit status.

    Raises:
        GammondError: As `Trainer.run`.
    """
    if options.bench:
        return _run_bench(options.settings.make())
    if options.run is None:
        raise UnsupportedError("expected a folder for the run, or --bench", field="run")
    return TRAINER.run(
        RunOptions(
            run=options.run,
            resume=options.resume,
            settings=options.settings,
            work=options.work,
            plot=options.plot,
        )
    )


def _run_bench(settings: TdSettings) -> int:
    """Measure games a second."""
    timed = min(settings.games, BENCH_GAMES)
    speed = measure_speed(settings, BENCH_WARM_UP_GAMES, timed)
    sys.stdout.write(
        f"self-play, {settings.hidden} and {settings.race_hidden} hidden units: "
        f"{format_short_number(speed.games_per_s)} games/s "
        f"({speed.games} in {speed.seconds:.1f} s, {settings.threads} threads)\n"
    )
    return 0


COMMAND = ToolCommand(TdOptions, run)
