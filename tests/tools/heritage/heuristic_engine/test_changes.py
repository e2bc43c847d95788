"""Changes of factors: one at a time, within bounds, the same each time."""

from __future__ import annotations

import msgspec

from gammond.engine.options import list_fields
from gammond.nets.heritage.heuristic_engine.heuristic import HEURISTIC_CONFIGS, HeuristicConfig
from gammond.tools.heritage.heuristic_engine.command import (
    STEP_SIZES,
    WHOLE_NUMBER_FACTORS,
    FactorChange,
    draw_change,
)


def test_a_change_is_of_one_factor_and_within_its_bounds():
    start = HEURISTIC_CONFIGS["untrained"]
    bounds = {each.name: each.bounds for each in list_fields(HeuristicConfig)}
    seen = set()
    for trial in range(300):
        change = draw_change(start, 1, trial, scale=5.0)
        changed = msgspec.structs.asdict(change.apply_to(start))
        before = msgspec.structs.asdict(start)
        differing = [name for name in before if before[name] != changed[name]]
        assert differing == [change.factor]
        assert bounds[change.factor].low <= change.after <= bounds[change.factor].high
        if change.factor in WHOLE_NUMBER_FACTORS:
            assert change.after == int(change.after)
        seen.add(change.factor)
    assert seen == set(STEP_SIZES)


def test_the_seed_and_the_trial_decide_it():
    start = HEURISTIC_CONFIGS["author"]
    assert draw_change(start, 1, 7) == draw_change(start, 1, 7)
    assert len({msgspec.structs.astuple(draw_change(start, seed, 7)) for seed in range(9)}) > 5


def test_a_change_at_a_bound_goes_inwards():
    top = msgspec.structs.replace(HEURISTIC_CONFIGS["author"], cb=5.0)
    changes = [draw_change(top, 2, trial) for trial in range(200)]
    assert all(each.after < 5.0 for each in changes if each.factor == "cb")


def test_a_change_says_what_it_was():
    start = HEURISTIC_CONFIGS["untrained"]
    assert FactorChange("bf", 0.0, 0.3).apply_to(start) == msgspec.structs.replace(start, bf=0.3)
