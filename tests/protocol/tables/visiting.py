"""A hub for tests: its own clock, work done on demand, and visitors that speak JSON."""

from __future__ import annotations

import json

import msgspec

from gammond.protocol.core.requests import WorkControl
from gammond.protocol.tables.archive import Archive, add_log_facts, decode_log
from gammond.protocol.tables.hub import Hub
from tests.protocol.talking import make_service

PERSON, OPEN = {"kind": "person", "name": "Ann"}, {"kind": "open"}
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
