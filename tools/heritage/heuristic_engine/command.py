"""``gammond heritage climb``: tune the factors of the heuristic engine by changing one at a time.

A trial changes one factor and plays the changed configuration against the previous one; the climb keeps a
change that wins. By default a change wins with more than 51 % of 3,000 games, as in the original; with
--test sprt a sequential test decides, which errs less often ('gammond heritage climb-study').
With --probability true the players look at the opponent's replies, in training too.
--resume continues a run that was killed; it loses the trial under way. --recheck plays the changes that a run
has kept again, with fresh dice.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from gammond.engine.errors import DataFileError, StateError
from gammond.engine.formats.array_file import Arrays
from gammond.engine.options import list_fields
from gammond.engine.play.player import Player
from gammond.nets.heritage.heuristic_engine.heuristic import HeuristicConfig
from gammond.tools.common.command_options import ToolCommand, option
from gammond.tools.common.journal import Record, read_records
from gammond.tools.common.progress import Progress
from gammond.tools.heritage.heuristic_engine.trials import ClimbSettings, FixedRule, run_trial
from gammond.tools.parallel.executor import Executor
from gammond.tools.parallel.options import make_executor
from gammond.tools.tournament.statistics.scores import WIN_SHARE_LIMITS, MeanEstimate, estimate_mean
from gammond.tools.train.runs.run import Learner, RunProgress
from gammond.tools.train.runs.run_folder import CONFIG_FILE, KIND_ARRAY, LOG_FILE
from gammond.tools.train.runs.settings import read_origin, read_settings
from gammond.tools.train.runs.strength_games import measure_player
from gammond.tools.train.runs.trainer import ProcessWork, RunOptions, Trainer

SUMMARY = "tune the heuristic engine by hill climbing, one factor at a time"

STEP_SIZES: dict[str, float] = {"cbp": 0.5, "cb": 0.25, "bf": 0.25, "bfp": 0.25, "bt": 3.0, "rb": 0.25}
"""The factors that change, with typical step sizes. Pips do not change: they are the unit."""

WHOLE_NUMBER_FACTORS = frozenset({"bt"})
"""Factors that are whole numbers."""

_DEGREES_OF_FREEDOM = 3.0
"""Degrees of freedom of the Student distribution of steps: a few steps are large."""

_DECIMALS = 3


class FactorChange(msgspec.Struct, frozen=True):
    """A factor, before and after its change."""

    factor: str
    before: float
    after: float

    def apply_to(self, configuration: HeuristicConfig) -> HeuristicConfig:
        """Return a configuration with this change."""
        return msgspec.structs.replace(configuration, **{self.factor: self.after})


def draw_change(configuration: HeuristicConfig, seed: int, trial: int, scale: float = 1.0) -> FactorChange:
    """Draw a change of one factor, within its bounds; seed and trial determine it.

    Args:
        configuration: The configuration to change.
        seed: Of the run.
        trial: The number of the trial.
        scale: Factor of the typical step sizes, above 0.
    """
    generator = np.random.Generator(np.random.PCG64([seed, trial]))
    factor = str(generator.choice(list(STEP_SIZES)))
    bounds = next(field.bounds for field in list_fields(HeuristicConfig) if field.name == factor)
    before: float = getattr(configuration, factor)
    decimals = 0 if factor in WHOLE_NUMBER_FACTORS else _DECIMALS
    after = before
    while after == before:
        step = STEP_SIZES[factor] * scale * float(generator.standard_t(_DEGREES_OF_FREEDOM))
        after = round(min(max(before + step, bounds.low), bounds.high), decimals)
    return FactorChange(factor, before, after)


_RECHECK_SEED = 2**32
"""Beyond the seeds of runs, so that a change is played with other dice than those that chose it."""

_PERCENT = 100


class ClimbLearner(Learner):
    """A climb as a run drives it; it resumes from its log alone.

    Args:
        settings: Of the run.
        processes: Where games are played.
    """

    unit = "trial"

    def __init__(self, settings: ClimbSettings, processes: Executor) -> None:
        self._settings = settings
        self._processes = processes
        self._current = settings.start_configuration
        self._trials_done = 0
        self._accepted = 0
        self._games = 0
        self._metrics: Record = {}
        self._won_text = ""

    @property
    def steps_done(self) -> int:
        """Trials done."""
        return self._trials_done

    @property
    def total_steps(self) -> int:
        """Trials in all."""
        return self._settings.trials

    def start(self, records: Sequence[Record]) -> None:
        """Resume from the log."""
        self._trials_done = len(records)
        self._accepted = sum(bool(record["kept"]) for record in records)
        if records:
            self._games = int(records[-1]["games"])
            self._current = _parse_configuration(records[-1])

    def run_step(self, progress: RunProgress) -> None:
        """Try one change."""
        settings = self._settings
        change = draw_change(self._current, settings.seed, self._trials_done, settings.scale)
        changed = change.apply_to(self._current)
        players = settings.make_player(changed), settings.make_player(self._current)
        decision, scores = run_trial(
            *players, settings.rules, settings.seed, self._trials_done, settings.rule, self._processes
        )
        self._trials_done += 1
        self._games += decision.games
        if decision.is_accepted:
            self._accepted += 1
            self._current = changed
        shares = scores.pair_win_shares
        self._won_text = _format_share(estimate_mean(shares))
        self._metrics = {
            "games": self._games,
            **msgspec.structs.asdict(change),
            "played": decision.games,
            "won": float(shares.mean()),
            "split": float((shares == 0.5).mean()),
            "kept": decision.is_accepted,
            "factors": msgspec.structs.asdict(self._current),
        }
        progress.update(self._trials_done, f"kept {self._accepted}")

    def compute_metrics(self, elapsed_s: float) -> Record:
        """Describe the trial."""
        return self._metrics

    def measure_strength(self) -> Record:
        """Play the present configuration against all opponents, every few trials and after the last."""
        settings = self._settings
        if self._trials_done % settings.measure_every and self._trials_done < settings.trials:
            return {}
        player = settings.make_player(self._current)
        return measure_player(player, settings.opponents, settings.benchmark_games, settings.rules)

    def format_record(self, record: Record) -> str:
        """Format a line of the log."""
        return (
            f"{record['trial']}: {record['factor']} {record['before']:g} to {record['after']:g}, won "
            f"{self._won_text} of {record['played']:,} games{', kept' if record['kept'] else ''}"
        )

    def score(self, record: Record) -> None:
        """Return None: the last configuration is the result."""

    def state_dict(self) -> Arrays:
        """Return nothing: the log is enough."""
        return {}

    def load_state_dict(self, arrays: Arrays) -> None:
        """Do nothing: the log is enough."""

    def finish(self, folder: Path) -> str:
        """Report the last configuration."""
        player = format_player(self._current, uses_probability_score=self._settings.probability)
        return f"kept {self._accepted} of {self._trials_done} changes in {self._games:,} games:\n{player}\n"


def load_climb_player(file: Path) -> Player:
    """Load the configuration that a climb has come to.

    Args:
        file: The log of the run, in its folder.

    Raises:
        DataFileError: It is the log of another run, or cannot be read.
    """
    if read_origin(file.with_name(CONFIG_FILE)).get(KIND_ARRAY) != "climb":
        raise DataFileError(f"{file.parent} has no player so far: expected a run that has written its nets")
    settings, records = read_settings(file.with_name(CONFIG_FILE), ClimbSettings), read_records(file)
    current = _parse_configuration(records[-1]) if records else settings.start_configuration
    return settings.make_player(current)


TRAINER = Trainer(
    "heritage climb",
    ClimbSettings,
    ProcessWork,
    lambda folder, settings, work, processes: ClimbLearner(settings, processes),
    comparisons=(),
)


class ClimbOptions(RunOptions[ClimbSettings, ProcessWork], frozen=True, kw_only=True):
    """Which climb is begun or resumed, or is played again."""

    recheck: (
        Annotated[
            int,
            option(
                "only play N paired games with fresh dice for each change that a run has kept",
                "N",
                ge=4,
                multiple_of=2,
            ),
        ]
        | None
    ) = None


def run(options: ClimbOptions) -> int:
    """Climb, or replay the changes that a climb has kept; return the exit status.

    Raises:
        GammondError: As `Trainer.run`; or the climb to recheck has kept no change.
    """
    if options.recheck is None:
        return TRAINER.run(options)
    settings = read_settings(options.run / CONFIG_FILE, ClimbSettings)
    settings.check()
    with make_executor(options.work.processes, options.work.cluster, {}) as processes:
        return _recheck(options.run, settings, options.recheck, processes)


def _parse_configuration(record: Record) -> HeuristicConfig:
    try:
        return msgspec.convert(record["factors"], HeuristicConfig)
    except (KeyError, msgspec.ValidationError) as error:
        raise DataFileError(f"expected a trial with its factors in {LOG_FILE}, got {error}") from error


def format_player(configuration: HeuristicConfig, *, uses_probability_score: bool = False) -> str:
    """Format the player with a configuration as tools take it, with all factors.

    Args:
        configuration: Its factors.
        uses_probability_score: Whether it plays by the probability score.
    """
    options = [f"{name}={value:g}" for name, value in msgspec.structs.asdict(configuration).items()]
    options += ["probability=true"] if uses_probability_score else []
    return f"heuristic:{','.join(options)}"


def _format_share(share: MeanEstimate) -> str:
    return f"{share.figure.scale(_PERCENT):.2f} %"


def _recheck(folder: Path, settings: ClimbSettings, games: int, processes: Executor) -> int:
    """Play each kept change again, and report its share of wins."""
    records = read_records(folder / LOG_FILE)
    kept = [record for record in records if record["kept"]]
    if not kept:
        raise StateError(f"{folder} has kept no change so far", field="run")
    rule = FixedRule(games, has_pairs=True)
    before, truths = settings.start_configuration, []
    with Progress(len(kept), "changes") as bar:
        for done, record in enumerate(kept, 1):
            after = _parse_configuration(record)
            players = settings.make_player(after), settings.make_player(before)
            number = int(record["trial"])
            _, scores = run_trial(*players, settings.rules, _RECHECK_SEED, number, rule, processes)
            truths.append(estimate_mean(scores.pair_win_shares, WIN_SHARE_LIMITS))
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
        f"{len(kept)} changes kept: {better} are improvements, {worse} are worse, "
        f"{len(kept) - better - worse} are undecided after {games:,} games\n"
    )
    return 0


COMMAND = ToolCommand(ClimbOptions, run)
