"""Blocks of trials in lockstep: all of them make their first roll, then their second, and so on.

Variance reduction subtracts each roll's luck: the equity of the best reply to the roll thrown, minus the mean
over all 21 rolls, both by the same cheap evaluator. Whatever its errors, the luck of fair dice is zero on
average, so trials minus their luck have the same mean and a much smaller spread.

*Source:* the method is the one published for GNU Backgammon and Jellyfish (Jim Gillogly and Fredrik Dahl;
David Montgomery, "Variance Reduction", GammOnLine, 2000).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.bearoff import pack_tables
from gammond.engine.cubeful import CubeGame, select_exact_values
from gammond.engine.errors import CancelledWork, LimitError
from gammond.engine.evaluation.evaluator import Evaluator, find_solution
from gammond.engine.evaluation.leaves import find_leaves, open_question
from gammond.engine.evaluation.pruning import PlayPruner, Replies, ShortlistPruner, find_pruning_nets
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.kernels import as_kernel_array
from gammond.engine.kernels.cubeful import DEAD_CUBE, MATCH, MONEY
from gammond.engine.kernels.interrupts import Question
from gammond.engine.kernels.nets import trials as kernel_trials
from gammond.engine.kernels.nets.play_evaluation import NO_NETS
from gammond.engine.kernels.nets.routing import LeafNets
from gammond.engine.kernels.nets.trials import TrialNets, TrialPolicy
from gammond.engine.kernels.rollout import DRAWN, LOOKS_FOR_REPEATS, PROGRESS_COUNTS, ROWS, TURN, TrialArrays
from gammond.engine.kernels.rollout_scoring import TrialRules
from gammond.engine.kernels.values import OUTCOME_COLUMNS
from gammond.engine.rollout.dice import CYCLE, draw_rolls
from gammond.engine.rollout.results import Scores, TrialCubes, count_score_columns
from gammond.engine.rollout.settings import MAX_TURNS, RolloutEvaluators, RolloutSettings
from gammond.engine.rules.position import Board, Position
from gammond.engine.runtime.threads import release_turn

BLOCK_ROWS = 2 * CYCLE
"""Maximum number of games in a block, which bounds the memory of a thread to some tens of MB."""

DRAWN_TURNS = 32
"""Turns whose dice are drawn together."""

BATCH_S = 0.02
"""Target time of a batch of work: short, so that a stop takes effect well within a tenth of a second."""

INITIAL_ROWS = 32
MAX_ROWS = 4096

_SHOWN_STARTS = 3


def adapt_batches(cancelled: Callable[[], bool]) -> Iterator[int]:
    """Yield sizes of batches without end, so that each takes `BATCH_S`, as far as those before it tell.

    The work on each is done before the next one is asked for.

    Args:
        cancelled: Asked before each batch.

    Raises:
        CancelledWork: The work was cancelled.
    """
    rows = INITIAL_ROWS
    while True:
        if cancelled():
            raise CancelledWork("the rollout was stopped")
        began_s = time.perf_counter()
        yield rows
        wanted = int(rows * BATCH_S / max(time.perf_counter() - began_s, 1e-6))
        rows = max(1, min(wanted, 4 * rows, MAX_ROWS))


@dataclass(frozen=True)
class TrialBlock:
    """The same trials, with the same dice, from each of some starts; their scores depend on nothing else.

    Attributes:
        starts: ``int8[n, 2, 26]``; finished positions score as they ended.
        trials: The numbers of the trials.
        settings: Of the rollout; seed, truncation and variance reduction apply here.
        game: The game, seen by the side on roll at the starts.
        cubes: The cube at each start; the present one if None.
    """

    starts: Board
    trials: range
    settings: RolloutSettings
    game: CubeGame
    cubes: TrialCubes | None = None

    def __str__(self) -> str:
        trials = f"trials {self.trials.start:,} to {self.trials.stop - 1:,} of seed {self.settings.seed}"
        return f"{trials} from {format_positions(self.starts)}"

    def play(
        self, evaluators: RolloutEvaluators, cancelled: Callable[[], bool] = lambda: False
    ) -> tuple[Scores, float]:
        """Play them in this thread.

        Args:
            evaluators: The evaluators of the rollout.
            cancelled: Asked some fifty times a second; when it returns true, the work ends.

        Returns:
            ``float64[n, trials, columns]``; the scores of a trial do not depend on the others in the block.
            And the seconds that it took.

        Raises:
            CancelledWork: `cancelled` returned true.
            LimitError: A game did not end within `MAX_TURNS`.
        """
        began_s, count = time.perf_counter(), len(self.starts)
        boards, cubes = as_kernel_array(self.starts, np.int8), self.cubes or TrialCubes.make_initial(count)
        rules, columns = make_trial_rules(self.game, self.settings), count_score_columns(self.game)
        nets, question = _prepare_loop(evaluators, rules, cancelled)
        step = max(BLOCK_ROWS // count, 1)
        parts = []
        for part in (self.trials[first : first + step] for first in range(0, len(self.trials), step)):
            arrays = make_block(boards, cubes, len(part), columns)
            numbers = np.tile(np.arange(part.start, part.stop), count)
            for rolls in adapt_batches(cancelled):
                if arrays.progress[TURN] == arrays.progress[DRAWN]:
                    draw_turns(arrays, self.settings.seed, numbers)
                with release_turn():
                    state = kernel_trials.play_trials(nets, question.cells, rules, arrays, rolls)
                question.check()
                if state == kernel_trials.HAS_ENDED:
                    break
            parts.append(arrays.scores.reshape(count, len(part), columns))
        return np.concatenate(parts, axis=1), time.perf_counter() - began_s


def _prepare_loop(
    evaluators: RolloutEvaluators, rules: TrialRules, cancelled: Callable[[], bool]
) -> tuple[TrialNets, Question]:
    """Return what the loop takes, and the question to those that it asks."""

    def check(_: int) -> None:
        if cancelled():
            raise CancelledWork("the rollout was stopped")

    asked: list[Callable[[Board], NDArray[np.float32]]] = []
    pruners: list[Callable[[Board, NDArray[np.int8]], Replies]] = []

    added: dict[int, LeafNets] = {}

    def add_evaluator(evaluator: Evaluator) -> LeafNets:
        if id(evaluator) not in added:
            nets, own = find_leaves(evaluator)
            numbers = np.where(nets.net_of_class < 0, nets.net_of_class - len(asked), nets.net_of_class)
            asked.extend(each.evaluate for each in own)
            added[id(evaluator)] = nets._replace(net_of_class=numbers)
        return added[id(evaluator)]

    def add_policy(policy: PlayPruner, luck: Evaluator) -> TrialPolicy:
        size, margin, chooser = 1, 0.0, luck
        if isinstance(policy, ShortlistPruner):
            size, margin, chooser = policy.shortlist_size, float(policy.margin), policy.evaluator
            policy = policy.pruner
        nets = find_pruning_nets(policy)
        if nets is None:
            pruners.append(lambda boards, dice: policy.prune_plays(boards, dice, size, margin))
        number = -1 if nets else len(pruners) - 1
        return TrialPolicy(nets or NO_NETS, number, size, margin, add_evaluator(chooser), chooser is luck)

    luck = evaluators.luck_evaluator
    solution = find_solution(luck, evaluators.exact_cubeful)
    ends = () if solution else evaluators.exact_cubeful
    policy = add_policy(evaluators.policy, luck)
    is_apart = evaluators.effective_luck_policy is not evaluators.policy
    nets = TrialNets(
        policy,
        add_policy(evaluators.effective_luck_policy, luck) if is_apart else policy,
        is_apart,
        add_evaluator(luck),
        add_evaluator(evaluators.leaf),
        add_evaluator(evaluators.cube_evaluator),
        pack_tables(ends, cubeful=rules.own.kind == MONEY),
        pack_tables(evaluators.exact),
        asks=bool(asked or pruners),
        solved=-1,
    )
    if solution:
        nets = nets._replace(solved=len(asked))
        asked.append(lambda boards: select_exact_values(solution.cubeful_equities(boards), rules.own))
    return nets, open_question(check, asked, pruners)


def make_trial_rules(game: CubeGame, settings: RolloutSettings) -> TrialRules:
    """Make the rules of trials for kernels.

    Args:
        game: The game, seen by the side on roll at the start, which moves on even turns.
        settings: Truncation and variance reduction apply here.
    """
    sides = game.arrays, game.other.arrays
    if game.arrays.kind == DEAD_CUBE:  # to the last bit the values of a match in which nobody doubles
        sides = sides[0]._replace(kind=MATCH), sides[1]._replace(kind=MATCH)
    return TrialRules(
        *sides,
        may_double_first=game.may_double_first,
        truncation=settings.truncation,
        variance_reduction=settings.variance_reduction,
    )


def make_block(starts: Board, cubes: TrialCubes, trials: int, columns: int) -> TrialArrays:
    """Make a block of trials from each of several positions, with no rolls drawn."""
    rows = len(starts) * trials
    block = TrialArrays(
        boards=np.repeat(starts, trials, axis=0),
        places=np.arange(rows),
        states=np.repeat(cubes.states, trials),
        stakes=np.repeat(cubes.stakes, trials),
        kinds=np.zeros(rows, np.int8),
        outcomes=np.zeros((rows, OUTCOME_COLUMNS), np.float32),
        rolls=np.zeros((rows, DRAWN_TURNS), np.int8),
        scores=np.zeros((rows, columns)),
        groups=np.empty(rows, np.int64),
        ends=np.empty(rows, np.int64),
        progress=np.zeros(PROGRESS_COUNTS, np.int64),
    )
    block.progress[ROWS] = rows
    block.progress[LOOKS_FOR_REPEATS] = 1
    return block


def draw_turns(block: TrialArrays, seed: int, numbers: NDArray[np.int64]) -> None:
    """Draw the next rolls of the trials in play.

    Args:
        block: in and out.
        seed: Of the dice.
        numbers: ``int64[n]``, the numbers of all trials of the block.

    Raises:
        LimitError: A trial has not ended within `MAX_TURNS`.
    """
    turn = int(block.progress[TURN])
    if turn >= MAX_TURNS:
        raise LimitError(f"a trial of a rollout took over {MAX_TURNS} turns")
    places = block.places[: block.progress[ROWS]]
    block.rolls[places] = draw_rolls(seed, numbers[places], range(turn, turn + DRAWN_TURNS))
    block.progress[DRAWN] += DRAWN_TURNS


def format_positions(starts: Board) -> str:
    """Name positions for a message, the first few by their IDs."""
    ids = [encode_position_id(Position.from_valid_board(board)) for board in starts[:_SHOWN_STARTS]]
    more = ", ..." if len(starts) > len(ids) else ""
    return f"{len(starts)} position{'s'[: len(starts) != 1]} ({', '.join(ids)}{more})"
