"""Answers about Barca for a person: ranked moves, legal moves, what the position is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from gammond.engine.barca.kernels.moves import ANIMALS
from gammond.engine.barca.position import KINDS, BarcaPosition, parse_square
from gammond.engine.barca.search import describe_score
from gammond.engine.wording import format_count
from gammond.protocol.core.requests import Reply, ReplyValue
from gammond.protocol.repl.answers.replies import PreformattedLine

_PV_MOVES = 4
"""Moves after the first that a hint shows, if there is room."""

_PV_COLUMN = 24
_MOVE_WIDTH = 8
"""Columns of the longest move, ``a10-j10``, and a blank."""

_SOURCE_KEYS = ("score", "depth", "weights")


def format_ranking(replies: Sequence[Reply], columns: int) -> list[str]:
    """Write ranked moves, each with its score and as many of the moves that follow as there is room for.

    Args:
        replies: The answer to ``moves``.
        columns: Those of the terminal.
    """
    *ranked, final = (reply.values for reply in replies if reply.word in ("move", "moves"))
    shown = min(_PV_MOVES, max(0, (columns - _PV_COLUMN) // _MOVE_WIDTH))
    lines = [PreformattedLine(f"     move     score     {'and then' if shown else ''}".rstrip())]
    for values in ranked:
        following = " ".join(str(values["pv"]).split()[1 : 1 + shown])
        row = f" {values['rank']:>2}  {values['play']:<8} {_write_score(values):<9} {following}"
        lines.append(PreformattedLine(row.rstrip()))
    found = f"{final['shown']} of {format_count(int(final['count']), 'move')} at {_describe_search(final)}"
    return [*lines, f"    {found}"]


def format_legal(replies: Sequence[Reply], position: BarcaPosition, columns: int) -> list[str]:
    """Write legal moves, a line for each animal with the squares that it goes to.

    Args:
        replies: The answer to ``legal``.
        position: What they are legal in.
        columns: Those of the terminal.
    """
    moves = [str(reply.values["play"]).split("-") for reply in replies if reply.word == "play"]
    lines: list[str] = []
    for origin, group in groupby(moves, key=lambda move: move[0]):
        animal = position.find_animal(parse_square(origin))
        assert animal is not None  # else it would have no moves
        head = f"    {origin:<4}{KINDS[animal % ANIMALS // 2]:<10}"
        room = max(1, (columns - len(head)) // 4)
        targets = [target for _, target in group]
        for start in range(0, len(targets), room):
            row = "".join(f"{target:<4}" for target in targets[start : start + room])
            lines.append(PreformattedLine(f"{head if not start else '':<{len(head)}}{row}".rstrip()))
    feared = str(replies[-1].values.get("feared", ""))
    return [
        *lines,
        f"    {format_count(len(moves), 'move')}",
        *([f"    may not go to {feared.replace(' ', ', ')}, which it fears"] if feared else []),
    ]


def format_evaluation(replies: Sequence[Reply], side: str) -> list[str]:
    """Write what the position is worth: by heuristic, or by a search with its line.

    Args:
        replies: The answer to ``eval``.
        side: The name of the side to move, whose view it is.
    """
    values = replies[-1].values
    head = f"    {_write_score(values)} for {side}, who is to move"
    if "pv" in values:
        return [head, f"    {values['pv']}", f"    {_describe_search(values)}"]
    parts = {name: value for name, value in values.items() if name not in _SOURCE_KEYS}
    rows = [f"    {_write_score({'score': value}):>5}  {_spell(name)}" for name, value in parts.items()]
    return [head, *rows, f"    without look-ahead, weights {values['weights']}"]


def _write_score(values: Mapping[str, ReplyValue]) -> str:
    return describe_score(int(values["score"]))


def _describe_search(values: Mapping[str, ReplyValue]) -> str:
    nodes = format_count(int(values["nodes"]), "position")
    return f"depth {values['depth']}, {nodes}, weights {values['weights']}"


def _spell(name: str) -> str:
    return name.replace("_", " ")
