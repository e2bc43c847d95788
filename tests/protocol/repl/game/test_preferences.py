"""Preferences: the file, what they change at the table, and what is said about wrong ones."""

from __future__ import annotations

import pytest

from gammond.engine.errors import DataFileError, GammondError
from gammond.engine.options import list_fields
from gammond.protocol.repl.dialogue.configuration import apply_preferences
from gammond.protocol.repl.game.preferences import (
    THEMES,
    Preferences,
    change_preference,
    get_config_file,
    read_preferences,
    write_preferences,
)
from tests.protocol.repl.tables import make_talk

OTHERS = Preferences("light", "master", "human", 7, 0.08, True, False)


def test_preferences_survive_the_file_and_defaults_are_not_written(tmp_path):
    file = tmp_path / "folder" / "config.toml"
    assert read_preferences(file) == Preferences()
    write_preferences(file, OTHERS)
    assert read_preferences(file) == OTHERS
    assert all(f"{field.name} = " in file.read_text() for field in list_fields(Preferences))
    write_preferences(file, Preferences())
    assert "=" not in file.read_text()


def test_one_preference_is_changed_and_reset_beside_the_others(tmp_path):
    file = tmp_path / "config.toml"
    change_preference(file, "theme", "dark")
    assert change_preference(file, "tutor", "0.1") == read_preferences(file) == Preferences("dark", tutor=0.1)
    assert change_preference(file, "theme", None) == Preferences(tutor=0.1)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("tutor", "on", 0.02), ("tutor", "OFF", 0.0), ("chances", "on", True), ("resume", "off", False)],
)
def test_switches_are_on_or_off(tmp_path, name, text, value):
    assert getattr(change_preference(tmp_path / "config.toml", name, text), name) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("theme = 'pink'", "expected one of terminal"),
        ("tutor = 'x'", "expected a number 0..10 for tutor"),
        ("thme = 'dark'", "did you mean 'theme'"),
        ("theme", "cannot be read"),
        (f"theme = {'[' * 100_000}", "cannot be read"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name(tmp_path, text, message):
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(DataFileError, match=message) as caught:
        read_preferences(file)
    assert str(file) in caught.value.message


def test_preferences_set_up_the_table():
    talk = make_talk()
    assert apply_preferences(talk.game, OTHERS) == []
    engine = talk.session.engine_settings
    assert (engine.level, engine.player, talk.session.game.match.length) == ("master", "human", 7)
    assert (talk.game.tutor.limit, talk.game.shows_chances) == (0.08, True)
    assert apply_preferences(talk.game, Preferences(opponent="nobody"))[0].startswith(
        "error: preference opponent: "
    )


def test_a_length_does_not_touch_the_match_on_the_table():
    talk = make_talk("new 5", rolls=[(3, 1)])
    apply_preferences(talk.game, OTHERS)
    assert talk.session.game.match.length == 5


def test_config_lists_shows_and_sets_them_at_once_and_in_the_file(monkeypatch, tmp_path):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    talk = make_talk()
    *rows, last = talk.answer("config")
    assert last == f"File: {tmp_path / 'config.toml'}"
    assert [line.split()[0] for line in rows] == [field.name for field in list_fields(Preferences)]
    assert "|".join(THEMES) in rows[0]
    assert talk.answer("config theme") == ["theme = terminal: colours"]
    assert talk.answer("config theme dark") == [f"theme = dark, saved in {tmp_path / 'config.toml'}."]
    assert talk.game.preferences == read_preferences(get_config_file()) == Preferences("dark")
    assert talk.answer("config tutor maybe")[0].startswith("error: expected a number 0..10 for tutor")
    assert talk.answer("config nothing")[0].startswith("error: expected one of theme|")
    with pytest.raises(GammondError, match="expected one of"):
        change_preference(get_config_file(), "level", "nobody")
