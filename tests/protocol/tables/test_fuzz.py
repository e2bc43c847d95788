"""Anything that visitors send, in any order: nothing is raised, and no game is corrupted."""

from __future__ import annotations

import json
import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gammond.protocol.tables.actions import ACTS
from tests.protocol.tables.visiting import ENGINE, PERSON, Site, play_at_random
from tests.protocol.talking import make_service

SERVICE = make_service()
BOB = {"kind": "person", "name": "Bob"}
SLOW = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])

plays = st.sampled_from(["8/5 6/5", "pass", "24/23", "bar/20", "double", "1/off", "e2-e5", "x", ""])
acts = st.fixed_dictionaries(
    {"act": st.sampled_from(ACTS)},
    optional={
        "seat": st.sampled_from([0, 1, None]),
        "play": plays,
        "dice": st.tuples(st.integers(0, 7), st.integers(1, 6)),
        "points": st.integers(0, 4),
        "to": st.integers(-1, 30),
        "ms": st.integers(-1, 3000),
    },
)
tables = st.fixed_dictionaries(
    {
        "seats": st.sampled_from([[PERSON, BOB], [PERSON, ENGINE], [ENGINE, PERSON]]),
        "variant": st.sampled_from(["backgammon", "nackgammon", "barca"]),
    },
    optional={
        "cube": st.booleans(),
        "dice": st.sampled_from(["server", "typed"]),
        "length": st.integers(0, 3),
        "auto_roll": st.booleans(),
        "clock": st.just({"bank_s": 40, "move_s": 2}),
    },
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def check(state):
    """Make sure that a state is one that a game can be in."""
    if state["game"] == "backgammon" and state["checkers"]:
        assert [sum(row) for row in state["checkers"]] == [15, 15]
        own, other = state["checkers"]
        assert not any(own[point] and other[25 - point] for point in range(1, 25))
        value = state["cube"]["value"] if state["cube"] else 1
        assert value & (value - 1) == 0
    if state["game"] == "barca" and state["pieces"]:
        assert len({piece["at"] for piece in state["pieces"]}) == 12
    assert state["to_act"] in (0, 1, None)
    if state["phase"] in ("over", "finished"):
        assert state["result"]
        assert state["to_act"] is None


@SLOW
@given(
    fields=tables, steps=st.lists(acts | st.floats(0, 15) | st.just("play"), max_size=60), seed=st.integers()
)
def test_random_acts_never_raise_and_never_corrupt_a_game(fields, steps, seed):
    site, rng = Site(service=SERVICE), random.Random(seed)
    guest = site.visit()
    made = guest.ask("create", **fields)
    if not made["ok"]:
        return
    table = made["table"]
    persons = [place for place, seat in enumerate(fields["seats"]) if seat["kind"] == "person"]
    guest.get("join", table=table, token=[token for token in made["tokens"] if token])
    for step in steps:
        if step == "play":
            site.settle(1.0)
            guest.hear()
            if guest.states[table]["phase"] != "finished" and guest.states[table]["fair"]:
                play_at_random(guest, table, rng, seats=persons)
        elif isinstance(step, float):
            site.settle(step)
        else:
            answer = guest.ask("act", table=table, **step)
            assert answer["ok"] or answer["error"]["code"] not in ("internal", "data_file"), answer
        guest.hear()
        check(guest.states[table])
    numbers = [event["event"] for event in guest.events if event["kind"] != "state"]
    assert numbers == sorted(set(numbers))
    rebuilt = Site(site.archive, service=SERVICE)
    again = rebuilt.visit()
    again.get("join", table=table, token=[token for token in made["tokens"] if token])
    for key in ("checkers", "pieces", "phase", "score", "dice", "result", "cube", "game_number"):
        assert again.states[table].get(key) == guest.states[table].get(key)


@SLOW
@given(frames=st.lists(st.text(max_size=60) | values.map(json.dumps), max_size=6))
def test_random_frames_are_answered_each_once(frames):
    site = Site(service=SERVICE)
    visitor = site.hub.connect()
    for frame in frames:
        site.hub.receive(visitor, frame)
    answers = [json.loads(frame) for frame in visitor.take_output()]
    assert len(answers) == len(frames)
    assert all(answer["ok"] is False for answer in answers)


@SLOW
@given(
    do=st.sampled_from(["create", "join", "look", "leave", "list", "act"]),
    fields=st.dictionaries(
        st.sampled_from(
            ["table", "token", "after", "name", "seed", "seats", "variant", "act", "seat", "clock"]
        ),
        values,
        max_size=6,
    ),
)
def test_requests_of_random_fields_are_refused_and_never_fail(do, fields):
    site = Site(service=SERVICE)
    site.visit().create(PERSON, ENGINE)
    answer = site.visit().ask(do, **fields)
    assert answer["ok"] or answer["error"]["code"] != "internal", answer
