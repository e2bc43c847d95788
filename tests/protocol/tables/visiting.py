"""A hub for tests: its own clock, work done on demand, and visitors that speak JSON."""

from __future__ import annotations

import copy
import json
import random

import msgspec

from gammond.protocol.core.requests import WorkControl
from gammond.protocol.tables.archive import Archive, add_log_facts, decode_log
from gammond.protocol.tables.hub import Hub
from tests.protocol.talking import make_service

PERSON, BOB = ({"kind": "person", "name": name} for name in ("Ann", "Bob"))
OPEN = {"kind": "open"}
ENGINE = {"kind": "engine", "player": "engine", "level": "expert"}


class MemoryArchive(Archive):
    """An archive that lasts as long as its process.

    Attributes:
        games: The finished games by id.
        logs: The actions of each table, as JSON.
    """

    def __init__(self):
        self.games = {}
        self.logs = {}
        self._tables = {}

    def save_table(self, table):
        """Keep a table that was created, or has changed; its log stays."""
        self._tables[table.table_id] = msgspec.structs.replace(table)
        self.logs.setdefault(table.table_id, [])

    def add_action(self, table_id, action):
        """Add an action, as JSON, to the log of a table."""
        self.logs[table_id].append(action)

    def load_tables(self):
        """Return the tables that are kept, the oldest first."""
        return [
            add_log_facts(table, log[-1] if log else b"", len(log), sum(map(len, log)))
            for table, log in zip(self._tables.values(), self.logs.values(), strict=True)
        ]

    def load_log(self, table_id):
        """Return what was done at a table, in order."""
        return decode_log(self.logs[table_id])

    def drop_table(self, table_id):
        """Forget a table, if it is kept; its games stay."""
        self._tables.pop(table_id, None)
        self.logs.pop(table_id, None)

    def keep_game(self, game):
        """Keep a finished game, in place of one with its id."""
        self.games[game.game_id] = game


class FakePool:
    """Does work when it is told to, in the order in which it came."""

    def __init__(self):
        self.waiting = []

    def __call__(self, work, on_done, client):
        """Take work."""
        control = WorkControl()
        self.waiting.append((work, on_done, control))
        return control.stop

    def run(self):
        """Do all the work that waits now."""
        waiting, self.waiting = self.waiting, []
        for work, on_done, control in waiting:
            try:
                result = work.run(control)
            except Exception as error:
                result = error
            on_done(result)


class Site:
    """A hub with a clock that stands still until it is moved.

    Attributes:
        now: The time, in seconds.
    """

    def __init__(self, archive=None, limits=None, service=None):
        self.now = 1000.0
        self.archive = archive or MemoryArchive()
        self.pool = FakePool()
        self.service = service or make_service()
        self.hub = Hub(self.service, self.pool, lambda: self.now, self.archive, limits, lambda: self.now)

    def visit(self, address="", check_name=None):
        """Let a visitor come."""
        return Guest(self, address, check_name)

    def settle(self, seconds=0.0):
        """Do all work and all that is due, while the clock goes on by some time in steps."""
        end = self.now + seconds
        while True:
            while self.pool.waiting:
                self.pool.run()
            self.hub.tick()
            if not self.pool.waiting:
                if self.now >= end:
                    return
                self.now = min(end, self.now + 0.5)


