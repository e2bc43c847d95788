"""Changes of factors: one at a time, within bounds, the same each time."""

from __future__ import annotations

import msgspec

from nets.heuristic import CONFIGURATIONS, Configuration
from nets.options import parameters
from tools.train.climb.changes import STEPS, WHOLE, Change, change_of


def test_a_change_is_of_one_factor_and_within_its_bounds():
    start = CONFIGURATIONS["untrained"]
    bounds = {each.name: each for each in parameters(Configuration)}
    seen = set()
    for trial in range(300):
        change = change_of(start, 1, trial, scale=5.0)
        changed = msgspec.structs.asdict(change.made_to(start))
        before = msgspec.structs.asdict(start)
        differing = [name for name in before if before[name] != changed[name]]
        assert differing == [change.factor]
        assert bounds[change.factor].low <= change.after <= bounds[change.factor].high
        if change.factor in WHOLE:
            assert change.after == int(change.after)
        seen.add(change.factor)
    assert seen == set(STEPS)


def test_the_seed_and_the_trial_decide_it():
    start = CONFIGURATIONS["author"]
    assert change_of(start, 1, 7) == change_of(start, 1, 7)
    assert len({msgspec.structs.astuple(change_of(start, seed, 7)) for seed in range(9)}) > 5


def test_a_change_at_a_bound_goes_inwards():
    top = msgspec.structs.replace(CONFIGURATIONS["author"], cb=5.0)
    changes = [change_of(top, 2, trial) for trial in range(200)]
    assert all(each.after < 5.0 for each in changes if each.factor == "cb")


def test_a_change_says_what_it_was():
    start = CONFIGURATIONS["untrained"]
    assert Change("bf", 0.0, 0.3).made_to(start) == msgspec.structs.replace(start, bf=0.3)
