import time

import pytest

from gammond.engine.errors import CancelledWork
from gammond.engine.rollout.trials import BATCH_S, AdaptiveBatcher


def test_pieces_cover_all_rows_once_and_in_order():
    pace = AdaptiveBatcher(lambda: False)
    for rows in (0, 1, 31, 32, 33, 5000):
        covered = [row for piece in pace.iter_batches(rows) for row in range(piece.start, piece.stop)]
        assert covered == list(range(rows))


def test_slow_rows_make_short_pieces():
    pace = AdaptiveBatcher(lambda: False)
    sizes = []
    for piece in pace.iter_batches(60):
        sizes.append(piece.stop - piece.start)
        time.sleep(sizes[-1] * BATCH_S / 4)
    assert max(sizes[1:]) <= 4


def test_fast_rows_make_long_pieces():
    sizes = [piece.stop - piece.start for piece in AdaptiveBatcher(lambda: False).iter_batches(20_000)]
    assert max(sizes) == 4096


def test_stopping_is_asked_about_before_each_piece():
    done = []
    with pytest.raises(CancelledWork):
        done.extend(AdaptiveBatcher(iter([False, True]).__next__).iter_batches(1000))
    assert len(done) == 0 or done[0].start == 0
