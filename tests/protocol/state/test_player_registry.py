"""The players of a process by name."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.errors import FormatError, GammondError, ValueRangeError
from gammond.engine.play.decider import SearchPlayer
from gammond.engine.play.player import EvaluatorPlayer, RandomPlayer
from gammond.nets.catalogue import SHIPPED
from gammond.nets.players.entry import RandomSpec
from gammond.protocol.state.player_registry import MAX_CACHED_PLAYERS, PlayerRegistry
from tests.support.boards import played_boards, random_rolls
from tests.support.evaluators import RacingEvaluator

ENGINE = Engine(RacingEvaluator())
SAMPLE = played_boards(RacingEvaluator(), 2000, seed=1)[:6]
DICE = random_rolls(6, seed=2)


def make_players(asked=None):
    """Players with the evaluators ``default`` and ``racing``."""
    asked = [] if asked is None else asked

    def load_engine(name, threads):
        asked.append((name, threads))
        return ENGINE

    return PlayerRegistry(lambda: ["default", "racing"], load_engine)


def count_making(monkeypatch, is_deep=lambda options: False):
    """Make ``random`` a kind that counts the players that it makes."""
    made = []

    class Counted(RandomSpec, frozen=True):
        @property
        def is_deep(self):
            return is_deep(self)

        def make(self):
            made.append(self.seed)
            return RandomPlayer(self.seed)

    monkeypatch.setattr(SHIPPED, "find", lambda name: Counted if name == "random" else None)
    return made


def test_people_and_the_own_evaluator_come_first_in_the_list():
    assert make_players().list_names()[:4] == ["net", "human", "default", "racing"]
    assert {"pubeval", "random"} <= set(make_players().list_names())


@pytest.mark.parametrize("text", ["net", "human", "racing", "default:plies=1", "random:seed=4", "pubeval"])
def test_what_there_is_passes_the_check_as_it_is(text):
    assert make_players().check_player(text) == text


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (
            "racig",
            ValueRangeError,
            r"expected a player \(net, human, default, .*\), got 'racig' \(did you mean 'racing'\?\)",
        ),
        ("", ValueRangeError, "got ''"),
        ("wildbg:/etc", ValueRangeError, "this server offers, got 'wildbg:/etc'"),
        ("run:runs", ValueRangeError, "this server offers, got 'run:runs'"),
        ("human:seed=3", FormatError, "expected no option for human"),
        ("net:plies=3", FormatError, "expected no option for net"),
        ("racing:seed", FormatError, "for seed, got no value"),
        ("racing:plies=9", ValueRangeError, r"expected a whole number 0\.\.4 for plies, got '9'"),
        ("random:seed=x", FormatError, "expected a whole number"),
    ],
)
def test_what_there_is_not_is_refused(text, error, message):
    with pytest.raises(GammondError, match=message) as caught:
        make_players().check_player(text)
    assert type(caught.value) is error


def test_evaluators_play_by_the_loaded_engines():
    asked = []
    found = make_players(asked)
    plain = found.find("racing", 3)
    assert isinstance(plain, EvaluatorPlayer)
    assert plain.evaluator is ENGINE.evaluator
    deep = found.find("default:plies=1,filter=tiny", 3)
    assert isinstance(deep, SearchPlayer)
    assert deep.name == "default:plies=1,filter=tiny"
    assert asked == [("racing", 3), ("default", 3)]
    assert not np.array_equal(deep.choose(SAMPLE, DICE), plain.choose(SAMPLE, DICE))


def test_other_players_are_made_once_however_they_are_written(monkeypatch):
    made = count_making(monkeypatch)
    found = make_players()
    assert found.find("random") is found.find("random:seed=0") is found.find("random")
    assert found.find("random:seed=2") is not found.find("random")
    assert made == [0, 2]


def test_only_the_players_that_were_asked_for_last_are_kept(monkeypatch):
    made = count_making(monkeypatch)
    found = make_players()
    for seed in range(MAX_CACHED_PLAYERS):
        found.find(f"random:seed={seed}")
    found.find("random:seed=0")
    found.find("random:seed=99")
    assert made == [*range(MAX_CACHED_PLAYERS), 99]
    found.find("random:seed=0")
    found.find("random:seed=1")
    assert made[-1] == 1
    assert len(made) == MAX_CACHED_PLAYERS + 2


def test_several_threads_get_one_player(monkeypatch):
    made = count_making(monkeypatch)
    found, got = make_players(), []
    workers = [threading.Thread(target=lambda: got.append(found.find("random"))) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(set(map(id, got))) == len(made) == 1


def test_look_ahead_is_known_by_the_options(monkeypatch):
    found = make_players()
    assert not found.uses_look_ahead("racing")
    assert found.uses_look_ahead("racing:level=master")
    assert not found.uses_look_ahead("random:seed=5")
    count_making(monkeypatch, is_deep=lambda options: options.seed == 5)
    assert found.uses_look_ahead("random:seed=5")
    assert not found.uses_look_ahead("random:seed=4")
