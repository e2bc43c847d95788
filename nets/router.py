"""Routing: each position goes to the evaluator of its phase, and contact to the net of its class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from engine.bearoff.tables import pack_exact_table, pack_tables
from engine.evaluation.evaluator import CubefulEvaluator, Evaluator, ExactEvaluator
from engine.evaluation.pruning import PlayPruner, ShortlistPruner
from engine.kernels import as_kernel_array
from engine.kernels.bearoff_tables import BearoffTables
from engine.kernels.outcomes import gather_boards, group_rows_by_class, scatter_outcomes
from engine.kernels.rollout import TrialArrays
from engine.kernels.rollout_scoring import TrialRules
from engine.rollout.trials import TrialLoop
from engine.rules.outcome import Outcomes, evaluate_finished, sanitise_outcomes
from engine.rules.position import Board, Phase, classify_phases
from engine.runtime.thread_turns import release_turn
from engine.search.compiled import SearchLoop
from nets.compiled_net import CompiledNet, CompiledRoutes, pack_nets
from nets.contact_classes import CONTACT_CLASSES, classify_contact
from nets.kernels import routing as kernel_routing
from nets.kernels.look_ahead import SearchNets, evaluate_positions
from nets.kernels.packed_nets import PackedNets
from nets.kernels.trials import MAX_KEPT, TrialNets, play_trials
from nets.pruning_net import NO_NETS, PruningNet


class Router:
    """An evaluator made of several: final scores, exact evaluators in order, race, crashed and contact net.

    Args:
        name: Its name in replies.
        contact: The evaluator of contact, and of each phase without one of its own.
        race: The evaluator of races that no exact evaluator covers.
        crashed: The evaluator of crashed positions.
        exact: Evaluators of some races; the first that covers a position evaluates it.

    Attributes:
        contact: The evaluator of contact.
        race: That of races that no exact evaluator covers.
        crashed: That of crashed positions.
        compiled: The routes for kernels, if all nets are compiled; then one loop evaluates all positions.
    """

    plies = 0

    def __init__(
        self,
        name: str,
        contact: Evaluator,
        race: Evaluator | None = None,
        crashed: Evaluator | None = None,
        exact: Sequence[ExactEvaluator] = (),
    ) -> None:
        self.name = name
        self.contact, self.race, self.crashed = contact, race or contact, crashed or contact
        self.compiled = _compile_routes(contact, race, crashed)
        self._exact = tuple(exact)
        self._nets = (  # numpy compares with plain integers ten times as fast as with members of an enum
            (int(Phase.CONTACT), self.contact),
            (int(Phase.CRASHED), self.crashed),
            (int(Phase.RACE), self.race),
        )

    @cached_property
    def bearoff(self) -> BearoffTables | None:
        """The exact evaluators for kernels, if they are bearoff databases, which this opens."""
        return pack_tables(self._exact)

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions, as `engine.evaluation.evaluator.Evaluator.evaluate`."""
        boards = as_kernel_array(boards, np.int8)
        outcomes = np.empty((len(boards), 5), np.float32)
        if self.compiled and self._evaluate_compiled(*self.compiled, boards, outcomes):
            return outcomes
        rows_of_phase = _group_rows(classify_phases(boards), len(Phase))
        over = rows_of_phase[Phase.OVER]
        if len(over):
            outcomes[over] = evaluate_finished(boards[over])
        rows_of: dict[int, tuple[Evaluator, list[NDArray[np.int64]]]] = {}
        for phase, net in self._nets:
            rows = rows_of_phase[phase]
            if phase == Phase.RACE and len(rows):
                rows = self._evaluate_exact(boards, rows, outcomes)
            if len(rows):
                rows_of.setdefault(id(net), (net, []))[1].append(rows)
        for net, parts in rows_of.values():
            rows = parts[0] if len(parts) == 1 else np.concatenate(parts)
            if len(rows) == len(boards) and len(parts) == 1:
                return sanitise_outcomes(net.evaluate(boards), boards)
            routed = gather_boards(boards, rows)
            scatter_outcomes(sanitise_outcomes(net.evaluate(routed), routed), rows, outcomes)
        return outcomes

    def make_search_loop(
        self, pruner: PlayPruner | None, exact: tuple[ExactEvaluator, ...]
    ) -> SearchLoop | None:
        """Return the compiled loop of searches, as `engine.search.compiled.CompiledEvaluator`."""
        settled = pack_exact_table(exact)
        is_compiled = pruner is None or isinstance(pruner, PruningNet)
        if not (is_compiled and self.compiled and self.bearoff and settled):
            return None
        weights = pruner.weights if isinstance(pruner, PruningNet) else NO_NETS
        return partial(evaluate_positions, SearchNets(*self.compiled, self.bearoff, settled, weights))

    def make_trial_loop(
        self,
        policy: PlayPruner,
        exact: tuple[ExactEvaluator, ...],
        exact_cubeful: tuple[CubefulEvaluator, ...],
    ) -> TrialLoop | None:
        """Return the compiled loop of rollout trials, as `engine.rollout.trials.TrialEvaluator`."""
        chooser: Evaluator = self
        size, margin = 1, 0.0
        if isinstance(policy, ShortlistPruner):
            size, margin, chooser = policy.shortlist_size, policy.margin, policy.evaluator
            policy = policy.pruner
        if not isinstance(policy, PruningNet) or chooser is not self or size > MAX_KEPT:
            return None
        cubeful_ends, ends = pack_exact_table(exact_cubeful), pack_tables(exact)
        if not (self.compiled and self.bearoff and cubeful_ends and ends):
            return None
        tables = self.bearoff, cubeful_ends, ends
        nets = TrialNets(*self.compiled, *tables, policy.weights, size, margin)

        def play_on(rules: TrialRules, trials: TrialArrays, rolls: int) -> bool:
            with release_turn():
                return play_trials(nets, rules, trials, rolls)

        return play_on

    def _evaluate_compiled(
        self, packed: PackedNets, net_of_class: NDArray[np.int64], boards: Board, outcomes: Outcomes
    ) -> bool:
        """Write the outcomes of positions; return False where exact evaluators are not compiled."""
        classes = np.empty(len(boards), np.int8)
        if kernel_routing.classify_positions(boards, classes):
            if not self.bearoff:
                return False
            kernel_routing.look_up_races(self.bearoff, boards, classes, outcomes)
        with release_turn():
            kernel_routing.evaluate_classes(packed, net_of_class, boards, classes, False, outcomes)
        return True

    def _evaluate_exact(
        self, boards: Board, rows: NDArray[np.int64], outcomes: Outcomes
    ) -> NDArray[np.int64]:
        """Write the outcomes of the races that exact evaluators cover, and return the rows of the others."""
        for evaluator in self._exact:
            if not len(rows):
                break
            is_covered = evaluator.covers(gather_boards(boards, rows))
            covered = rows[is_covered]
            if len(covered):
                scatter_outcomes(evaluator.evaluate(gather_boards(boards, covered)), covered, outcomes)
                rows = rows[~is_covered]
        return rows


