import pytest

from gammond.engine.analysis.levels import LEVELS
from gammond.engine.rules.notation import format_play, parse_play
from gammond.protocol.commands.table import COMMANDS
from gammond.protocol.repl.dialogue.backgammon import BackgammonTalk
from gammond.protocol.repl.dialogue.commands import REPL_COMMANDS
from gammond.protocol.state.settings import SETTINGS
from tests.protocol.repl.tables import make_talk, session_without_nets

ROLLED = ("newgame", "dice 3 1")
CRAWFORD = ("newgame", "set game.length 5", "set game.score_p0 4", "set game.crawford true")


def suggest(line, *before):
    return BackgammonTalk(make_talk(*before).session).suggest(line)


def texts(line, *before):
    return [suggestion.text for suggestion in suggest(line, *before)]


def test_an_empty_line_offers_every_word_and_command_once():
    assert sorted(texts("")) == sorted({*REPL_COMMANDS, *COMMANDS})


def test_a_first_word_is_completed_from_words_and_commands_with_their_meaning():
    found = suggest("ne")
    assert [s.text for s in found] == ["new", "next", "newgame", "newsession"]
    assert found[0].replaces == 2
    assert found[0].meaning == REPL_COMMANDS["new"].summary
    assert found[2].meaning == COMMANDS["newgame"].summary


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("   hin", ["hint"]),
        ("set ", list(SETTINGS)),
        ("get game.cu", ["game.cube", "game.cube_owner"]),
        ("get game.cube_owner ", []),
        ("set game.cube_owner ", ["center", "p0", "p1"]),
        ("set game.cube_owner p", ["p0", "p1"]),
        ("set game.cube_owner p0 ", []),
        ("set game.jacoby t", ["true"]),
        ("set game.length ", ["0"]),
        ("set game.cub ", []),
        ("set engine.net ", ["default", "racing"]),
        ("set engine.player pub", ["pubeval"]),
        ("play against hu", ["human"]),
        ("position x", ["xgid"]),
        ("go c", ["chequer", "cube"]),
        ("moves 3 pl", ["plies="]),
        ("setturn ", ["p0", "p1"]),
        ("resign g", ["gammon"]),
        ("level ", list(LEVELS)),
        ("hint ", ["plies=", "filter="]),
        ("hint 3 filter=n", ["filter=narrow", "filter=normal"]),
        ("rollout vr=", ["vr=true", "vr=false"]),
        ("help ro", ["roll", "rollout"]),
        ("help di", ["dice"]),
        ("help dice ", []),
        ("next ", ["roll", "game", "error", "blunder"]),
        ("last g", ["game"]),
    ],
)
def test_what_a_word_may_be_comes_from_the_tables(typed, offered):
    assert texts(typed) == offered


@pytest.mark.parametrize(
    ("before", "first"),
    [
        (("newgame",), ["roll", "double"]),
        (("newgame", "double"), ["take", "drop", "beaver"]),
        (("set game.length 5", "newgame", "double"), ["take", "drop", "play"]),
        (("newgame", "resign gammon"), ["accept", "reject"]),
        (("newgame", "double", "drop"), ["play"]),
        (CRAWFORD, ["roll", "play"]),
    ],
)
def test_what_can_be_done_next_comes_first(before, first):
    assert texts("", *before)[: len(first)] == first


def test_levels_are_offered_with_their_meaning():
    assert suggest("level ")[0].meaning == LEVELS["beginner"].meaning
    assert suggest("set engine.level gr")[0].meaning == LEVELS["grandmaster"].meaning


def test_the_legal_plays_of_the_roll_come_first():
    plays = [format_play(play) for play in make_talk(*ROLLED).session.list_legal_plays()]
    assert texts("", *ROLLED)[: len(plays)] == plays
    assert len(plays) == 16
    assert texts("play ", *ROLLED) == plays


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("8/5 6/5", ["8/5 6/5"]),
        ("rank 8/5 6/5", ["8/5 6/5"]),
        ("8/3", []),
        ("8/5 x", []),
    ],
)
def test_a_play_that_is_typed_is_offered_where_it_is_legal(typed, offered):
    assert texts(typed, *ROLLED) == offered
    assert texts("8", "newgame") == []


def test_a_play_is_completed_from_any_of_its_parts():
    assert "8/5 6/5" in texts("8/5", *ROLLED)
    assert "6/5 8/5" in texts("6/5 ", *ROLLED)
    assert all(text.startswith("6/5 ") for text in texts("play 6/5 ", *ROLLED))


def test_every_suggested_play_is_legal_and_replaces_what_was_typed():
    session = make_talk("newgame", "dice 6 6").session
    for typed in ("", "1", "13/7", "13/7(2) ", "24/18(2) 1"):
        for suggestion in BackgammonTalk(session).suggest(f"play {typed}"):
            assert suggestion.replaces == len(typed)
            assert suggestion.text.startswith(typed)
            parse_play(suggestion.text, *session.require_roll())


def test_suggested_plays_say_how_many_there_are():
    offered = suggest("play ", *ROLLED)
    assert [s.meaning for s in offered] == [f"{n} of 16 plays" for n in range(1, 17)]
    (found,) = suggest("play 24/18(2) 13/7(2", "newgame", "dice 6 6")
    assert found.meaning == "1 of 1 plays"


def test_an_unreadable_manifest_only_means_no_names():
    talk = BackgammonTalk(session_without_nets())
    assert talk.suggest("set engine.net ") == talk.suggest("set engine.player ") == []


def test_files_are_completed_after_open_and_save(tmp_path, monkeypatch):
    for name in ("first match.mat", "first.sgf", ".hidden", "bad\tname.mat"):
        (tmp_path / name).write_text("")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert texts("open f") == texts("save ") == ["first match.mat", "first.sgf", "folder/"]
    assert texts("open .h") == [".hidden"]
    assert texts("open missing/f") == []
    assert texts("open ~/fo") == ["folder/"]
    (found,) = suggest(f"open {tmp_path}/first m")
    assert (found.text, found.replaces) == ("first match.mat", len("first m"))
