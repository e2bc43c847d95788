"""Garbage of a process that keeps nearly all it makes."""

import subprocess
import sys

CODE = """
import gc
from gammond.engine.runtime.garbage import collect_garbage_rarely

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

SERVE = """
import gc
from gammond.engine.runtime.garbage import pause_collection, resume_collection

resume_collection()
print(gc.isenabled(), gc.get_freeze_count() == 0)
pause_collection()
print(gc.isenabled())
resume_collection()
print(gc.isenabled(), gc.get_freeze_count() > 1000, gc.get_threshold()[0] > 700)

class Client:
    left = 0

    def __init__(self):
        self.itself = self
        self.work = [[] for _ in range(100)]

    def __del__(self):
        Client.left += 1

clients = []
for _ in range(10_000):
    clients.append(Client())
    clients = clients[-200:]
print(Client.left > 8_500)
"""


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_garbage_is_still_found_but_not_searched_for_at_the_end_of_the_process():
    assert run(CODE).split() == ["deleted", "deleted", "True", "True"]


def test_a_start_pauses_the_search_and_what_it_made_is_never_searched_but_clients_that_have_left_are():
    assert run(SERVE).splitlines() == ["True True", "False", "True True True", "True"]
