"""Let gammond play a game against itself over the line protocol, and print the plays.

    python examples/play_over_stdin.py [LEVEL]

Nothing but pipes: any language can do the same. `docs/reference/protocol.md` has the commands.
"""

import subprocess
import sys


def ask(engine: subprocess.Popen[str], line: str) -> str:
    """Send a line, and return the final line of its answer."""
    assert engine.stdin
    assert engine.stdout
    engine.stdin.write(line + "\n")
    engine.stdin.flush()
    for answer in engine.stdout:
        word = answer.split(" ", 1)[0]
        if word == "error":
            raise SystemExit(answer.strip())
        if word not in ("info", "id", "move", "play", "key", "option"):
            return answer.strip()
    raise SystemExit("gammond ended before it answered")


def main(level: str) -> int:
    """Play one money game without the cube."""
    command = [sys.executable, "-m", "gammond"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as engine:
        ask(engine, f"set engine.level {level}")
        ask(engine, "newgame")
        for turn in range(1, 500):
            roll = ask(engine, "roll")
            best = ask(engine, "go chequer").removeprefix("bestmove ")
            after = ask(engine, f"play {best}")
            dice = "-".join(word.split("=")[1] for word in roll.split() if word.startswith("die"))
            print(f"{turn:>3}. {dice}: {best}")
            if " winner=" in after:
                print(after)
                break
        ask(engine, "quit")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:] or ["casual"]))
