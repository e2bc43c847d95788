"""Reports: the results of pairs and players as text, CSV, JSON and a picture."""

import csv
import io
import json
import math

import numpy as np
import pytest

from gammond.engine.errors import UnsupportedError
from gammond.engine.play.paired_scores import PairedScores
from gammond.tools.tournament.backgammon import TournamentMode, TournamentRules
from gammond.tools.tournament.entrants import Entrant
from gammond.tools.tournament.plot import draw_cross_table
from gammond.tools.tournament.report import make_report
from gammond.tools.tournament.round_robin import PairState
from gammond.tools.tournament.statistics.sprt import SequentialTest
from gammond.tools.tournament.text import format_report

ENTRANTS = [Entrant(name, name, {}, False) for name in ("pubeval", "random", "default")]
STRONG = np.array([2, 1, 1, 3, -1, 1, 2, 1], np.int8)
WEAK = np.array([-1, 1, -2, 1, -1, -1, 1, -3], np.int8)


def scores(kinds):
    return PairedScores(kinds.astype(float), kinds)


def played(test=None):
    """Pubeval beats random, loses to default; random and default have not met."""
    pairs = [PairState((0, 1), scores(STRONG)), PairState((0, 2), scores(WEAK)), PairState((1, 2))]
    for pair in pairs:
        pair.test_result = test.run(pair.scores) if test else None
    return pairs


def report(**options):
    return make_report(ENTRANTS, TournamentRules(), 8, played(options.get("test")), **options)


def test_a_pair_has_its_score_its_shares_and_its_p_values():
    found = report().find_pair("random", "pubeval")
    pairs = STRONG.reshape(-1, 2).mean(axis=1)
    assert (found.first, found.games) == ("pubeval", 8)
    assert found.score.mean == pytest.approx(pairs.mean())
    assert found.score.standard_error == pytest.approx(pairs.std(ddof=1) / 2)
    assert found.score.low < found.score.mean < found.score.high
    assert found.win_share.mean == pytest.approx(7 / 8)
    assert (found.first_wins.wins, found.first_wins.gammons, found.first_wins.backgammons) == (7, 3, 1)
    assert (found.second_wins.wins, found.second_wins.gammons) == (1, 0)
    assert found.p_score == 0.25


def test_players_are_rated_over_the_whole_table_beside_the_anchor():
    found = report(anchor=1)
    elo = {player.name: player.elo for player in found.players}
    assert found.anchor == "random"
    assert elo["random"] == 0.0
    assert elo["pubeval"] == pytest.approx(400 * math.log10(7))
    assert elo["default"] - elo["pubeval"] == pytest.approx(400 * math.log10(5 / 3))


def test_a_player_scores_the_mean_of_its_opponents():
    pubeval, random, _ = report().players
    first, second = (kinds.reshape(-1, 2).mean(axis=1) for kinds in (STRONG, WEAK))
    assert pubeval.games == 16
    assert pubeval.score == pytest.approx((first.mean() + second.mean()) / 2)
    assert pubeval.score_error == pytest.approx(math.hypot(first.std(ddof=1) / 2, second.std(ddof=1) / 2) / 2)
    assert random.score == pytest.approx(-first.mean())


def test_the_table_has_the_strongest_first_and_both_sides_of_each_pair():
    lines = format_report(report()).splitlines()
    rows = [line.split() for line in lines[2:5]]
    assert [row[1] for row in rows] == ["default", "pubeval", "random"]
    assert rows[0][-3:] == [".", "+0.625", "."]
    assert rows[1][-3:] == ["-0.625", ".", "+1.250"]
    assert rows[2][-3:] == [".", "-1.250", "."]
    (line,) = [line for line in lines if line.startswith("pubeval - random")]
    assert line.split()[3:5] == ["8", "+1.2500"]
    assert "37.50 - 0.00" in line
    assert "random - default" not in "\n".join(lines)


def test_modes_without_gammons_have_no_columns_for_them():
    pairs = played()[:1]
    found = make_report(ENTRANTS[:2], TournamentRules(TournamentMode.HOME_BOUND), 8, pairs)
    text = format_report(found)
    assert "gammons" not in text
    assert text.endswith("pips per game\n")
    assert "gammons" in format_report(make_report(ENTRANTS[:2], TournamentRules(), 8, pairs))


def test_whoever_handles_the_cube_for_others_is_named():
    rules = TournamentRules(TournamentMode.CUBEFUL, cube_by="default")
    text = format_report(make_report(ENTRANTS[:2], rules, 8, played()[:1]))
    assert "\n  cube decisions by default for players without their own\n" in text
    assert "cube decisions by" not in format_report(report())


def test_the_verdict_of_a_test_follows_each_pair():
    test = SequentialTest(0, 50)
    lines = format_report(report(test=test)).splitlines()
    assert "until an SPRT of 0 to 50 Elo ends" in lines[0]
    behind = [line for line in lines if "undecided after 8 games, LLR 0.00 of -2.94 to 2.94" in line]
    assert len(behind) == 2
    two = format_report(make_report(ENTRANTS[:2], TournamentRules(), 8, played(test)[:1], test=test))
    assert "\nSPRT of 0 to 50 Elo: undecided after 8 games" in two


def test_csv_has_a_row_for_each_pair_and_a_number_in_each_known_cell():
    rows = list(csv.DictReader(io.StringIO(report().as_csv())))
    assert [(row["first"], row["second"], row["games"]) for row in rows] == [
        ("pubeval", "random", "8"),
        ("pubeval", "default", "8"),
    ]
    assert float(rows[0]["score"]) == 1.25
    assert float(rows[0]["score_low"]) < 1.25 < float(rows[0]["score_high"])
    assert float(rows[0]["second_elo"]) == pytest.approx(-400 * math.log10(7), abs=1e-5)
    assert (rows[0]["first_wins"], rows[0]["first_gammons"], rows[0]["first_backgammons"]) == ("7", "3", "1")
    assert {name for name, cell in rows[0].items() if not cell} == {"verdict", "ratio"}


def test_json_has_null_for_what_is_not_known():
    alone = make_report(
        ENTRANTS,
        TournamentRules(),
        8,
        [PairState((0, 1), scores(STRONG)), PairState((0, 2)), PairState((1, 2))],
    )
    found = json.loads(alone.as_json())
    assert [player["elo"] for player in found["players"]][2] is None
    assert found["players"][2]["score"] is None
    assert (found["mode"], found["unit"], found["seed"]) == ("cubeless", "points per game", 1)
    assert "first" not in found


def test_pictures_are_drawn_even_of_players_that_have_not_met(tmp_path):
    pytest.importorskip("matplotlib")
    for name in ("table.png", "table.svg"):
        draw_cross_table(report(), tmp_path / name)
    assert (tmp_path / "table.png").read_bytes()[:4] == b"\x89PNG"
    assert "<svg" in (tmp_path / "table.svg").read_text()
    draw_cross_table(
        make_report(ENTRANTS[:2], TournamentRules(), 8, [PairState((0, 1), scores(0 * STRONG))]),
        tmp_path / "even.png",
    )
    with pytest.raises(UnsupportedError):
        draw_cross_table(report(), tmp_path / "table.bmp")
