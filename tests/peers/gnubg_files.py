"""What gnubg makes of match files: it reads one and writes it again, and all actions are compared."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from gammond.engine.match_files.reading import read_matches
from gammond.engine.rules.game_record import (
    DoubleAction,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
    SetAction,
)
from gammond.tools.gnubg import find_gnubg
from gammond.tools.gnubg.console import ask_gnubg

COMMANDS = {
    "sgf": "load match",
    **{name: f"import {name}" for name in ("mat", "oldmoves", "sgg", "tmg", "empire")},
}
"""How gnubg reads each format."""

NOT_RECOGNISED = "is not recognized"
"""What it says of other files."""

SWAPPED = ("sgg", "tmg")
"""Formats whose second player gnubg takes for the first."""

RESIGNATIONS_GUESSED = ("oldmoves", "empire")
"""Formats in which gnubg takes any game that was given up for a single one, lost by whoever is to act."""

MONEY_BY_JACOBY = ("oldmoves",)
"""Formats whose money games gnubg counts by Jacoby's rule, whatever it is set to."""


def ask(commands, folder, timeout_s=120.0):
    """Let gnubg carry out commands; skip where it is not installed."""
    if find_gnubg() is None:
        pytest.skip("needs the program gnubg (Debian: apt-get install gnubg)")
    return ask_gnubg(commands, folder, timeout_s)


def let_gnubg_copy(source, format_name, folder, kinds=("mat", "sgf")):
    """Let gnubg read a file and write it in other formats; return the match that each has."""
    shutil.copyfile(source, folder / "given")
    write = {"mat": "export match mat theirs.mat", "sgf": "save match theirs.sgf"}
    ask(["set jacoby off", f"{COMMANDS[format_name]} given", *(write[kind] for kind in kinds)], folder)
    copies = [read_matches(folder / f"theirs.{kind}") for kind in kinds]
    assert [len(matches) for matches in copies] == [1] * len(kinds)
    return [matches[0] for matches in copies]


def check_copies(source, format_name, folder, kinds=("mat", "sgf")):
    """Compare a match with gnubg's copies of it, action by action; return how many there are."""
    (ours,) = read_matches(source)
    assert ours.format == format_name
    swap, is_guessed = format_name in SWAPPED, format_name in RESIGNATIONS_GUESSED
    for theirs in let_gnubg_copy(source, format_name, folder, kinds):
        assert theirs.issues == ()
        assert (theirs.names[:: -1 if swap else 1], theirs.length) == (ours.names, ours.length)
        assert len(theirs.games) == len(ours.games)
        for game, copy in zip(ours.games, theirs.games, strict=True):
            if format_name != "empire":  # which says who won as little as gnubg knows it
                assert copy.initial_state.score[:: -1 if swap else 1] == game.initial_state.score
            if is_guessed and isinstance(game.actions[-1], ResignationAction):
                assert list_actions(copy, swap)[:-1] == list_actions(game)[:-1]
                continue
            assert list_actions(copy, swap) == list_actions(game)
            result = replace(copy.result, winner=copy.result.winner ^ swap)
            if format_name in MONEY_BY_JACOBY and not ours.length:
                result = replace(result, points=game.result.points)
            assert result == game.result
    return sum(len(game.actions) for game in ours.games)


def list_actions(game, swap=False):
    """All actions of a game; seats may be swapped."""
    return [_describe(action, swap) for action in game.actions]


def _describe(action, swap):
    match action:
        case PlayAction(seat, roll, play):
            return seat ^ swap, roll, play.result
        case RollAction(seat, roll):
            return seat ^ swap, roll
        case DoubleAction(seat, cube):
            return seat ^ swap, f"doubles to {cube}"
        case ResponseAction(seat, is_take):
            return seat ^ swap, "takes" if is_take else "passes"
        case ResignationAction(seat, kind, is_accepted):
            return seat ^ swap, "resigns", kind, is_accepted
        case SetAction(position, state):
            assert not swap
            return position, state