class ContactClassNets:
    """An evaluator of contact made of one for each class; an `engine.evaluation.evaluator.Evaluator`.

    Args:
        name: Its name in replies.
        nets: The evaluator of each of `CONTACT_CLASSES`, by name.
    """

    plies = 0

    def __init__(self, name: str, nets: Mapping[str, Evaluator]) -> None:
        self.name = name
        self.nets = [nets[each] for each in CONTACT_CLASSES]

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions, as `engine.evaluation.evaluator.Evaluator.evaluate`."""
        boards = as_kernel_array(boards, np.int8)
        rows_of_class = _group_rows(classify_contact(boards), len(CONTACT_CLASSES))
        outcomes = np.empty((len(boards), 5), np.float32)
        for net, rows in zip(self.nets, rows_of_class, strict=True):
            if len(rows) == len(boards):
                return net.evaluate(boards)
            if len(rows):
                scatter_outcomes(net.evaluate(gather_boards(boards, rows)), rows, outcomes)
        return outcomes


def _compile_routes(
    contact: Evaluator, race: Evaluator | None, crashed: Evaluator | None
) -> CompiledRoutes | None:
    """Return the routes for the kernels, None unless all nets are compiled."""
    nets: list[Evaluator] = []
    for evaluator in (contact, crashed or contact, race or contact):  # in the order of the phases
        if isinstance(evaluator, ContactClassNets):
            nets += evaluator.nets
        else:
            nets += [evaluator] * len(CONTACT_CLASSES)
    compiled = [net for net in nets if isinstance(net, CompiledNet)]
    if len(compiled) < len(nets):
        return None
    distinct = list(dict.fromkeys(compiled))
    numbers = np.array([distinct.index(net) for net in compiled], np.int64)
    return CompiledRoutes(pack_nets(distinct), numbers)


def _group_rows(class_of: NDArray[np.int8], class_count: int) -> list[NDArray[np.int64]]:
    """Return the rows of each class, ascending.

    Args:
        class_of: ``int8[n]``, each 0 to ``class_count`` - 1.
        class_count: The number of classes.
    """
    rows, counts = np.empty(len(class_of), np.int64), np.zeros(class_count, np.int64)
    group_rows_by_class(class_of, rows, counts)
    ends = list(accumulate(counts.tolist()))
    return [rows[end - count : end] for end, count in zip(ends, counts.tolist(), strict=True)]
