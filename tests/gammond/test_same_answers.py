"""The engine in this process and both clients: the same question has the same answer, or the same refusal.

What is asked is derived from the fields of `MatchState`, the parameters of the methods and the table of
settings, so that nothing that can be said is left out of what reaches a server.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache

import numpy as np
import pytest

import gammond
from engine.hypergammon.databases import load_solution
from gammond import AsyncClient, Client, Engine, MatchState, Position
from gammond._options import AnalysisSettings, DecisionRollouts, RolloutSettings
from gammond.position import find_variant_name
from protocol.state.settings import SETTINGS

CONTACT = Position.from_id("2M7IATDgdw8GAA")
OVER = Position([[14, 1, *[0] * 24], [15, *[0] * 25]])
ONE_EACH, TWO_EACH = Position.start("hypergammon1"), Position.start("hypergammon2")
NONSENSE = "nonsense"

STATES = {
    "length": [MatchState(length=1), MatchState(length=5, score=(2, 1))],
    "score": [MatchState(length=5, score=(4, 2)), MatchState(score=(3, 9))],
    "crawford": [MatchState(length=5, score=(4, 2), crawford=True)],
    "cube": [MatchState(cube=2), MatchState(length=5, cube=2)],
    "cube_owner": [
        MatchState(cube=2, cube_owner=0),
        MatchState(cube=2, cube_owner=1),
        MatchState(length=9, score=(2, 1), cube=2, cube_owner=0),
        MatchState(cube_owner=0),
    ],
    "on_roll": [MatchState(on_roll=1), MatchState(length=5, score=(2, 1), on_roll=1)],
    "dice": [MatchState(dice=(6, 3))],
    "doubled": [MatchState(doubled=True)],
    "beavered": [MatchState(doubled=True, beavered=True, cube=2, cube_owner=1)],
    "resigned": [MatchState(resigned=2)],
    "jacoby": [MatchState(jacoby=True), MatchState(length=5, jacoby=True)],
    "beavers": [MatchState(beavers=False), MatchState(length=5, beavers=False)],
}
"""By field: match states in which it has another value than in money play at the start."""

MATCHES = {
    "money without beavers": b'; [Beaver "Off"]\n 0 point match\n\n Game 1\n ann : 0    bob : 0\n'
    b"  1) 31: 8/5 6/5                 64: 24/14\n  2)  Doubles => 2                Takes\n"
    b"  3) 52: 13/8 6/4\n",
    "Jacoby": b'; [Jacoby "On"]\n 0 point match\n\n Game 1\n ann : 0    bob : 0\n'
    b"  1) 31: 8/5 6/5                 64: 24/14\n",
    "Crawford game": b" 3 point match\n\n Game 1\n ann : 2    bob : 0\n"
    b"  1) 31: 8/5 6/5                 64: 24/14\n",
    "set by hand": b"(;FF[4]GM[6]MI[length:3][game:0][ws:1][bs:0]PW[a]PB[b];PL[W];CP[w];CV[2]"
    b";AE[a:y]AW[a][b][c]AB[x][w];W[21]C[not played])",
    "hypergammon1": b"(;FF[4]GM[6]MI[length:0][game:0][ws:0][bs:0]PW[a]PB[b]RU[Hypergammon1];W[31xuut])",
}
"""Matches by rules, scores and beginnings of several kinds."""

PARAMETERS = {
    "position": [
        *(Position.start(name) for name in ("backgammon", "nackgammon", "longgammon")),
        OVER, ONE_EACH, TWO_EACH, Position.start("hypergammon"),
    ],
    "positions": [
        [],
        [CONTACT, OVER],
        [ONE_EACH],
        [CONTACT, ONE_EACH],
        gammond.stack_boards([CONTACT, Position.start()]),
        np.zeros((0, 2, 26), np.int8),
        np.zeros((1, 2, 26), np.int8),
        np.zeros((2, 26)),
    ],
    "dice": [(3, 1), (6, 6), (7, 1), (3, 1, 2)],
    "plies": [1, 5],
    "cubeful": [False],
    "move_filter": ["tiny", NONSENSE],
    "player": ["classic:hidden=10", "pubeval", "random", NONSENSE],
    "kind": ["plays", "position", "cube", NONSENSE],
    "trials": [12, 0],
    "seed": [5, -1],
    "truncation": [3, -1],
    "variance_reduction": [False],
    "candidates": [2, 7, 0],
    "stop_error": [0.5, -1.0],
    "stop_jsd": [0.0, -1.0],
    "min_trials": [6, 0],
    "deeper": [1, 5],
    "rollout": [{"trials": 6, "truncation": 2, **more} for more in (
        {}, {"seed": 5}, {"truncation": 3}, {"plies": 1}, {"variance_reduction": False}, {"candidates": 2},
        {"stop_error": 0.5}, {"stop_jsd": 0.0}, {"min_trials": 36},
        {"trials": 0}, {"seed": -1}, {"candidates": 0}, {"stop_error": -1.0}, {"min_trials": 0},
    )],
}  # fmt: skip
"""Other values than those of `ARGUMENTS`, some of them to be refused, by parameter or option."""

ARGUMENTS = {
    "position": CONTACT,
    "positions": [CONTACT],
    "player": "phase-net",
    "dice": (4, 2),
    "trials": 6,
    "truncation": 2,
}
"""What is asked unless a test says otherwise."""

QUESTIONS = {
    "evaluate": ["position"],
    "evaluate_many": ["positions"],
    "rank": ["position", "dice"],
    "opinion": ["position", "player"],
    "cube": ["position"],
    "rollout": ["position", "trials", "truncation"],
    "analyse": ["match"],
}
"""The methods, and what each of them is asked with."""

OPTIONS = {"rollout": RolloutSettings, "analyse": AnalysisSettings}
"""Where clients take the options of a method by a dictionary."""

UNSENT = {"self", "match", "progress", "cancel", "options"}
"""Parameters that `PARAMETERS` has no values for; those of ``match`` are `STATES` and `MATCHES`."""


class FromThread:
    """An `AsyncClient` as a thread without an event loop can ask it.

    Args:
        client: The client.
        loop: Its loop, which runs in another thread.
    """

    def __init__(self, client, loop):
        self._client, self._loop = client, loop

    def __getattr__(self, name):
        def ask(*arguments, **options):
            asked = getattr(self._client, name)(*arguments, **options)
            return asyncio.run_coroutine_threadsafe(asked, self._loop).result(120)

        return ask


@cache
def find_engine(checkers, name="default"):
    """Return the engine for positions with so many checkers a side."""
    return Engine(name, variant=find_variant_name(checkers))


class Here:
    """The engine of the variant that a question is about, in this process."""

    name = "default"

    def __getattr__(self, name):
        def ask(about, *arguments, **options):
            is_many = isinstance(about, list | np.ndarray)
            boards = [getattr(about[0], "board", about[0])] if is_many and len(about) else []
            boards = [about.board] if isinstance(about, Position) else boards
            checkers = int(boards[0][0].sum()) if boards and boards[0].ndim == 2 else 15
            engine = find_engine(checkers if checkers in (1, 2, 3) else 15, self.name)
            return getattr(engine, name)(about, *arguments, **options)

        return ask


@pytest.fixture(scope="module", autouse=True)
def solutions():
    """The solutions of hypergammon with one and two checkers, in the data folder."""
    for checkers in (1, 2):
        load_solution(checkers)


@pytest.fixture
def client(port):
    with Client.connect(port=port) as made:
        yield made


@pytest.fixture
def async_client(port):
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    made = asyncio.run_coroutine_threadsafe(AsyncClient.connect(port=port), loop).result(60)
    yield FromThread(made, loop)
    asyncio.run_coroutine_threadsafe(made.close(), loop).result(60)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture
def clients(client, async_client):
    """Both clients, of which a test asks the same."""
    return client, async_client


def ask(asked, question, **others):
    """Return what is answered, or the code of the refusal."""
    arguments = {name: ARGUMENTS[name] for name in QUESTIONS[question] if name in ARGUMENTS} | others
    first = next(iter({"position", "positions"} & set(arguments)), "match")
    try:
        return getattr(asked, question)(arguments.pop(first), **arguments)
    except gammond.GammondError as error:
        return error.code


def check_all_same(clients, asked_here, question, **others):
    """Check that both clients are answered as the engine in this process answers."""
    expected = ask(asked_here, question, **others)
    for there in clients:
        check_same(ask(there, question, **others), expected)


def check_same(found, expected):
    """Check that two answers say the same, up to the decimals of the wire."""
    assert type(found) is type(expected), (found, expected)
    if isinstance(found, gammond.Match):
        check_same([found.to_dict(), found.games], [expected.to_dict(), expected.games])
    elif is_dataclass(found) and not isinstance(found, gammond.Play):
        for field in fields(found):
            check_same(getattr(found, field.name), getattr(expected, field.name))
    elif isinstance(found, dict):
        assert found.keys() == expected.keys()
        check_same(list(found.values()), list(expected.values()))
    elif isinstance(found, list | tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            check_same(one, other)
    elif isinstance(found, float | np.ndarray):
        assert found == pytest.approx(expected, rel=1e-5, abs=2e-5, nan_ok=True)
    else:
        assert found == expected


def test_every_field_parameter_and_option_has_other_values_to_ask_with():
    assert STATES.keys() == {field.name for field in fields(MatchState)}
    for name, states in STATES.items():
        assert all(getattr(state, name) != getattr(MatchState(), name) for state in states)
    options = {option for kind in OPTIONS.values() for option in kind.__annotations__}
    for question in QUESTIONS:
        here, *others = (
            set(inspect.signature(getattr(kind, question)).parameters)
            for kind in (Engine, Client, AsyncClient)
        )
        taken = set(OPTIONS[question].__annotations__) | {"options"} if question in OPTIONS else set()
        assert all(other | taken == here | ({"options"} & taken) for other in others)
        options |= here
    assert options - UNSENT == PARAMETERS.keys()
    assert {
        option for given in PARAMETERS["rollout"] for option in given
    } == DecisionRollouts.__annotations__.keys()
    assert set(inspect.signature(Position).parameters) == {
        "board",
        "variant",
    }  # ask for the same by another one


@pytest.mark.parametrize("field", STATES)
@pytest.mark.parametrize("question", [name for name in QUESTIONS if name not in ("analyse", "opinion")])
def test_what_a_match_state_says_reaches_the_server(clients, question, field):
    for state in STATES[field]:
        more = {"kind": "cube"} if question == "rollout" else {}
        check_all_same(clients, Here(), question, match=state, **more)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        (question, name)
        for question in QUESTIONS
        for name in PARAMETERS
        if name in inspect.signature(getattr(Engine, question)).parameters
    ],
)
def test_what_a_parameter_says_reaches_the_server(clients, question, name):
    for value in PARAMETERS[name]:
        others = {name: value}
        if question == "rollout" and name in ("candidates", "kind", "stop_jsd"):
            others = {"dice": (3, 1), **others}
        if question == "analyse":
            others = {"match": gammond.read_match(MATCHES["Jacoby"]), "plies": 0, **others}
        check_all_same(clients, Here(), question, **others)


def test_a_match_without_a_game_is_refused(clients):
    match = gammond.read_match(b" 5 point match\n\n Game 1\n ann : 0    bob : 0\n  1) hello\n")
    for asked in (Here(), *clients):
        assert ask(asked, "analyse", match=match) == "bad_state"


@pytest.mark.parametrize("kind", MATCHES)
def test_what_a_match_says_reaches_the_server(clients, kind):
    match = gammond.read_match(MATCHES[kind])
    assert match.games
    check_all_same(clients, Here(), "analyse", match=match, plies=0)


TEXTS = {"engine.net": ["fast"], "engine.player": ["random", "pubeval"], "engine.level": ["casual"]}
"""Values of settings that are lists of names: some of them are enough."""


def list_values(setting):
    """List values of a setting: all of a short list, the bounds of numbers."""
    if setting.name in TEXTS:
        return TEXTS[setting.name]
    if setting.kind == "bool":
        return ["true", "false"]
    if setting.kind == "int":
        return setting.values.split("..")
    return setting.values.split("|")


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_of_the_session_neither_answers_for_a_question_nor_keeps_it_from_its_answer(clients, name):
    state, here = MatchState(length=5, score=(2, 1)), Here()
    for value in list_values(SETTINGS[name]):
        assert value
        for there in clients:
            with suppress(gammond.ServerError):  # not each fits the match of the session
                there.command(f"set {name} {value}")
        here.name = value if name == "engine.net" else "default"
        for question, match in (("evaluate", state), ("rank", None), ("cube", state), ("rollout", state)):
            check_all_same(clients, here, question, match=match)
        for there in clients:
            assert there.command(f"get {name}")
            with pytest.raises(gammond.ServerError):
                there.command("fly")
