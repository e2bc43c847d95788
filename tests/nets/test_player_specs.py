"""Players as people write them."""

import pytest

from gammond.engine.analysis.levels import LEVELS, EvalSettings
from gammond.engine.errors import FormatError, ValueRangeError
from gammond.engine.play.decider import SearchPlayer
from gammond.engine.play.player import EvaluatorPlayer
from gammond.nets.catalogue import SHIPPED, collect_net_hashes, find_pruner, load_player
from gammond.nets.player_specs import EvaluatorSpec, KindSpec


def parse(text: str) -> EvaluatorSpec:
    """Parse the name of one of the shipped evaluators."""
    spec = SHIPPED.parse_player(text, ["default", "strong"])
    assert isinstance(spec, EvaluatorSpec)
    return spec


def test_a_name_alone_plays_the_best_without_look_ahead():
    spec = parse("strong")
    assert (spec.evaluator, spec.is_evaluator_only, spec.is_deep) == ("strong", True, False)
    assert spec.settings == EvalSettings(0, is_cubeful=False)


def test_options_are_read():
    spec = parse("strong:plies=2,filter=narrow,noise=35,seed=7")
    assert (spec.settings, spec.noise_points, spec.seed) == (EvalSettings(2, "narrow", False), 0.035, 7)
    assert not spec.is_evaluator_only


@pytest.mark.parametrize("level", LEVELS.values(), ids=LEVELS)
def test_a_level_sets_depth_and_noise(level):
    spec = parse(f"default:level={level.name},seed=3")
    assert (spec.settings.plies, spec.settings.filter_name) == (level.plies, level.filter_name)
    assert (spec.noise_points, spec.seed) == (level.noise_points, 3)
    assert not spec.settings.is_cubeful


def test_no_level_leaves_the_other_options_as_they_are():
    plain, spelled = parse("strong:plies=2,noise=5"), parse("strong:level=none,plies=2,noise=5")
    assert (spelled.settings, spelled.noise_points) == (plain.settings, plain.noise_points)


def test_other_names_are_player_kinds_which_equal_options_make_equal():
    parse_player = SHIPPED.parse_player
    spec = parse_player("random", ["strong"])
    assert isinstance(spec, KindSpec)
    assert spec == parse_player("random:seed=0", ["strong"]) != parse_player("random:seed=1", ["strong"])
    assert isinstance(parse_player("random", ["random"]), EvaluatorSpec)


def test_an_unknown_name_is_refused_with_all_names_and_the_nearest():
    with pytest.raises(ValueRangeError, match=r"\(human, .*, random, .*\), got 'randm' \(did") as caught:
        SHIPPED.parse_player("randm", ["strong"], ["human"])
    assert caught.value.field == "player"


@pytest.mark.parametrize(
    ("text", "error", "field"),
    [
        ("strong:", FormatError, "player"),
        ("strong:depth=2", FormatError, "player"),
        ("strong:plies=two", FormatError, "plies"),
        ("strong:plies=2,level=casual", FormatError, "plies"),
        ("strong:level=casual,noise=3", FormatError, "noise"),
        ("strong:filter=tiny", FormatError, "filter"),
        ("strong:plies=0,filter=tiny", FormatError, "filter"),
        ("strong:plies=5", ValueRangeError, "plies"),
        ("strong:filter=wide", ValueRangeError, "filter"),
        ("strong:level=god", ValueRangeError, "level"),
        ("strong:noise=1001", ValueRangeError, "noise"),
        ("strong:seed=" + "9" * 40, ValueRangeError, "seed"),
        ("nobody:plies=1", ValueRangeError, "player"),
    ],
)
def test_what_cannot_be_is_refused_by_field(text, error, field):
    with pytest.raises(error) as caught:
        load_player(text)
    assert caught.value.field == field


def test_a_player_that_neither_looks_ahead_nor_errs_is_the_evaluator_alone():
    assert isinstance(load_player("fast:noise=5"), SearchPlayer)
    assert isinstance(load_player("fast:plies=0"), EvaluatorPlayer)
    assert isinstance(load_player("fast:level=expert"), EvaluatorPlayer)


def test_a_player_that_looks_ahead_uses_the_pruning_nets_too():
    assert set(collect_net_hashes("strong:plies=1")) == set(collect_net_hashes("strong")) | set(
        collect_net_hashes("fast")
    )
    assert find_pruner().net_hashes == collect_net_hashes("fast")
    assert collect_net_hashes("strong:noise=5") == collect_net_hashes("strong")
