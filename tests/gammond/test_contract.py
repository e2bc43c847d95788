"""The contract of `Engine`, `Client` and `AsyncClient`: the same questions, answers, types, words and errors.

What is asked is derived from the fields of `MatchState`, the parameters of the methods and the table of
settings, so that nothing that can be said is left out of what reaches a server.
"""

from __future__ import annotations

import inspect
import threading
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache

import numpy as np
import pytest

import gammond
from gammond import AsyncClient, Client, Engine, MatchState, Position
from gammond.api._options import AnalysisSettings, DecisionRollouts, RolloutSettings
from gammond.api.position import find_variant_name
from gammond.engine.hypergammon.solution import load_solution
from gammond.engine.rollout.stop_rules import STOP_RULES
from gammond.protocol.state.settings import SETTINGS
from tests.gammond.async_client import open_async
from tests.gammond.matches import ANALYSED_MATCH

CONTACT = Position.from_id("2M7IATDgdw8GAA")
START = Position.start()
MATCH_STATE = MatchState(length=5, score=(2, 1), on_roll=1)
OVER = Position([[14, 1, *[0] * 24], [15, *[0] * 25]])
ONE_EACH, TWO_EACH = Position.start("hypergammon1"), Position.start("hypergammon2")
NONSENSE = "nonsense"

