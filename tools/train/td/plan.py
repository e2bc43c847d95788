"""What a run of self-play will take, told before it begins."""

from __future__ import annotations

import math
import shlex
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from gammond.engine.formats.array_file import load_arrays
from gammond.engine.play.player import EvaluatorPlayer, Player
from gammond.tools.common.progress import Progress, format_short_number
from gammond.tools.train.runs.run import CHECKPOINT_FILE
from gammond.tools.train.runs.strength_games import load_opponents, play_opponents
from gammond.tools.train.td.self_play import SelfPlay, TdSettings

FEWEST_GAMES = 100_000
"""Runs of fewer games are not measured before they begin: they are over in seconds."""

_WARM_UP_GAMES = 1000
_TIMED_GAMES = 6000
_MOST_S = 2.0
_STRENGTH_GAMES = 200


class MeasuredSpeed(NamedTuple):
    """The speed of self-play on this machine.

    Attributes:
        games: That were timed.
        seconds: That they took.
        player: With what was learned meanwhile.
    """

    games: int
    seconds: float
    player: Player

    @property
    def games_per_s(self) -> float:
        """Games per second."""
        return self.games / self.seconds


def measure_speed(
    settings: TdSettings, warm_up: int, timed: int, *, label: str = "games", most_s: float = math.inf
) -> MeasuredSpeed:
    """Time self-play with new nets, after a start that compiles the loops and teaches them to end games.

    Args:
        settings: Of the run; the number of games aside.
        warm_up: Games of the start.
        timed: Games that are timed, at most.
        label: Of the progress bar.
        most_s: Seconds that are timed, at most.
    """
    play = SelfPlay(msgspec.structs.replace(settings, games=warm_up + timed))
    played, started_s = 0, 0.0
    with Progress(play.settings.games, label) as bar:
        for report in play.play_rounds():
            bar.update(report.games_done, f"error {report.error_points:.3f}")
            if report.games_done <= warm_up or not started_s:
                started_s = time.monotonic()
            else:
                played += report.games_played
                if time.monotonic() - started_s > most_s:
                    break
    return MeasuredSpeed(played, time.monotonic() - started_s, EvaluatorPlayer(play.nets))


def describe_plan(folder: Path, settings: TdSettings) -> Iterator[str]:
    """Tell what a run will take and leave: its games and files, and its time by a short measurement.

    Args:
        folder: Of the run, which is resumed if it has a checkpoint.
        settings: Of the run.

    Yields:
        Lines; the last one takes a few seconds, as long as the measurement.

    Raises:
        DataFileError: The checkpoint cannot be read.
    """
    left = max(settings.games - _count_games_done(folder, settings), 0)
    units = f"{settings.hidden} and {settings.race_hidden} hidden units, {settings.threads} threads"
    yield f"{folder}: {left:,} games of self-play, {units}"
    measured = ", ".join(f"{settings.benchmark_games:,} games against {each}" for each in settings.opponents)
    strength = f", with {measured}; best.npz keeps the best" if settings.benchmark_games else ""
    yield f"  a checkpoint every {settings.checkpoint_every:,} games{strength}"
    yield f"  files in {folder.resolve()}: run.toml, log.jsonl, checkpoint.npz, best.npz"
    yield f"  stopped with Ctrl-C, it goes on with: gammond train td {shlex.quote(str(folder))} --resume"
    if left >= FEWEST_GAMES:
        yield f"  {_estimate_time(settings, left)}"


def _count_games_done(folder: Path, settings: TdSettings) -> int:
    file = folder / CHECKPOINT_FILE
    if not file.exists():
        return 0
    return load_arrays(file, partial(SelfPlay.from_arrays, settings, folder.name)).games_done


def _estimate_time(settings: TdSettings, games: int) -> str:
    """Estimate how long games and checkpoints take, from a few of them."""
    speed = measure_speed(settings, _WARM_UP_GAMES, _TIMED_GAMES, label="measuring", most_s=_MOST_S)
    measured = min(_STRENGTH_GAMES, settings.benchmark_games)
    opponents = load_opponents(settings.opponents, measured)
    play_opponents(speed.player, opponents, min(2, measured))  # the first games compile
    started_s = time.monotonic()
    play_opponents(speed.player, opponents, measured)
    strength_s = (time.monotonic() - started_s) * settings.benchmark_games / max(measured, 1)
    seconds = games / speed.games_per_s + math.ceil(games / settings.checkpoint_every) * strength_s
    return (
        f"about {_format_roughly(seconds)} here, at {format_short_number(speed.games_per_s)} games/s as just "
        "measured"
    )


def _format_roughly(seconds: float) -> str:
    if seconds < 90:
        return f"{math.ceil(seconds / 10) * 10} seconds"
    minutes = seconds / 60
    return f"{minutes:.0f} minutes" if minutes < 90 else f"{minutes / 60:.1f} hours"
