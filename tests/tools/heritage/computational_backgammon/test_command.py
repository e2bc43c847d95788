"""Classic nets learn, by themselves and from experts; runs survive kills, and refuse what cannot be."""

from functools import partial

import numpy as np
import pytest

from gammond.engine.errors import GammondError
from gammond.engine.formats.array_file import read_array_file
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import EvaluatorPlayer, RandomPlayer
from gammond.engine.rules.position import Position
from gammond.nets.players.pubeval import PubevalPlayer
from gammond.tools.common.journal import read_records
from gammond.tools.common.opponents import load_opponent
from gammond.tools.heritage.computational_backgammon import command
from gammond.tools.heritage.computational_backgammon.command import ClassicLearner
from gammond.tools.heritage.computational_backgammon.kernels.kinds import KINDS, classify_kinds
from gammond.tools.heritage.computational_backgammon.net_set import read_classic_nets
from gammond.tools.heritage.computational_backgammon.settings import ClassicSettings
from gammond.tools.train.weights.random_positions import sample_random_positions
from tests.support import naive
from tests.support.commands import run_tool

OPTIONS = ["--hidden", "6", "--benchmark-games", "4", "--checkpoint-every", "100", "--games", "300"]
run_command = partial(run_tool, command)


def learned(**settings):
    learner = ClassicLearner(ClassicSettings(**settings))
    for _ in learner.play_rounds():
        pass
    return learner


def margin(player, opponent, games=400):
    """Points per game, less four standard errors."""
    result = play_games(player, opponent, games, seed=4)
    return result.score.value - 4 * result.score.error


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["normal", "symmetric"])
@pytest.mark.parametrize("outputs", [1, 2, 5])
def test_it_learns_to_beat_random(layout, outputs):
    player = learned(games=2000, hidden=10, outputs=outputs, layout=layout, alpha=0.3, beta=0.3).player
    assert margin(player, RandomPlayer(seed=1)) > 0.2


@pytest.mark.slow
def test_it_gains_on_pubeval():
    early, late = (
        play_games(learned(games=games, hidden=10, outputs=1).player, PubevalPlayer(), 400, seed=4)
        for games in (500, 6000)
    )
    gain = late.score.value - early.score.value
    assert gain > 4 * np.hypot(early.score.error, late.score.error)


@pytest.mark.slow
@pytest.mark.parametrize("teacher", ["against", "taught", "watching"])
def test_it_learns_from_an_expert(teacher):
    # watching it sees good games alone, and learns the least of them
    player = learned(games=600, hidden=10, teacher=teacher, alpha=0.5, beta=0.5).player
    assert margin(player, RandomPlayer(seed=1)) > 0.0


@pytest.mark.slow
def test_races_and_bearoffs_have_evaluators_of_their_own():
    nets = learned(games=200, hidden=6, own="race", own_hidden=4, bearoff="two-sided").nets
    assert (nets.contact.hidden, nets.race.hidden) == ((6,), (4,))
    untrained = ClassicLearner(ClassicSettings(hidden=6, own="race", own_hidden=4)).nets
    assert (nets.race.weights[0] != untrained.race.weights[0]).any()


@pytest.mark.parametrize(
    ("own", "nets"),
    [
        ("none", ["contact"]),
        ("race", ["contact", "race"]),
        ("bearoff+mutual", ["contact", "mutual", "bearoff"]),
        ("all", list(KINDS)),
    ],
)
def test_any_number_of_kinds_of_position_have_nets_of_their_own(tmp_path, own, nets):
    run_command(str(tmp_path), *OPTIONS, "--own", own, "--own-hidden", "3", "--games", "100")
    found = read_classic_nets(tmp_path / "best.npz")
    assert list(found.nets) == nets
    assert [net.hidden for net in found.nets.values()] == [(6,), *[(3,)] * (len(nets) - 1)]
    untrained = ClassicLearner(ClassicSettings(hidden=6, own=own, own_hidden=3)).nets
    for kind, net in found.nets.items():
        assert (net.weights[0] != untrained.nets[kind].weights[0]).any(), kind
    boards = sample_random_positions(300, seed=1)
    kinds = np.empty(len(boards), np.int8)
    classify_kinds(boards, kinds)
    outcomes = load_opponent(f"run:{tmp_path}").evaluator.evaluate(boards)
    for kind, net in enumerate(found.nets_by_kind):
        expected = naive.sanitise(net.evaluate(boards[kinds == kind]), boards[kinds == kind])
        np.testing.assert_allclose(outcomes[kinds == kind], expected, atol=1e-6)


