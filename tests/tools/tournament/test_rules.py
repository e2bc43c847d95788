"""What the rules of every kind of game promise a tournament."""

import pytest

from gammond.engine.errors import CancelledWork
from gammond.tools.barca.tournament import BarcaRules
from gammond.tools.tournament.backgammon import TournamentMode, TournamentRules
from gammond.tools.tournament.games import GameRange, PairingTask

PLAIN, CUBE = ("pubeval", "random"), ("default", "default:noise=150,seed=3")
KINDS = [
    *((TournamentRules(mode, 2), PLAIN) for mode in (TournamentMode.CUBELESS, TournamentMode.HOME_BOUND)),
    (TournamentRules(TournamentMode.CUBEFUL, 2), CUBE),
    (TournamentRules(TournamentMode.MATCH, 2, 3), CUBE),
    (BarcaRules(seed=3), ("search:depth=2", "search:depth=1")),
]

each_kind = pytest.mark.parametrize(("rules", "names"), KINDS, ids=[rules.name for rules, _ in KINDS])


def play(rules, names, first_game=0, games=6, **how):
    return rules.play_range(PairingTask(rules, names, (0, 1), GameRange(first_game, games)), **how)


def listed(scores):
    return [each if each is None else each.tolist() for each in (scores.values, scores.kinds, scores.lengths)]


@each_kind
def test_a_range_is_a_part_of_the_series_and_swapped_players_swap_the_results(rules, names):
    whole = play(rules, names)
    assert listed(play(rules, names, 2, 4)) == [each if each is None else each[2:] for each in listed(whole)]
    assert listed(play(rules, names[::-1]).swap_players()) == listed(whole)
    assert any(whole.values)


@each_kind
def test_a_player_scores_nothing_against_itself(rules, names):
    assert play(rules, (names[0], names[0])).pair_values.tolist() == [0.0, 0.0, 0.0]


@each_kind
def test_games_are_counted_as_they_end_and_stop_when_they_are_asked_to(rules, names):
    seen = []
    play(rules, names, 2, 4, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 4
    with pytest.raises(CancelledWork):
        play(rules, names, cancelled=lambda: True)
