"""A slow twin of Barca's rules, written from their text: a dictionary of squares, each a file and a rank.

A piece is a side, ``w`` or ``b``, and a kind, ``E``, ``L`` or ``M``.
"""

from __future__ import annotations

from gammond.engine.barca.position import BarcaPosition

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
    feared = ("b" if piece[0] == "w" else "w", FEARS[piece[1]])
    return any(board.get((square[0] + file, square[1] + rank)) == feared for file, rank in STEPS["E"])


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
    """Sequences of legal moves of a length; those that lead to the same are counted from there once."""
    return _count(frozenset(read_board(position).items()), "wb"[position.side], depth, {})


def _count(pieces, side, depth, known):
    if depth == 0:
        return 1
    if (pieces, depth) not in known:  # the depth tells the side
        board = dict(pieces)
        moves = [] if naive_winner(board) else naive_moves(board, side)
        other, total = "w" if side == "b" else "b", len(moves)
        if depth > 1:
            total = sum(
                _count(pieces - {(a, board[a])} | {(b, board[a])}, other, depth - 1, known) for a, b in moves
            )
        known[pieces, depth] = total
    return known[pieces, depth]
