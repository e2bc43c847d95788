import time

import pytest

from engine.errors import CancelledWork
from engine.rollout.pacing import PIECE_S, Pace


def test_pieces_cover_all_rows_once_and_in_order():
    pace = Pace(lambda: False)
    for rows in (0, 1, 31, 32, 33, 5000):
        covered = [row for piece in pace.pieces(rows) for row in range(piece.start, piece.stop)]
        assert covered == list(range(rows))


def test_slow_rows_make_short_pieces():
    pace = Pace(lambda: False)
    sizes = []
    for piece in pace.pieces(60):
        sizes.append(piece.stop - piece.start)
        time.sleep(sizes[-1] * PIECE_S / 4)
    assert max(sizes[1:]) <= 4


def test_fast_rows_make_long_pieces():
    sizes = [piece.stop - piece.start for piece in Pace(lambda: False).pieces(20_000)]
    assert max(sizes) == 4096


def test_stopping_is_asked_about_before_each_piece():
    done = []
    with pytest.raises(CancelledWork):
        done.extend(Pace(iter([False, True]).__next__).pieces(1000))
    assert len(done) == 0 or done[0].start == 0
