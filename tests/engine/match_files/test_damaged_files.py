"""Correct matches of every format of which one row is damaged: what the damage does not touch is kept."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache

import pytest

from engine.errors import FormatError
from engine.match_files.mat.writer import format_mat
from engine.match_files.model import IssueKind
from engine.match_files.reading import read_matches
from tests.engine.match_files.played_games import play_random_match
from tests.engine.match_files.sites import site_files
from tests.engine.match_files.test_same_match import WRITERS

NAMES = site_files.NAMES
FORMATS = ("mat", "sgf", "oldmoves", "sgg", "tmg")
"""Those with a row for each play."""

WORDINGS = ("Wins {} points and the game", "wins {} pts.", "Won {} point", "WINS {} POINTS!")


def swap_columns(row: str, rng: random.Random) -> str:
    found = re.fullmatch(r"(\s*\d+\) )(\d\d: .*?)(\s{2,})(\d\d: .*)", row)
    return f"{found[1]}{found[4]}{found[3]}{found[2]}" if found else row


def change_dice(row: str, rng: random.Random) -> str:
    dice = f"{rng.randint(1, 6)}{rng.randint(1, 6)}"
    return re.sub(r"\b[1-6][1-6](?=:|[a-z]{2})", dice, row, count=1)


def word_result(row: str, rng: random.Random) -> str:
    words = rng.choice(WORDINGS)
    return re.sub(r"Wins (\d+) points?( and the match)?", lambda found: words.format(found[1]), row)


DAMAGES: dict[str, Callable[[str, random.Random], str]] = {
    "dropped": lambda row, rng: "",
    "doubled": lambda row, rng: f"{row}\n{row}",
    "swapped": swap_columns,
    "cut": lambda row, rng: row[: rng.randrange(len(row) + 1)],
    "cut in front": lambda row, rng: row[rng.randrange(len(row) + 1) :],
    "nonsense": lambda row, rng: "".join(rng.choice("qxz#! ") for _ in range(30)),
    "nonsense in it": lambda row, rng: re.sub(r"\d+[/-]\d+", "q?x", row, count=1),
    "wrong dice": change_dice,
    "wrong move": lambda row, rng: re.sub(r"\d+(?=[/-])", lambda at: str(int(at[0]) % 24 + 1), row, count=1),
    "a hit too many": lambda row, rng: re.sub(r"([/-]\d+)(?!\*)", r"\1*", row, count=1),
    "a hit missing": lambda row, rng: row.replace("*", ""),
    "another wording": word_result,
    "no number": lambda row, rng: re.sub(r"^\s*\d+\)", "", row),
    "another number": lambda row, rng: re.sub(r"\d+\)", "77)", row),
    "no names": lambda row, rng: row.replace(NAMES[0], "").replace(NAMES[1], ""),
    "other points": lambda row, rng: re.sub(r"(?i)(wins) \d+", r"\1 9", row),
    "blanks": lambda row, rng: re.sub(r" +", "  ", row),
}


@cache
def write_match(format_name):
    """Return a text with three games, the place of the first row of moves, and what is read from it."""
    games = play_random_match()[:3]
    write = WRITERS.get(format_name) or (lambda played: format_mat(NAMES, played))
    text = write(games)
    (whole,) = read_matches(text.encode())
    lines = text.splitlines()
    first = next(at for at, line in enumerate(lines) if re.search(r"\d\d:|[WB]\[\d\d|\(\d \d\)", line))
    return lines, first, whole


def damage(format_name, name, seed):
    """Return a text with a damaged row, and its place; the text as it is where it has no such row."""
    lines, first, _ = write_match(format_name)
    rng = random.Random(seed)
    for at in rng.sample(range(first, len(lines)), len(lines) - first):
        row = DAMAGES[name](lines[at], rng)
        if row != lines[at]:
            return "\n".join([*lines[:at], row, *lines[at + 1 :]]), at
    return "\n".join(lines), len(lines)


def count_actions_before(whole, format_name, at):
    """Return how many actions of the game of a row are in the rows before it."""
    lines = write_match(format_name)[0]
    text = "\n".join(lines[:at])
    try:
        matches = read_matches(text.encode())
    except FormatError:
        return 0, 0
    games = [game for match in matches for game in match.games]
    return len(games), len(games[-1].actions) - 1 if games else 0


def check(format_name, name, seed):
    text, at = damage(format_name, name, seed)
    _, _, whole = write_match(format_name)
    matches = read_matches(text.encode())
    games = {game.number: game for match in matches for game in match.games}
    noted = {issue.game for match in matches for issue in match.issues}
    issues = [str(issue) for match in matches for issue in match.issues]
    number, count = count_actions_before(whole, format_name, at)
    for game in whole.games:
        read = games.get(game.number)
        assert read is not None, issues
        if game.number < number:
            assert read.actions == game.actions, issues
        elif game.number == number:
            assert read.actions[:count] == game.actions[:count], issues
        if game.number == whole.games[-1].number and read.result is None:
            continue  # what ends the file can be lost
        is_kept = (read.result.winner, read.result.points) == (game.result.winner, game.result.points)
        assert is_kept or name == "other points", issues
        assert is_kept or game.number in noted, issues
    if any(game.is_cut for game in games.values()):
        assert any(issue.kind is IssueKind.MISSING for match in matches for issue in match.issues)
    return sum(len(game.actions) for game in games.values())


@pytest.mark.parametrize("name", DAMAGES)
@pytest.mark.parametrize("format_name", FORMATS)
def test_a_damaged_row_costs_neither_what_is_before_it_nor_a_result(format_name, name):
    check(format_name, name, 1)


HARMLESS = (
    "a hit too many",
    "a hit missing",
    "another wording",
    "no number",
    "another number",
    "blanks",
    "doubled",
)


@pytest.mark.parametrize("name", HARMLESS)
def test_a_row_that_says_the_same_in_another_way_costs_nothing(name):
    whole = write_match("mat")[2]
    assert check("mat", name, 2) == sum(len(game.actions) for game in whole.games)


@pytest.mark.slow
@pytest.mark.parametrize("format_name", FORMATS)
def test_many_damaged_files_never_crash_nor_change_a_winner_in_silence(format_name):
    for seed in range(6):
        for name in DAMAGES:
            check(format_name, name, seed)
