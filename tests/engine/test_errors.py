"""What errors carry besides their message."""

from __future__ import annotations

import pickle
from pathlib import Path

from gammond.engine.errors import FormatError, StateError, missing_package

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
