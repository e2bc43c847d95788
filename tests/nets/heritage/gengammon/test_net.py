"""GenGammon's net and player: inputs, output, races, its text, its place in the manifest."""

import hashlib

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import Phase, classify_phases, swap_sides
from gammond.nets.heritage.gengammon.net import (
    ACTIVATIONS,
    GengammonNet,
    GengammonPlayer,
    encode_counts,
    format_net,
    parse_onnx_net,
    read_net_text,
    score_race_plays,
)
from gammond.nets.manifest import read_manifest, read_net_file
from tests.support import boards

SAMPLE = boards.random_boards(300, seed=1)


def _net(seed: int, activation: str = "softsign") -> GengammonNet:
    return GengammonNet(np.random.default_rng(seed).normal(0, 0.3, (26, 52)).astype(np.float32), activation)


def _slow_counts(after) -> list[int]:
    """The 52 inputs of a position as the side in row 0 sees it, which has played."""
    own, other = after.tolist()
    return [*own[1:25], own[25], other[25], *other[1:25], other[25], own[25]]


def _slow_score(net: GengammonNet, after) -> float:
    total = 0.0
    for unit in net.weights.tolist():
        entering = sum(w * n for w, n in zip(unit, _slow_counts(after), strict=True))
        total += entering if net.activation == "linear" else entering / (1 + abs(entering))
    return total


@pytest.mark.nojit
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_inputs_and_scores_agree_with_the_slow_twin(activation):
    net, sample = _net(2, activation), SAMPLE[:40]
    expected = [_slow_score(net, after) for after in swap_sides(sample)]
    np.testing.assert_allclose(net.score_boards(sample), expected, atol=1e-4)
    np.testing.assert_array_equal(
        encode_counts(sample), [_slow_counts(after) for after in swap_sides(sample)]
    )


def test_it_plays_what_its_net_scores_highest_as_long_as_there_was_contact():
    net, dice = _net(4), boards.random_rolls(300, seed=5)
    chosen = GengammonPlayer("x", net).choose(SAMPLE, dice)
    for before, roll, after in zip(SAMPLE, dice, chosen, strict=True):
        plays, _, _ = expand_rolls(before[None], roll[None])
        evaluator = net.score_boards if classify_phases(before[None])[0] < Phase.RACE else score_race_plays
        assert evaluator(after[None])[0] == evaluator(plays).max()


def test_races_are_played_off_first_then_home_then_onto_many_points():
    off = boards.position({6: 5, 5: 4}, {24: 2}).board
    home = boards.position({6: 6, 5: 4, 1: 5}, {24: 2}).board
    outside = boards.position({7: 1, 6: 5, 5: 4, 1: 5}, {24: 2}).board
    spread = boards.position({6: 5, 5: 4, 4: 1, 1: 5}, {24: 2}).board
    scores = score_race_plays(swap_sides(np.stack([off, spread, home, outside])))
    assert (np.diff(scores) < 0).all()


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_text_holds_a_net_to_the_last_bit(tmp_path, activation):
    net = _net(8, activation)
    file = tmp_path / "net.txt"
    file.write_text(format_net(net))
    back = read_net_text(file)
    assert back.activation == activation
    np.testing.assert_array_equal(back.weights, net.weights)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda lines: [], "line 1 is ''"),
        (lambda lines: ["gengammon 52-20-1 linear", *lines[1:]], "line 1 is 'gengammon 52-20-1"),
        (lambda lines: ["gengammon 52-26-1 wavy", *lines[1:]], "linear or softsign, got 'wavy'"),
        (lambda lines: lines[:-1], "25 hidden units, expected 26"),
        (lambda lines: [*lines, lines[1]], "27 hidden units, expected 26"),
        (lambda lines: [*lines[:5], lines[5] + " 1", *lines[6:]], "unit 5 has 53 weights, expected 52"),
        (lambda lines: [*lines[:5], "x " + lines[5].partition(" ")[2], *lines[6:]], "not a number"),
        (lambda lines: [*lines[:5], "nan " + lines[5].partition(" ")[2], *lines[6:]], "at most 1000000"),
        (lambda lines: ["gengammon 52-26-1 linear\u00e9", *lines[1:]], "not the text of a net"),
    ],
)
def test_a_text_of_another_shape_is_a_data_file_error(tmp_path, spoil, message):
    file = tmp_path / "net.txt"
    file.write_text("\n".join(spoil(format_net(_net(9)).splitlines())), encoding="utf-8")
    with pytest.raises(DataFileError, match=message) as caught:
        read_net_text(file)
    assert caught.value.field == "net"


@pytest.mark.parametrize("shape", [(26, 51), (25, 52), (52, 26), (26,)])
def test_weights_of_another_shape_are_a_data_file_error(shape):
    with pytest.raises(DataFileError, match=r"expected weights \[26, 52\]"):
        GengammonNet(np.zeros(shape, np.float32))


def test_the_shipped_nets_are_those_of_the_manifest():
    entries = [entry for entry in read_manifest().scorers if entry.name.startswith("gengammon-")]
    assert len(entries) == 4
    for entry in entries:
        content = read_net_file(entry)
        assert hashlib.sha256(content).hexdigest() == entry.sha256
        assert parse_onnx_net(entry.name, content, entry.activation).activation == entry.activation
