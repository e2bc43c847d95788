"""The same match in every format that is read: one model."""

from dataclasses import replace

import pytest

from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.mat.writer import format_mat, format_match
from gammond.engine.match_files.reading import read_matches
from gammond.engine.match_files.sgf.writer import format_sgf
from tests.engine.match_files.played_games import play_money_games, play_random_match, strip_game
from tests.engine.match_files.sites import site_files
from tests.engine.match_files.xg import xg_files


def write_sgf(games):
    return format_sgf(*parse_mat(format_mat(site_files.NAMES, games)))


def write_xg(games, **header):
    return xg_files.make_file(xg_files.write_games(site_files.NAMES, games, **header))


def write_old_xg(games):
    return write_xg(games, version=20, SPlayer1=site_files.NAMES[0], SPlayer2=site_files.NAMES[1])


WRITERS = {
    "mat": lambda games: format_mat(site_files.NAMES, games),
    "sgf": write_sgf,
    "xg": write_xg,
    "xg of version 20": write_old_xg,
    "oldmoves": site_files.write_oldmoves,
    "sgg": site_files.write_sgg,
    "tmg": site_files.write_tmg,
    "party": site_files.write_party,
}


@pytest.fixture(scope="module", params=["match", "money"])
def games(request):
    return play_random_match() if request.param == "match" else play_money_games()[:2]


@pytest.mark.parametrize("format_name", WRITERS)
def test_a_match_is_the_same_in_every_format_and_as_it_was_played(format_name, games):
    """What is only in some formats (analysis, rules of money play) is left out of the comparison."""
    written = WRITERS[format_name](games)
    (match,) = read_matches(written.encode() if isinstance(written, str) else written)
    (mat,) = parse_mat(format_mat(site_files.NAMES, games))
    assert match.format == format_name.split()[0]
    length = games[0].initial_state.length
    assert (match.names, match.length, match.issues) == (site_files.NAMES, length, ())
    assert [strip_game(game) for game in match.games] == games
    assert [replace(game, notes={}) for game in match.games] == list(mat.games)
    (again,) = parse_mat(format_match(match))
    assert (again.games, again.rules, again.issues) == (mat.games, match.rules, ())
