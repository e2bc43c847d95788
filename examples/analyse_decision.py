"""Analyse one decision: the plays of a roll at 2-ply, the best of them rolled out.

    python examples/analyse_decision.py POSITION DIE DIE [TRIALS]

POSITION is a GNU position ID, an XGID or any other form that gammond reads. Ctrl-C ends the rollout with what
is complete.
"""

import signal
import sys
import threading

import gammond


def main(text: str, die1: str, die2: str, trials: str = "324") -> int:
    """Print the board, the plays, and the rollout."""
    position, match = gammond.parse(text)
    dice = (int(die1), int(die2))
    engine = gammond.Engine()
    print(position.draw(match))
    print(f"\nThe plays of {dice[0]}-{dice[1]}:")
    for play in engine.rank(position, dice, match, plies=2)[:5]:
        print(f"  {play}")

    cancel = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: cancel.set())

    def show(done: int) -> None:
        print(f"\r{done} of {trials} trials", end="", file=sys.stderr, flush=True)

    rollout = engine.rollout(
        position, dice, match, trials=int(trials), truncation=11, candidates=3, progress=show, cancel=cancel
    )
    print(f"\nRolled out, {rollout.trials} trials:")
    for rolled in rollout.plays:
        print(f"  {rolled}  behind by {rolled.loss:.4f} ± {rolled.loss_error:.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
