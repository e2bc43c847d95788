"""The board of Barca: as text of fixed width, with the parts that a terminal colours; its animals by keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gammond.engine.barca.game import BarcaGame, BarcaResult
from gammond.engine.barca.kernels.moves import ANIMALS, HOLES, HOLES_TO_WIN, SIZE
from gammond.engine.barca.moves import find_frightening, find_reach, find_scared, format_move
from gammond.engine.barca.position import FILES, KINDS, LETTERS, SIDES, BarcaPosition, format_square

_MARGIN = 4
_CELL = 3
_NOTE_GAP = "   "
MAX_COLUMNS = 80
"""Columns that the board takes with its notes beside it, at most."""

_BRACKETS = {
    (False, False): (" ", " "),
    (True, False): ("(", ")"),
    (False, True): ("[", "]"),
    (True, True): ("{", "}"),
}
"""Whether a square is a watering hole, and one of the last move -> what is around it."""


class DrawnSpan(NamedTuple):
    """A part of a line with a meaning.

    Attributes:
        start: Its first character.
        end: The one after its last.
        what: ``white``, ``black``, ``hole``, ``scared``, ``last`` (the last move), ``valid``, ``feared`` or
            ``frame``.
    """

    start: int
    end: int
    what: str


class DrawnLine(NamedTuple):
    """A line of the board.

    Attributes:
        text: The line.
        parts: Its parts, in their order.
    """

    text: str
    parts: tuple[DrawnSpan, ...]


def draw_board(game: BarcaGame, columns: int = MAX_COLUMNS, origin: int | None = None) -> list[DrawnLine]:
    """Draw the board, rank 10 at the top, with what is to be said of it beside it.

    A square is three characters: an animal's letter, White's capital, or a dot; round brackets around a
    watering hole, square ones around both squares of the last move, curly ones around a watering hole of it;
    ``!`` behind a scared animal. Where the animal on one square may go are plus signs, and crosses where it
    may not because it fears the square.

    Args:
        game: The game.
        columns: Those there are; where the notes do not fit beside the board, they are below.
        origin: The square of that animal; None for none.
    """
    files = " " * _MARGIN + "".join(f"{file:^{_CELL}}" for file in FILES)
    frame = DrawnLine(files.rstrip(), (DrawnSpan(0, len(files.rstrip()), "frame"),))
    notes, ranks, goals = _make_notes(game), range(SIZE, 0, -1), _mark_goals(game, origin)
    if columns >= MAX_COLUMNS:
        return [frame, *(_draw_rank(game, rank, notes.get(rank, ""), goals) for rank in ranks), frame]
    below = [DrawnLine(notes[rank], ()) for rank in ranks if rank in notes]
    return [frame, *(_draw_rank(game, rank, "", goals) for rank in ranks), frame, *below]


def find_forbidden_squares(game: BarcaGame, animal: int) -> list[int]:
    """Return the squares that an animal reaches, but may not go to because it fears them.

    Args:
        game: The game.
        animal: The animal's place among the twelve.
    """
    _, feared = find_reach(game.position, animal)
    allowed = {move.target for move in game.legal_moves() if game.position.find_animal(move.origin) == animal}
    return [square for square in feared if square not in allowed]


def _mark_goals(game: BarcaGame, origin: int | None) -> dict[int, tuple[str, str]]:
    """Return the sign of each square that the animal on one reaches, with its meaning."""
    if origin is None or (animal := game.position.find_animal(origin)) is None:
        return {}
    goals = {move.target: ("+", "valid") for move in game.legal_moves() if move.origin == origin}
    return goals | dict.fromkeys(find_forbidden_squares(game, animal), ("x", "feared"))


def _draw_rank(game: BarcaGame, rank: int, note: str, goals: Mapping[int, tuple[str, str]]) -> DrawnLine:
    position = game.position
    label = f"{rank:>{_MARGIN - 2}}  "
    text, parts = label, [DrawnSpan(0, _MARGIN - 2, "frame")]
    scared = {square for side in (0, 1) for square in find_scared(position, side)}
    last = set(game.last_move or ())
    for square in range(SIZE * (rank - 1), SIZE * rank):
        animal, place = position.find_animal(square), len(text)
        is_hole, is_last = square in HOLES, square in last
        left, right = _BRACKETS[is_hole, is_last]
        around = "last" if is_last else "hole" if is_hole else ""
        if animal is None:
            letter, kind = goals.get(square, (" ", "") if is_hole else (".", "frame"))
        else:
            letter = LETTERS[animal % ANIMALS // 2]
            letter, kind = (letter, "white") if animal < ANIMALS else (letter.lower(), "black")
        is_scared = square in scared
        text += f"{left}{letter}{'!' if is_scared else right}"
        parts += [
            DrawnSpan(place, place + 1, around),
            DrawnSpan(place + 1, place + 2, kind),
            DrawnSpan(place + 2, place + 3, "scared" if is_scared else around),
        ]
    text += f"{_NOTE_GAP}{note}" if note else ""
    return DrawnLine(text.rstrip(), tuple(part for part in parts if part.what and part.start < len(text)))


def _make_notes(game: BarcaGame) -> dict[int, str]:
    """Return what stands beside ranks: each side's animals on its own half, the state of the game between."""
    position, result = game.position, game.result
    notes = {rank: _describe_side(game, side) for rank, side in ((1, 0), (SIZE, 1))}
    scared = {SIZE - 1: find_scared(position, 1), 2: find_scared(position, 0)}
    notes |= {rank: f"scared: {_list_squares(squares)}" for rank, squares in scared.items() if squares}
    notes[6] = f"{SIDES[position.side]} to move" if result is None else _describe_end(result)
    if game.last_move is not None:
        notes[5] = f"last move {format_move(game.last_move)}"
    if game.repetitions > 1 and result is None:
        notes[4] = "seen before: a third time is a draw"
    return notes


def _describe_side(game: BarcaGame, side: int) -> str:
    return f"{SIDES[side]}: {game.position.count_holes(side)} of {HOLES_TO_WIN} holes"


def _describe_end(result: BarcaResult) -> str:
    if result.winner is not None:
        return f"{SIDES[result.winner]} has won"
    return "draw by repetition" if result.reason == "repetition" else "draw: no legal move"


def _list_squares(squares: Sequence[int]) -> str:
    return ", ".join(map(format_square, squares))


def describe_pieces(position: BarcaPosition) -> list[dict[str, Any]]:
    """Return where each animal is, its kind, its side (``seat``, White is 0), and what it fears.

    ``feared`` are the squares that it reaches beside enemies that it fears; it is ``trapped`` if it is
    ``scared`` and reaches no other.
    """
    return [_describe_piece(position, animal, at) for animal, at in enumerate(position.squares.tolist())]


def _describe_piece(position: BarcaPosition, animal: int, square: int) -> dict[str, Any]:
    safe, feared = find_reach(position, animal)
    is_scared = bool(find_frightening(position, animal, square))
    return {
        "at": format_square(square),
        "animal": KINDS[animal % ANIMALS // 2],
        "seat": animal // ANIMALS,
        "scared": is_scared,
        "trapped": is_scared and not safe,
        "feared": list(map(format_square, feared)),
    }
