"""Expert moves: their plays, filters, the split by match, and their file."""

from dataclasses import replace

import numpy as np
import pytest

from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.notation import parse_play
from gammond.engine.rules.position import Position, classify_phases
from gammond.tools.heritage.gengammon.expert_moves.dataset import (
    FILTERS,
    ExpertMoves,
    filter_moves,
    list_candidates,
    read_expert_moves,
    split_by_match,
    write_expert_moves,
)
from tests.support.boards import position


def moves_of(*played, matches=None):
    """Each is a position, a roll, and the play as text."""
    count = len(played)
    return ExpertMoves(
        boards=np.array([on.board for on, _, _ in played], np.int8).reshape(-1, 2, 26),
        dice=np.array([roll for _, roll, _ in played], np.int8).reshape(-1, 2),
        chosen=np.array(
            [parse_play(text, on, roll).result.board for on, roll, text in played], np.int8
        ).reshape(-1, 2, 26),
        matches=np.array(range(count) if matches is None else matches, np.int32),
        games=np.ones(count, np.int16),
        players=np.zeros(count, np.int32),
        match_names=tuple(f"match {number}" for number in range(count)),
        player_names=("expert",),
    )


def played_games(count, seed=0):
    """Games of random plays, each a match of its own."""
    rng = np.random.default_rng(seed)
    played, matches = [], []
    for number in range(count):
        before = Position.start()
        while not before.is_over:
            roll = tuple(rng.integers(1, 7, 2).tolist())
            plays = legal_plays(before, roll)
            play = plays[rng.integers(len(plays))]
            played.append((before.board, roll, play.result.board))
            matches.append(number)
            before = play.result
    boards, dice, chosen = (np.array(each, np.int8) for each in zip(*played, strict=True))
    return ExpertMoves(
        boards,
        dice,
        chosen,
        np.array(matches, np.int32),
        np.ones(len(matches), np.int16),
        np.array(matches, np.int32) % 2,
        tuple(f"match {number}" for number in range(count)),
        ("left", "right"),
    )


START = Position.start()


RACING = position({6: 5, 3: 2}, {20: 4, 23: 3})
CLOSED_OUT = position({25: 1, 6: 3}, dict.fromkeys(range(19, 25), 2))


@pytest.fixture(scope="module")
def games():
    return played_games(8)


def test_the_plays_of_expert_moves_are_all_legal_ones_with_theirs_among_them(games):
    found = list_candidates(games)
    assert len(found.boards) == found.offsets[-1]
    assert (found.boards[found.chosen] == games.chosen).all()
    for at in range(0, len(games), 97):
        plays = legal_plays(Position(games.boards[at]), tuple(games.dice[at].tolist()))
        own = found.boards[found.offsets[at] : found.offsets[at + 1]]
        assert {board.tobytes() for board in own} == {play.result.key for play in plays}
        assert found.offsets[at] <= found.chosen[at] < found.offsets[at + 1]


def test_a_chosen_position_that_no_play_leads_to_is_refused(games):
    chosen = games.chosen.copy()
    chosen[5] = chosen[6]
    with pytest.raises(
        DataFileError, match=r"expected a play of [1-6]-[1-6] as expert move 5, .* \(match 0, game 1\)"
    ) as caught:
        list_candidates(replace(games, chosen=chosen))
    assert caught.value.field == "chosen"


def test_no_moves_have_no_plays(games):
    found = list_candidates(games.select(np.zeros(len(games), np.bool_)))
    assert (len(found.boards), found.offsets.tolist(), len(found.chosen)) == (0, [0], 0)


def test_homebound_leaves_moves_out_that_were_made_after_the_sides_passed_each_other(games):
    kept, counts = filter_moves(games, ["homebound"])
    racing = classify_phases(games.boards) >= 2
    assert 0 < counts["homebound"] == racing.sum() < len(games)
    assert not (classify_phases(kept.boards) >= 2).any()
    assert len(filter_moves(moves_of((RACING, (6, 1), "6/off 6/5")), ["homebound"])[0]) == 0
    assert len(filter_moves(moves_of((START, (6, 1), "13/7 8/7")), ["homebound"])[0]) == 1


def test_contradicting_keeps_the_first_of_those_that_do_not_agree():
    moves = moves_of(
        (START, (3, 1), "8/5 6/5"),
        (START, (2, 1), "13/11 6/5"),
        (START, (1, 3), "24/23 13/10"),
        (START, (2, 1), "13/11 6/5"),
        (START, (3, 1), "8/5 6/5"),
        (START, (2, 1), "6/5 13/11"),
    )
    kept, counts = filter_moves(moves, ["contradicting"])
    assert counts == {"contradicting": 2}
    assert kept.matches.tolist() == [0, 1, 3, 5]


