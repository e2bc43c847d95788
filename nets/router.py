"""Routing: each position goes to the evaluator of its phase, and contact to the net of its class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gammond.engine.bearoff import pack_tables
from gammond.engine.evaluation.evaluator import Evaluator, ExactEvaluator
from gammond.engine.evaluation.leaves import Leaves, open_question
from gammond.engine.kernels import as_kernel_array
from gammond.engine.kernels.interrupts import NO_QUESTION
from gammond.engine.kernels.nets import routing as kernel_routing
from gammond.engine.kernels.nets.packed_nets import NO_NETS
from gammond.engine.kernels.nets.routing import LeafNets
from gammond.engine.rules.outcome import Outcomes
from gammond.engine.rules.position import Board
from gammond.engine.runtime.threads import release_turn
from gammond.nets.compiled_net import CompiledNet, pack_nets
from gammond.nets.manifest import CONTACT_CLASSES


class Router:
    """An evaluator made of several: final scores, bearoff databases, race, crashed and contact net.

    One compiled loop evaluates all positions. It asks the nets that are not compiled.

    Args:
        name: Its name in replies.
        contact: The evaluator of contact, and of each phase without one of its own; or one for each of
            `CONTACT_CLASSES`, in their order.
        race: The evaluator of races that no database covers; that of contact if None.
        crashed: The evaluator of crashed positions; that of contact if None.
        exact: The bearoff databases: at most a two-sided one and after it a one-sided one.

    Attributes:
        contact: The evaluators of contact, by contact class.
        race: Those of races that no database covers.
        crashed: Those of crashed positions.
    """

    plies = 0

    def __init__(
        self,
        name: str,
        contact: Evaluator | Sequence[Evaluator],
        race: Evaluator | None = None,
        crashed: Evaluator | None = None,
        exact: Iterable[ExactEvaluator] = (),
    ) -> None:
        count = len(CONTACT_CLASSES)
        self.name = name
        self.contact = list(contact) if isinstance(contact, Sequence) else [contact] * count
        self.crashed = [crashed] * count if crashed else self.contact
        self.race = [race] * count if race else self.contact
        self._exact = tuple(exact)
        nets = self.contact + self.crashed + self.race  # in the order of the phases
        distinct = list({id(net): net for net in nets}.values())
        compiled = [net for net in distinct if isinstance(net, CompiledNet)]
        self._asked = tuple(net for net in distinct if not isinstance(net, CompiledNet))
        self._packed = pack_nets(compiled) if compiled else NO_NETS
        self._net_of_class = np.array(
            [
                compiled.index(net) if isinstance(net, CompiledNet) else -1 - self._asked.index(net)
                for net in nets
            ]
        )

    @cached_property
    def leaves(self) -> Leaves:
        """Its form for loops; this opens the databases."""
        tables = pack_tables(self._exact)
        return Leaves(LeafNets(self._packed, self._net_of_class, tables, asks_all=False), self._asked)

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions, as `gammond.engine.evaluation.evaluator.Evaluator.evaluate`."""
        boards = as_kernel_array(boards, np.int8)
        outcomes = np.empty((len(boards), 5), np.float32)
        classes = np.empty(len(boards), np.int8)
        if kernel_routing.classify_positions(boards, classes) and self._exact:
            kernel_routing.look_up_races(self.leaves.nets.tables, boards, classes, outcomes)
        question = None
        if self._asked:
            question = open_question(lambda _: False, [each.evaluate for each in self._asked])
        with release_turn():
            kernel_routing.evaluate_classes(
                self._packed,
                self._net_of_class,
                question.cells if question else NO_QUESTION,
                boards,
                classes,
                False,
                outcomes,
            )
        if question:
            question.check()
        return outcomes


def classify_contact(boards: Board) -> NDArray[np.int8]:
    """Return the places in `CONTACT_CLASSES` of positions that are not over, ``int8[n]``."""
    classes = np.empty(len(boards), np.int8)
    kernel_routing.classify_positions(as_kernel_array(boards, np.int8), classes)
    return classes % np.int8(len(CONTACT_CLASSES))
