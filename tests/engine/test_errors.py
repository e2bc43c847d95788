"""What errors carry besides their message, and the words of messages."""

import pickle
from pathlib import Path

from gammond.engine.errors import FormatError, StateError, missing_package
from gammond.engine.wording import escape_unprintable, format_count, shorten_names

ROOT = Path(__file__).parents[2]


def test_the_advice_of_a_state_error_follows_its_problem():
    error = StateError("no dice", field="dice", missing="dice", advice="send 'roll' first")
    assert error.message == "no dice: send 'roll' first"
    assert (error.problem, error.missing, error.advice) == ("no dice", "dice", "send 'roll' first")


def test_an_error_of_another_field_keeps_everything_else():
    for error in (FormatError("bad"), StateError("no dice", missing="dice", advice="roll")):
        other = error.with_field("other")
        assert type(other) is type(error)
        assert vars(other) == {**vars(error), "field": "other"}
        assert other.message == error.message


def test_errors_survive_the_way_between_processes():
    error = StateError("no dice", field="dice", missing="dice", advice="roll")
    same = pickle.loads(pickle.dumps(error))
    assert (same.message, vars(same)) == (error.message, vars(error))


def test_a_missing_package_is_installed_from_the_checkout_first():
    """Nothing is published under gammond's name, which somebody else may take."""
    message = missing_package("pictures need", "matplotlib", "plots", field="plot").message
    checkout, wheel = message.index("pip install '.[plots]'"), message.index("pip install 'gammond[plots]'")
    assert checkout < wheel
    for folder in ("engine", "nets", "protocol", "tools", "gammond"):
        for file in (ROOT / folder).rglob("*.py"):
            assert file.name == "errors.py" or "pip install 'gammond[" not in file.read_text("utf-8"), file
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        assert "pip install 'gammond" not in page.read_text("utf-8"), page


def test_things_are_counted_in_one_or_in_many():
    assert [format_count(number, "ply") for number in (0, 1, 2)] == ["0 plies", "1 ply", "2 plies"]
    assert [format_count(number, "play") for number in (0, 1, 2_000)] == ["0 plays", "1 play", "2,000 plays"]
    assert [format_count(number, "match", "matches") for number in (1, 2)] == ["1 match", "2 matches"]


def test_what_does_not_print_is_escaped_and_letters_stay():
    assert escape_unprintable("Zoë\x1b[2J\n") == r"Zoë\x1b[2J\n"
    assert escape_unprintable("Zoë") == "Zoë"


def test_names_are_cut_where_that_shows_and_stay_different():
    assert shorten_names(["Ann", "Bob"], 8) == ["Ann", "Bob"]
    assert shorten_names(["Christopher", "Bob"], 8) == ["Chris...", "Bob"]
    assert shorten_names(["Christopher Ann", "Christopher Bob", "Eve"], 8) == ["Ch...Ann", "Ch...Bob", "Eve"]
    assert shorten_names(["Christopher", "Christopher"], 8) == ["Chris...", "Chris..."]
    assert all(len(name) == 8 for name in shorten_names(["x" * 9, "x" * 10], 8))
