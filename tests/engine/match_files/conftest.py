"""Fixtures of all tests of match files."""

import pytest

from tests.engine.match_files.played_games import play_money_games, play_random_match


@pytest.fixture(scope="session")
def match():
    """The games of a match to 7 points."""
    return play_random_match()


@pytest.fixture(scope="session")
def money():
    """Six games for money."""
    return play_money_games()
