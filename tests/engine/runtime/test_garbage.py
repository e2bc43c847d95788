"""Garbage of a process that keeps nearly all it makes."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import gc
from engine.runtime.garbage import collect_garbage_rarely

class Node:
    def __del__(self):
        print("deleted")

collect_garbage_rarely()
a, b = Node(), Node()
a.other, b.other = b, a
del a, b
print(gc.get_threshold()[0] > 700, gc.collect() >= 2)
c, d = Node(), Node()
c.other, d.other = d, c
"""


def test_garbage_is_still_found_but_not_searched_for_at_the_end_of_the_process():
    ended = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["deleted", "deleted", "True", "True"]
