"""The page of Barca: its drawn positions, and what it says of their moves."""

import re
from pathlib import Path

import pytest

from gammond.engine.barca.kernels.moves import HOLES, SIZE
from gammond.engine.barca.moves import legal_moves
from gammond.engine.barca.position import BarcaPosition, format_square, parse_square

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "barca.md").read_text("utf-8")
BLOCKS = re.findall(r"```text\nposition (.*?)```", PAGE, re.DOTALL)


def draw(position):
    letters = {int(square): letter for square, letter in zip(position.squares, "EELLMMeellmm", strict=True)}
    rows = []
    for rank in reversed(range(SIZE)):
        empty = ("o" if rank * SIZE + file in HOLES else "." for file in range(SIZE))
        row = (letters.get(rank * SIZE + file, mark) for file, mark in enumerate(empty))
        rows.append(f"{rank + 1:>2}  {' '.join(row)}\n")
    return "".join(rows) + "    a b c d e f g h i j\n"


def test_boards_are_drawn_as_their_text_says():
    assert len(BLOCKS) == 2
    for block in BLOCKS:
        text, _, rest = block.partition("\n\n")
        assert rest.startswith(draw(BarcaPosition.from_text(text)))


@pytest.mark.parametrize("block", [block for block in BLOCKS if "moves of" in block])
def test_the_moves_of_a_drawn_board_are_those_it_says(block):
    moves = legal_moves(BarcaPosition.from_text(block.partition("\n")[0]))
    origin, targets = re.search(r"moves of (\w+): (.*)\n", block).groups()
    found = {format_square(move.target) for move in moves if move.origin == parse_square(origin)}
    assert " ".join(sorted(found)) == targets
    others = {format_square(move.origin) for move in moves} - {origin}
    assert (" ".join(sorted(others)) or "none") == re.search(r"others that move: (.*)\n", block)[1]
