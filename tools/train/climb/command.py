"""``gammond train climb``: tune the factors of the heuristic engine by changing one at a time.

A trial changes one factor and plays the changed configuration against the one before; a change that wins is
kept, and the climb goes on from there. By default it wins with more than 51 % of 3,000 games, as its author
had it; with --test sprt a sequential test decides, which is fooled less often ('gammond train climb-study').
With --probability true the players look at the opponent's replies, in training too.
A run that was killed goes on with --resume; it loses the trial under way. --recheck plays the changes that a
run has kept once more, with fresh dice.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import DataFileError, StateError, ValueRangeError
from engine.two_moves import playing_doubles
from nets.heuristic import Configuration
from nets.manifest import Strength
from tools.progress import Progress
from tools.tournament.scores import Scores
from tools.tournament.significance import Estimate, estimate
from tools.train.climb.changes import Change, change_of
from tools.train.climb.rules import FixedRule
from tools.train.climb.settings import ClimbSettings
from tools.train.climb.trials import Table, decided
from tools.train.files import append_once, read_records
from tools.train.measuring import (
    load_opponents,
    results_against,
    strength_record,
    strength_text,
    strengths_of,
)
from tools.train.plots import add_plot_option, check_plot, draw_runs
from tools.train.processes import Processes
from tools.train.run_options import add_run, add_workers, settings_of
from tools.train.settings import add_settings, read_settings
from tools.train.stage import CONFIG, LOG, begin

SUMMARY = "tune the heuristic engine by hill climbing, one factor at a time"

_RECHECK_SEED = 2**32
"""Beyond the seeds of runs, so that a change meets dice that it was not chosen by."""

_PERCENT = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond train climb``."""
    add_run(parser, "run.toml, log.jsonl", last="trial")
    parser.add_argument(
        "--recheck",
        type=int,
        metavar="N",
        help="play N paired games with fresh dice for each change that a run has kept, and nothing else",
    )
    add_workers(parser)
    add_settings(parser, ClimbSettings)
    add_plot_option(parser)


def main(args: argparse.Namespace) -> int:
    """Climb, or look again at what a climb has kept; returns the exit status.

    Raises:
        GammondError: An option cannot be, then no run was begun; or a run is there already, or none.
    """
    check_plot(args.plot)
    if args.recheck is not None:
        settings = read_settings(args.run / CONFIG, ClimbSettings)
    else:
        settings = settings_of(args.run, args, ClimbSettings)
    settings.check()
    with Processes(args.workers) as processes:
        if args.recheck is not None:
            return _recheck(args.run, settings, args.recheck, processes)
        if not args.resume:
            begin(args.run, "climb", settings, ())
        _Climb(args.run, settings, processes, args.plot).run()
    return 0


