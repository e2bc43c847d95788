"""Sentences about a game: who rolls, plays, doubles, wins, and what the score is."""

from __future__ import annotations

from engine.dice import Roll
from engine.match import RESULTS, MatchState
from protocol.board_drawing import MARKS
from protocol.offers import answers, listed

ENGINE_NAME = "gammond"
HUMAN_NAME = "you"
PEOPLE = (HUMAN_NAME, *MARKS)
"""What seats are called in which people sit."""

Names = tuple[str, str]
"""What seats 0 and 1 are called."""

_RESULTS = {"single": "a single game", "gammon": "a gammon", "backgammon": "a backgammon"}


def told(name: str, verb: str, rest: str = "") -> str:
    """Return a sentence about a player: ``You roll 3-1.`` or ``gammond rolls 3-1.`` alike.

    Args:
        name: The player; ``you`` takes the plain form of the verb.
        verb: In its plain form.
        rest: What follows.
    """
    if name == HUMAN_NAME:
        subject = "You"
    else:
        subject, verb = name, verb if verb.startswith("cannot") else f"{verb}s"
    return f"{subject} {verb} {rest}".rstrip() + "."


def roll_text(roll: Roll) -> str:
    """Write a roll as people do: ``3-1``."""
    return f"{roll[0]}-{roll[1]}"


def result_text(name: str, result: str, points: int) -> str:
    """Say how a game ended.

    Args:
        name: The winner.
        result: ``single``, ``gammon`` or ``backgammon``.
        points: What it counts, cube included.
    """
    return told(name, "win", _game_text(result, points))


def _game_text(result: str, points: int) -> str:
    return f"{_RESULTS[result]}, {points} point{'s' * (points != 1)}"


def score_line(match: MatchState, points: tuple[int, int], names: Names) -> str:
    """Write score, kind of game and cube: ``you 2, gammond 1 in a 5-point match, cube 1 centred``.

    Args:
        match: The kind of game, and the cube.
        points: Of seats 0 and 1.
        names: Of seats 0 and 1.
    """
    game = "money play" if match.is_money else f"a {match.length}-point match"
    crawford = ", Crawford game" if match.crawford else ""
    return f"{names[0]} {points[0]}, {names[1]} {points[1]} in {game}{crawford}, {cube_text(match)}"


def cube_text(match: MatchState) -> str:
    """Say what the cube is at, and where."""
    holder = "centred" if match.cube_owner is None else f"held by {MARKS[match.cube_owner]}"
    return f"cube {match.cube} {holder}"


def action_text(action: str, before: MatchState, after: MatchState, names: Names) -> str:
    """Say what a seat did.

    Args:
        action: What ``play`` answered: a play, or a word for the cube or a resignation.
        before: The match state in which it was done, by the seat that was to act.
        after: The match state that followed.
        names: Of seats 0 and 1.
    """
    name = names[before.to_act]
    verb, _, kind = action.partition(" ")
    if verb == "resign":
        points = before.result(1 - before.to_act, RESULTS.index(kind) + 1).points
        return told(name, "offer", f"to lose {_game_text(kind, points)}") + _question(after, names)
    if verb == "double":
        verb = "double" if before.cube_owner is None else "redouble"
        return told(name, verb, f"to {2 * before.cube}") + _question(after, names)
    if verb == "beaver":
        return told(name, verb, f"to {2 * after.cube}") + _question(after, names)
    if verb == "take":
        return f"{told(name, verb)} The cube is at {after.cube}."
    if verb == "reject":
        return told(name, verb, "the offer, the game goes on")
    if verb in ("drop", "accept"):
        return told(name, verb)
    said = told(name, "cannot move") if action == "pass" else told(name, "play", action)
    return said if name == HUMAN_NAME or before.roll is None else f"{roll_text(before.roll)}: {said}"


def offer_text(match: MatchState) -> str:
    """Name what waits, and its answers: ``a double to 2: 'take' or 'drop'``; empty if nothing does."""
    if match.resigned:
        kind = list(_RESULTS.values())[match.resigned - 1]
        offer = f"an offer to lose {kind}"
    elif match.beavered:
        offer = f"a beaver to {2 * match.cube}"
    elif match.doubled:
        offer = f"a double to {2 * match.cube}"
    else:
        return ""
    return f"{offer}: {answers_text(match)}"


def answers_text(match: MatchState) -> str:
    """Name the words that answer what waits: ``'take', 'drop' or 'beaver'``."""
    return listed(answers(match))


def turn_text(match: MatchState) -> str:
    """Say what a person is to do: ``it is your 3-1``."""
    if match.resigned:
        return "the offer waits for your answer"
    if match.doubled:
        return "the double waits for your answer"
    return "it is your roll" if match.roll is None else f"it is your {roll_text(match.roll)}"


def _question(match: MatchState, names: Names) -> str:
    """Ask for the answer to an offer, unless the engine gives it."""
    return f" {answers_text(match)}?" if names[match.to_act] in PEOPLE else ""
