import itertools
import time

import pytest

from gammond.engine.errors import CancelledWork
from gammond.engine.rollout.trials import BATCH_S, MAX_ROWS, adapt_batches


def test_slow_rows_make_small_batches():
    sizes = []
    for rows in itertools.islice(adapt_batches(lambda: False), 5):
        sizes.append(rows)
        time.sleep(rows * BATCH_S / 4)
    assert max(sizes[1:]) <= 4


def test_fast_rows_make_large_batches():
    assert max(itertools.islice(adapt_batches(lambda: False), 10)) == MAX_ROWS


def test_stopping_is_asked_about_before_each_batch():
    with pytest.raises(CancelledWork):
        next(adapt_batches(lambda: True))
    done = []
    with pytest.raises(CancelledWork):
        done.extend(adapt_batches(iter([False, True]).__next__))
    assert len(done) <= 1
