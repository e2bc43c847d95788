"""Positions of each class with their values by long rollouts, in a file of text.

The file is made from a validation set whose labels have a standard error of .01 at most:

    gammond train validation-set FOLDER --net NET --stop-error 0.008 --trials 20736 --seed 77 --classes ...
    python -m tests.tools.train.validation.class_values FOLDER
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gammond.engine.formats.position_id import decode_position_id, encode_position_id
from gammond.engine.rules.position import Board, Position
from gammond.tools.train.validation.rollout_labels import RolloutLabels, read_all_rollouts

FILE = Path(__file__).with_name("class_values.txt")


@dataclass(frozen=True)
class ClassValue:
    """A position of a class, its cubeless equity for the side on roll and the standard error of that."""

    name: str
    position_id: str
    equity: float
    error: float

    @property
    def board(self) -> Board:
        """The position, ``int8[2, 26]``."""
        return decode_position_id(self.position_id).board


def read_class_values() -> list[ClassValue]:
    """Read the file."""
    lines = (line.split() for line in FILE.read_text("utf-8").splitlines() if not line.startswith("#"))
    return [ClassValue(name, text, float(equity), float(error)) for name, text, equity, error in lines]


def format_class_values(labels: RolloutLabels) -> str:
    """Write the positions of a set, class by class."""
    order = np.argsort(labels.positions.classes, kind="stable")
    lines = ["# class, position ID, cubeless equity for the side on roll, its standard error"]
    for row in order:
        name = labels.positions.class_names[labels.positions.classes[row]]
        text = encode_position_id(Position(labels.positions.boards[row]))
        lines.append(f"{name} {text} {labels.equities[row]:+.4f} {labels.equity_errors[row]:.4f}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FILE.write_text(format_class_values(read_all_rollouts(Path(sys.argv[1]))), "utf-8")
