"""Match files gone over."""

from __future__ import annotations

import re

from engine.match_files.mat.reader import parse_mat
from engine.match_files.sgf.writer import format_sgf
from protocol.repl.game.match_review import replay
from protocol.repl.game.review import list_decisions
from tests.protocol.repl.tables import make_talk

ROLLS = [(3, 1), (5, 2), (6, 4), (2, 1), (5, 4), (4, 3), (6, 2)]
LINES = ("8/5 6/5", "double", "take", "roll", "13/8 24/22", "roll", "24/14", "resign", "accept")


def save(folder):
    talk = make_talk("play against human", *LINES, rolls=ROLLS)
    file = folder / "match.mat"
    talk.answer(f"save {file}")
    return talk, file


def test_a_file_is_replayed_as_it_was_played(tmp_path):
    talk, file = save(tmp_path)
    (match,) = parse_mat(file.read_text())
    replayed = list(replay(match.games[0]))
    played = [each for each in talk.session.log.actions if each.text in (*LINES, "24/22 13/8")]
    played = [each for each in played if each.text not in ("resign", "accept")]
    assert [each.text for each in replayed] == [each.text for each in played]
    assert [each.before.position for each in replayed] == [each.before.position for each in played]
    for seat in (0, 1):
        mine = [(each.table.match.roll, each.action) for each in list_decisions(replayed, seat)]
        theirs = [(each.table.match.roll, each.action) for each in list_decisions(played, seat)]
        assert mine == theirs


def test_both_players_of_a_file_are_reviewed(tmp_path):
    talk, file = save(tmp_path)
    own = [line for line in talk.answer("review") if not re.search("points lost|doubtful|  resign", line)]
    viewer = make_talk()
    lines = viewer.answer(f"review {file}")
    assert lines[0] == "O and X: 1 game of money play."
    assert [line[:2] for line in lines if "points lost" in line] == ["O:", "X:"]
    rows = [line for line in lines if "  game 1  " in line]
    assert [int(row.split()[0]) for row in rows] == list(range(1, len(rows) + 1))
    assert {row.split()[1] for row in rows} == {row.split()[1] for row in own if row[:3].strip().isdigit()}
    table = viewer.session.game
    loss = rows[-1].split()[1]
    assert f" lost {loss}; better: " in viewer.answer(f"review {len(rows)}")[0]
    assert viewer.session.game.match.to_act == 1
    viewer.answer("undo")
    assert viewer.session.game is table


def test_the_same_match_in_another_format_is_reviewed_alike(tmp_path):
    _, file = save(tmp_path)
    (match,) = parse_mat(file.read_text())
    other = tmp_path / "match.sgf"
    other.write_text(format_sgf(match))
    assert make_talk().answer(f"review {other}") == make_talk().answer(f"review {file}")


def test_what_is_no_match_file_says_so(tmp_path):
    (tmp_path / "text").write_text("nothing")
    talk = make_talk()
    (line,) = talk.answer(f"review {tmp_path / 'text'}")
    assert line.startswith(f"error: {tmp_path / 'text'}: expected a match file (")
    assert talk.answer(f"review {tmp_path / 'none'}")[0].startswith(
        f"error: {tmp_path / 'none'} cannot be read"
    )
    assert talk.answer(f"review {tmp_path}")[0].startswith("error: ")
