"""Lists of players are computed now and then, the longer that takes the more seldom."""

from __future__ import annotations

import pytest

from protocol.archive import leaderboard
from protocol.archive.leaderboard import LEAST_AGE_S, Leaderboard


class FakeArchive:
    """Has a database that is asked for nothing."""

    def read(self, question):
        return question(None)


@pytest.mark.parametrize(("takes_s", "lasts_s"), [(0.01, LEAST_AGE_S), (1.0, 20.0)])
def test_a_list_is_given_again_for_as_long_as_its_making_deserves(monkeypatch, takes_s, lasts_s):
    made, now = [], [100.0]

    def list_players(database, variant):
        now[0] += takes_s
        made.append(variant)
        return {"variant": variant, "number": len(made)}

    monkeypatch.setattr(leaderboard, "list_players", list_players)
    lists = Leaderboard(FakeArchive(), lambda: now[0])
    first = lists.get("backgammon")
    now[0] += lasts_s - 0.001
    assert lists.get("backgammon") is first
    assert lists.get("barca")["number"] == 2
    now[0] += 0.002
    assert lists.get("backgammon")["number"] == 3