class _Climb:
    """A run in progress; all that it has to know stands in its log."""

    def __init__(
        self, folder: Path, settings: ClimbSettings, processes: Processes, plot: Path | None
    ) -> None:
        self._folder = folder
        self._settings = settings
        self._processes = processes
        self._plot = plot
        records = read_records(folder / LOG)
        self._done = len(records)
        self._kept = sum(bool(record["kept"]) for record in records)
        self._games = int(records[-1]["games"]) if records else 0
        self._reached = _configuration(folder, records[-1]) if records else settings.first

    def run(self) -> None:
        """Make the trials that are left, and tell what was reached."""
        with Progress(self._settings.trials, "trials", start=self._done) as bar:
            while self._done < self._settings.trials:
                bar.say(self._trial())
                bar.update(self._done, f"kept {self._kept}")
        sys.stdout.write(
            f"kept {self._kept} of {self._done} changes in {self._games:,} games:\n"
            f"{player_name(self._reached, by_probability=self._settings.probability)}\n"
        )

    def _trial(self) -> str:
        """Try one change; returns what to tell."""
        settings, began_s = self._settings, time.monotonic()
        change = change_of(self._reached, settings.seed, self._done, settings.scale)
        changed = change.made_to(self._reached)
        table = Table(changed, self._reached, settings.seed, self._done, settings.manner)
        answer, scores = decided(table, settings.rule, self._processes)
        self._done += 1
        self._games += answer.games
        if answer.is_kept:
            self._kept += 1
            self._reached = changed
        shares = scores.pair_shares
        record: dict[str, object] = {
            "trial": self._done,
            "games": self._games,
            **msgspec.structs.asdict(change),
            "played": answer.games,
            "won": float(shares.mean()),
            "split": float((shares == 0.5).mean()),
            "kept": answer.is_kept,
            "factors": msgspec.structs.asdict(self._reached),
        }
        text = _line(self._done, change, scores, is_kept=answer.is_kept)
        if self._done % settings.measure_every == 0 or self._done == settings.trials:
            strengths = self._measured()
            record |= strength_record(strengths)
            text += f"; {strength_text(strengths)}" if strengths else ""
        record["seconds"] = time.monotonic() - began_s
        append_once(self._folder / LOG, record, "trial")
        if self._plot:
            draw_runs([self._folder], self._plot)
        return text

    def _measured(self) -> list[Strength]:
        """Play the configuration reached against each opponent; none where nothing is measured."""
        games, manner = self._settings.benchmark_games, self._settings.manner
        loaded = load_opponents(self._settings.opponents, games)
        opponents = {name: playing_doubles(opponent, manner.doubles) for name, opponent in loaded.items()}
        return strengths_of(results_against(manner.player(self._reached), opponents, games))


def _configuration(folder: Path, record: dict[str, Any]) -> Configuration:
    try:
        return msgspec.convert(record["factors"], Configuration)
    except (KeyError, msgspec.ValidationError) as error:
        raise DataFileError(f"{folder / LOG} has a trial without its factors: {error}") from error


def player_name(configuration: Configuration, *, by_probability: bool = False) -> str:
    """Write the player with a configuration as tools take it, each factor told.

    Args:
        configuration: Its factors.
        by_probability: Whether it plays by the probability score.
    """
    options = [f"{name}={value:g}" for name, value in msgspec.structs.asdict(configuration).items()]
    options += ["probability=true"] if by_probability else []
    return f"heuristic:{','.join(options)}"


def _line(trial: int, change: Change, scores: Scores, *, is_kept: bool) -> str:
    won = _share(estimate(scores.pair_shares))
    return (
        f"{trial}: {change.factor} {change.before:g} to {change.after:g}, won {won} of {scores.games:,} games"
        f"{', kept' if is_kept else ''}"
    )


def _share(share: Estimate) -> str:
    return f"{_PERCENT * share.mean:.2f} ± {_PERCENT * share.standard_error:.2f} %"


def _recheck(folder: Path, settings: ClimbSettings, games: int, processes: Processes) -> int:
    """Play each change that was kept once more, and tell what it wins in truth."""
    if games < 4 or games % 2:
        raise ValueRangeError(f"--recheck takes an even number of 4 or more, not {games}", field="recheck")
    records = read_records(folder / LOG)
    kept = [record for record in records if record["kept"]]
    if not kept:
        raise StateError(f"{folder} has kept no change so far", field="run")
    rule = FixedRule(games, has_pairs=True)
    before, truths = settings.first, []
    with Progress(len(kept), "changes") as bar:
        for done, record in enumerate(kept, 1):
            after = _configuration(folder, record)
            table = Table(after, before, _RECHECK_SEED, int(record["trial"]), settings.manner)
            _, scores = decided(table, rule, processes)
            truths.append(estimate(scores.pair_shares))
            sys.stdout.write(
                f"{record['trial']:>4}  {record['factor']:<4}{record['before']:>8g} to {record['after']:<8g}"
                f"won {_PERCENT * record['won']:.2f} % of {record['played']:,}, again {_share(truths[-1])}\n"
            )
            before = after
            bar.update(done)
    worse = sum(truth.high < 0.5 for truth in truths)
    better = sum(truth.low > 0.5 for truth in truths)
    sys.stdout.write(
        f"{len(kept)} changes kept: {better} are improvements, {worse} are worse than before, "
        f"{len(kept) - better - worse} cannot be told from no change by {games:,} games\n"
    )
    return 0
