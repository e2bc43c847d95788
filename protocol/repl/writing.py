"""What the REPL says to a person: sentences about turns, the table of hints, score and toolbar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.dice import Roll
from engine.match import MatchState
from protocol.board_drawing import MARKS
from protocol.requests import Reply, Value
from protocol.session import Session

_RESULTS = {"single": "a single game", "gammon": "a gammon", "backgammon": "a backgammon"}
_HINT_HEAD = ("", "equity", "behind", "win %", "gammon", "bg", "lose g", "lose bg")


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


def score_line(match: MatchState, names: tuple[str, str]) -> str:
    """Write score and kind of game: ``you 2, gammond 1 in a 5-point match, Crawford game``."""
    game = "money play" if match.is_money else f"a {match.length}-point match"
    crawford = ", Crawford game" if match.crawford else ""
    return f"{names[0]} {match.score[0]}, {names[1]} {match.score[1]} in {game}{crawford}, {_cube(match)}"


def counted_points(score: tuple[int, int], winner: int, points: int) -> tuple[int, int]:
    """Return a score with the points of a game added to the winner's seat."""
    return (score[0] + points, score[1]) if winner == 0 else (score[0], score[1] + points)


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
        "".join(f"{cell:>8}" for cell in row)[4:] + f"  {play}" for row, play in zip(rows, plays, strict=True)
    ]
    shown = "" if totals["shown"] == totals["count"] else f"{totals['shown']} of "
    plays_text = f"{shown}{totals['count']} play{'s' * (totals['count'] != 1)}"
    return [
        *lines,
        f"    {plays_text}, cubeless money equity at {totals['plies']} plies, net {totals['net']}",
    ]


def toolbar_text(session: Session, human: int | None, net: str) -> str:
    """Write the line below the prompt.

    Args:
        session: The table.
        human: The person's seat in a game against the engine.
        net: The name of the evaluator.
    """
    position, match = session.game.position, session.game.match
    judge = f"net {net}, {session.engine.ply - 1} plies"
    if position is None:
        return f" no position: 'play' begins a game | {judge}"
    parts = [_turn(session, human)]
    pips = dict(zip((match.on_roll, 1 - match.on_roll), position.pips, strict=True))
    parts.append(f"pips {MARKS[0]} {pips[0]}, {MARKS[1]} {pips[1]}")
    parts.append("money" if match.is_money else f"{match.score[0]}-{match.score[1]} to {match.length}")
    if match.crawford:
        parts[-1] += " Crawford"
    return " " + " | ".join([*parts, _cube(match), judge])


def _turn(session: Session, human: int | None) -> str:
    match, position = session.game.match, session.game.position
    mark = MARKS[match.on_roll]
    who = mark if human is None else f"{mark} ({'you' if human == match.on_roll else 'gammond'})"
    if position is not None and position.is_over:
        return "game over"
    if match.doubled:
        return f"{who} doubled"
    return f"{who} to roll" if match.roll is None else f"{who} to play {roll_text(match.roll)}"


def _cube(match: MatchState) -> str:
    holder = "in the middle" if match.cube_owner is None else f"held by {MARKS[match.cube_owner]}"
    return f"cube {match.cube} {holder}"


def _hint_cells(values: Mapping[str, Value], best: float) -> tuple[str, ...]:
    equity = float(values["equity"])
    behind = "" if values["rank"] == 1 else f"{equity - best:+.4f}"
    chances = (f"{100 * float(values[key]):.1f}" for key in ("win", "win_g", "win_bg", "lose_g", "lose_bg"))
    return (str(values["rank"]), f"{equity:+.4f}", behind, *chances)
