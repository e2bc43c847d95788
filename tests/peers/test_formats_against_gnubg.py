"""Position IDs, match IDs and XGIDs against GNU Backgammon itself."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from gammond.engine.formats.match_id import decode_match_id, encode_match_id
from gammond.engine.formats.position_id import decode_position_id, encode_position_id, encode_position_ids
from gammond.engine.formats.snowie import decode_snowie, encode_snowie
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import OFF, Position
from tests.peers.gnubg_files import ask
from tests.peers.gnubg_nets import as_lists, gnubg_nn
from tests.support import boards
from tests.support.match_states import random_match_state

pytestmark = pytest.mark.peer

SET_UP = "set player 0 human", "set player 1 human", "new session"
SHOWN = re.compile(r"Position ID: (\S{14})\s+Match ID   : (\S{12})")


def gnubg_shows(commands: list[str], home) -> list[tuple[str, str]]:
    """The position ID and match ID on gnubg's board after each command."""
    script = [*SET_UP]
    for command in commands:
        script += [command, "show board", "show prompt"]
    answers = ask(script, home).text.split("The prompt is set to")[:-1]
    assert len(answers) == len(commands)
    return [SHOWN.findall(answer)[-1] for answer in answers]


def random_states(seed: int, count: int) -> list[tuple[Position, MatchState]]:
    """States that gnubg can be set to: no double that waits for an answer, the larger die first."""
    generator = random.Random(seed)
    states = []
    for board in boards.random_boards(count, seed):
        match = random_match_state(generator)
        roll = match.roll and (max(match.roll), min(match.roll))
        match = replace(match, roll=roll, doubled=False, beavers=True)
        states.append((Position(board), match))
    return states


def test_gnubg_shows_the_ids_that_it_was_set_to(tmp_path):
    states = random_states(31, 150)
    ids = [(encode_position_id(position), encode_match_id(match)) for position, match in states]
    assert gnubg_shows([f"set gnubgid {position}:{match}" for position, match in ids], tmp_path) == ids


def test_gnubg_reads_an_xgid_as_it_was_meant(tmp_path):
    """Gnubg changes the players' seats after an XGID with seat 0 on roll."""
    states = random_states(32, 150)
    shown = gnubg_shows([f"set xgid {encode_xgid(*state)}" for state in states], tmp_path)
    for (position, match), (position_id, match_id) in zip(states, shown, strict=True):
        expected = match if match.on_roll == 1 else with_seats_changed(match)
        assert decode_position_id(position_id) == position
        assert decode_match_id(match_id) == expected


def test_gnubg_reads_a_snowie_line(tmp_path):
    """Gnubg 1.07 puts what the opponent has borne off on the other side's bar, so nothing is here."""
    states = [
        (position, replace(match, jacoby=False))
        for position, match in random_states(34, 600)
        if position.board[1, OFF] == 0
    ]
    assert len(states) > 100
    for number, state in enumerate(states):
        (tmp_path / f"{number}.txt").write_text(f"{encode_snowie(*state, ('zero', 'one'))}\n")
    shown = gnubg_shows(
        [f"import snowietxt {tmp_path}/{number}.txt" for number in range(len(states))], tmp_path
    )
    for (position, match), (position_id, match_id) in zip(states, shown, strict=True):
        assert decode_position_id(position_id) == position
        assert decode_match_id(match_id) == match


def test_a_snowie_line_of_gnubg_is_what_it_was_set_to(tmp_path):
    """Its field for the Jacoby rule is that of gnubg's settings."""
    states = random_states(35, 100)
    commands = [
        f"set gnubgid {encode_position_id(position)}:{encode_match_id(match)}\n"
        f"export position snowietxt {tmp_path}/{number}.txt"
        for number, (position, match) in enumerate(states)
    ]
    gnubg_shows(commands, tmp_path)
    for number, (position, match) in enumerate(states):
        found = decode_snowie((tmp_path / f"{number}.txt").read_text())
        assert (found[0], replace(found[1], jacoby=match.jacoby)) == (position, match)


def with_seats_changed(match: MatchState) -> MatchState:
    owner = None if match.cube_owner is None else 1 - match.cube_owner
    return replace(match, score=match.score[::-1], cube_owner=owner, on_roll=1 - match.on_roll)


def test_position_ids_are_those_of_gnubg_nn():
    sample = boards.random_boards(5000, seed=33)
    ids = encode_position_ids(sample)
    assert ids == [gnubg_nn().position_id(as_lists(board)) for board in sample]
