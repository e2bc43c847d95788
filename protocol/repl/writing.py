"""What the REPL says to a person: sentences about turns, errors, score, and the table of hints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.dice import Roll
from engine.match import MatchState
from protocol.board_drawing import MARKS
from protocol.errors import INTERNAL_ERROR
from protocol.requests import Reply, Value

ERROR_MARK = "error: "
"""How a line begins that says why nothing was done."""

NOT_OFFERED = "doubling and resigning are not offered in the terminal: the cube stays as it is"

_DO_FIRST = {
    "no position": "'play' begins a game, 'position gnubgid ID' sets one up",
    "the game is over": "'new' begins another",
    "no dice": "'roll' them, or set them by 'dice A B'",
}
"""What is missing, as the session says it, and the words of the REPL that help."""

_RESULTS = {"single": "a single game", "gammon": "a gammon", "backgammon": "a backgammon"}
_HINT_HEAD = ("", "equity", "behind", "win %", "gammon", "bg", "lose g", "lose bg")


class Drawn(str):
    """A line whose columns stand below those of other lines: it is never wrapped."""

    __slots__ = ()


def error_text(reply: Reply) -> str:
    """Write an error line for a person: the sentence alone, and what to do in the words of the REPL.

    Args:
        reply: The error line of the wire, ``CODE FIELD: MESSAGE`` in its text.
    """
    code_and_field, _, message = reply.text.partition(": ")
    if code_and_field.startswith(INTERNAL_ERROR):
        message = "a fault of gammond itself, recorded on standard error; the talk goes on"
    missing, _, advice = message.partition(": send ")
    if advice:
        message = f"{missing}: {_DO_FIRST.get(missing, f'send {advice}')}"
    return ERROR_MARK + message


def told(name: str, verb: str, rest: str = "") -> str:
    """Return a sentence about a player: ``You roll 3-1.`` or ``gammond rolls 3-1.`` alike.

    Args:
        name: The player; ``you`` takes the plain form of the verb.
        verb: In its plain form.
        rest: What follows.
    """
    if name == "you":
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
    return told(name, "win", f"{_RESULTS[result]}, {points} point{'s' * (points != 1)}")


def score_line(match: MatchState, points: tuple[int, int], names: tuple[str, str]) -> str:
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


def hint_lines(replies: Sequence[Reply]) -> list[str]:
    """Lay out ranked plays.

    Args:
        replies: The answer to ``moves``: the plays, best first, then the line with counts, plies and net.

    Returns:
        A table: rank, equity, how far behind the best, chances in per cent, play; then the judge.
    """
    *moves, totals = (reply.values for reply in replies)
    best = float(moves[0]["equity"])
    rows = [_HINT_HEAD, *(_hint_cells(values, best) for values in moves)]
    plays = ["play", *(str(values["play"]) for values in moves)]
    lines = [
        Drawn("".join(f"{cell:>8}" for cell in row)[4:] + f"  {play}")
        for row, play in zip(rows, plays, strict=True)
    ]
    shown = "" if totals["shown"] == totals["count"] else f"{totals['shown']} of "
    plays_text = f"{shown}{totals['count']} play{'s' * (totals['count'] != 1)}"
    return [
        *lines,
        f"    {plays_text}, cubeless money equity at {totals['plies']} plies, net {totals['net']}",
    ]


def _hint_cells(values: Mapping[str, Value], best: float) -> tuple[str, ...]:
    equity = float(values["equity"])
    behind = "" if values["rank"] == 1 else f"{equity - best:+.4f}"
    chances = (f"{100 * float(values[key]):.1f}" for key in ("win", "win_g", "win_bg", "lose_g", "lose_bg"))
    return (str(values["rank"]), f"{equity:+.4f}", behind, *chances)
