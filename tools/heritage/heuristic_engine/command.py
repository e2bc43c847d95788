"""``gammond heritage climb``: tune the factors of the heuristic engine by changing one at a time.

A trial changes one factor and plays the changed configuration against the one before; a change that wins is
kept, and the climb goes on from there. By default it wins with more than 51 % of 3,000 games, as its author
had it; with --test sprt a sequential test decides, which is fooled less often
('gammond heritage climb-study').
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
from engine.play.variant_player import adapt_to_rules
from nets.heritage.heuristic_engine.heuristic import HeuristicConfig
from nets.provenance import StrengthRecord
from tools.figures import add_plot_option, check_plot_file, draw_runs
from tools.files import append_new_record, read_records
from tools.heritage.heuristic_engine.acceptance import FixedRule
from tools.heritage.heuristic_engine.changes import FactorChange, draw_change
from tools.heritage.heuristic_engine.settings import ClimbSettings
from tools.heritage.heuristic_engine.trials import ClimbTrial, run_trial
from tools.parallel import ProcessPool
from tools.progress import Progress
from tools.tournament.scores import MeanEstimate, PairedScores, estimate_mean
from tools.train.runs.options import add_run_options, add_workers_option, load_run_settings
from tools.train.runs.run_folder import CONFIG_FILE, LOG_FILE, begin_run
from tools.train.runs.settings import add_setting_options, read_settings
from tools.train.runs.strength_games import (
    format_strengths,
    load_opponents,
    play_opponents,
    strengths_from_results,
    strengths_to_record,
)

SUMMARY = "tune the heuristic engine by hill climbing, one factor at a time"

_RECHECK_SEED = 2**32
"""Beyond the seeds of runs, so that a change meets dice that it was not chosen by."""

_PERCENT = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond heritage climb``."""
    add_run_options(parser, "run.toml, log.jsonl", resume_point="trial")
    parser.add_argument(
        "--recheck",
        type=int,
        metavar="N",
        help="play N paired games with fresh dice for each change that a run has kept, and nothing else",
    )
    add_workers_option(parser)
    add_setting_options(parser, ClimbSettings)
    add_plot_option(parser)


def main(args: argparse.Namespace) -> int:
    """Climb, or look again at what a climb has kept; returns the exit status.

    Raises:
        GammondError: An option cannot be, then no run was begun; or a run is there already, or none.
    """
    check_plot_file(args.plot)
    if args.recheck is not None:
        settings = read_settings(args.run / CONFIG_FILE, ClimbSettings)
    else:
        settings = load_run_settings(args.run, args, ClimbSettings)
    settings.check()
    with ProcessPool(args.workers) as processes:
        if args.recheck is not None:
            return _recheck(args.run, settings, args.recheck, processes)
        if not args.resume:
            begin_run(args.run, "heritage climb", settings, ())
        _ClimbRun(args.run, settings, processes, args.plot).run()
    return 0


