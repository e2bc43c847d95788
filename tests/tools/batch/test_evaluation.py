"""The evaluator of `gammond batch`."""

import pytest

from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.formats.position_batch import parse_positions
from gammond.engine.formats.position_id import decode_position_id
from gammond.engine.rules.match import MatchState
from gammond.nets.catalogue import load_engine
from gammond.tools.batch.evaluation import BatchEvaluator


@pytest.mark.parametrize("plies", [0, 1])
def test_the_shipped_evaluator_knows_bearoffs_with_the_cube_at_any_depth(plies):
    bearoff = decode_position_id("AwAAWAAAAAAAAA")
    evaluator = BatchEvaluator(load_engine(), EvalSettings(plies))
    found = evaluator.answer(parse_positions(["AwAAWAAAAAAAAA"]))
    exact = load_engine().evaluate(bearoff, MatchState())
    assert found["cubeful"][0] == pytest.approx(exact.cubeful, abs=1e-6)
    assert exact.cubeful == pytest.approx(-2 / 3, abs=1e-6)
