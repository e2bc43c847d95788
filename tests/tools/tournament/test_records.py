"""Records of lockstep games and games with the cube in .mat files."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from gammond.engine.play.lockstep import play_games
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import Position
from gammond.nets.catalogue import load_player
from gammond.tools.tournament.backgammon import TournamentMode, TournamentRules
from gammond.tools.tournament.games import GameRange, PairingTask
from gammond.tools.tournament.records import LockstepLog

NAMES = "pubeval", "random"


def test_a_log_turns_lockstep_games_into_records():
    log = LockstepLog(8)
    played = play_games(load_player("pubeval"), load_player("random"), 8, 3, first_pair=2, log=log)
    points, games = played.kinds, log.make_records(played)
    score = [0, 0]
    for number, game in enumerate(games):
        assert game.initial_state.score == tuple(score)
        assert [action.seat for action in game.actions[:2]] == [number % 2, 1 - number % 2]
        assert game.actions[-1].play.result.is_over
        assert game.actions[-1].seat == game.result.winner
        assert points[number] == (game.result.points if game.result.winner == 0 else -game.result.points)
        score[game.result.winner] += game.result.points
    openings = [game.actions[0].roll for game in games]
    assert openings[::2] == openings[1::2]
    assert len(set(openings)) > 1


def test_a_log_has_the_positions_of_a_game_as_their_movers_see_them():
    log = LockstepLog(4)
    play_games(load_player("pubeval"), load_player("random"), 4, 3, log=log)
    rolls = np.array([(high, low) for high in range(1, 7) for low in range(1, high + 1)], np.int8)
    for boards in map(log.stack_positions, range(4)):
        assert (boards[0] == Position.start().board).all()
        assert boards[-1, 1, 0] == 15
        assert not (boards[:-1, :, 0] == 15).any()
        for before, after in pairwise(boards):
            children, _, _ = expand_rolls(np.repeat(before[None], 21, axis=0), rolls)
            assert (children == after).all(axis=(1, 2)).any()


def test_records_of_money_games_are_a_file_for_each_range(tmp_path):
    task = PairingTask(TournamentRules(seed=3), NAMES, (0, 2), GameRange(4, 6), tmp_path / "games")
    scores = task.rules.play_range(task)
    bare = task.rules.play_range(replace(task, records=None))
    assert scores.kinds.tolist() == bare.kinds.tolist()
    (file,) = (tmp_path / "games").iterdir()
    assert file.name == "1-pubeval-3-random-0000005.mat"
    text = file.read_text()
    assert text.count(" Game ") == 6
    assert '; [Player 1 "pubeval"]' in text
    assert '; [Player 2 "random"]' in text
    assert text.count("Wins") == 6


def test_records_of_matches_are_a_file_each(tmp_path):
    task = PairingTask(
        TournamentRules(TournamentMode.MATCH, 3, 3),
        ("default", "default:noise=300"),
        (0, 1),
        GameRange(0, 2),
        tmp_path,
    )
    scores = task.rules.play_range(task)
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == [
        f"1-default-2-default_noise=300-000000{number}.mat" for number in (1, 2)
    ]
    for file, kind in zip(files, scores.kinds.tolist(), strict=True):
        text = file.read_text()
        assert " 3 point match" in text
        assert '; [Player 2 "default noise=300"]' in text
        winning = text.splitlines()[-1]
        assert winning.endswith("and the match")
        assert len(winning) - len(winning.lstrip()) == (6 if kind > 0 else 34)
