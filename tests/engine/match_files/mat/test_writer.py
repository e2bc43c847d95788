"""Games as .mat text: the layout, and that records can be replayed."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.errors import FormatError
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.mat.writer import format_mat
from gammond.engine.play.cube_games import play_game, play_match
from gammond.engine.play.decider import Decider
from gammond.engine.rules import cube_actions
from gammond.engine.rules.dice import draw_paired_dice
from gammond.engine.rules.game_record import DoubleAction, ResignationAction, ResponseAction
from gammond.engine.rules.match import GameResult, MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.notation import parse_play
from gammond.engine.rules.position import Position
from gammond.nets.catalogue import load_engine
from gammond.tools.gnubg.record import parse_record, replay_game
from tests.engine.match_files.played_games import make_game
from tests.peers.gnubg_files import ask

_CELL = re.compile(r"([1-6][1-6]:(?: [0-9]+/[0-9]+\*?)*)|(Doubles => [0-9]+)|(Takes)|(Drops)")


def dice(number):
    def roll(turn):
        die, other = draw_paired_dice(5, np.array([number]), np.array([turn]))[0].tolist()
        return die, other

    return roll


@pytest.fixture(scope="module")
def players():
    engine = load_engine()
    return Decider(engine, EvalSettings()), Decider(engine, EvalSettings(), 0.2, seed=4)


@pytest.fixture(scope="module")
def match(players):
    return play_match(players, 7, lambda number: number % 2, dice)


@pytest.fixture(scope="module")
def money(players):
    return play_money_games(players, 8, first=40)


@pytest.fixture(scope="module")
def dropped(players):
    """Money games that end with a double that is not taken, as many of either seat."""
    games = play_money_games(players, 12, first=100) + play_money_games(players[::-1], 12, first=100)
    ends = [game for game in games if isinstance(game.actions[-1], ResponseAction)]
    by_seat = [[game for game in ends if game.actions[-1].seat == seat][:3] for seat in (0, 1)]
    assert [len(each) for each in by_seat] == [3, 3]
    alternating, state = [], MatchState(beavers=False)
    for game in (each for pair in zip(*by_seat, strict=True) for each in pair):
        initial = replace(state, on_roll=game.initial_state.on_roll)
        alternating.append(replace(game, initial_state=initial))
        state = state.after_game(game.result.winner, game.result.points)
    return alternating


def play_money_games(players, count, first):
    games, state = [], MatchState(beavers=False)
    for number in range(count):
        games.append(play_game(players, replace(state, on_roll=number % 2), dice(number + first)))
        state = state.after_game(games[-1].result.winner, games[-1].result.points)
    return games


def replayed(text):
    """Play the games of a text by the rules; winner and points of each."""
    length = int(re.search(r"^ (\d+) point match$", text, re.MULTILINE)[1])
    results = []
    for part in re.split(r"^ Game \d+$", text, flags=re.MULTILINE)[1:]:
        lines = [line for line in part.splitlines() if line.strip()]
        score = tuple(int(number) for number in re.findall(r" : (\d+)", lines[0]))
        winner, points = _played(lines[1:], MatchState(length=length, score=score))
        results.append((winner, points, re.search(r"Wins .*", lines[-1])[0]))
    return results


def _played(lines, match):
    """Play the rows of a game. The first to act began; everything else alternates by the rules."""
    position, result = Position.start(), None
    begun = False
    is_in_row = ")" in lines[-1]
    for line in lines if is_in_row else lines[:-1]:
        cells = _CELL.findall(line[4:])
        is_right_alone = len(cells) == 1 and line[4:25].strip() == ""
        for place, (rolled, doubled, took, dropped) in enumerate(cells):
            seat = 1 if is_right_alone else place
            if not begun:
                match, begun = replace(match, on_roll=seat), True
            assert result is None
            assert seat == match.to_act
            if doubled:
                match = cube_actions.double(match)
                assert int(doubled.split()[-1]) == 2 * match.cube
            elif took:
                match = cube_actions.take(match)
            elif dropped:
                result = cube_actions.pass_double(match)
            else:
                roll = int(rolled[0]), int(rolled[1])
                play = parse_play(rolled[3:], position, roll)
                assert play in legal_plays(position, roll)
                position = play.result
                if position.is_over:
                    kinds = [match.game_result(seat, kind) for kind in (1, 2, 3)]
                    points = int(lines[-1].split()[1])
                    (result,) = [each for each in kinds if each.points == points]
                match = match.next_turn()
    return result.winner, result.points


@pytest.mark.parametrize("kind", ["match", "money", "dropped"])
def test_what_is_written_can_be_played_again_with_the_same_results(kind, request):
    games = request.getfixturevalue(kind)
    found = replayed(format_mat(("left", "right"), games))
    assert [(winner, points) for winner, points, _ in found] == [
        (game.result.winner, game.result.points) for game in games
    ]
    for (_, points, said), game in zip(found, games, strict=True):
        is_last = kind == "match" and game is games[-1]
        assert said == f"Wins {points} point{'s' * (points > 1)}{' and the match' * is_last}"


def test_the_head_names_the_players_and_the_length(match):
    lines = format_mat(("one", "two"), match, {"EventDate": "2024.06.20"}).splitlines()
    assert lines[:4] == [
        '; [Player 1 "one"]',
        '; [Player 2 "two"]',
        '; [Variation "Backgammon"]',
        '; [EventDate "2024.06.20"]',
    ]
    assert lines[5] == " 7 point match"
    assert lines[7] == " Game 1"
    assert lines[8].split() == ["one", ":", "0", "two", ":", "0"]


def test_the_winner_stands_in_its_own_column_in_the_row_of_a_drop_on_the_left(match, dropped):
    for games in (match, dropped):
        text = format_mat(("one", "two"), games)
        lines = [line for line in text.splitlines() if "Wins" in line]
        indents = [line.index("Wins") for line in lines]
        in_row = [game.actions[-1].seat == 0 and game.result.winner == 1 for game in games]
        assert [bool(re.match(r" *[0-9]+\)  Drops ", line)) for line in lines] == in_row
        assert indents == [
            (32 if is_in_row else 34) if game.result.winner else 6
            for game, is_in_row in zip(games, in_row, strict=True)
        ]
    assert sum(in_row) == 3


def test_our_own_reader_reads_the_same_games(match, dropped):
    for games in (match, dropped):
        (read,) = parse_mat(format_mat(("one", "two"), games))
        assert not read.issues
        assert [game.result for game in read.games] == [game.result for game in games]
        assert [game.actions for game in read.games] == [game.actions for game in games]


@pytest.mark.parametrize("name", ["", "  ", "a:b", 'a"b', "a\nb", "a;b"])
def test_names_that_the_format_has_no_room_for_are_refused(name, match):
    with pytest.raises(FormatError, match="not empty") as caught:
        format_mat((name, "two"), match)
    assert caught.value.field == "name"


def test_no_games_are_refused():
    with pytest.raises(FormatError, match="1 game or more"):
        format_mat(("one", "two"), [])


@pytest.mark.peer
@pytest.mark.parametrize("kind", ["match", "money", "dropped"])
def test_gnubg_reads_the_same_games(kind, request, tmp_path):
    games = request.getfixturevalue(kind)
    (tmp_path / "games.mat").write_text(format_mat(("left", "right"), games))
    # with Jacoby's rule gammons of its money games count one as long as the cube is centred
    ask(["set jacoby off", "import mat games.mat", "save match games.sgf"], tmp_path)
    found = parse_record((tmp_path / "games.sgf").read_text())
    checked = [replay_game(game) for game in found]
    assert [each.faults for each in checked] == [()] * len(games)
    assert [each.rolls + each.cube_actions for each in checked] == [len(game.actions) for game in games]
    assert [game.points for game in found] == [game.result.points for game in games]
    assert [game.score for game in found] == [game.initial_state.score for game in games]
    assert [game.winner for game in found] == [game.result.winner for game in games]


def test_a_double_on_top_of_a_double_is_written_as_a_beaver():
    actions = DoubleAction(0, 2), DoubleAction(1, 4), ResponseAction(0, False)
    text = format_mat(("one", "two"), [make_game(MatchState(), actions, GameResult(1, 1, 2))])
    assert re.findall(r"Doubles => 2|Beavers => 4|Drops|Doubles => 4", text) == [
        "Doubles => 2",
        "Beavers => 4",
        "Drops",
    ]


@pytest.mark.parametrize("taker", [0, 1])
def test_blanks_follow_a_take_after_which_nobody_rolled(taker):
    """Without them gnubg reads a double of the other player."""
    double, take = DoubleAction(1 - taker, 2), ResponseAction(taker, True)
    actions = double, take, ResignationAction(1 - taker, 1)
    begun = MatchState(on_roll=1 - taker)
    lines = format_mat(("one", "two"), [make_game(begun, actions, GameResult(taker, 1, 2))]).splitlines()
    (row,) = [line for line in lines if "Takes" in line]
    assert len(row) > 25
    assert row.endswith(" ") == (taker == 0)
