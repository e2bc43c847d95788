"""A slow twin of Barca's rules, written from their text: a dictionary of squares, each a file and a rank.

A piece is a side, ``w`` or ``b``, and a kind, ``E``, ``L`` or ``M``.
"""

from __future__ import annotations

from engine.barca.position import BarcaPosition

ROOK = {(1, 0), (-1, 0), (0, 1), (0, -1)}
BISHOP = {(1, 1), (1, -1), (-1, 1), (-1, -1)}
STEPS = {"M": ROOK, "L": BISHOP, "E": ROOK | BISHOP}
FEARS = {"M": "L", "L": "E", "E": "M"}
HOLES = {("d", 4), ("d", 7), ("g", 4), ("g", 7)}
FILES = "abcdefghij"


def read_board(position: BarcaPosition) -> dict[tuple[int, int], tuple[str, str]]:
    """Pieces by file and rank, both from 1."""
    order = [(side, kind) for side in "wb" for kind in "EELLMM"]
    squares = [(int(s) % 10 + 1, int(s) // 10 + 1) for s in position.squares]
    return dict(zip(squares, order, strict=True))


def is_frightened(board, square, piece):
    """Whether a piece would be beside one that it fears."""
    side, kind = piece
    return any(
        other_side != side and other_kind == FEARS[kind] and max(abs(f - square[0]), abs(r - square[1])) == 1
        for (f, r), (other_side, other_kind) in board.items()
    )


def free_squares(board, square):
    """Where the piece on a square can go along free lines."""
    found = set()
    for file_step, rank_step in STEPS[board[square][1]]:
        file, rank = square[0] + file_step, square[1] + rank_step
        while 1 <= file <= 10 and 1 <= rank <= 10 and (file, rank) not in board:
            found.add((file, rank))
            file, rank = file + file_step, rank + rank_step
    return found


def naive_moves(board, side):
    """Legal moves as pairs of squares."""
    own = {square: piece for square, piece in board.items() if piece[0] == side}
    free = {(a, b) for a in own for b in free_squares(board, a)}
    safe = {(a, b) for a, b in free if not is_frightened(board, b, own[a])}
    scared = {a for a, piece in own.items() if is_frightened(board, a, piece)}
    escapes = {(a, b) for a, b in safe if a in scared}
    return escapes or safe | {(a, b) for a, b in free if a in scared}


def naive_winner(board):
    """The side on three watering holes, or None."""
    for side in "wb":
        held = {(FILES[f - 1], r) for (f, r), piece in board.items() if piece[0] == side} & HOLES
        if len(held) >= 3:
            return side
    return None


def naive_legal_moves(position: BarcaPosition) -> list[tuple[int, int]]:
    """Legal moves as pairs of numbers, sorted."""
    board = read_board(position)
    if naive_winner(board):
        return []
    moves = naive_moves(board, "wb"[position.side])
    return sorted((a[0] - 1 + 10 * (a[1] - 1), b[0] - 1 + 10 * (b[1] - 1)) for a, b in moves)


def naive_perft(position: BarcaPosition, depth: int) -> int:
    """Sequences of legal moves of a length."""
    return _count(read_board(position), "wb"[position.side], depth)


def _count(board, side, depth):
    if depth == 0:
        return 1
    if naive_winner(board):
        return 0
    moves = naive_moves(board, side)
    if depth == 1:
        return len(moves)
    total = 0
    for a, b in moves:
        after = {b if square == a else square: piece for square, piece in board.items()}
        total += _count(after, "w" if side == "b" else "b", depth - 1)
    return total
