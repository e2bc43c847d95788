"""Lists of players are computed now and then, the longer that takes the more seldom."""

from __future__ import annotations

import pytest

from gammond.protocol.archive import players
from gammond.protocol.archive.players import LEAST_AGE_S, Leaderboard


class FakeArchive:
    """Has a database that is asked for nothing."""

    def read(self, question):
        return question(None)


@pytest.mark.parametrize(("takes_s", "lasts_s"), [(0.01, LEAST_AGE_S), (1.0, 20.0)])
def test_a_list_is_given_again_for_as_long_as_its_making_deserves(monkeypatch, takes_s, lasts_s):
    made, now = [], [100.0]

    def list_players(database, variant, since_s):
        now[0] += takes_s
        made.append(variant)
        return {"variant": variant, "number": len(made)}

    monkeypatch.setattr(players, "list_players", list_players)
    lists = Leaderboard(FakeArchive(), lambda: now[0])
    first = lists.get("backgammon")
    now[0] += lasts_s - 0.001
    assert lists.get("backgammon") is first
    assert lists.get("barca")["number"] == 2
    now[0] += 0.002
    assert lists.get("backgammon")["number"] == 3


def test_the_list_of_the_week_has_what_ended_in_seven_days(monkeypatch):
    asked = []
    monkeypatch.setattr(players, "list_players", lambda _, variant, since_s: asked.append(since_s) or {})
    lists = Leaderboard(FakeArchive(), lambda: 100.0, lambda: 8 * 86_400.0)
    for period in ("all", "week", "week", "all"):
        lists.get("backgammon", period)
    assert asked == [0.0, 86_400.0]
