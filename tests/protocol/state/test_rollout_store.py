"""Rollouts of sessions: which states are kept, and which are dropped."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.rollout_requests import POSITION, RolloutRequest
from gammond.engine.errors import CancelledWork, StateError
from gammond.engine.rollout import RolloutSettings, RolloutState, TrialCubes
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.protocol.state.rollout_store import FinishedRollout, RolloutSlot, RolloutStore
from tests.support.evaluators import RacingEvaluator

QUESTION = RolloutRequest(POSITION, Position.start(), MatchState())


def record(trials):
    """A record of so many trials, 40 bytes each."""
    starts = Position.start().board[None]
    scores = (np.zeros((trials, 5)),)
    state = RolloutState(starts, TrialCubes.make_initial(1), 0, 0, True, ("net",), "cubeless", scores)
    return FinishedRollout(QUESTION, lambda: Engine(RacingEvaluator()), RolloutSettings(), state)


def ended(kept, trials):
    slot = RolloutSlot(kept)
    slot.finish(record(trials))
    return slot


def trials_of(slot):
    return slot.wait_for_rollout(lambda: True).state.count_trials()


def bytes_of(kept):
    return sum(kept._sizes.values())


def test_the_newest_record_stays_even_if_it_alone_is_too_much():
    kept = RolloutStore(max_bytes=40)
    before, newest = ended(kept, 1), ended(kept, 2)
    assert trials_of(newest) == 2
    with pytest.raises(StateError, match="was removed"):
        before.wait_for_rollout(lambda: True)


def test_a_state_that_nobody_can_ask_for_takes_no_memory():
    kept = RolloutStore()
    slot = ended(kept, 100)
    other = ended(kept, 50)
    del slot
    gc.collect()
    assert (bytes_of(kept), trials_of(other)) == (50 * 40, 50)


def test_a_slot_that_ends_as_another_waits_for_that_one_and_has_its_record():
    kept = RolloutStore()
    first = RolloutSlot(kept)
    last = first
    for _ in range(3000):
        slot = RolloutSlot(kept)
        slot.finish_as(last)
        last = slot
    with pytest.raises(CancelledWork):
        last.wait_for_rollout(lambda: True)
    first.finish(record(7))
    assert trials_of(last) == 7