class Guest:
    """A visitor of a site.

    Attributes:
        events: The events that came, oldest first.
        state: The last state of each table.
    """

    def __init__(self, site, address="", check_name=None):
        self.site = site
        self.visitor = site.hub.connect(check_name=check_name, address=address)
        self.events = []
        self.states = {}
        self._id = 0

    def send(self, frame):
        """Send a frame as it stands."""
        self.site.hub.receive(self.visitor, frame)

    def close(self):
        """Go away."""
        self.site.hub.disconnect(self.visitor)

    @property
    def state(self):
        """The state of the table heard of last."""
        return self.events[-1]["state"]

    def events_of(self, table):
        """Return the events of a table."""
        return [event for event in self.events if event["table"] == table]

    def hear(self):
        """Take in what came, also what workers make first; return the answers among it."""
        answers, frames = [], self.visitor.take_output()
        while self.visitor._output:  # a frame is still to be made
            self.site.pool.run()
            frames += self.visitor.take_output()
        for frame in frames:
            document = json.loads(frame)
            if "ok" in document:
                answers.append(document)
            else:
                self.events.append(document)
                self.states[document["table"]] = document["state"]
        return answers

    def ask(self, do, **fields):
        """Send a request; return its answer."""
        self._id += 1
        self.send(json.dumps({"id": self._id, "do": do, **fields}))
        answers = self.hear()
        while not any(answer["id"] == self._id for answer in answers):
            assert self.site.pool.waiting, "no answer came"
            self.site.pool.run()
            answers += self.hear()
        return next(answer for answer in answers if answer["id"] == self._id)

    def get(self, do, **fields):
        """Send a request that must succeed; return its answer."""
        answer = self.ask(do, **fields)
        assert answer["ok"], answer
        return answer

    def refuse(self, do, **fields):
        """Send a request that must fail; return code and field of its error, and the message."""
        answer = self.ask(do, **fields)
        assert not answer["ok"], answer
        error = answer["error"]
        return error["code"], error["field"], error["message"]

    def create(self, *seats, **fields):
        """Create a table and sit down at each seat that is a person's; return the answer to ``create``."""
        made = self.get("create", seats=list(seats), **fields)
        tokens = [
            token
            for token, seat in zip(made["tokens"], seats, strict=True)
            if token is not None and seat["kind"] == "person"
        ]
        self.get("join", table=made["table"], token=[*tokens, made["watch"]])
        return made


class Party:
    """Those who play at one table of a site, and what it comes to.

    Args:
        *seats: Those of the table; two persons if left out.
        site: Where the table is; a new one if left out.
        apart: Whether each person comes over a connection of its own; else one has all seats, and the link to
            watch.
        address: From where it is created.
        owners: What marks the accounts of both persons.
        joins: What the request to come has besides, of each seat where they come apart.
        **fields: Of the request to create the table.

    Attributes:
        site: The site.
        made: The answer to the request to create the table.
        table: The table's name.
        tokens: The secrets of the seats, as far as they are told.
        guests: By seat; one that has both is there twice.
    """

    def __init__(self, *seats, site=None, apart=False, address="", owners=("", ""), joins=({}, {}), **fields):
        self.site = site or Site()
        names = iter(owners)
        creator = self.site.visit(address, check_name=lambda _: next(names, ""))
        self.seats, self.apart = list(seats or (PERSON, BOB)), apart
        self.made = creator.get("create", seats=self.seats, **fields)
        self.table, self.tokens = self.made["table"], [*self.made["tokens"]]
        self.guests = [creator, self.site.visit() if apart else creator]
        self._join(joins)

    def _join(self, joins=({}, {})):
        if not self.apart:
            kinds = zip(self.tokens, self.seats, strict=True)
            tokens = [token for token, seat in kinds if seat["kind"] == "person"]
            self.guest.get("join", table=self.table, token=[*tokens, self.made["watch"]], **joins[0])
            return
        for place, guest in enumerate(self.guests):
            name = {"name": "Bob"} if self.seats[place]["kind"] == "open" else {}
            answer = guest.get("join", table=self.table, token=self.tokens[place], **name, **joins[place])
            self.tokens[place] = answer.get("tokens", self.tokens)[place]

    def restart(self):
        """Kill the server, start another with the same archive, and let all come again; return them there."""
        again = copy.copy(self)
        again.site = kill_and_start(self.site)
        again.guests = [again.site.visit()] * 2 if not self.apart else [again.site.visit() for _ in (0, 1)]
        again._join()
        return again

    @property
    def guest(self):
        """Who created the table."""
        return self.guests[0]

    @property
    def state(self):
        """The last state that somebody at the table was told."""
        for guest in self.guests:
            guest.hear()
        events = (guest.events_of(self.table)[-1] for guest in self.guests)
        return max(events, key=lambda event: (event["event"], event["state"].get("tree") is not None))[
            "state"
        ]

    @property
    def events(self):
        """The events that the creator was told."""
        self.guest.hear()
        return self.guest.events

    @property
    def game(self):
        """The games of the table."""
        return self.site.hub.tables[self.table].game

    @property
    def kept(self):
        """The game at hand, which is over, as it is archived."""
        return self.site.archive.games[f"{self.table}-{self.state['game_number']}"]

    @property
    def history(self):
        """What was done in the game at hand, as somebody who comes is told."""
        watcher = self.site.visit()
        watcher.get("join", table=self.table, token=self.made["watch"])
        return watcher.state["history"]

    def act(self, act, seat=None, **fields):
        """Do something, for the seat to act unless another is named; return the state after it."""
        self._find_guest(seat).get("act", table=self.table, act=act, **name_seat(seat), **fields)
        return self.state

    def refuse(self, act, seat=None, **fields):
        """Do something that must be refused; return code and field of the error, and the message."""
        return self._find_guest(seat).refuse("act", table=self.table, act=act, **name_seat(seat), **fields)

    def _find_guest(self, seat):
        return self.guests[(self.state["to_act"] or 0) if seat is None else seat]

    def settle(self, seconds=0.0):
        """Let some time go by, and all be done that is due; return the state after it."""
        self.site.settle(seconds)
        return self.state

    def play(self, plays=-1, *, seed=1, doubles=0.0):
        """Make so many plays of persons at random, or play to the end of the game; return the state then."""
        rng = random.Random(seed)
        persons = [place for place, seat in enumerate(self.seats) if seat["kind"] != "engine"]
        for _ in range(4000):
            state = self.settle()
            if plays == 0 or state["phase"] in ("over", "finished"):
                return state
            seat = state["to_act"]
            if seat in persons:
                plays -= state["phase"] == "play"
                play_at_random(self.guests[seat], self.table, rng, seats=(seat,), doubles=doubles)
            else:
                self.site.settle(1.0)
        raise AssertionError("the game does not end")

    def give_up(self):
        """Let the seat to act lose a single game."""
        self.act("resign", points=1)
        return self.act("accept")