class _ClimbRun:
    """A run in progress; all that it has to know stands in its log."""

    def __init__(
        self, folder: Path, settings: ClimbSettings, processes: ProcessPool, plot: Path | None
    ) -> None:
        self._folder = folder
        self._settings = settings
        self._processes = processes
        self._plot = plot
        records = read_records(folder / LOG_FILE)
        self._trials_done = len(records)
        self._accepted = sum(bool(record["kept"]) for record in records)
        self._games = int(records[-1]["games"]) if records else 0
        self._current = _read_configuration(folder, records[-1]) if records else settings.start_configuration

    def run(self) -> None:
        """Make the trials that are left, and tell what was reached."""
        with Progress(self._settings.trials, "trials", start=self._trials_done) as bar:
            while self._trials_done < self._settings.trials:
                bar.write_line(self._try_change())
                bar.update(self._trials_done, f"kept {self._accepted}")
        sys.stdout.write(
            f"kept {self._accepted} of {self._trials_done} changes in {self._games:,} games:\n"
            f"{format_player(self._current, uses_probability_score=self._settings.probability)}\n"
        )

    def _try_change(self) -> str:
        """Try one change; returns what to tell."""
        settings, began_s = self._settings, time.monotonic()
        change = draw_change(self._current, settings.seed, self._trials_done, settings.scale)
        changed = change.apply_to(self._current)
        table = ClimbTrial(changed, self._current, settings.seed, self._trials_done, settings.play_settings)
        answer, scores = run_trial(table, settings.rule, self._processes)
        self._trials_done += 1
        self._games += answer.games
        if answer.is_accepted:
            self._accepted += 1
            self._current = changed
        shares = scores.pair_win_shares
        record: dict[str, object] = {
            "trial": self._trials_done,
            "games": self._games,
            **msgspec.structs.asdict(change),
            "played": answer.games,
            "won": float(shares.mean()),
            "split": float((shares == 0.5).mean()),
            "kept": answer.is_accepted,
            "factors": msgspec.structs.asdict(self._current),
        }
        text = _format_trial(self._trials_done, change, scores, is_accepted=answer.is_accepted)
        if self._trials_done % settings.measure_every == 0 or self._trials_done == settings.trials:
            strengths = self._measure_strengths()
            record |= strengths_to_record(strengths)
            text += f"; {format_strengths(strengths)}" if strengths else ""
        record["seconds"] = time.monotonic() - began_s
        append_new_record(self._folder / LOG_FILE, record, "trial")
        if self._plot:
            draw_runs([self._folder], self._plot)
        return text

    def _measure_strengths(self) -> list[StrengthRecord]:
        """Play the configuration reached against each opponent; none where nothing is measured."""
        games, manner = self._settings.benchmark_games, self._settings.play_settings
        loaded = load_opponents(self._settings.opponents, games)
        opponents = {name: adapt_to_rules(opponent, manner.rules) for name, opponent in loaded.items()}
        return strengths_from_results(play_opponents(manner.make_player(self._current), opponents, games))


def _read_configuration(folder: Path, record: dict[str, Any]) -> HeuristicConfig:
    try:
        return msgspec.convert(record["factors"], HeuristicConfig)
    except (KeyError, msgspec.ValidationError) as error:
        raise DataFileError(f"{folder / LOG_FILE} has a trial without its factors: {error}") from error


def format_player(configuration: HeuristicConfig, *, uses_probability_score: bool = False) -> str:
    """Write the player with a configuration as tools take it, each factor told.

    Args:
        configuration: Its factors.
        uses_probability_score: Whether it plays by the probability score.
    """
    options = [f"{name}={value:g}" for name, value in msgspec.structs.asdict(configuration).items()]
    options += ["probability=true"] if uses_probability_score else []
    return f"heuristic:{','.join(options)}"


def _format_trial(trial: int, change: FactorChange, scores: PairedScores, *, is_accepted: bool) -> str:
    won = _format_share(estimate_mean(scores.pair_win_shares))
    return (
        f"{trial}: {change.factor} {change.before:g} to {change.after:g}, won {won} of {scores.games:,} games"
        f"{', kept' if is_accepted else ''}"
    )


def _format_share(share: MeanEstimate) -> str:
    return f"{_PERCENT * share.mean:.2f} ± {_PERCENT * share.standard_error:.2f} %"


def _recheck(folder: Path, settings: ClimbSettings, games: int, processes: ProcessPool) -> int:
    """Play each change that was kept once more, and tell what it wins in truth."""
    if games < 4 or games % 2:
        raise ValueRangeError(f"--recheck takes an even number of 4 or more, not {games}", field="recheck")
    records = read_records(folder / LOG_FILE)
    kept = [record for record in records if record["kept"]]
    if not kept:
        raise StateError(f"{folder} has kept no change so far", field="run")
    rule = FixedRule(games, has_pairs=True)
    before, truths = settings.start_configuration, []
    with Progress(len(kept), "changes") as bar:
        for done, record in enumerate(kept, 1):
            after = _read_configuration(folder, record)
            table = ClimbTrial(after, before, _RECHECK_SEED, int(record["trial"]), settings.play_settings)
            _, scores = run_trial(table, rule, processes)
            truths.append(estimate_mean(scores.pair_win_shares))
            sys.stdout.write(
                f"{record['trial']:>4}  {record['factor']:<4}{record['before']:>8g} to {record['after']:<8g}"
                f"won {_PERCENT * record['won']:.2f} % of {record['played']:,}, again "
                f"{_format_share(truths[-1])}\n"
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