def test_unmovable_leaves_passes_out_and_nothing_else():
    moves = moves_of((CLOSED_OUT, (6, 4), "cannot move"), (RACING, (6, 1), "6/off 6/5"))
    kept, counts = filter_moves(moves, ["unmovable"])
    assert counts == {"unmovable": 1}
    assert kept.matches.tolist() == [1]


def test_filters_are_on_or_off_each_and_count_what_those_before_have_left(games):
    assert filter_moves(games, [])[1] == {}
    kept, counts = filter_moves(games, list(FILTERS))
    assert list(counts) == ["homebound", "contradicting", "unmovable"]
    assert len(kept) == len(games) - sum(counts.values())
    assert counts["unmovable"] <= filter_moves(games, ["unmovable"])[1]["unmovable"]


def test_an_unknown_filter_is_refused(games):
    with pytest.raises(ValueRangeError, match="homebound, contradicting, unmovable, got 'x'") as caught:
        filter_moves(games, ["x"])
    assert caught.value.field == "filters"


def test_a_split_leaves_matches_whole_and_is_the_same_for_the_same_seed(games):
    learned, unseen = split_by_match(games, 0.3, seed=4)
    assert not set(learned.matches) & set(unseen.matches)
    assert len(learned) + len(unseen) == len(games)
    assert 0.1 < len(unseen) / len(games) < 0.6
    assert (split_by_match(games, 0.3, seed=4)[1].boards == unseen.boards).all()
    assert any(
        set(split_by_match(games, 0.3, seed=seed)[1].matches) != set(unseen.matches) for seed in range(5)
    )


@pytest.mark.parametrize("share", [0.0001, 0.9999])
def test_both_parts_of_a_split_have_a_match(games, share):
    assert all(len(part) for part in split_by_match(games, share, seed=1))


def test_a_split_takes_two_matches_and_a_share(games):
    with pytest.raises(DataFileError, match="2 matches or more, got 1"):
        split_by_match(games.select(games.matches == 3), 0.5, seed=1)
    for share in (0.0, 1.0, float("nan")):
        with pytest.raises(ValueRangeError, match="above 0 and below 1"):
            split_by_match(games, share, seed=1)


def test_a_file_holds_all_there_is(games, tmp_path):
    file = tmp_path / "moves.npz"
    write_expert_moves(file, replace(games, command="gammond heritage expert-moves x"))
    read = read_expert_moves(file)
    for name in ("boards", "dice", "chosen", "matches", "games", "players"):
        assert getattr(read, name).dtype == getattr(games, name).dtype
        assert (getattr(read, name) == getattr(games, name)).all()
    assert (read.match_names, read.player_names) == (games.match_names, games.player_names)
    assert read.command == "gammond heritage expert-moves x"
    assert file.stat().st_size < 70 * len(games) + 5000


def test_a_file_of_no_moves_can_be_read(games, tmp_path):
    write_expert_moves(tmp_path / "none.npz", games.select(np.zeros(len(games), np.bool_)))
    assert len(read_expert_moves(tmp_path / "none.npz")) == 0


@pytest.mark.parametrize(
    "change",
    [
        {"dice": np.zeros((3, 2), np.int8)},
        {"dice": np.ones((2, 2), np.int8)},
        {"dice": np.ones((3, 2), np.int64)},
        {"matches": np.full(3, 8, np.int32)},
        {"matches": np.zeros(3, np.float32)},
        {"games": np.zeros(2, np.int16)},
        {"players": np.full(3, -1, np.int32)},
    ],
)
def test_a_file_whose_columns_do_not_fit_is_refused(change, games, tmp_path):
    write_expert_moves(tmp_path / "bad.npz", replace(games.select(np.arange(3)), **change))
    with pytest.raises(DataFileError, match=r"bad\.npz is no file of expert moves"):
        read_expert_moves(tmp_path / "bad.npz")


def test_a_file_that_is_cut_or_something_else_is_refused(games, tmp_path):
    file = tmp_path / "moves.npz"
    write_expert_moves(file, games)
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(DataFileError, match="cannot be read"):
        read_expert_moves(file)
    np.savez(tmp_path / "other.npz", boards=np.zeros(3))
    with pytest.raises(DataFileError, match="is no file of expert moves"):
        read_expert_moves(tmp_path / "other.npz")
