"""GNU Backgammon's nets (package gnubg-nn), for comparisons."""

from __future__ import annotations

import pytest


def gnubg_nn():
    """The package, or a skipped test."""
    return pytest.importorskip("gnubg_nn", reason="needs the package gnubg-nn")


def as_lists(board) -> list[list[int]]:
    """The board as gnubg-nn takes it: the opponent first, 24 points and the bar of each."""
    return [board[1, 1:].tolist(), board[0, 1:].tolist()]
