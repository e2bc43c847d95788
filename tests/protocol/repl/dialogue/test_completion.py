from gammond.engine.analysis.levels import LEVELS
from gammond.engine.rules.notation import format_play, parse_play
from gammond.protocol.commands.table import COMMANDS
from gammond.protocol.repl.dialogue.backgammon import BackgammonTalk
from gammond.protocol.repl.dialogue.commands import REPL_COMMANDS
from gammond.protocol.state.settings import SETTINGS
from tests.protocol.repl.tables import make_session, make_talk, session_without_nets


def texts(line, session):
    return [suggestion.text for suggestion in BackgammonTalk(session).suggest(line)]


def table(*lines):
    return make_talk(*lines).session


def test_an_empty_line_offers_every_word_and_command_once():
    offered = texts("", make_session())
    assert sorted(offered) == sorted({*REPL_COMMANDS, *COMMANDS})


def test_a_first_word_is_completed_from_words_and_commands_with_their_meaning():
    found = BackgammonTalk(make_session()).suggest("ne")
    assert [s.text for s in found] == ["new", "next", "newgame", "newsession"]
    assert found[0].replaces == 2
    assert found[0].meaning == REPL_COMMANDS["new"].summary
    assert found[2].meaning == COMMANDS["newgame"].summary


def test_blanks_in_front_do_not_matter():
    assert texts("   hin", make_session()) == ["hint"]


def test_set_and_get_offer_the_keys():
    session = make_session()
    assert texts("set ", session) == list(SETTINGS)
    assert texts("get game.cu", session) == ["game.cube", "game.cube_owner"]


def test_set_offers_the_values_of_a_key():
    session = make_session()
    assert texts("set game.cube_owner ", session) == ["center", "p0", "p1"]
    assert texts("set game.cube_owner p", session) == ["p0", "p1"]
    assert texts("set game.jacoby t", session) == ["true"]
    assert texts("set engine.net ", session) == ["default", "racing"]
    assert texts("set engine.player ", session) == session.service.players.list_names()
    assert texts("set engine.player pub", session) == ["pubeval"]
    assert texts("play against hu", session) == ["human"]
    assert texts("set game.length ", session) == ["0"]


def test_get_offers_no_values_and_set_nothing_for_a_key_that_is_none():
    session = make_session()
    assert texts("get game.cube_owner ", session) == []
    assert texts("set game.cub ", session) == []
    assert texts("set game.cube_owner p0 ", session) == []


def test_choices_and_named_arguments_come_from_the_command_table():
    session = make_session()
    assert texts("position x", session) == ["xgid"]
    assert texts("go c", session) == ["chequer", "cube"]
    assert texts("moves 3 pl", session) == ["plies="]
    assert texts("setturn ", session) == ["p0", "p1"]


def test_what_can_be_done_next_comes_first():
    assert texts("", table("newgame"))[:2] == ["roll", "double"]
    assert texts("", table("newgame", "double"))[:3] == ["take", "drop", "beaver"]
    assert texts("", table("set game.length 5", "newgame", "double"))[:3] == ["take", "drop", "play"]
    assert texts("", table("newgame", "resign gammon"))[:2] == ["accept", "reject"]
    assert texts("", table("newgame", "double", "drop"))[0] == "play"
    crawford = table("newgame", "set game.length 5", "set game.score_p0 4", "set game.crawford true")
    assert texts("", crawford)[:2] == ["roll", "play"]


def test_levels_are_offered_with_their_meaning():
    found = BackgammonTalk(make_session()).suggest("level ")
    assert [s.text for s in found] == list(LEVELS)
    assert found[0].meaning == LEVELS["beginner"].meaning
    assert (
        BackgammonTalk(make_session()).suggest("set engine.level gr")[0].meaning
        == LEVELS["grandmaster"].meaning
    )


def test_words_offer_their_choices_and_the_values_of_named_arguments():
    session = make_session()
    assert texts("resign g", session) == ["gammon"]
    assert texts("rollout c", session)[:2] == ["cube", "continue"]
    assert texts("hint ", session) == ["plies=", "filter="]
    assert texts("hint 3 filter=n", session) == ["filter=narrow", "filter=normal"]
    assert texts("rollout vr=", session) == ["vr=true", "vr=false"]


def test_help_offers_words_and_commands():
    assert texts("help ro", make_session()) == ["roll", "rollout"]
    assert texts("help di", make_session()) == ["dice"]
    assert texts("help dice ", make_session()) == []


def test_the_legal_plays_of_the_roll_come_first():
    session = table("newgame", "dice 3 1")
    plays = [format_play(play) for play in session.list_legal_plays()]
    offered = texts("", session)
    assert offered[: len(plays)] == plays
    assert len(plays) == 16
    assert texts("play ", session) == plays


def test_a_play_is_completed_from_any_of_its_parts():
    session = table("newgame", "dice 3 1")
    assert "8/5 6/5" in texts("8/5", session)
    assert texts("8/5 6/5", session) == ["8/5 6/5"]
    assert "6/5 8/5" in texts("6/5 ", session)
    assert all(text.startswith("6/5 ") for text in texts("play 6/5 ", session))


def test_every_suggested_play_is_legal_and_replaces_what_was_typed():
    session = table("newgame", "dice 6 6")
    for typed in ("", "1", "13/7", "13/7(2) ", "24/18(2) 1"):
        for suggestion in BackgammonTalk(session).suggest(f"play {typed}"):
            assert suggestion.replaces == len(typed)
            assert suggestion.text.startswith(typed)
            parse_play(suggestion.text, *session.require_roll())


def test_suggested_plays_say_how_many_there_are():
    session = table("newgame", "dice 6 6")
    plays = session.list_legal_plays()
    offered = BackgammonTalk(session).suggest("play ")
    assert [s.meaning for s in offered] == [f"{n} of {len(plays)} plays" for n in range(1, len(plays) + 1)]
    (found,) = BackgammonTalk(session).suggest("play 24/18(2) 13/7(2")
    assert found.meaning == "1 of 1 plays"


def test_no_plays_without_dice_and_none_that_are_not_legal():
    assert texts("8", table("newgame")) == []
    assert texts("8/3", table("newgame", "dice 3 1")) == []
    assert texts("8/5 x", table("newgame", "dice 3 1")) == []


def test_an_unreadable_manifest_only_means_no_names():
    assert texts("set engine.net ", session_without_nets()) == []
    assert texts("set engine.player ", session_without_nets()) == []


def test_rank_offers_the_legal_plays_as_play_does():
    session = table("newgame", "dice 3 1")
    assert texts("rank 8/5", session) == texts("play 8/5", session) != []


def test_files_are_completed_after_open_and_save(tmp_path, monkeypatch):
    for name in ("first match.mat", "first.sgf", ".hidden", "bad\tname.mat"):
        (tmp_path / name).write_text("")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    session = make_session()
    assert texts("open f", session) == ["first match.mat", "first.sgf", "folder/"]
    assert texts("save ", session) == ["first match.mat", "first.sgf", "folder/"]
    assert texts("open .h", session) == [".hidden"]
    (found,) = BackgammonTalk(session).suggest(f"open {tmp_path}/first m")
    assert (found.text, found.replaces) == ("first match.mat", len("first m"))
    assert texts("open missing/f", session) == []
    monkeypatch.setenv("HOME", str(tmp_path))
    assert texts("open ~/fo", session) == ["folder/"]


def test_places_to_step_to_are_completed():
    assert texts("next ", make_session()) == ["roll", "game", "error", "blunder"]
    assert texts("last g", make_session()) == ["game"]