def kill_and_start(site):
    """Start another server with the same archive, as after a kill: nothing was said, nothing closed."""
    return Site(site.archive)


def name_seat(seat):
    """Return the key of a request for a seat, if it is to be named."""
    return {} if seat is None else {"seat": seat}


def play_at_random(guest, table, random, *, seats=(0,), doubles=0.2):
    """Do something legal for one of some seats, if one of them is to act; return whether it was."""
    state = guest.states[table]
    phase, to_act = state["phase"], state["to_act"]
    if phase == "over":
        guest.get("act", table=table, act="next")
        return True
    if to_act not in seats:
        return False
    if phase == "roll":
        may_double = state["cube"] is not None and state["cube"]["may_double"] and random.random() < doubles
        guest.get("act", table=table, seat=to_act, act="double" if may_double else "roll")
    elif phase == "play":
        guest.get("act", table=table, seat=to_act, act="play", play=choose_play(state, random))
    elif phase == "response":
        guest.get("act", table=table, seat=to_act, act=random.choice(["take", "drop"]))
    elif phase == "resignation":
        guest.get("act", table=table, seat=to_act, act=random.choice(["accept", "reject"]))
    else:
        return False
    return True


def choose_play(state, random):
    """Choose a legal play as a person does: checker by checker, or a move of another game."""
    if state.get("legal"):
        move = random.choice(state["legal"])
        return move["text"] if isinstance(move, dict) else str(move)
    tree, at = state["tree"], 0
    while tree[at]["moves"]:
        _, _, at = random.choice(tree[at]["moves"])
    return tree[at]["play"]


def find_first_play(state):
    """Return the first of the plays that the seat to act is told."""
    return next(node["play"] for node in state["tree"] if node["play"] is not None)
