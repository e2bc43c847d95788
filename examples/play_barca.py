"""Let two levels of gammond play a game of Barca over the line protocol, and print the moves.

    python examples/play_barca.py [WHITE BLACK]

`docs/reference/barca-protocol.md` has the commands. A client that plays itself sends `play` with its own
move where it is its turn, instead of `go`.
"""

import subprocess
import sys

COMMENTS = ("info", "id", "key", "option", "move", "play", "board")
"""First words of lines that are not the last of their answer."""


def ask(engine: subprocess.Popen[str], line: str) -> str:
    """Send a line, and return the final line of its answer."""
    assert engine.stdin
    assert engine.stdout
    engine.stdin.write(line + "\n")
    engine.stdin.flush()
    for answer in engine.stdout:
        word = answer.split()[0]
        if word == "error":
            raise SystemExit(f"{line}: {answer.strip()}")
        if word not in COMMENTS:
            return answer.strip()
    raise SystemExit("gammond ended before it answered")


def main(white: str, black: str) -> int:
    """Play one game."""
    levels, turn, number = {"white": white, "black": black}, "white", 0
    command = [sys.executable, "-m", "gammond"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as engine:
        ask(engine, "set game.variant barca")
        ask(engine, "newgame")
        while True:
            ask(engine, f"set engine.level {levels[turn]}")
            move = ask(engine, "go").removeprefix("bestmove ")
            after = ask(engine, f"play {move}")
            number += 1
            print(f"{number:>3}. {turn} {move}")
            fields = dict(word.split("=", 1) for word in after.split() if "=" in word)
            if "result" in fields:
                break
            turn = fields["turn"]
        ask(engine, "quit")
    print(f"{fields.get('winner', 'nobody')} wins, by {fields['result']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:] or ["easy", "easy"]))