def test_what_has_no_net_of_its_own_is_evaluated_as_a_race_or_as_contact():
    nets = ClassicLearner(ClassicSettings(hidden=6, own="race+crashed", own_hidden=3)).nets
    by_kind = dict(zip(KINDS, nets.nets_by_kind, strict=True))
    assert by_kind["bearoff"] is by_kind["race"] is nets.nets["race"]
    assert by_kind["bar"] is by_kind["mutual"] is nets.contact


def test_a_run_that_follows_its_best_nets_stops_when_better_ones_no_longer_come(tmp_path):
    # at such rates nothing is learned for long
    rates = ["--alpha", "5", "--beta", "5", "--follow-best", "2", "--games", "3000"]
    run_command(str(tmp_path), *OPTIONS, *rates)
    records = read_records(tmp_path / "log.jsonl")
    assert records[-1]["games"] < 3000
    assert [record["since_best"] for record in records][-2:] == [1, 2]
    assert all((record["ppg_best"] > 0) == (record["since_best"] == 0) for record in records[1:])
    best = max(record["games"] for record in records if record["since_best"] == 0)
    assert int(read_array_file(tmp_path / "best.npz")["games_done"]) == best
    run_command(str(tmp_path), "--resume")
    assert read_records(tmp_path / "log.jsonl") == records


@pytest.mark.slow
def test_who_keeps_the_dice_wins_and_only_the_turned_board_hides_it():
    kept, hidden, right = (
        learned(games=2000, hidden=10, outputs=1, alpha=0.5, beta=0.5, keep_dice=kept, turn_board=turned)
        for kept, turned in ((True, False), (True, True), (False, False))
    )
    start = Position.start().board[None].copy()
    chances = [float(each.nets.contact.evaluate(start)[0, 0]) for each in (kept, hidden, right)]
    assert chances[0] > 0.8
    assert chances[1] == pytest.approx(0.5, abs=0.1)
    assert chances[2] == pytest.approx(0.52, abs=0.1)


def test_the_log_tells_of_the_start_and_of_decided_endgames_and_the_run_plays(tmp_path):
    run_command(str(tmp_path), *OPTIONS, "--outputs", "2")
    last = read_records(tmp_path / "log.jsonl")[-1]
    assert len(last["start"]) == 3
    assert 0 < last["sure_loss"] < 1
    assert 0 <= last["won"] <= 1
    player = load_opponent(f"run:{tmp_path}")
    assert isinstance(player, EvaluatorPlayer)
    assert play_games(player, RandomPlayer(), 20, seed=1).games == 20


def test_a_run_goes_back_to_its_best_nets_at_lower_rates():
    settings = ClassicSettings(games=150, hidden=4, alpha=0.4, beta=0.2, least_rate=0.15)
    learner = ClassicLearner(settings)
    rounds = learner.play_rounds()
    next(rounds)
    best = {name: array.copy() for name, array in learner.state_dict().items()}
    next(rounds)
    assert (learner.nets.contact.weights[0] != best["contact_w1"]).any()
    assert learner.backtrack_to(best) == {"back_to": 50, "cuts": 1}
    assert (learner.nets.contact.weights[0] == best["contact_w1"]).all()
    assert settings.compute_rates(1) == (0.2, 0.15)
    assert learner.can_backtrack()
    learner.backtrack_to(best)
    assert not learner.can_backtrack()


def test_symmetric_nets_can_go_on_without_their_ties(tmp_path):
    run_command(str(tmp_path / "tied"), *OPTIONS, "--layout", "symmetric")
    tied = read_classic_nets(tmp_path / "tied" / "best.npz")
    begins = ClassicLearner(ClassicSettings(hidden=6, parent=str(tmp_path / "tied"))).nets
    assert begins.contact.layout == "normal"
    assert (begins.contact.weights[0] == tied.contact.weights[0]).all()
    with pytest.raises(GammondError) as caught:
        run_command(str(tmp_path / "other"), *OPTIONS, "--hidden", "7", "--from", str(tmp_path / "tied"))
    assert caught.value.field == "parent"
    assert not (tmp_path / "other").exists()
