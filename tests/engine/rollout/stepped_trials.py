"""A plain twin of the loop of trials: turn by turn, one call of an evaluator or a policy after the other."""

import numpy as np

from gammond.engine.cubeful import select_exact_values
from gammond.engine.kernels import as_kernel_array
from gammond.engine.kernels.bearoff_tables import NO_TABLES
from gammond.engine.kernels.cubeful import CUBELESS, MATCH, MONEY
from gammond.engine.kernels.rollout import (
    CUBE,
    DRAWN,
    END,
    GROUPS,
    ROWS,
    TRUNCATED,
    TURN,
    group_repeats,
    list_rolls,
    make_plays,
)
from gammond.engine.kernels.rollout_scoring import compute_values, decide, mark_decisions, subtract_luck
from gammond.engine.kernels.values import OUTCOME_COLUMNS, ROLLS
from gammond.engine.rollout.results import TrialCubes, count_score_columns
from gammond.engine.rollout.trials import draw_turns, make_block, make_trial_rules


def play_trials(starts, trials, settings, evaluators, game, cubes=None):
    """Play trials as `gammond.engine.rollout.trials.play_trials`."""
    cubes = TrialCubes.make_initial(len(starts)) if cubes is None else cubes
    columns = count_score_columns(game)
    block = make_block(starts, cubes, len(trials), columns)
    numbers = np.tile(np.arange(trials.start, trials.stop), len(starts))
    rules, steps = make_trial_rules(game, settings), SteppedTrials(evaluators)
    while True:
        if block.progress[TURN] == block.progress[DRAWN]:
            draw_turns(block, settings.seed, numbers)
        if steps.play_turn(rules, block):
            return block.scores.reshape(len(starts), len(trials), columns)


class SteppedTrials:
    """Plays a block of trials turn by turn.

    Attributes:
        evaluators: The evaluators of the rollout.
    """

    def __init__(self, evaluators) -> None:
        self.evaluators = evaluators

    def play_turn(self, rules, trials):
        """Play one turn; return whether all trials have ended."""
        self._end_and_double(rules, trials)
        if not trials.progress[ROWS]:
            return True
        policy, luck_policy = self.evaluators.policy, self.evaluators.effective_luck_policy
        plays_with_luck = rules.variance_reduction and luck_policy is policy
        if rules.variance_reduction:
            self._play_rolls(rules, trials, luck_policy, True, plays_with_luck)
        if not plays_with_luck:
            self._play_rolls(rules, trials, policy, False, True)
        return False

    def _end_and_double(self, rules, trials):
        """End the trials whose value is known or that are truncated, and play the cube."""
        mark_decisions(rules, trials)
        rows = int(trials.progress[ROWS])
        boards, kinds, outcomes = trials.boards[:rows], trials.kinds[:rows], trials.outcomes[:rows]
        is_dead = np.ones(rows, np.bool_)
        if rules.own.kind != CUBELESS:
            is_dead = ~(rules.own.may_double | rules.other.may_double)[trials.states[:rows]]
        settled = [
            (exact, _look_up_ends(exact, is_dead | (rules.own.kind != MATCH), boards, kinds, outcomes))
            for exact in self.evaluators.exact_cubeful
        ]
        for exact in self.evaluators.exact:
            _look_up_ends(exact, is_dead, boards, kinds, outcomes)
        for kind, evaluator in ((TRUNCATED, self.evaluators.leaf), (CUBE, self.evaluators.cube_evaluator)):
            asked = np.flatnonzero(kinds == kind)
            if len(asked):
                outcomes[asked] = evaluator.evaluate(boards[asked])
        values = compute_values(rules, NO_TABLES, trials)
        if rules.own.kind == MONEY:
            side = rules.other if trials.progress[TURN] % 2 else rules.own
            for cubeful, ended in settled:
                equities = cubeful.cubeful_equities(boards[ended])
                values[ended, OUTCOME_COLUMNS:] = select_exact_values(equities, side)
        decide(rules, trials, values)

    def _play_rolls(self, rules, trials, policy, measures_luck, makes_plays):
        """Play the roll of each trial, or all 21 to measure luck; make the plays of its own."""
        per_group = len(ROLLS) if measures_luck else 1
        group_repeats(trials, not measures_luck)
        groups = int(trials.progress[GROUPS])
        count = groups * per_group
        boards, dice = np.empty((count, 2, 26), np.int8), np.empty((count, 2), np.int8)
        list_rolls(trials, groups, per_group, boards, dice)
        children = as_kernel_array(policy.prune_plays(boards, dice, 1, 0.0).children, np.int8)
        if measures_luck:
            outcomes = self.evaluators.luck_evaluator.evaluate(children)
            subtract_luck(rules, trials, groups, children, as_kernel_array(outcomes, np.float32))
        if makes_plays:
            make_plays(trials, groups, per_group, children)


def _look_up_ends(exact, may_settle, boards, kinds, outcomes):
    """End the trials that an evaluator knows, and return their rows."""
    rows = np.flatnonzero(may_settle & (kinds != END))
    rows = rows[exact.covers(boards[rows])]
    if len(rows):
        outcomes[rows] = exact.evaluate(boards[rows])
        kinds[rows] = END
    return rows
