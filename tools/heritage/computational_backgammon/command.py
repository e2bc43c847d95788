"""``gammond heritage classic``: nets as in the first years of TD-Gammon, which learn from games.

They have sigmoid hidden units, one, two or five outputs, and free or mirrored weights; one net for everything
or another one for races; bearoffs are learned or looked up. They learn by temporal differences from self-play
or with the help of an expert. At each checkpoint they play fixed opponents, and ``best.npz`` keeps the best
so far; with --backtrack a run that falls behind returns to those and learns at lower rates. --resume
continues a run that was killed; it loses the games since the last checkpoint.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gammond.engine.bearoff import pack_tables
from gammond.engine.formats.array_file import Arrays, read_count
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import EvaluatorPlayer, Player
from gammond.engine.rules.rules import Feature
from gammond.engine.statistics import ValueWithError
from gammond.nets.heritage.computational_backgammon.net import SYMMETRIC, outcomes_to_nodes
from gammond.tools.common.journal import Record
from gammond.tools.common.opponents import load_opponent
from gammond.tools.heritage.computational_backgammon.endgames import compute_probe_metrics
from gammond.tools.heritage.computational_backgammon.kernels import games as kernel_games
from gammond.tools.heritage.computational_backgammon.kernels.evaluation import LearningParameters, NetsByKind
from gammond.tools.heritage.computational_backgammon.net_set import (
    TWO_SIDED,
    ClassicNetSet,
    classic_nets_from_arrays,
    load_bearoff_table,
    read_classic_nets,
)
from gammond.tools.heritage.computational_backgammon.settings import SELF, TAUGHT, WATCHING, ClassicSettings
from gammond.tools.tournament.records import LockstepLog
from gammond.tools.train.runs.game_learner import GameLearner, RoundReport
from gammond.tools.train.runs.run import check_same_settings
from gammond.tools.train.runs.strength_games import play_opponents
from gammond.tools.train.runs.trainer import KeepingWork, Trainer
from gammond.tools.train.weights.net_set import find_nets_file

SUMMARY = "train nets as in the first years of TD-Gammon: sigmoid units, symmetric or not, experts or not"

_BEST = "best_"
"""Before the names of the arrays of the best nets so far in a checkpoint."""

ROUND_GAMES = 50
"""Games between checks for a due checkpoint; those of an expert are played in lockstep."""

_SELF_DICE, _EXPERT_DICE = range(2)


class ClassicLearner(GameLearner):
    """A classic player in training.

    Args:
        settings: Of the run.
    """

    def __init__(self, settings: ClassicSettings) -> None:
        super().__init__(settings)
        settings.rules.check_supports(Feature.TRAINING)
        self.settings = settings
        self._nets: ClassicNetSet | None = None
        self._games_done = 0
        self._cuts = 0
        self._best: ClassicNetSet | None = None
        self._since_best = 0
        self._expert = None if settings.teacher == SELF else load_opponent(settings.expert)

    @property
    def steps_done(self) -> int:
        """Games done."""
        return self._games_done

    def start(self, records: Sequence[Record]) -> None:
        """Make the first nets."""
        self._nets = make_initial_nets(self.settings)

    @property
    def total_steps(self) -> int:
        """Games in all; those done, once better nets no longer come."""
        is_converged = 0 < self.settings.follow_best <= self._since_best
        return self._games_done if is_converged else self.settings.games

    @property
    def nets(self) -> ClassicNetSet:
        """The present nets."""
        if self._nets is None:
            self._nets = make_initial_nets(self.settings)
        return self._nets

    @property
    def player(self) -> Player:
        """The player with the present nets."""
        return EvaluatorPlayer(self.nets.make_evaluator("classic"))

    @property
    def rate(self) -> float:
        """α of the next round."""
        return self.settings.compute_rates(self._cuts)[0]

    def state_dict(self) -> Arrays:
        """Return the nets, and how often the run returned to its best ones."""
        state = {"games_done": np.array(self._games_done), "cuts": np.array(self._cuts)}
        if self._best is not None:
            state["since_best"] = np.array(self._since_best)
            state |= {f"{_BEST}{name}": array for name, array in self._best.to_arrays().items()}
        return {**self.nets.to_arrays(), **state}

    def load_state_dict(self, arrays: Arrays) -> None:
        """Resume from a checkpoint, as `Learner.load_state_dict`."""
        nets = classic_nets_from_arrays(arrays)
        found = {
            "sizes": {kind: net.hidden[0] for kind, net in nets.nets.items()},
            "outputs": nets.contact.outputs,
            "layout": nets.contact.layout,
            "bearoff": nets.bearoff,
        }
        check_same_settings(self.settings, found)
        self._nets = nets
        self._games_done, self._cuts = (read_count(arrays, name) for name in ("games_done", "cuts"))
        if best := {
            name.removeprefix(_BEST): array for name, array in arrays.items() if name.startswith(_BEST)
        }:
            self._best, self._since_best = classic_nets_from_arrays(best), read_count(arrays, "since_best")

    def can_backtrack(self) -> bool:
        """Return whether a rate is still above the lower bound."""
        return max(self.settings.compute_rates(self._cuts)) > self.settings.least_rate

    def backtrack_to(self, arrays: Arrays) -> Record:
        """Go back to the best nets, as `Learner.backtrack_to`."""
        self._nets = classic_nets_from_arrays(arrays)
        self._cuts += 1
        return {"back_to": read_count(arrays, "games_done"), "cuts": self._cuts}

    def measure_strength(self) -> Record:
        """Play all opponents; the log also has how the nets evaluate the start and decided endgames."""
        measured = super().measure_strength()
        probes = compute_probe_metrics(self.nets.make_evaluator("classic"))
        followed = self._play_best() if self.settings.follow_best else {}
        return {**measured, **probes, **followed}

    def _play_best(self) -> Record:
        """Play the best nets so far; those that win points from them take their place."""
        games, metrics, points = self.settings.benchmark_games, {}, 1.0
        if self._best is not None:
            best = {"best": EvaluatorPlayer(self._best.make_evaluator("best"))}
            result = play_opponents(self.player, best, games, self.settings.rules)["best"]
            points = result.score.value
            metrics = {"ppg_best": points, "ppg_best_error": result.score.error}
        if points > 0.0:
            self._best = copy.deepcopy(self.nets)
        self._since_best = 0 if points > 0.0 else self._since_best + 1
        return {**metrics, "since_best": self._since_best}

    def score(self, record: Record) -> float | None:
        """Return what the best nets are chosen by: by their games where a run follows its best."""
        if self.settings.follow_best and "since_best" in record:
            return 0.0 if record["since_best"] else float(record["games"])
        return super().score(record)

    def format_record(self, record: Record) -> str:
        """Format a line of the log, with the result against the best nets so far."""
        text = super().format_record(record)
        if "ppg_best" not in record:
            return text
        ending = "; converged" if self.settings.games > self.total_steps else ""
        points = ValueWithError(record["ppg_best"], record["ppg_best_error"])
        return f"{text}, {points:+.3f} against the best{ending}"

    def play_rounds(self) -> Iterator[RoundReport]:
        """Learn, round by round, until all games are played."""
        settings = self.settings
        while self._games_done < self.total_steps:
            games, rate = min(ROUND_GAMES, settings.games - self._games_done), self.rate
            tally = np.zeros(4, np.int64)
            squares = (
                self._learn_from_self_play(games, tally)
                if self._expert is None
                else self._learn_with_expert(games, tally)
            )
            self._games_done += games
            played, plies, gammons, _ = tally.tolist()
            yield RoundReport(self._games_done, rate, played, plies, gammons, squares)

    def _learn_from_self_play(self, games: int, tally: NDArray[np.int64]) -> float:
        seeds = np.random.SeedSequence([self.settings.seed, self._games_done, _SELF_DICE])
        dice = seeds.generate_state(1, np.uint64).astype(np.uint64)
        start = self.settings.rules.starting_position.board.copy()
        return kernel_games.run_self_play(games, start, self._weights, self._learning, dice, tally)

    def _learn_with_expert(self, games: int, tally: NDArray[np.int64]) -> float:
        """Play games with the expert's help and learn from each; return the sum of squared errors."""
        assert self._expert is not None
        settings = self.settings
        own, teacher, squares = self.player, settings.teacher, 0.0
        first = self._expert if teacher == WATCHING else own
        second = own if teacher == TAUGHT else self._expert
        seed = int(np.random.default_rng([settings.seed, self._games_done, _EXPERT_DICE]).integers(2**62))
        log = LockstepLog(games + games % 2, settings.rules)
        results = play_games(
            first,
            second,
            games + games % 2,
            seed,
            rules=settings.rules,
            has_pairs=False,
            may_be_endless=True,
            log=log,
        )
        for boards in map(log.stack_positions, np.flatnonzero(results.kinds[:games]).tolist()):
            if teacher == TAUGHT:
                assert self._expert.evaluator is not None
                targets = outcomes_to_nodes(self._expert.evaluator.evaluate(boards[:-1]), settings.outputs)
                squares += kernel_games.learn_targets(boards, targets, self._weights, self._learning, tally)
            else:
                squares += kernel_games.learn_game(boards, self._weights, self._learning, tally)
        return squares

    @property
    def _weights(self) -> NetsByKind:
        return tuple(net.weights for net in self.nets.nets_by_kind)

    @property
    def _learning(self) -> LearningParameters:
        alpha, beta = self.settings.compute_rates(self._cuts)
        tables = pack_tables((load_bearoff_table(),) if self.nets.bearoff == TWO_SIDED else ())
        settings = self.settings
        return LearningParameters(
            alpha=alpha,
            beta=beta,
            trace=settings.trace,
            is_mirrored=settings.layout == SYMMETRIC,
            has_turn=settings.turn,
            weighs_gammons=settings.gammon_weight == "winning",
            knows_gammons=settings.gammon_zero,
            keeps_dice=settings.keep_dice,
            turns_board=settings.turn_board,
            ranks=tables.pair_ranks,
            wins=tables.wins,
        )


def make_initial_nets(settings: ClassicSettings) -> ClassicNetSet:
    """Return the initial nets of a run: random ones, or its parent's, whose mirrored weights may become free.

    Raises:
        DataFileError: The parent cannot be read.
        ValueRangeError: The parent has another size or other outputs.
    """
    made = ClassicNetSet.untrained(
        settings.layout, settings.outputs, settings.sizes, settings.bearoff, settings.seed
    )
    if not settings.parent:
        return made
    parent = read_classic_nets(find_nets_file(Path(settings.parent)))
    return made.with_weights_of(parent)


TRAINER = Trainer(
    "heritage classic",
    ClassicSettings,
    KeepingWork,
    lambda folder, settings, work, processes: ClassicLearner(settings),
    comparisons=("gammond heritage classic-report runs {folders}",),
)

COMMAND = TRAINER.make_command()
