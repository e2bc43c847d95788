"""Results that are kept: gone on from after a kill, refused where they are of something else."""

import base64
import json

import numpy as np
import pytest

from gammond.engine.errors import DataFileError, StateError
from gammond.engine.play.paired_scores import PairedScores
from gammond.engine.rules.rules import Doubles, Rules
from gammond.tools.barca.tournament import BarcaRules
from gammond.tools.tournament.backgammon import TournamentMode, TournamentRules
from gammond.tools.tournament.entrants import Entrant
from gammond.tools.tournament.games import GameRange
from gammond.tools.tournament.results_file import ResultsFile

RULES = TournamentRules(seed=3)
ANN, BOB, CYD = (Entrant(name, name, {f"{name}-net": name * 3}, False) for name in ("ann", "bob", "cyd"))
FIRST = PairedScores(np.array([1.0, -2.5, 3.0, -1.0]), np.array([1, -2, 3, -1], np.int8))
SECOND = PairedScores(np.array([2.0, 1.0]), np.array([2, 1], np.int8))


@pytest.fixture
def file(tmp_path):
    """Six games between Ann and Bob."""
    file = tmp_path / "kept"
    with ResultsFile(file, RULES, [ANN, BOB]) as kept:
        kept.add("ann", "bob", GameRange(0, 4), FIRST)
        kept.add("ann", "bob", GameRange(4, 2), SECOND)
    return file


def listed(scores):
    return scores.values.tolist(), scores.kinds.tolist()


def read(file, *entrants, rules=RULES):
    with ResultsFile(file, rules, entrants) as kept:
        return listed(kept.get_scores("ann", "bob"))


def test_saved_results_are_read_again(file):
    assert read(file, ANN, BOB) == listed(FIRST.concatenate(SECOND))


def test_nothing_is_saved_without_a_file():
    with ResultsFile(None, RULES, [ANN, BOB]) as kept:
        assert kept.get_scores("ann", "bob").games == 0
        kept.add("ann", "bob", GameRange(0, 4), FIRST)
        assert listed(kept.get_scores("ann", "bob")) == listed(FIRST)


def test_a_player_against_itself_is_saved_too():
    with ResultsFile(None, RULES, [ANN, ANN]) as kept:
        kept.add("ann", "ann", GameRange(0, 4), FIRST)
        kept.add("ann", "ann", GameRange(4, 2), SECOND)
        assert kept.get_scores("ann", "ann").games == 6


def test_a_file_that_is_refused_is_not_held(file):
    with pytest.raises(StateError, match="who does not take part") as caught:
        ResultsFile(file, RULES, [ANN, CYD])
    assert caught.value.field == "keep"
    assert caught.tb is not None  # the traceback keeps what was half made
    assert read(file, ANN, BOB) == listed(FIRST.concatenate(SECOND))


def test_other_players_may_join(file):
    with ResultsFile(file, RULES, [CYD, BOB, ANN]) as kept:
        assert kept.get_scores("cyd", "ann").games == 0
        kept.add("cyd", "ann", GameRange(0, 2), SECOND)
    with ResultsFile(file, RULES, [ANN, BOB, CYD]) as kept:
        assert listed(kept.get_scores("ann", "cyd")) == listed(SECOND.swap_players())
        assert listed(kept.get_scores("ann", "bob")) == listed(FIRST.concatenate(SECOND))


def test_players_in_another_order_have_the_same_games(file):
    with ResultsFile(file, RULES, [BOB, ANN]) as kept:
        assert kept.get_scores("bob", "ann").values.tolist() == [2.5, -1.0, 1.0, -3.0, -1.0, -2.0]
        kept.add("bob", "ann", GameRange(6, 2), SECOND)
    assert read(file, ANN, BOB)[0] == [1.0, -2.5, 3.0, -1.0, 2.0, 1.0, -1.0, -2.0]


def test_a_player_with_other_nets_is_refused(file):
    with pytest.raises(StateError, match="games of 'bob' with other nets"):
        ResultsFile(file, RULES, [ANN, Entrant("bob", "bob", {"bob-net": "changed"}, False)])


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (TournamentRules(seed=4), "seed 3, this one has 4"),
        (TournamentRules(TournamentMode.CUBEFUL, 3), "mode cubeless, this one has cubeful"),
        (TournamentRules(TournamentMode.MATCH, 3, 5), "mode cubeless"),
        (TournamentRules(seed=3, game=Rules(doubles=Doubles.TWO)), "doubles four, this one has two"),
        (BarcaRules(seed=3), "variant backgammon, this one has barca"),
    ],
)
def test_a_tournament_of_other_rules_is_refused(file, rules, words):
    with pytest.raises(StateError, match=words):
        ResultsFile(file, rules, [ANN, BOB])


def test_a_file_without_a_rule_for_doubles_has_the_usual_one(file):
    first, _, rest = file.read_text().partition("\n")
    record = json.loads(first)
    del record["doubles"]
    file.write_text(json.dumps(record) + "\n" + rest)
    with ResultsFile(file, RULES, [ANN, BOB]) as kept:
        assert kept.get_scores("ann", "bob").games > 0
    with pytest.raises(StateError, match="doubles four, this one has two"):
        ResultsFile(file, TournamentRules(seed=3, game=Rules(doubles=Doubles.TWO)), [ANN, BOB])


def encode(numbers, dtype):
    return base64.b64encode(np.array(numbers, dtype).tobytes()).decode()


@pytest.mark.parametrize(
    "change",
    [
        {"first_game": 6},
        {"values": "!"},
        {"values": ""},
        {"values": encode([np.nan, 1.0], "<f4")},  # a game that did not end has no winner
        {"values": encode([np.inf, 1.0], "<f4")},
        {"values": encode([-2.0, 1.0], "<f4")},
        {"kinds": encode([4, 1], "<i1")},
        {"lengths": encode([9, -9], "<i4")},
        {"kinds": "AAAA"},
        {"first": None, "kinds": None},
    ],
)
def test_a_damaged_line_is_named(file, change):
    lines = file.read_text().splitlines()
    record = json.loads(lines[-1]) | change
    file.write_text("\n".join([*lines[:-1], json.dumps(record), ""]))
    with pytest.raises(DataFileError, match="kept line 5 cannot be read"):
        ResultsFile(file, RULES, [ANN, BOB])


def test_games_that_did_not_end_are_saved_too(tmp_path):
    scores = PairedScores(np.array([np.nan, 1.0, 2.0, -1.0]), np.array([0, 1, 2, -1], np.int8))
    for games in ([scores], []):
        with ResultsFile(tmp_path / "kept", RULES, [ANN, BOB]) as kept:
            for each in games:
                kept.add("ann", "bob", GameRange(0, 4), each)
            found = kept.get_scores("ann", "bob")
            assert (found.games, found.endless) == (4, 1)
            assert listed(found.counted) == ([2.0, -1.0], [2, -1])
            assert listed(found.swap_players().counted) == ([1.0, -2.0], [1, -2])
