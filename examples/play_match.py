"""Play a match to 5 with hints; gammond is the opponent, and keeps score and record.

Seat p0 plays any legal play, asks what it loses, and takes the hint where that is much; p1 is gammond.
"""

import json
import random
import subprocess
import sys
from typing import Any

Answer = dict[str, Any]


class Engine:
    """gammond as a child process that answers in JSON."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "gammond"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ask("set engine.format json")

    def ask(self, line: str) -> tuple[Answer, list[Answer]]:
        """Send a line; return the last object of its answer, and those before it."""
        print(line, file=self.process.stdin, flush=True)
        before: list[Answer] = []
        for text in self.process.stdout or ():
            answer = json.loads(text)
            if "error" in answer:
                raise SystemExit(f"{line}: {answer['error']['message']}")
            if answer["final"]:
                return answer, before
            before.append(answer)
        raise SystemExit("gammond ended before it answered")


def choose_play(engine: Engine, seat: str) -> str:
    """Choose a play for the roll on the table."""
    if seat == "p1":
        return str(engine.ask("go")[0]["move"])
    play = random.choice(engine.ask("legal")[1])["play"]
    rank, _ = engine.ask(f"rank {play}")
    return str(rank["best"] if rank["loss"] > 0.1 else play)


engine = Engine()
match: Answer = {}
for setting in ("game.keep true", "game.length 5"):
    engine.ask(f"set {setting}")
while "match_winner" not in match:
    engine.ask("newgame")
    match = {"to_act": engine.ask("roll")[0]["seat"]}
    while "winner" not in (match := engine.ask(f"play {choose_play(engine, match['to_act'])}")[0]):
        if engine.ask("go cube")[0]["cube"] == "double":
            engine.ask("play double")
            if "winner" in (match := engine.ask(f"play {engine.ask('go take')[0]['response']}")[0]):
                break
        engine.ask("roll")
print("\n".join(line["text"] for line in engine.ask("save p0=Guest p1=gammond")[1]))