STATES = {
    "length": [MatchState(length=1), MatchState(length=5, score=(2, 1))],
    "score": [
        MatchState(length=5, score=(4, 2)),
        MatchState(score=(3, 9)),
        MatchState(length=99, score=(97, 0)),
    ],
    "crawford": [MatchState(length=5, score=(4, 2), crawford=True)],
    "cube": [MatchState(cube=2), MatchState(length=5, cube=2)],
    "cube_owner": [
        MatchState(cube=2, cube_owner=0),
        MatchState(cube=2, cube_owner=1),
        MatchState(length=9, score=(2, 1), cube=2, cube_owner=0),
        MatchState(cube_owner=0),
        MatchState(length=99, score=(97, 0), cube=32, cube_owner=1),
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
    **{name: [0.0, 0.5, -1.0] for name in STOP_RULES},
    "min_trials": [6, 0],
    "deeper": [1, 5],
    "rollout": [{"trials": 6, "truncation": 2, **more} for more in (
        {}, {"seed": 5}, {"truncation": 3}, {"plies": 1}, {"variance_reduction": False}, {"candidates": 2},
        *({name: limit} for name in STOP_RULES for limit in (0.0, 0.5, -1.0)), {"min_trials": 36},
        {"trials": 0}, {"seed": -1}, {"candidates": 0}, {"min_trials": 0},
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


class Cancel(threading.Event):
    """An event that sets others too."""

    def __init__(self):
        super().__init__()
        self.followers = []

    def set(self):
        super().set()
        for follow in self.followers:
            follow()


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
    with open_async(AsyncClient.connect, port=port) as made:
        yield made


@pytest.fixture
def clients(client, async_client):
    """Both clients, of which a test asks the same."""
    return client, async_client


@pytest.fixture(params=["Engine", "Client", "AsyncClient"])
def asked(request):
    """Each of the three, for what all of them promise."""
    name = {"Client": "client", "AsyncClient": "async_client"}.get(request.param)
    return Here() if name is None else request.getfixturevalue(name)


def ask(asked, question, **others):
    """Return what is answered, or the refusal."""
    arguments = {name: ARGUMENTS[name] for name in QUESTIONS[question] if name in ARGUMENTS} | others
    first = next(iter({"position", "positions"} & set(arguments)), "match")
    try:
        return getattr(asked, question)(arguments.pop(first), **arguments)
    except gammond.GammondError as error:
        return error


def check_all_same(clients, asked_here, question, **others):
    """Check that both clients are answered as the engine in this process answers."""
    expected = ask(asked_here, question, **others)
    for there in clients:
        check_same(ask(there, question, **others), expected)


def check_same(found, expected):
    """Check that two answers say the same, up to the decimals of the wire; errors by their class
    and field."""
    if isinstance(expected, gammond.GammondError):
        assert isinstance(found, type(expected)), (found, expected)
        assert found.code == expected.code
        assert found.field == expected.field, (found, expected)
        return
    assert type(found) is type(expected), (found, expected)
    if isinstance(found, gammond.CubeDecision):
        assert "drop" not in str(found).lower()
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


def test_the_questions_have_the_same_parameters_and_types_of_answers():
    for question in QUESTIONS:
        here, *others = (inspect.signature(getattr(kind, question)) for kind in (Engine, Client, AsyncClient))
        for other in others:
            assert other.return_annotation == here.return_annotation
            shared = other.parameters.keys() & here.parameters.keys() - {"cancel"}
            assert [other.parameters[name] for name in shared] == [here.parameters[name] for name in shared]
        clients = [
            {name: each for name, each in other.parameters.items() if name != "cancel"} for other in others
        ]
        assert clients[0] == clients[1]
        if later := getattr(Client, f"{question}_later", None):
            signature = inspect.signature(later)
            assert signature.parameters == others[0].parameters
            assert signature.return_annotation == f"Future[{here.return_annotation}]"


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
        if question == "rollout" and name in ("candidates", "kind", *STOP_RULES):
            others = {"dice": (3, 1), **others}
        if question == "analyse":
            others = {"match": gammond.read_match(MATCHES["Jacoby"]), "plies": 0, **others}
        check_all_same(clients, Here(), question, **others)


def test_a_match_without_a_game_is_refused(clients):
    match = gammond.read_match(b" 5 point match\n\n Game 1\n ann : 0    bob : 0\n  1) hello\n")
    check_all_same(clients, Here(), "analyse", match=match)
    assert isinstance(ask(clients[0], "analyse", match=match), gammond.StateError)


@pytest.mark.parametrize("kind", MATCHES)
def test_what_a_match_says_reaches_the_server(clients, kind):
    match = gammond.read_match(MATCHES[kind])
    assert match.games
    check_all_same(clients, Here(), "analyse", match=match, plies=0)


ROLLOUTS = [
    ((3, 1), MATCH_STATE, {"candidates": 3}),
    ((3, 1), MATCH_STATE, {"cubeful": False, "variance_reduction": False}),
    (None, None, {"plies": 1, "truncation": 2}),
    (None, MATCH_STATE, {"cubeful": False}),
    ((3, 1), None, {"kind": "position", "cubeful": False, "seed": 5}),
    (None, MATCH_STATE, {"kind": "cube"}),
    ((3, 1), None, {"trials": 144, "truncation": 2, "stop_jsd": 0.5, "min_trials": 36, "candidates": 4}),
    (None, None, {"trials": 216, "stop_error": 1.0, "min_trials": 36}),
]
"""What is rolled out; the last two end early."""


@pytest.mark.parametrize("number", range(len(ROLLOUTS)))
def test_rollouts_of_all_kinds_are_the_same(clients, number):
    dice, match, options = ROLLOUTS[number]
    options = {"trials": 12, "truncation": 4, **options}
    found = Here().rollout(START, dice, match, **options)
    trials = [found.trials, *(play.estimate.trials for play in found.plays)]
    assert (min(trials) < options["trials"]) == ("min_trials" in options)
    for there in clients:
        check_same(there.rollout(START, dice, match, **options), found)


def test_an_analysis_has_the_comments_and_notes_of_the_match(asked):
    analysed = asked.analyse(ANALYSED_MATCH, 1)
    assert [game.comment for game in analysed.games] == ["a comment"]
    assert analysed.games[0].actions[0].comment == "good"
    check_same(analysed, Here().analyse(ANALYSED_MATCH, 1))
    assert analysed.to_sgf().count("A[") == Here().analyse(ANALYSED_MATCH, 1).to_sgf().count("A[") > 0
    for name in ("decisions", "resignations", "rolls"):
        assert analysed.to_dict()[name]


def test_long_work_reports_its_progress(asked):
    reports = []
    asked.rollout(START, trials=1296, progress=reports.append)
    assert reports
    assert reports == sorted(reports)
    assert reports[-1] <= 1296
    done = []
    asked.analyse(ANALYSED_MATCH, 0, progress=lambda *numbers: done.append(numbers))
    assert done[0] in ((0, 7), (1, 7))
    assert [of for _, of in done] == [7] * len(done)
    assert done == sorted(done)
    assert done[-1] >= (6, 7)


def test_a_rollout_that_is_cancelled_ends_with_what_is_complete(asked):
    cancel, reports = Cancel(), []

    def report(done):
        reports.append(done)
        if done:
            cancel.set()

    rollout = asked.rollout(START, trials=100_000, progress=report, cancel=cancel)
    assert 0 < reports[-1] <= rollout.trials < 100_000
    assert rollout.reason == "stopped"
    assert asked.rollout(START, trials=1, truncation=1).trials == 1


def test_work_that_is_cancelled_before_it_has_an_answer_is_cancelled_work(asked):
    cancel = Cancel()
    cancel.set()
    with pytest.raises(gammond.CancelledWork):
        asked.rollout(START, plies=4, cancel=cancel)
    later = Cancel()
    with pytest.raises(gammond.CancelledWork):
        asked.analyse(ANALYSED_MATCH, 3, progress=lambda *_: later.set(), cancel=later)
    assert asked.evaluate(START).plies == 0


def test_work_whose_progress_fails_ends_with_that_error(asked):
    with pytest.raises(ZeroDivisionError):
        asked.rollout(START, trials=100_000, progress=lambda done: done // 0)
    with pytest.raises(ZeroDivisionError):
        asked.analyse(ANALYSED_MATCH, 0, progress=lambda done, of: done // 0)
    assert asked.rollout(START, trials=1, truncation=1).trials == 1


def test_an_option_that_there_is_not_is_refused(asked):
    for ask_for_it in (
        lambda: asked.rollout(START, depth=3),
        lambda: asked.analyse(ANALYSED_MATCH, 0, depth=3),
        lambda: asked.analyse(ANALYSED_MATCH, 0, rollout={"depth": 3}),
    ):
        with pytest.raises(TypeError, match="depth"):
            ask_for_it()


REFUSALS = {
    gammond.ValueRangeError: lambda asked: asked.evaluate(START, plies=9),
    gammond.PositionError: lambda asked: asked.cube(START, MatchState(length=5, cube=2)),
    gammond.StateError: lambda asked: asked.cube(OVER),
    gammond.UnsupportedError: lambda asked: asked.opinion(START, "random", (3, 1)),
    gammond.FormatError: lambda asked: asked.opinion(START, "classic:hidden"),
}
"""Questions by the error that refuses them."""


@pytest.mark.parametrize("kind", REFUSALS)
def test_a_refusal_has_the_class_of_the_fault(asked, kind):
    with pytest.raises(kind) as caught:
        REFUSALS[kind](asked)
    assert caught.value.code == kind.code
    is_sent = kind is not gammond.PositionError  # what is said of the match is checked before
    assert isinstance(asked, Here) or isinstance(caught.value, gammond.ServerError) is is_sent


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
